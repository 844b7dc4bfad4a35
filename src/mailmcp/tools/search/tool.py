"""imap_search_messages: the messages that match, in one mailbox or in all, page by page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mailmcp.imap.fetch_response import FetchedMessage
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import MailboxPage
from mailmcp.model.mail_kind import MailKind
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.columns import row_lines
from mailmcp.tools.errors import all_failed_error
from mailmcp.tools.evidence import search_terms
from mailmcp.tools.names import GET_MESSAGE, SEARCH_MESSAGES
from mailmcp.tools.people import SentMail
from mailmcp.tools.rows import MessageRow, build_row, row_items
from mailmcp.tools.search.advice import (
    is_imported,
    name_offers,
    search_warnings,
    suggest_search,
    suggest_written,
)
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments
from mailmcp.tools.search.awaiting import Awaiting
from mailmcp.tools.search.coverage import Coverage, cover
from mailmcp.tools.search.data import LeanSearchMessagesData, SearchMessagesData
from mailmcp.tools.search.failures import (
    excluded_in_vain,
    explain_missing,
    message_issues,
    nothing_searched,
    search_instead,
    source_issues,
)
from mailmcp.tools.search.group_keys import GroupBy
from mailmcp.tools.search.group_reply import reply_with_groups
from mailmcp.tools.search.opaque import look_inside
from mailmcp.tools.search.page import SearchPage, make_page, next_cursor
from mailmcp.tools.search.row_details import fetch_invitation_times, fetch_snippets
from mailmcp.tools.search.similar import look_around
from mailmcp.tools.search.sources import search_sources
from mailmcp.tools.search.spelling import Offer
from mailmcp.tools.search.state import Search, check_against_cursor, resume_search, start_search
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.wording import counted
from mcp_envelope import NextAction, Outcome, Page


async def search_messages(arguments: SearchMessagesArguments, call: Call) -> Outcome[LeanSearchMessagesData]:
    """Return one page of a search: two round trips, or one for a next page whose search is remembered."""
    search = _read_search(arguments, call)
    if arguments.group_by is not None:
        return await reply_with_groups(search, GroupBy(arguments.group_by), arguments, call)
    awaiting = None
    if search.query.awaiting_reply is not None:
        awaiting = Awaiting(call, search.query.awaiting_reply.side)
        search = await awaiting.begin(search, arguments)
    names = dict.fromkeys(each.mailbox for each in search.sources)
    call.mailbox = EVERYTHING if search.all_mailboxes else ", ".join(names)
    terms = search_terms(search.query)
    # All rows of one mailbox are shown, so their texts are fetched with them.
    with_texts = bool(search.snippet_chars) and search.one_mailbox and not search.query.has_attachment
    items = row_items(snippets=with_texts, terms=terms)
    searches = await (awaiting.search(search, items) if awaiting else search_sources(call, search, items))
    if searches.reordered:
        search = replace(search, by_arrival=True)
    instead = await explain_missing(call, search, searches)
    if not any(isinstance(each.found, MailboxPage) for each in searches.searched):
        suggested = search_instead(search, instead) if search.is_first_page else None
        raise nothing_searched(search, searches, suggested)
    page = make_page(search, searches)
    if awaiting is not None:
        searches, page = await awaiting.keep_unanswered(search, searches, items)
    opaque = await look_inside(call, searches, terms)
    texts: Mapping[MessageRef, FetchedMessage] = {}
    if search.snippet_chars and not with_texts:
        texts = await fetch_snippets(call, [each.ref for each in page.found], terms)
    zone = call.preferences.zone
    times: Mapping[MessageRef, str] = {}
    if search.query.kind and search.query.kind.kind is MailKind.INVITATION:
        times = await fetch_invitation_times(call, page.found, zone)
    listings, failed, offers = searches.listings, tuple(message_issues(page.found)), list[Offer]()
    caveats = () if awaiting is None else awaiting.caveats
    coverage = cover(search, searches, listings, unread=bool(failed), caveats=caveats)
    if not page.found and not page.rest and search.is_first_page:
        coverage, listings, offers = await look_around(call, search, searches, caveats=caveats)
    sent_mail = SentMail(owner_of=call.preferences.owner_of, listings=listings)
    rows = [
        build_row(
            each.ref,
            message,
            snippet_chars=search.snippet_chars,
            terms=terms,
            places=each.places,
            sent_mail=sent_mail,
            when=times.get(each.ref, ""),
        )
        for each in page.found
        if (message := texts.get(each.ref, each.searched.fetched.messages.get(each.ref.uid))) is not None
    ]
    for row in rows:
        call.message_id_cache.remember(row.message_id, row.header_message_id or "")
    unsearched = [*source_issues(searches), *(awaiting.issues if awaiting else ())]
    cursor = next_cursor(search, page)
    imported = is_imported(search, rows, has_more=cursor is not None)
    next_action = (None if cursor else opaque.next_action) or _next_action(
        coverage, page, rows, cursor, offers, imported=imported
    )
    if not rows and page.found:
        raise all_failed_error(failed, next_action)
    data = LeanSearchMessagesData if call.lean_rows else SearchMessagesData
    what = "" if awaiting is None else awaiting.what
    sizes = search.order is Order.LARGEST
    total = page.total if rows else 0
    warnings = search_warnings(
        search, arguments, coverage.seen, total=total, imported=imported, today=call.today
    )
    return Outcome(
        summary=_summary(coverage, page, shown=len(rows), zone=str(zone), what=what),
        data=data(
            account_id=search.account_id,
            mailbox=EVERYTHING if search.all_mailboxes else next(iter(names)) if len(names) == 1 else "",
            total=page.total,
            total_at_most=None if page.total_exact else True,
            attempted=len(rows) + len(failed),
            returned=len(rows),
            failed=len(failed),
            messages=tuple(rows),
            coverage=coverage.data,
        ),
        blocks=(
            *(line for row in rows for line in row_lines(row, zone=zone, sizes=sizes)),
            *coverage.lines(empty=not rows, short=cursor is not None and len(rows) < search.page_size),
        ),
        issues=(*unsearched, *failed),
        warnings=(
            *warnings,
            *excluded_in_vain(search, searches),
            *opaque.warnings(empty=not rows),
            *filter(None, [name_offers(offers)]),
        ),
        page=Page(page_size=search.page_size, total_count=page.total, cursor=cursor),
        next_action=next_action,
    )


def _read_search(arguments: SearchMessagesArguments, call: Call) -> Search:
    """Read a new search, or the one that a cursor continues."""
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


def _summary(coverage: Coverage, page: SearchPage, *, shown: int, zone: str, what: str) -> str:
    """Write the summary; `what` says what the messages have in common, "" if nothing."""
    if not shown and (page.failed_only or not page.rest):
        return coverage.summarize_nothing_found()
    at_most = "" if page.total_exact else "at most "
    total = f"{at_most}{counted(page.total, 'message')}"
    by_written = ", by Date header" if coverage.search.by_written else ""
    summary = f"{shown} of {total} in {coverage.where}{what}{by_written}, times in {zone}"
    return summary if coverage.all_seen else f"{summary}; not everything could be searched"


def _next_action(
    coverage: Coverage,
    page: SearchPage,
    rows: Sequence[MessageRow],
    cursor: str | None,
    offers: Sequence[Offer],
    *,
    imported: bool,
) -> NextAction | None:
    if cursor is not None:
        instruction = "Search again where it failed." if page.failed_only else "Get the next page."
        return NextAction(instruction=instruction, tool=SEARCH_MESSAGES, arguments={"cursor": cursor})
    if not rows:
        return suggest_search(coverage.search, coverage, offers) if coverage.search.is_first_page else None
    if len(rows) > 1:
        # Which one to read is for the reader to choose.
        return suggest_written(coverage.search) if imported else None
    return NextAction(instruction="Read it.", tool=GET_MESSAGE, arguments={"message_id": rows[0].message_id})


TOOL = MailTool(
    name=SEARCH_MESSAGES,
    title="Search messages",
    description=(
        "Search or count messages. All criteria must match; false is no filter. "
        "Without criteria lists everything. Follow `next_cursor` for more."
    ),
    arguments=SearchMessagesArguments,
    data=SearchMessagesData,
    lean_data=LeanSearchMessagesData,
    run=search_messages,
)
