"""imap_list_mailboxes: every mailbox of an account, with counts on request."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from mailmcp import limits
from mailmcp.imap.mailboxes import CountFailure, Mailbox, count_mailboxes, list_mailboxes, listing_order
from mailmcp.imap.session import Session
from mailmcp.model.cursor import MailboxesCursor, format_mailboxes_cursor, parse_mailboxes_cursor
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.mailboxes.data import ListMailboxesData, MailboxRow
from mailmcp.tools.mailboxes.render import mailbox_line
from mailmcp.tools.names import LIST_MAILBOXES, SEARCH_MESSAGES
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.wording import counted
from mcp_envelope import Code, InvalidInputError, Issue, NextAction, Outcome, Page, Problem


class ListMailboxesArguments(Arguments):
    """Which account, and whether to count."""

    account_id: str = Field("", description="From imap_list_accounts; optional if there is only one.")
    include_counts: bool = Field(
        default=False, description="Count messages and unseen ones; slow on some servers."
    )
    cursor: str = Field("", description="From the previous page; enough on its own.")


async def list_mailboxes_of_account(
    arguments: ListMailboxesArguments, call: Call
) -> Outcome[ListMailboxesData]:
    """List one page of mailboxes: one round trip, and one more for counts if LIST can't return them."""
    start = _start(arguments)
    account_id = call.choose_account(start.account_id).account_id

    def list_page(session: Session) -> tuple[Sequence[Mailbox], int, bool, Mapping[str, CountFailure]]:
        every = list_mailboxes(session, with_counts=start.include_counts)
        rest = [
            each
            for each in every
            if not start.position or listing_order(each.name) > listing_order(start.position)
        ]
        page = rest[: limits.MAILBOX_PAGE_SIZE]
        has_more = len(rest) > len(page)
        if not start.include_counts:
            return page, len(every), has_more, {}
        counts = count_mailboxes(session, page)
        return counts.mailboxes, len(every), has_more, counts.uncounted

    page, total, has_more, uncounted = await call.ask(list_page)
    rows = [
        MailboxRow(
            name=each.name,
            delimiter=each.delimiter,
            special_use=each.special_use,
            special_use_guessed=each.special_use_guessed or None,
            selectable=each.selectable,
            messages=each.messages,
            unseen=each.unseen,
        )
        for each in page
    ]
    cursor = None
    next_action = NextAction(
        instruction="Search a mailbox.",
        tool=SEARCH_MESSAGES,
        arguments={"account_id": account_id, "mailbox": "INBOX"},
    )
    if has_more:
        rest = MailboxesCursor(
            account_id=account_id, position=page[-1].name, include_counts=start.include_counts
        )
        cursor = format_mailboxes_cursor(rest)
        next_action = NextAction(
            instruction="Get the next page.", tool=LIST_MAILBOXES, arguments={"cursor": cursor}
        )
    return Outcome(
        summary=f"{len(rows)} of {counted(total, 'mailbox', 'mailboxes')} in account {account_id}",
        data=ListMailboxesData(account_id=account_id, mailboxes=rows),
        blocks=tuple(map(mailbox_line, rows)),
        issues=tuple(
            Issue(
                code=Code.INTERNAL,
                stage="status",
                message=f"The server did not count this mailbox: {each.why}",
                retryable=each.retryable,
                about={"mailbox": name, "account_id": account_id},
            )
            for name, each in uncounted.items()
        ),
        page=Page(page_size=limits.MAILBOX_PAGE_SIZE, total_count=total, cursor=cursor),
        next_action=next_action,
    )


def _start(arguments: ListMailboxesArguments) -> MailboxesCursor:
    """Return where the page starts. Arguments that contradict the cursor are refused."""
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
