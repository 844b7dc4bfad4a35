"""imap_list_mailboxes: every mailbox of an account or of all accounts, with counts on request."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Final

from pydantic import BaseModel, Field

from mailmcp.imap.mailboxes import Mailbox, count_mailboxes, list_mailboxes, listing_order
from mailmcp.model.cursor import malformed_cursor
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.names import LIST_MAILBOXES, SEARCH_MESSAGES
from mailmcp.tools.paging import format_cursor, resume_list
from mailmcp.tools.published import Row
from mailmcp.tools.tool import Call, MailTool
from mailmcp.wording import counted
from mcp_envelope import Issue, NextAction, Outcome, Page, ToolError, code

_ALL: Final = "*"
"""As `account_id`: all of them."""

_CURSOR: Final = "m2"

_PAGE_SIZE: Final = 200
"""Mailboxes on a page: nearly everyone has fewer."""


class ListMailboxesArguments(Arguments):
    """Which account, and whether to count."""

    account_id: str = Field("", description='From imap_list_accounts; "*": all accounts.')
    include_counts: bool = Field(default=False, description="Slow on some servers.")
    cursor: str = Field("", description="From the previous page.")


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


async def list_mailboxes_of_accounts(
    arguments: ListMailboxesArguments, call: Call
) -> Outcome[ListMailboxesData]:
    """List one page of mailboxes: one round trip, and one more for counts if LIST can't return them.

    Accounts are asked in parallel. One that fails is an issue, unless all do.
    """
    start, position = resume_list(_CURSOR, arguments, arguments.cursor)
    is_all = start.account_id == _ALL
    account_ids = [each.account_id for each in call.pool.accounts]
    if not is_all:
        account_ids = [call.choose_account(start.account_id, or_all=_ALL).account_id]
    account_id = _ALL if is_all else account_ids[0]

    def order(owner: str, name: str) -> tuple[int, tuple[bool, str]]:
        return account_ids.index(owner), listing_order(name)

    try:
        last = order(*position) if position else None
    except (TypeError, ValueError):  # the account may be gone since the last page
        raise malformed_cursor() from None
    listed = await call.ask_accounts(
        {each: partial(list_mailboxes, with_counts=start.include_counts) for each in account_ids}
    )
    every: list[tuple[str, Mailbox]] = []
    issues: list[Issue] = []
    for owner, found in listed.items():
        if isinstance(found, ToolError):
            issues.append(Issue.of(found, stage="list", account_id=owner))
        else:
            every += [(owner, each) for each in found]
    if len(issues) == len(listed):
        raise next(each for each in listed.values() if isinstance(each, ToolError))

    rest = [each for each in every if last is None or order(each[0], each[1].name) > last]
    page = rest[:_PAGE_SIZE]
    if start.include_counts:
        page, uncounted = await _count(call, page)
        issues += uncounted
    cursor = None
    next_action = NextAction(
        instruction="Search a mailbox.",
        tool=SEARCH_MESSAGES,
        arguments={"account_id": account_id, "mailbox": "INBOX"},
    )
    if len(page) < len(rest):
        owner, shown = page[-1]
        same = start.model_copy(update={"account_id": account_id})
        cursor = format_cursor(_CURSOR, same, (owner, shown.name))
        next_action = NextAction(
            instruction="Get the next page.", tool=LIST_MAILBOXES, arguments={"cursor": cursor}
        )
    rows = [
        MailboxRow(
            account_id=owner if is_all else None,
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
    succeeded = len({owner for owner, _ in every})
    where = counted(succeeded, "account") if is_all else f"account {account_id}"
    return Outcome(
        summary=f"{len(rows)} of {counted(len(every), 'mailbox', 'mailboxes')} in {where}",
        data=ListMailboxesData(account_id=account_id, mailboxes=rows),
        blocks=tuple(_lines(rows)),
        issues=tuple(issues),
        page=Page(page_size=_PAGE_SIZE, total_count=len(every), cursor=cursor),
        next_action=next_action,
    )


async def _count(
    call: Call, page: Sequence[tuple[str, Mailbox]]
) -> tuple[list[tuple[str, Mailbox]], list[Issue]]:
    """Count what LIST didn't; also return an issue for each mailbox that has no counts."""
    lacking: dict[str, list[Mailbox]] = {}
    for owner, each in page:
        if each.selectable and each.messages is None:
            lacking.setdefault(owner, []).append(each)
    works = {owner: partial(count_mailboxes, mailboxes=some) for owner, some in lacking.items()}
    issues: list[Issue] = []
    counts: dict[tuple[str, str], Mailbox] = {}
    for owner, result in (await call.ask_accounts(works)).items():
        if isinstance(result, ToolError):
            issues.append(Issue.of(result, stage="status", account_id=owner))
            continue
        counted_ones, uncounted = result
        counts |= {(owner, each.name): each for each in counted_ones}
        issues += [
            Issue.of(error, stage="status", mailbox=name, account_id=owner)
            for name, error in uncounted.items()
        ]
    return [(owner, counts.get((owner, each.name), each)) for owner, each in page], issues


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


TOOL = MailTool(
    name=LIST_MAILBOXES,
    title="List mailboxes",
    description=("List the mailboxes (folders) of an account, with counts on request."),
    arguments=ListMailboxesArguments,
    data=ListMailboxesData,
    run=list_mailboxes_of_accounts,
)
