"""A mailbox that is not there: which ones there are, and which was meant.

Models write `sent`, `Spam` or `Sent Items` where a server says otherwise. One LIST tells, instead
of a call.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.special_use import usual_use
from mailmcp.model.cursor import SourceCursor
from mailmcp.reasons import Reason
from mailmcp.tools.names import SEARCH_MESSAGES
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import Search, arguments_of
from mailmcp.tools.tool import Call
from mcp_envelope import NextAction, NotFoundError, ToolError, code

_SEPARATORS = re.compile(r"[/.\\]")
"""What may part the levels of a name that someone guessed."""

_ALL_MAIL = {"all", "all mail", "all mailboxes", "all folders", "any", "anywhere", "everything", "everywhere"}
_CLOSE = 0.7
"""Likeness from which a name may be a slip of another: `Archiv`, `Recepits`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What there is in place of a mailbox."""

    statement: str
    """A sentence."""

    names: tuple[str, ...] = ()
    """Mailboxes that may have been meant; empty if that cannot be told."""

    container: bool = False
    """Whether there is a mailbox of that name, which only holds others."""


def find_meant(name: str, mailboxes: Sequence[Mailbox]) -> Meant:
    """Say which mailboxes may have been meant by `name`, which cannot be opened."""
    there = [each for each in mailboxes if each.selectable]
    alike = [each for each in mailboxes if each.name.casefold() == name.casefold()]
    if alike and not any(each.selectable for each in alike):
        return _below(alike[0], there)
    for found in _guesses(name, there):
        if found == [EVERYTHING]:
            return Meant(statement=f"{code(EVERYTHING)} stands for all mailboxes.", names=(EVERYTHING,))
        if found:
            named = " or ".join(map(code, found[: limits.SIMILAR_MAILBOXES_MAX]))
            return Meant(statement=f"Did you mean {named}?", names=tuple(found))
    return Meant(statement=f"There are {_listed([each.name for each in there])}.")


def _below(container: Mailbox, there: Sequence[Mailbox]) -> Meant:
    above = f"{container.name}{container.delimiter}"
    names = tuple(each.name for each in there if container.delimiter and each.name.startswith(above))
    beneath = f"; below it: {_listed(names)}" if names else ""
    return Meant(statement=f"{code(container.name)} holds no messages{beneath}.", names=names, container=True)


def _guesses(name: str, there: Sequence[Mailbox]) -> Iterator[list[str]]:
    """Give mailboxes that may be meant, by one likeness after the other, the surest first."""
    asked, leaf = name.casefold(), _SEPARATORS.split(name)[-1].casefold()
    yield [each.name for each in there if each.name.casefold() == asked]
    yield [each.name for each in there if leaf and each.leaf.casefold() == leaf]
    use = "\\All" if leaf in _ALL_MAIL else usual_use(name)
    yield [each.name for each in there if use and each.special_use == use]
    yield [EVERYTHING] if leaf in _ALL_MAIL else []
    likes = {each.name.casefold(): each.name for each in there} | {
        each.leaf.casefold(): each.name for each in there
    }
    close = get_close_matches(asked[: limits.MAILBOX_CHARS_COMPARED], likes, cutoff=_CLOSE)
    yield list(dict.fromkeys(likes[each] for each in close))


def _listed(names: Sequence[str]) -> str:
    shown = [code(each) for each in names[: limits.COVERAGE_NAMES_MAX]]
    more = len(names) - len(shown)
    return ", ".join([*shown, f"and {more} more"] if more else shown)


async def tell_missing(call: Call, searches: Searches) -> dict[SourceCursor, tuple[str, ...]]:
    """Add to the errors of mailboxes that are not there which ones there are; one round trip an account.

    Returns:
        What was meant by a source: the only mailbox that can have been, or those that it holds.
    """
    listings: dict[str, Sequence[Mailbox]] = dict(searches.listings)
    meant: dict[SourceCursor, tuple[str, ...]] = {}
    for each in searches.searched:
        source, error = each.source, each.found
        if not isinstance(error, NotFoundError) or error.reason is not Reason.MAILBOX_MISSING:
            continue
        if source.account_id not in listings:
            listings[source.account_id] = await _list(call, source.account_id)
        if not listings[source.account_id]:
            continue
        found = find_meant(source.mailbox, listings[source.account_id])
        missing = f"There is no mailbox {code(source.mailbox)} in account {source.account_id}. "
        error.message = f"{'' if found.container else missing}{found.statement}"
        error.args = (error.message,)
        if found.names:
            error.details["did_you_mean"] = list(found.names[: limits.COVERAGE_NAMES_MAX])
        if len(found.names) == 1 or (found.container and found.names):
            meant[source] = found.names
    return meant


async def _list(call: Call, account_id: str) -> Sequence[Mailbox]:
    try:
        return await call.ask(list_mailboxes, account_id=account_id)
    except ToolError:
        return ()  # the error stands as it is


def suggest_meant(search: Search, meant: Mapping[SourceCursor, Sequence[str]]) -> NextAction | None:
    """Write the same search in the mailboxes that were meant; None if that cannot be told of each."""
    if not all(source in meant for source in search.sources):
        return None
    arguments = arguments_of(search)
    names = list(dict.fromkeys(name for source in search.sources for name in meant[source]))
    if len(names) == 1 or EVERYTHING in names:
        arguments["mailbox"] = EVERYTHING if EVERYTHING in names else names[0]
        arguments.pop("mailboxes", None)
    elif len(names) <= limits.COVERAGE_NAMES_MAX and not search.all_accounts:
        arguments["mailboxes"] = names
        arguments.pop("mailbox", None)
    else:
        return None
    return NextAction(instruction="Search there.", tool=SEARCH_MESSAGES, arguments=arguments)
