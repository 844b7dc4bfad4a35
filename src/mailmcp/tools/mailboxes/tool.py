"""imap_list_mailboxes: every mailbox of an account or of all accounts, with counts on request."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Final

from pydantic import BaseModel, Field

from mailmcp.imap.mailboxes import CountFailure, Mailbox, count_mailboxes, list_mailboxes, listing_order
from mailmcp.imap.session import Session
from mailmcp.model.cursor import MailboxesCursor, format_mailboxes_cursor, parse_mailboxes_cursor
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.names import LIST_MAILBOXES, SEARCH_MESSAGES
from mailmcp.tools.published import Row
from mailmcp.tools.tool import Call, MailTool
from mailmcp.wording import counted
from mcp_envelope import Code, InvalidInputError, Issue, NextAction, Outcome, Page, Problem, ToolError, code

_ALL: Final = "*"
"""As `account_id`: all of them."""

_PAGE_SIZE: Final = 200
"""Mailboxes on a page: nearly everyone has fewer."""


class ListMailboxesArguments(Arguments):
    """Which account, and whether to count."""

    account_id: str = Field("", description='From imap_list_accounts; "*": all accounts.')
    include_counts: bool = Field(
        default=False, description="Count messages and unseen ones; slow on some servers."
    )
    cursor: str = Field("", description="From the previous page; enough on its own.")


class MailboxRow(Row):
    """One mailbox."""

    account_id: str | None = None
    """Set in a list of all accounts."""

    name: str
    delimiter: str
    special_use: str
    """Such as "\\\\Sent" (RFC 6154); "" for an ordinary mailbox."""

    special_use_guessed: bool | None = None
    """Whether it is guessed from the name."""

    selectable: bool
    """Whether it can hold messages."""

    messages: int | None = None
    unseen: int | None = None


class ListMailboxesData(BaseModel):
    """The mailboxes, INBOX first, then by name."""

    account_id: str
    mailboxes: list[MailboxRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    """The mailboxes of one account that may be on the page."""

    page: Sequence[Mailbox]
    total: int
    """All mailboxes of the account."""

    has_more: bool
    uncounted: dict[str, CountFailure] = field(default_factory=dict)


async def list_mailboxes_of_accounts(
    arguments: ListMailboxesArguments, call: Call
) -> Outcome[ListMailboxesData]:
    """List one page of mailboxes: one round trip, and one more for counts if LIST can't return them.

    Accounts are asked in parallel. One that fails is an issue, unless all do.
    """
    start = _start(arguments)
    account_ids = [each.account_id for each in call.pool.accounts]
    if not start.all_accounts:
        account_ids = [call.choose_account(start.account_id, or_all=_ALL).account_id]
    first = account_ids.index(call.choose_account(start.account_id).account_id) if start.account_id else 0
    results = await call.ask_accounts(
        {
            account_id: partial(
                _list_page,
                position=start.position if index == first else "",
                counts=start.include_counts,
                skipped=index < first,
            )
            for index, account_id in enumerate(account_ids)
        }
    )
    errors = {each: error for each, error in results.items() if isinstance(error, ToolError)}
    if len(errors) == len(account_ids):
        raise errors[account_ids[0]]
    listed = {each: found for each, found in results.items() if isinstance(found, _Listed)}
    every = [(account_id, each) for account_id, found in listed.items() for each in found.page]
    page = every[:_PAGE_SIZE]
    total = sum(found.total for found in listed.values())
    account_id = _ALL if start.all_accounts else account_ids[0]
    cursor = None
    next_action = NextAction(
        instruction="Search a mailbox.",
        tool=SEARCH_MESSAGES,
        arguments={"account_id": account_id, "mailbox": "INBOX"},
    )
    if len(page) < len(every) or any(found.has_more for found in listed.values()):
        last_account, last = page[-1]
        rest = MailboxesCursor(
            account_id=last_account,
            position=last.name,
            include_counts=start.include_counts,
            all_accounts=start.all_accounts,
        )
        cursor = format_mailboxes_cursor(rest)
        next_action = NextAction(
            instruction="Get the next page.", tool=LIST_MAILBOXES, arguments={"cursor": cursor}
        )
    rows = [
        MailboxRow(
            account_id=owner if start.all_accounts else None,
            name=each.name,
            delimiter=each.delimiter,
            special_use=each.special_use,
            special_use_guessed=each.special_use_guessed or None,
            selectable=each.selectable,
            messages=each.messages,
            unseen=each.unseen,
        )
        for owner, each in page
    ]
    where = counted(len(listed), "account") if start.all_accounts else f"account {account_id}"
    return Outcome(
        summary=f"{len(rows)} of {counted(total, 'mailbox', 'mailboxes')} in {where}",
        data=ListMailboxesData(account_id=account_id, mailboxes=rows),
        blocks=tuple(_lines(rows)),
        issues=(
            *(Issue.of(error, stage="list", account_id=each) for each, error in errors.items()),
            *(
                _count_issue(account_id, name, found.uncounted[name])
                for account_id, found in listed.items()
                for name in found.uncounted
            ),
        ),
        page=Page(page_size=_PAGE_SIZE, total_count=total, cursor=cursor),
        next_action=next_action,
    )


def _list_page(session: Session, *, position: str, counts: bool, skipped: bool) -> _Listed:
    every = list_mailboxes(session, with_counts=counts)
    after = listing_order(position)
    rest = [each for each in every if not skipped and (not position or listing_order(each.name) > after)]
    page: Sequence[Mailbox] = rest[:_PAGE_SIZE]
    has_more = len(rest) > len(page)
    if not counts:
        return _Listed(page=page, total=len(every), has_more=has_more)
    found = count_mailboxes(session, page)
    return _Listed(page=found.mailboxes, total=len(every), has_more=has_more, uncounted=found.uncounted)


def _lines(rows: Sequence[MailboxRow]) -> Iterator[str]:
    """Format mailboxes, those of several accounts below the name of each."""
    for account_id, some in groupby(rows, key=lambda row: row.account_id):
        if account_id is not None:
            yield f"Account {account_id}:"
        for row in some:
            facts = []
            if row.special_use:
                facts.append(row.special_use[1:] + ("?" if row.special_use_guessed else ""))
            if not row.selectable:
                facts.append("holds no messages")
            if row.messages is not None:
                facts.append(f"{counted(row.messages, 'message')}, {row.unseen or 0} unseen")
            yield f"- {code(row.name)}" + (f" ({'; '.join(facts)})" if facts else "")


def _count_issue(account_id: str, mailbox: str, failure: CountFailure) -> Issue:
    return Issue(
        code=Code.INTERNAL,
        stage="status",
        message=f"The server did not count this mailbox: {failure.why}.",
        retryable=failure.retryable,
        about={"mailbox": mailbox, "account_id": account_id},
    )


def _start(arguments: ListMailboxesArguments) -> MailboxesCursor:
    """Return where the page starts. Arguments that contradict the cursor are refused."""
    if not arguments.cursor:
        all_accounts = arguments.account_id == _ALL
        return MailboxesCursor(
            account_id="" if all_accounts else arguments.account_id,
            position="",
            include_counts=arguments.include_counts,
            all_accounts=all_accounts,
        )
    cursor = parse_mailboxes_cursor(arguments.cursor)
    contradictions = {
        "account_id": arguments.account_id not in {"", _ALL if cursor.all_accounts else cursor.account_id},
        "include_counts": arguments.include_counts and not cursor.include_counts,
    }
    problems = [
        Problem(field=name, reason=Reason.CURSOR_MISMATCH, message="contradicts the cursor. Leave it out.")
        for name, contradicts in contradictions.items()
        if contradicts
    ]
    if problems:
        raise InvalidInputError(problems)
    return cursor


TOOL = MailTool(
    name=LIST_MAILBOXES,
    title="List mailboxes",
    description=("List the mailboxes (folders) of an account, with counts on request."),
    arguments=ListMailboxesArguments,
    data=ListMailboxesData,
    run=list_mailboxes_of_accounts,
)
