"""imap_search_messages: the messages of a mailbox that match, newest first, page by page."""

from dataclasses import replace

from pydantic import BaseModel

from mailmcp.envelope.errors import ConflictError, NextAction
from mailmcp.envelope.markdown import code
from mailmcp.envelope.outcome import Issue, Outcome, Page
from mailmcp.imap.page import FoundPage, PageRequest, Resume, fetch_page
from mailmcp.imap.uid_cache import SearchKey
from mailmcp.mail.cursor import SearchCursor, format_search_cursor, parse_search_cursor
from mailmcp.mail.ids import MessageRef
from mailmcp.tools.rows import LeanMessageRow, MessageRow, make_row, row_items, row_lines
from mailmcp.tools.search_criteria import (
    SearchMessagesArguments,
    arguments_of,
    check_against_cursor,
    check_criteria,
    criteria_of,
    start_search,
)
from mailmcp.tools.tool import Call, Tool, nothing_had

NAME = "imap_search_messages"


class LeanSearchMessagesData(BaseModel):
    """One page; `attempted` is `returned` and `failed` together."""

    account_id: str
    mailbox: str
    total: int
    attempted: int
    returned: int
    failed: int
    messages: tuple[LeanMessageRow, ...]
    next_cursor: str | None = None
    has_more: bool


class SearchMessagesData(LeanSearchMessagesData):
    """The same with full rows."""

    messages: tuple[MessageRow, ...]


async def search_messages(arguments: SearchMessagesArguments, call: Call) -> Outcome[LeanSearchMessagesData]:
    """Give one page of a search: two round trips, or one for a next page whose search is remembered."""
    search = _search_meant(arguments, call)
    call.mailbox = search.mailbox
    key = _key(search, search.uidvalidity)
    known = call.uid_cache.get(key, position=search.position) if search.position else None
    call.telemetry.cache_hit = known is not None
    resume = Resume(uidvalidity=search.uidvalidity, below=search.position, known=known)
    request = PageRequest(
        mailbox=search.mailbox,
        criteria=criteria_of(search.criteria),
        size=search.page_size,
        items=row_items(snippets=bool(search.snippet_chars)),
        resume=resume if search.position else None,
    )
    try:
        found = await call.ask(lambda session: fetch_page(session, request), mailbox=search.mailbox)
    except ConflictError as error:
        error.next_action = NextAction(instruction="Search again.", tool=NAME, arguments=arguments_of(search))
        raise
    if known is None:
        call.uid_cache.put(_key(search, found.uidvalidity), found.matches, below=search.position or None)
    return _outcome(search, found, LeanSearchMessagesData if call.lean_rows else SearchMessagesData)


def _search_meant(arguments: SearchMessagesArguments, call: Call) -> SearchCursor:
    """Say which search and where in it: a new one has position 0."""
    if not arguments.cursor:
        account_id = call.choose_account(arguments.account_id).account_id
        return start_search(arguments, account_id, today=call.today)
    cursor = parse_search_cursor(arguments.cursor)
    check_criteria(cursor)
    check_against_cursor(arguments, cursor)
    call.choose_account(cursor.account_id)
    size = arguments.limit if "limit" in arguments.model_fields_set else cursor.page_size
    return replace(cursor, page_size=size)


def _key(search: SearchCursor, uidvalidity: int) -> SearchKey:
    return SearchKey.of(search.account_id, search.mailbox, uidvalidity, search.criteria)


def _outcome(
    search: SearchCursor, found: FoundPage, data: type[LeanSearchMessagesData]
) -> Outcome[LeanSearchMessagesData]:
    total = search.total if search.position else len(found.matches)
    cursor = _next_cursor(search, found, total)
    rows = _rows(search, found)
    issues = _issues(search, found)
    next_action = _next_action(search, rows, cursor)
    if issues and not rows:
        raise nothing_had(issues, next_action)
    where = f"{code(search.mailbox)} ({search.account_id})"
    return Outcome(
        summary=_summary(len(rows), total, where, found),
        data=data(
            account_id=search.account_id,
            mailbox=search.mailbox,
            total=total,
            attempted=len(found.uids),
            returned=len(rows),
            failed=len(issues),
            messages=tuple(rows),
            next_cursor=cursor,
            has_more=cursor is not None,
        ),
        blocks=tuple(line for row in rows for line in row_lines(row)),
        issues=issues,
        page=Page(page_size=search.page_size, total_count=total, cursor=cursor),
        next_action=next_action,
    )


def _summary(shown: int, total: int, where: str, found: FoundPage) -> str:
    if total == 0:
        return f"No message matches in {where}, of {found.exists} there; no other mailbox was searched"
    return f"{shown} of {total} message{'' if total == 1 else 's'} in {where}, times in UTC"


def _next_cursor(search: SearchCursor, found: FoundPage, total: int) -> str | None:
    if not found.uids or not found.older:
        return None
    return format_search_cursor(
        replace(search, uidvalidity=found.uidvalidity, position=found.uids[-1], total=total)
    )


def _rows(search: SearchCursor, found: FoundPage) -> list[MessageRow]:
    messages = found.fetched.messages
    return [
        make_row(_ref(search, found, uid), messages[uid], snippet_chars=search.snippet_chars)
        for uid in found.uids
        if uid in messages
    ]


def _issues(search: SearchCursor, found: FoundPage) -> tuple[Issue, ...]:
    failures = found.fetched.failures
    return tuple(
        Issue(
            code=failures[uid].code,
            stage=failures[uid].stage,
            message=failures[uid].message,
            retryable=failures[uid].retryable,
            uid=uid,
            message_id=_ref(search, found, uid).message_id,
            mailbox=search.mailbox,
            account_id=search.account_id,
        )
        for uid in found.uids
        if uid in failures
    )


def _ref(search: SearchCursor, found: FoundPage, uid: int) -> MessageRef:
    return MessageRef(
        account_id=search.account_id, mailbox=search.mailbox, uidvalidity=found.uidvalidity, uid=uid
    )


def _next_action(search: SearchCursor, rows: list[MessageRow], cursor: str | None) -> NextAction:
    if cursor is not None:
        return NextAction(instruction="Get the next page.", tool=NAME, arguments={"cursor": cursor})
    if rows:
        return NextAction(
            instruction="Read a message.",
            tool="imap_get_message",
            arguments={"message_id": rows[0].message_id},
        )
    return NextAction(
        instruction="Look at the other mailboxes, or search with fewer criteria.",
        tool="imap_list_mailboxes",
        arguments={"account_id": search.account_id},
    )


TOOL = Tool(
    name=NAME,
    title="Search messages",
    description=(
        "Search one mailbox, newest messages first. All criteria given must hold; none lists everything. "
        "Follow `next_cursor` for more. Never marks anything as read."
    ),
    arguments=SearchMessagesArguments,
    data=SearchMessagesData,
    lean_data=LeanSearchMessagesData,
    run=search_messages,
)
