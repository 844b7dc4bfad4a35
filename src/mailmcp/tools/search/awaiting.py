"""Mail that awaits a reply: a page of those candidates of a search to which `replies` finds none."""

from dataclasses import replace
from typing import Final

from mailmcp.model.awaited_reply import FROM_ME, AwaitedReply
from mailmcp.model.cursor import Position
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.failures import explain_failures
from mailmcp.tools.search.page import FoundMessages, PageMessage, SearchPage, continue_after, make_page
from mailmcp.tools.search.replies import ReplySearch
from mailmcp.tools.search.sources import Searches, choose_items, search_sources
from mailmcp.tools.search.state import Search
from mailmcp.tools.tool import Call
from mailmcp.wording import counted
from mcp_envelope import BaseReason, InvalidInputError

CANDIDATES: Final = 40
"""Messages whose replies are looked for at once."""

ROUNDS_MAX: Final = 5
"""Times that more of them are looked for, until the page is full; the next page continues."""

_OWNER_UNKNOWN: Final = (
    "from_me needs the owner's addresses, which aren't known: the user can add `addresses` to the account in "
    "the settings. Send unanswered_only instead."
)


async def find_unanswered(
    call: Call, search: Search, awaited: AwaitedReply, sent: SearchMessagesArguments
) -> FoundMessages:
    """Find the messages of a page that await a reply.

    Raises:
        InvalidInputError: The owner isn't known, and mail must name the owner to await a reply.
        ToolError: No mailbox could be searched.
    """
    replies = ReplySearch(call, awaited.side)
    await replies.related.list_mailboxes()
    to_owner = awaited.side == FROM_ME
    if to_owner and not replies.own:
        raise InvalidInputError.of("awaiting_reply", BaseReason.INVALID_VALUE, _OWNER_UNKNOWN)
    query = replace(search.query, awaiting_reply=replace(awaited, own=tuple(sorted(replies.own))))
    search = replace(search, query=replace(query, unanswered_only=query.unanswered_only or to_owner))
    is_named = sent.cursor or sent.mailboxes or ("mailbox" in sent.model_fields_set and sent.mailbox)
    if not (to_owner or is_named):
        search = _search_sent(search, replies)
    call.mailbox = ", ".join(search.arguments.names)
    searches = await _search_candidates(call, search, replies)
    search = searches.as_made(search)
    await explain_failures(call, search, searches)
    searches, page = await _fill_page(call, search, searches, replies)
    related = replies.related
    unknown = [
        f"The owner's address in account {account_id} isn't known, so mail to it is missing."
        for account_id in dict.fromkeys(each.account_id for each in search.sources)
        if to_owner and not call.preferences.owner_of(account_id).addresses
    ]
    missing = ["Some may have replies in places that couldn't be searched."] if related.issues else []
    without = "that you haven't answered" if to_owner else "without a reply"
    looked = counted(len(related.looked), "mailbox", "mailboxes")
    return FoundMessages(
        search=search,
        searches=searches,
        page=page,
        what=f" {without} (replies looked for in {looked})",
        caveats=(*unknown, *related.statements, *missing),
        issues=tuple(related.issues),
    )


def _search_sent(search: Search, replies: ReplySearch) -> Search:
    """Search the mailboxes of sent mail instead; "Sent" where none is known, which then is an error."""
    sources = []
    for account_id in dict.fromkeys(each.account_id for each in search.sources):
        listed = replies.related.listings.get(account_id, ())
        names = [each.name for each in listed if each.special_use == "\\Sent" and each.selectable]
        sources += [Position(account_id=account_id, mailbox=name) for name in names or ["Sent"]]
    names = list(dict.fromkeys(each.mailbox for each in sources))
    several = len(names) > 1
    where = {"mailbox": "INBOX" if several else names[0], "mailboxes": tuple(names) if several else ()}
    return replace(search, arguments=search.arguments.model_copy(update=where), sources=tuple(sources))


async def _fill_page(
    call: Call, search: Search, searches: Searches, replies: ReplySearch
) -> tuple[Searches, SearchPage]:
    """Make a page of the candidates without a reply; search for more candidates until it is full.

    Returns what was searched, and the page. `searches` has the first candidates.
    """
    everything, begun = searches, search
    found: list[PageMessage] = []
    checked = 0
    number = 0
    while True:
        number += 1
        page = make_page(_with_candidates(begun), searches)
        unanswered = await replies.select_unanswered({each.ref: each.row for each in page.found})
        room = search.page_size - len(found)
        places = [place for place, each in enumerate(page.found) if each.ref in unanswered]
        if len(places) > room:
            page = make_page(replace(begun, page_size=places[room - 1] + 1), searches)
        found += [page.found[place] for place in places[:room]]
        checked += len(page.found)
        following = continue_after(begun, page)
        is_last = number == ROUNDS_MAX or page.failed_only
        if following is None or is_last or len(found) == search.page_size:
            break
        begun = following
        searches = await _search_candidates(call, begun, replies)
        everything = _merge(everything, searches)
    alone = search.is_first_page and not page.rest
    total = len(found) if alone else page.total - (checked - len(found))
    return everything, replace(page, found=tuple(found), total=total, total_exact=alone)


async def _search_candidates(call: Call, search: Search, replies: ReplySearch) -> Searches:
    """Search for the next messages that may await a reply."""
    listings = replies.related.listings
    return await search_sources(call, _with_candidates(search), choose_items(search), listings=listings)


def _with_candidates(search: Search) -> Search:
    return replace(search, page_size=max(search.page_size, CANDIDATES))


def _merge(before: Searches, after: Searches) -> Searches:
    """Add what was searched later: a mailbox that was searched again counts once."""
    both = (*before.searched, *after.searched)
    return replace(
        before,
        searched=[*{(each.source.account_id, each.source.mailbox): each for each in both}.values()],
        listings=before.listings | after.listings,
        cut=before.cut or after.cut,
    )
