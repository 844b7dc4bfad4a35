"""imap_list_mailboxes: every mailbox of an account, with counts on request."""

from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox, Uncounted, count_mailboxes, list_mailboxes, listing_order
from mailmcp.imap.session import Session
from mailmcp.model.cursor import MailboxesCursor, format_mailboxes_cursor, parse_mailboxes_cursor
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.names import LIST_MAILBOXES, SEARCH_MESSAGES
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.wording import counted
from mcp_envelope import Code, InvalidInputError, Issue, NextAction, Outcome, Page, Problem, code


class ListMailboxesArguments(Arguments):
    """Which account, and whether to count."""

    account_id: str = Field(
        "", description="As imap_list_accounts gives it; may be left out if there is one."
    )
    include_counts: bool = Field(
        default=False, description="Count messages and unseen ones; slow on some servers."
    )
    cursor: str = Field("", description="From the previous page; enough on its own.")


class MailboxRow(BaseModel):
    """One mailbox."""

    name: str = Field(description="Send it as `mailbox`, exactly.")
    delimiter: str
    special_use: str = Field(description='RFC 6154 attribute such as "\\\\Sent", or "".')
    special_use_guessed: bool | None = Field(None, description="true: guessed from the name.")
    selectable: bool = Field(description="false: holds no messages.")
    messages: int | None = None
    unseen: int | None = None


class ListMailboxesData(BaseModel):
    """The mailboxes, INBOX first, then by name."""

    account_id: str
    mailboxes: list[MailboxRow]


@dataclass(slots=True)
class _Listing:
    """One page as the server gave it."""

    mailboxes: list[Mailbox]
    total: int
    more: bool
    uncounted: dict[str, Uncounted] = field(default_factory=dict)


async def list_mailboxes_of_account(
    arguments: ListMailboxesArguments, call: Call
) -> Outcome[ListMailboxesData]:
    """List one page of mailboxes: one round trip, and one more for counts where LIST cannot give them."""
    start = _start(arguments)
    account_id = call.choose_account(start.account_id).account_id
    listing = await call.ask(lambda session: _list_page(session, start))
    cursor = None
    if listing.more:
        rest = MailboxesCursor(
            account_id=account_id, position=listing.mailboxes[-1].name, include_counts=start.include_counts
        )
        cursor = format_mailboxes_cursor(rest)
    shown = len(listing.mailboxes)
    return Outcome(
        summary=f"{shown} of {counted(listing.total, 'mailbox', 'mailboxes')} in account {account_id}",
        data=ListMailboxesData(
            account_id=account_id,
            mailboxes=[_row(each) for each in listing.mailboxes],
        ),
        blocks=tuple(_line(each) for each in listing.mailboxes),
        issues=tuple(_issue(account_id, name, why) for name, why in listing.uncounted.items()),
        page=Page(page_size=limits.MAILBOX_PAGE_SIZE, total_count=listing.total, cursor=cursor),
        next_action=_next_action(account_id, cursor),
    )


def _start(arguments: ListMailboxesArguments) -> MailboxesCursor:
    """Where the page starts: what the cursor says, checked against what else was sent."""
    if not arguments.cursor:
        return MailboxesCursor(
            account_id=arguments.account_id, position="", include_counts=arguments.include_counts
        )
    cursor = parse_mailboxes_cursor(arguments.cursor)
    contradictions = {
        "account_id": arguments.account_id not in {"", cursor.account_id},
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


def _list_page(session: Session, start: MailboxesCursor) -> _Listing:
    everything = list_mailboxes(session, with_counts=start.include_counts)
    rest = [
        each
        for each in everything
        if not start.position or listing_order(each.name) > listing_order(start.position)
    ]
    page = rest[: limits.MAILBOX_PAGE_SIZE]
    listing = _Listing(page, total=len(everything), more=len(rest) > len(page))
    if start.include_counts:
        counted = count_mailboxes(session, page)
        listing.mailboxes, listing.uncounted = list(counted.mailboxes), counted.uncounted
    return listing


def _row(mailbox: Mailbox) -> MailboxRow:
    return MailboxRow(
        name=mailbox.name,
        delimiter=mailbox.delimiter,
        special_use=mailbox.special_use,
        special_use_guessed=mailbox.special_use_guessed or None,
        selectable=mailbox.selectable,
        messages=mailbox.messages,
        unseen=mailbox.unseen,
    )


def _line(mailbox: Mailbox) -> str:
    facts = []
    if mailbox.special_use:
        facts.append(mailbox.special_use[1:] + ("?" if mailbox.special_use_guessed else ""))
    if not mailbox.selectable:
        facts.append("holds no messages")
    if mailbox.messages is not None:
        facts.append(f"{mailbox.messages} messages, {mailbox.unseen or 0} unseen")
    return f"- {code(mailbox.name)}" + (f" ({'; '.join(facts)})" if facts else "")


def _issue(account_id: str, mailbox: str, uncounted: Uncounted) -> Issue:
    return Issue(
        code=Code.INTERNAL,
        stage="status",
        message=f"The server did not count this mailbox: {uncounted.why}",
        retryable=uncounted.retryable,
        about={"mailbox": mailbox, "account_id": account_id},
    )


def _next_action(account_id: str, cursor: str | None) -> NextAction:
    if cursor is not None:
        return NextAction(instruction="Get the next page.", tool=LIST_MAILBOXES, arguments={"cursor": cursor})
    return NextAction(
        instruction="Search a mailbox.",
        tool=SEARCH_MESSAGES,
        arguments={"account_id": account_id, "mailbox": "INBOX"},
    )


TOOL = MailTool(
    name=LIST_MAILBOXES,
    title="List mailboxes",
    description=(
        "List the mailboxes (folders) of an account: exact names, special use (Sent, Drafts, Junk, …), "
        "and on request how many messages each holds."
    ),
    arguments=ListMailboxesArguments,
    data=ListMailboxesData,
    run=list_mailboxes_of_account,
)
