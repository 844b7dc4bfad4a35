"""What to search next when nothing was found."""

import re
from collections.abc import Sequence

from mailmcp import limits
from mailmcp.model.query import visible_words
from mailmcp.tools.names import LIST_MAILBOXES
from mailmcp.tools.search.advice import find_phrases, suggest_written
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.coverage import Coverage, Place
from mailmcp.tools.search.nothing_found.spelling import Closeness, Offer
from mailmcp.tools.search.state import Search, arguments_of, as_sent, repeat_search
from mailmcp.tools.search.syntax import accepts
from mcp_envelope import NextAction
from mcp_envelope.markdown import quote, unescape


def name_offers(search: Search, offers: Sequence[Offer]) -> str:
    """Write a sentence about what was found close to a search that found nothing."""
    without = " if attachments don't matter" if search.query.has_attachment else ""  # servers can't tell
    changes = [
        f"{each.argument} {quote(each.text)}" if each.text else f"no {each.argument}" for each in offers
    ]
    named = [f"{change} (about {each.count})" for change, each in zip(changes, offers, strict=True)]
    return f"Similar searches find messages{without}: {', '.join(named)}."


def suggest_search(search: Search, coverage: Coverage, offers: Sequence[Offer] = ()) -> NextAction:
    """Suggest what to search next when nothing was found.

    Another spelling that is known to find something comes first. Then all mailboxes, parts of the words,
    technical header fields, times by the Date header, Junk and Trash, single words instead of phrases, and
    fewer words or criteria.

    Args:
        search: What was searched for.
        coverage: Where.
        offers: What was found close to it, the closest first.
    """
    if spelling := _suggest_offer(search, offers, Closeness.SPELLING):
        return spelling
    if len(coverage.others) > len(coverage.aside) and not (search.all_mailboxes or coverage.last):
        instruction, dates = "Search all mailboxes.", {}
        if _is_by_arrival(search):
            instruction, dates = "Search all mailboxes by the Date header.", {"dates": "written"}
        return repeat_search(search, instruction, without=["mailboxes"], mailbox=EVERYTHING, **dates)
    if other := (
        _suggest_offer(search, offers, Closeness.STEM)
        or _suggest_technical(search, coverage)
        or (suggest_written(search) if _is_by_arrival(search) else None)
    ):
        return other
    if coverage.aside:
        return _suggest_aside(search, coverage.aside)
    arguments = arguments_of(search)
    phrases = find_phrases(arguments)
    query = _single_words([arguments.get("query", ""), *(arguments[name] for name in phrases)])
    if phrases and len(query) <= limits.ARGUMENT_CHARS_MAX:
        return repeat_search(
            search,
            "Search for the words separately.",
            without=[*phrases, "mailboxes"],
            mailbox=EVERYTHING,
            query=query,
        )
    return _suggest_offer(search, offers, Closeness.PART) or NextAction(
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
    closest = offers[0]
    changed = {closest.argument: as_sent(closest.argument, closest.text)} if closest.text else {}
    return repeat_search(search, "Try the closest similar search.", without=[closest.argument], **changed)


def _suggest_technical(search: Search, coverage: Coverage) -> NextAction | None:
    """Suggest to search technical header fields, if words are there."""
    words = [each for each in visible_words(search.query.query) if not re.search(r'[\s"]', each)]
    query = " ".join(f'"{each}"' for each in words)
    if not (words and any(each.technical for each in coverage.seen)):
        return None
    return repeat_search(search, "Search technical header fields, too.", query=query)


def _single_words(texts: Sequence[object]) -> str:
    """Write the words of some texts as `query` takes them: in quotes where they would be operators."""
    words = [word.strip(",") for text in texts for word in str(text).split()]
    query = " ".join(filter(None, words))
    if accepts("query", query):
        return query
    return " ".join(f'"{bare}"' for word in words if (bare := unescape(word).replace('"', "")))


def _suggest_aside(search: Search, aside: Sequence[Place]) -> NextAction:
    """Suggest a search of what was left out, in all accounts at once if that isn't too many mailboxes."""
    accounts = {account_id for account_id, _ in aside}
    names = list(dict.fromkeys(name for _, name in aside))
    all_accounts = {each.account_id for each in search.sources}
    account_id, instruction = search.account_id, "Search the mailboxes that were left out."
    if len(accounts) == 1 or len(all_accounts) * len(names) > limits.SEARCH_SOURCES_MAX:
        account_id = aside[0][0]
        names = [name for account, name in aside if account == account_id]
        if len(accounts) > 1:
            instruction = (
                f"Search the mailboxes that were left out of account {account_id}; "
                "do the same for the others."
            )
    where = ["mailbox", "mailboxes", "exclude_mailboxes"]
    return repeat_search(search, instruction, without=where, account_id=account_id, mailboxes=names)
