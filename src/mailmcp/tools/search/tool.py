"""imap_search_messages: the messages that match, in one mailbox or in all, page by page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import anyio
from pydantic import BaseModel

from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import MailboxPage
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.errors import all_failed_error
from mailmcp.tools.evidence import search_terms
from mailmcp.tools.names import GET_MESSAGE, SEARCH_MESSAGES
from mailmcp.tools.rows import LeanMessageRow, MessageRow, build_row, row_items, row_lines
from mailmcp.tools.search.advice import suggest_search, warn_of, warn_of_no_days, warn_of_order
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments
from mailmcp.tools.search.coverage import (
    Coverage,
    CoverageData,
    cover,
    say_nothing_found,
    say_where,
)
from mailmcp.tools.search.issues import message_issues, nothing_searched, source_issues
from mailmcp.tools.search.missing import suggest_meant, tell_missing
from mailmcp.tools.search.page import SearchPage, make_page, next_cursor
from mailmcp.tools.search.snippets import fetch_snippets
from mailmcp.tools.search.sources import search_sources
from mailmcp.tools.search.state import Search, check_against_cursor, resume_search, start_search
from mailmcp.tools.sent_mail import SentMail
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.wording import counted
from mcp_envelope import Issue, NextAction, Outcome, Page, ToolError


class LeanSearchMessagesData(BaseModel):
    """One page. `attempted` is `returned` and `failed` together; all three count messages."""

    account_id: str
    mailbox: str
    total: int
    total_at_most: bool | None = None
    attempted: int
    returned: int
    failed: int
    messages: tuple[LeanMessageRow, ...]
    coverage: CoverageData


class SearchMessagesData(LeanSearchMessagesData):
    """The same with full rows."""

    messages: tuple[MessageRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """Everything that a reply tells."""

    search: Search
    page: SearchPage
    coverage: Coverage
    rows: Sequence[MessageRow]
    failed: tuple[Issue, ...]
    """Of the messages of the page that could not be fetched."""

    issues: tuple[Issue, ...]
    """Those, and the mailboxes and accounts that could not be searched."""

    warnings: tuple[str, ...]
    cursor: str | None
    first: bool
    """Whether the search begins with this page."""


async def search_messages(arguments: SearchMessagesArguments, call: Call) -> Outcome[LeanSearchMessagesData]:
    """Give one page of a search: two round trips, or one for a next page whose search is remembered."""
    search = _search_meant(arguments, call)
    one = search.one_mailbox
    names = dict.fromkeys(each.mailbox for each in search.sources)
    call.mailbox = EVERYTHING if search.all_mailboxes else ", ".join(names)
    terms = search_terms(search.query)
    # Of one mailbox every row is shown, so what is shown of its text comes along.
    along = bool(search.snippet_chars) and one and not search.query.has_attachment
    items = row_items(snippets=along, terms=terms)
    searches = await search_sources(call, search, items)
    search = replace(search, by_arrival=True) if searches.reordered else search
    meant = await tell_missing(call, searches)
    if not any(isinstance(each.found, MailboxPage) for each in searches.searched):
        raise nothing_searched(search, searches, None if arguments.cursor else suggest_meant(search, meant))
    page = make_page(search, searches, first=not arguments.cursor)
    texts: Mapping[MessageRef, FetchedMessage] = {}
    if search.snippet_chars and not along:
        texts = await fetch_snippets(call, page.found, terms)
    listings = searches.listings
    if not page.found and not page.rest and not arguments.cursor:
        listings = await _list_all(call, search, listings)
    sent_mail = SentMail(owner_of=call.preferences.owner_of, listings=listings)
    failed = tuple(message_issues(page.found))
    result = _Result(
        search=search,
        page=page,
        coverage=cover(search, searches, listings, unread=bool(failed)),
        rows=[
            build_row(
                each.ref,
                message,
                snippet_chars=search.snippet_chars,
                terms=terms,
                places=each.places,
                sent_mail=sent_mail,
            )
            for each in page.found
            if (message := texts.get(each.ref, each.searched.fetched.messages.get(each.ref.uid))) is not None
        ],
        failed=failed,
        issues=(*source_issues(searches), *failed),
        warnings=warn_of_no_days(arguments, today=call.today),
        cursor=next_cursor(search, page),
        first=not arguments.cursor,
    )
    for row in result.rows:
        call.message_id_cache.remember(row.message_id, row.header_message_id or "")
    return _outcome(result, call)


def _search_meant(arguments: SearchMessagesArguments, call: Call) -> Search:
    """Say which search and where in it."""
    zone = call.preferences.zone
    if not arguments.cursor:
        accounts = [each.account_id for each in call.pool.accounts]
        if arguments.account_id != EVERYTHING:
            accounts = [call.choose_account(arguments.account_id, or_all=EVERYTHING).account_id]
        return start_search(arguments, accounts, today=call.today, zone=zone)
    search = resume_search(arguments.cursor, zone)
    check_against_cursor(arguments, search)
    if not search.all_accounts:
        call.choose_account(search.account_id)
    size = arguments.limit if "limit" in arguments.model_fields_set else search.page_size
    return replace(search, page_size=size)


async def _list_all(
    call: Call, search: Search, listings: Mapping[str, tuple[Mailbox, ...]]
) -> dict[str, tuple[Mailbox, ...]]:
    """List the mailboxes of the accounts of a search that found nothing; one round trip, if not done yet."""
    known = dict(listings)

    async def look_up(account_id: str) -> None:
        try:
            known[account_id] = await call.ask(list_mailboxes, account_id=account_id)
        except ToolError:
            return  # the search itself went well; what else there is stays unsaid

    async with anyio.create_task_group() as tasks:
        for account_id in {each.account_id for each in search.sources} - known.keys():
            tasks.start_soon(look_up, account_id)
    return {each.account_id: known[each.account_id] for each in search.sources if each.account_id in known}


def _outcome(result: _Result, call: Call) -> Outcome[LeanSearchMessagesData]:
    search, page, rows, issues = result.search, result.page, result.rows, result.issues
    next_action = _next_action(result)
    if not rows and page.found:
        raise all_failed_error(result.failed, next_action)
    data = LeanSearchMessagesData if call.lean_rows else SearchMessagesData
    zone, sizes = call.preferences.zone, search.order is Order.LARGEST
    return Outcome(
        summary=_summary(result, zone=str(zone)),
        data=data(
            account_id=search.account_id,
            mailbox=_mailbox(search),
            total=page.total,
            total_at_most=None if page.total_exact else True,
            attempted=len(rows) + len(result.failed),
            returned=len(rows),
            failed=len(result.failed),
            messages=tuple(rows),
            coverage=result.coverage.data,
        ),
        blocks=(
            *(line for row in rows for line in row_lines(row, zone=zone, sizes=sizes)),
            *result.coverage.lines(empty=not rows),
        ),
        issues=issues,
        warnings=(*result.warnings, *warn_of(search, empty=not rows), *warn_of_order(result.coverage.seen)),
        page=Page(page_size=search.page_size, total_count=page.total, cursor=result.cursor),
        next_action=next_action,
    )


def _mailbox(search: Search) -> str:
    """Name the mailbox asked for; "" for a list of them."""
    if search.all_mailboxes:
        return EVERYTHING
    names = {each.mailbox for each in search.sources}
    return names.pop() if len(names) == 1 else ""


def _summary(result: _Result, *, zone: str) -> str:
    search, page, coverage, shown = result.search, result.page, result.coverage, len(result.rows)
    if not shown and (page.failed_only or result.cursor is None):
        return say_nothing_found(search, coverage, first=result.first)
    most = "" if page.total_exact else "at most "
    total = f"{most}{counted(page.total, 'message')}"
    line = f"{shown} of {total} in {say_where(search, coverage)}, times in {zone}"
    if coverage.failed:
        return f"{line}; not everything could be searched"
    return line if coverage.all_seen else f"{line}; not everything there could be seen"


def _next_action(result: _Result) -> NextAction | None:
    if result.cursor is not None:
        again = result.page.failed_only
        instruction = "Search again where it failed." if again else "Get the next page."
        return NextAction(instruction=instruction, tool=SEARCH_MESSAGES, arguments={"cursor": result.cursor})
    if not result.rows and not result.first:
        return None
    if not result.rows:
        return suggest_search(result.search, result.coverage)
    if len(result.rows) > 1:
        return None  # which one to read is for the reader to choose
    return NextAction(
        instruction="Read it.", tool=GET_MESSAGE, arguments={"message_id": result.rows[0].message_id}
    )


TOOL = MailTool(
    name=SEARCH_MESSAGES,
    title="Search messages",
    description=(
        "Search one mailbox or all of them. All criteria given must hold; false is no filter. "
        "None lists everything. Follow `next_cursor` for more. Never marks anything as read."
    ),
    arguments=SearchMessagesArguments,
    data=SearchMessagesData,
    lean_data=LeanSearchMessagesData,
    run=search_messages,
)
