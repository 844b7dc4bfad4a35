"""Mail that awaits a reply: a page of those candidates of a search to which `replies` finds none."""

from dataclasses import replace
from typing import Final

from mailmcp.imap.search.values import MailboxPage
from mailmcp.model.awaited_reply import FROM_ME, AwaitedReply
from mailmcp.model.cursor import Position
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.failures import explain_failures
from mailmcp.tools.search.page import PageMessage, SearchPage, make_page
from mailmcp.tools.search.replies import ReplySearch
from mailmcp.tools.search.sources import Searches, search_sources
from mailmcp.tools.search.state import Search, where
from mailmcp.tools.tool import Call
from mailmcp.wording import counted
from mcp_envelope import BaseReason, InvalidInputError, ToolError

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
) -> tuple[Searches, SearchPage]:
    """Find the messages of a page that await a reply, among those that a search finds.

    Raises:
        InvalidInputError: The owner isn't known, and mail must name the owner to await a reply.
        ToolError: No mailbox could be searched.
    """
    replies = ReplySearch(call, awaited.side)
    related = replies.related
    await related.list_mailboxes()
    to_owner = awaited.side == FROM_ME
    if to_owner and not replies.own:
        raise InvalidInputError.of("awaiting_reply", BaseReason.INVALID_VALUE, _OWNER_UNKNOWN)
    query = replace(search.query, awaiting_reply=replace(awaited, own=tuple(sorted(replies.own))))
    search = replace(search, query=replace(query, unanswered_only=query.unanswered_only or to_owner))
    is_named = sent.cursor or sent.mailboxes or ("mailbox" in sent.model_fields_set and sent.mailbox)
    if not (to_owner or is_named):
        search = _search_sent(search, replies)
    call.mailbox = ", ".join(search.arguments.names)
    searches, page = await _fill_page(call, search, replies)
    unknown = [
        f"The owner's address in account {account_id} isn't known, so mail to it is missing."
        for account_id in dict.fromkeys(each.account_id for each in search.sources)
        if to_owner and not call.preferences.owner_of(account_id).addresses
    ]
    missing = ["Some may have replies in places that couldn't be searched."] if related.issues else []
    without = "that you haven't answered" if to_owner else "without a reply"
    looked = counted(len(related.looked), "mailbox", "mailboxes")
    return searches, replace(
        page,
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
    return replace(search, arguments=search.arguments.model_copy(update=where(names)), sources=tuple(sources))


async def _fill_page(call: Call, search: Search, replies: ReplySearch) -> tuple[Searches, SearchPage]:
    """Make a page of the candidates without a reply; search for more candidates until it is full.

    Returns what was searched, where a mailbox that was searched again counts once, and the page.
    """
    size = search.page_size

    async def search_candidates(search: Search) -> Searches:
        wider = replace(search, page_size=max(size, CANDIDATES))
        return await search_sources(call, wider, listings=replies.related.listings)

    searches = first = await search_candidates(search)
    await explain_failures(call, first)
    results: dict[tuple[str, str], tuple[Position, MailboxPage | ToolError]] = {}
    found: list[PageMessage] = []
    checked = rounds = 0
    while True:
        rounds += 1
        results |= {(each[0].account_id, each[0].mailbox): each for each in searches.results.items()}
        page = make_page(searches, size=max(size, CANDIDATES))
        unanswered = await replies.select_unanswered({each.ref: each.row for each in page.found})
        room = size - len(found)
        places = [place for place, each in enumerate(page.found) if each.ref in unanswered]
        if len(places) > room:
            page = make_page(searches, size=places[room - 1] + 1)
        found += [page.found[place] for place in places[:room]]
        checked += len(page.found)
        following = page.following
        if following is None or page.failed_only or len(found) == size or rounds == ROUNDS_MAX:
            break
        searches = await search_candidates(following)
    alone = search.is_first_page and following is None
    total = len(found) if alone else page.total - (checked - len(found))
    if following is not None:
        following = replace(following, page_size=size, total=total, total_exact=False)
    page = replace(page, found=tuple(found), total=total, total_exact=alone, following=following)
    made = replace(first.search, page_size=size)
    return replace(first, search=made, results=dict(results.values())), page
