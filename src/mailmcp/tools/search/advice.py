"""Warnings about criteria that can mislead, and what to search next when nothing was found."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from mailmcp import limits
from mailmcp.imap.search.order import Order
from mailmcp.imap.search.page import MailboxPage
from mailmcp.model.query import CRITERIA, Kind, visible_words
from mailmcp.tools.names import LIST_MAILBOXES, SEARCH_MESSAGES
from mailmcp.tools.rows import MessageRow
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments
from mailmcp.tools.search.coverage import Coverage, Place
from mailmcp.tools.search.spelling import Closeness, Offer
from mailmcp.tools.search.state import Search, arguments_of
from mailmcp.tools.search.syntax import accepts
from mailmcp.tools.wording import counted
from mcp_envelope import NextAction, code
from mcp_envelope.markdown import quote, unescape

_BY_UID = (
    "The server doesn't sort this many messages: they are in the order in which they were added to "
    "the mailbox, which is not always the order of {}."
)
_DATES_MISREAD = "Some messages are out of order: the server reads their Date headers differently."


def search_warnings(
    search: Search,
    sent: SearchMessagesArguments,
    pages: Sequence[MailboxPage],
    *,
    total: int,
    imported: bool,
    today: date,
) -> tuple[str, ...]:
    """Describe what a criterion or an order does, where its name can mislead.

    Args:
        search: What was searched for.
        sent: The arguments as sent.
        pages: What was found.
        total: Matches; 0 if nothing was found.
        imported: Whether imported mail may bury what is looked for; see `is_imported`.
        today: In the zone of the settings.
    """
    warnings = []
    empty = not total
    if "last_days" in sent.model_fields_set and not (sent.last_days or sent.cursor):
        warnings.append(f"last_days 0 is no filter; for today send start_date {today}.")
    if search.query.unanswered_only and search.query.awaiting_reply is None:
        warnings.append("Answered is a flag that mail programs set; imap_get_thread shows replies.")
    if empty and (phrases := _phrases(arguments_of(search))):
        names = " and ".join(phrases)
        warnings.append(f"Several words in {names} are one phrase; query takes single words, in any order.")
    if empty and (search.query.since or search.query.before):
        warnings.append("Searches by time use the time of arrival; dates=written uses the Date header.")
    words = search.query.query
    is_loose = len(words) > 1 and all(word.isalnum() for word in words)
    if is_loose and search.is_first_page and total >= limits.LOOSE_WORDS_MATCHES:
        phrase = code(f'"{" ".join(words)}"')
        warnings.append(f"The words may be far apart in these messages; query {phrase} finds the phrase.")
    if imported:
        warnings.append(
            "Most of these were written long before they arrived; dates=written uses the Date header."
        )
    if technical := sum(each.technical for each in pages):
        warnings.append(
            f"Left out: {counted(technical, 'message')} with a match only in technical header fields, which "
            "people don't see. To find a single word there, too, put it in double quotes."
        )
    misordered = [each.order for each in pages if not each.in_order]
    if any(order.is_by_written for order in misordered):
        warnings.append(_DATES_MISREAD)
    if not all(order.is_by_written for order in misordered):
        warnings.append(_BY_UID.format("their Date headers" if search.by_written else "arrival"))
    return tuple(warnings)


def is_imported(search: Search, rows: Sequence[MessageRow], *, has_more: bool) -> bool:
    """Return whether most messages of a first page were written long before they arrived.

    That matters if times or the order by arrival decide which messages are on it.
    """
    by_time = bool(search.query.since or search.query.before)
    decides = (by_time and len(rows) > 1) or (has_more and search.order is not Order.LARGEST)
    late = [each for each in rows if each.arrived and each.arrived > each.date]
    return search.is_first_page and decides and not search.by_written and 2 * len(late) > len(rows)


def suggest_written(search: Search) -> NextAction:
    """Suggest the same search by the Date header."""
    arguments = arguments_of(search) | {"dates": "written"}
    return NextAction(instruction="Search by the Date header.", tool=SEARCH_MESSAGES, arguments=arguments)


def _phrases(arguments: Mapping[str, object]) -> list[str]:
    """Return the criteria that search for several words as one phrase, without quotes that ask for it."""
    return [
        row.argument
        for row in CRITERIA
        if row.kind is Kind.PHRASE
        and len((text := str(arguments.get(row.argument, ""))).split()) > 1
        and '"' not in text
    ]


def name_offers(offers: Sequence[Offer]) -> str:
    """Write a sentence about what was found close to a search that found nothing."""
    named = [f"{each.argument} {quote(each.text)} (about {each.count})" for each in offers]
    return f"Similar searches find messages: {', '.join(named)}."


def suggest_search(search: Search, coverage: Coverage, offers: Sequence[Offer] = ()) -> NextAction:
    """Suggest what to search next when nothing was found.

    Another spelling that is known to find something comes first. Then all mailboxes, parts of the words,
    technical header fields, times by the Date header, Junk and Trash, and single words instead of phrases.

    Args:
        search: What was searched for.
        coverage: Where.
        offers: What was found close to it, the closest first.
    """
    arguments = arguments_of(search)
    is_past = _is_by_arrival(search) and search.query.before is not None
    if not is_past and (spelling := _suggest_offer(search, offers, Closeness.SPELLING)):
        return spelling  # offers aren't compared with times
    arguments.pop("mailboxes", None)
    if len(coverage.others) > len(coverage.aside) and not (search.all_mailboxes or coverage.last):
        arguments["mailbox"] = EVERYTHING
        instruction = "Search all mailboxes."
        if _is_by_arrival(search):
            instruction, arguments["dates"] = "Search all mailboxes by the Date header.", "written"
        return NextAction(instruction=instruction, tool=SEARCH_MESSAGES, arguments=arguments)
    if other := (
        _suggest_offer(search, offers, Closeness.STEM)
        or _suggest_technical(search, coverage)
        or (suggest_written(search) if _is_by_arrival(search) else None)
    ):
        return other
    if coverage.aside:
        arguments.pop("mailbox", None)
        return _suggest_aside(search, coverage.aside, arguments)
    phrases = _phrases(arguments)
    query = _single_words([arguments.get("query", ""), *(arguments[name] for name in phrases)])
    if phrases and len(query) <= limits.ARGUMENT_CHARS_MAX:
        kept = {name: value for name, value in arguments.items() if name not in phrases}
        return NextAction(
            instruction="Search for the words separately.",
            tool=SEARCH_MESSAGES,
            arguments=kept | {"mailbox": EVERYTHING, "query": query},
        )
    return NextAction(
        instruction="Search with fewer criteria, or look at the mailboxes.",
        tool=LIST_MAILBOXES,
        arguments={"account_id": search.sources[0].account_id},
    )


def _is_by_arrival(search: Search) -> bool:
    """Return whether imported mail may be missing, which was written within the range and arrived later."""
    return not search.by_written and bool(search.query.since or search.query.before)


def _suggest_offer(search: Search, offers: Sequence[Offer], closeness: Closeness) -> NextAction | None:
    """Suggest the closest offer, if it is as close as that."""
    if not offers or offers[0].closeness is not closeness:
        return None
    arguments = arguments_of(search) | {offers[0].argument: offers[0].text}
    return NextAction(
        instruction="Try the closest similar search.", tool=SEARCH_MESSAGES, arguments=arguments
    )


def _suggest_technical(search: Search, coverage: Coverage) -> NextAction | None:
    """Suggest to search technical header fields, if words are there."""
    words = [each for each in visible_words(search.query.query) if not re.search(r'[\s"]', each)]
    query = " ".join(f'"{each}"' for each in words)
    if not (words and any(each.technical for each in coverage.seen)):
        return None
    arguments = arguments_of(search) | {"query": query}
    return NextAction(
        instruction="Search technical header fields, too.", tool=SEARCH_MESSAGES, arguments=arguments
    )


def _single_words(texts: Sequence[object]) -> str:
    """Write the words of some texts as `query` takes them: in quotes where they would be operators."""
    words = [word.strip(",") for text in texts for word in str(text).split()]
    query = " ".join(filter(None, words))
    if accepts("query", query):
        return query
    return " ".join(f'"{bare}"' for word in words if (bare := unescape(word).replace('"', "")))


def _suggest_aside(search: Search, aside: Sequence[Place], arguments: dict[str, object]) -> NextAction:
    """Suggest a search of what was left out, in all accounts at once if that isn't too many mailboxes."""
    arguments.pop("exclude_mailboxes", None)
    accounts = {account_id for account_id, _ in aside}
    names = list(dict.fromkeys(name for _, name in aside))
    all_accounts = {each.account_id for each in search.sources}
    instruction = "Search the mailboxes that were left out."
    if len(accounts) == 1 or len(all_accounts) * len(names) > limits.SEARCH_SOURCES_MAX:
        account_id = aside[0][0]
        names = [name for account, name in aside if account == account_id]
        arguments["account_id"] = account_id
        if len(accounts) > 1:
            instruction = (
                f"Search the mailboxes that were left out of account {account_id}; "
                "do the same for the others."
            )
    return NextAction(
        instruction=instruction, tool=SEARCH_MESSAGES, arguments=arguments | {"mailboxes": names}
    )
