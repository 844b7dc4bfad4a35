"""What a search could not reach: accounts, mailboxes and messages, and which mailbox may have been meant.

Models write `sent`, `Spam` or `Sent Items` where a server has other names. One LIST saves them a call.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox
from mailmcp.imap.special_use import usual_use
from mailmcp.model.cursor import Position
from mailmcp.reasons import Reason
from mailmcp.tools.errors import list_mailboxes_of, mailbox_issue, message_issue
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.coverage import code_list
from mailmcp.tools.search.page import PageMessage
from mailmcp.tools.search.sources import Searched, Searches, list_accounts
from mailmcp.tools.search.state import Search, repeat_search
from mailmcp.tools.tool import Call
from mcp_envelope import (
    BaseReason,
    ConflictError,
    InvalidInputError,
    Issue,
    NextAction,
    NotFoundError,
    ToolError,
    code,
)

_SUGGESTED_MAX: Final = 3
"""Mailboxes suggested for a name that doesn't exist."""

_CHARS_COMPARED: Final = 100
"""Of a name that is compared with those of all mailboxes: the time grows with its square."""

_SEPARATORS: Final = re.compile(r"[/.\\]")
"""What may separate the levels of a guessed name."""

_ALL_MAIL: Final = {"all", "all mail", "all mailboxes", "any", "anywhere", "everything", "everywhere"}
_CUTOFF: Final = 0.7
"""Similarity from which a name may be a typo: `Archiv`, `Recepits`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """What to suggest for a mailbox that can't be opened."""

    sentence: str
    names: tuple[str, ...] = ()
    """Mailboxes that may have been meant; empty if none is similar."""

    exists: bool = False
    """Whether there is a mailbox of that name, which only contains others or can't be opened."""


def suggest_mailboxes(name: str, mailboxes: Sequence[Mailbox]) -> Suggestion:
    """Suggest mailboxes in place of one that can't be opened."""
    selectable = [each for each in mailboxes if each.selectable]
    for each in mailboxes:
        if each.name == name and each.selectable:
            return Suggestion(sentence=f"The server lists {code(name)}, but doesn't open it.", exists=True)
        if each.name.casefold() == name.casefold() and not each.selectable:
            prefix = f"{each.name}{each.delimiter}"
            names = tuple(one.name for one in selectable if each.delimiter and one.name.startswith(prefix))
            below = f"; below it: {code_list(names)}" if names else ""
            sentence = f"{code(each.name)} holds no messages{below}."
            return Suggestion(sentence=sentence, names=names, exists=True)
    for names in map(tuple, _guesses(name, selectable)):
        if names:
            named = " or ".join(map(code, names[:_SUGGESTED_MAX]))
            return Suggestion(sentence=f"Did you mean {named}?", names=names)
    return Suggestion(sentence=f"It has {code_list([each.name for each in selectable])}.")


def _guesses(name: str, mailboxes: Sequence[Mailbox]) -> Iterator[list[str]]:
    """Yield the mailboxes that one way of guessing finds, the surest first."""
    asked, leaf = name.casefold(), _SEPARATORS.split(name)[-1].casefold()
    yield [each.name for each in mailboxes if each.name.casefold() == asked]
    yield [each.name for each in mailboxes if leaf and each.leaf.casefold() == leaf]
    use = "\\All" if leaf in _ALL_MAIL else usual_use(name)
    yield [each.name for each in mailboxes if use and each.special_use == use]
    yield [EVERYTHING] if leaf in _ALL_MAIL else []
    known = {each.name.casefold(): each.name for each in mailboxes} | {
        each.leaf.casefold(): each.name for each in mailboxes
    }
    close = get_close_matches(asked[:_CHARS_COMPARED], known, cutoff=_CUTOFF)
    yield list(dict.fromkeys(known[each] for each in close))


async def explain_failures(call: Call, search: Search, searches: Searches) -> None:
    """Explain why mailboxes could not be searched; one round trip for all accounts if some are missing.

    Raises:
        ToolError: None could be searched.
    """
    _drop_lacking(search, searches)
    instead = await _explain_missing(call, searches)
    if not searches.pages:
        suggested = _search_instead(search, instead) if search.is_first_page else None
        raise nothing_searched(search, searches, suggested)


def _is_missing(searched: Searched) -> bool:
    return isinstance(searched.found, NotFoundError) and searched.found.reason is Reason.MAILBOX_MISSING


def _drop_lacking(search: Search, searches: Searches) -> None:
    """Drop the failures of accounts that lack a mailbox which another account has; say which one that is."""
    found: dict[str, list[str]] = {}
    for source, _ in searches.pages if search.all_accounts else ():
        found.setdefault(source.mailbox, []).append(source.account_id)
    # A mailbox that was there on an earlier page is missed.
    lacking = [
        each.source
        for each in searches.searched
        if _is_missing(each) and each.source.mailbox in found and not each.source.is_begun
    ]
    searches.searched = [each for each in searches.searched if each.source not in lacking]
    names = dict.fromkeys(source.mailbox for source in lacking)
    searches.notes += [f"{code(name)} was searched only in {', '.join(found[name])}." for name in names]


async def _explain_missing(call: Call, searches: Searches) -> dict[Position, tuple[str, ...]]:
    """Name existing mailboxes in errors about missing ones.

    A mailbox that all accounts lack is one failure, of account `*`.

    Returns:
        For each source, the mailboxes to search instead, if that is clear.
    """
    missing: dict[str, list[Searched]] = {}
    for each in filter(_is_missing, searches.searched):
        missing.setdefault(each.source.mailbox, []).append(each)
    lacking = [each.source.account_id for some in missing.values() for each in some]
    listings = await list_accounts(call, lacking, searches.listings) if lacking else {}
    instead: dict[Position, tuple[str, ...]] = {}
    for name, some in missing.items():
        accounts, first = [each.source.account_id for each in some], some[0]
        known = {each.name: each for account_id in accounts for each in listings.get(account_id, ())}
        suggestion = suggest_mailboxes(name, list(known.values()))
        where = f"account {accounts[0]}" if len(accounts) == 1 else f"{len(accounts)} accounts"
        said = [] if suggestion.exists else [f"There is no mailbox {code(name)} in {where}."]
        if suggestion.exists or suggestion.names or (known and len(accounts) == 1):
            said.append(suggestion.sentence)
        if len(suggestion.names) == 1 or suggestion.exists:
            instead |= {each.source: suggestion.names for each in some if suggestion.names}
        assert isinstance(first.found, NotFoundError)  # noqa: S101 - it is missing
        names = list(suggestion.names[: limits.COVERAGE_NAMES_MAX])
        details = {**first.found.details, "did_you_mean": names} if names else None
        explained = first.found.replace(message=" ".join(said), details=details)
        source = first.source if len(some) == 1 else replace(first.source, account_id=EVERYTHING)
        searches.searched[searches.searched.index(first)] = Searched(source=source, found=explained)
        searches.searched = [each for each in searches.searched if each not in some]
    return instead


def excluded_in_vain(search: Search, searches: Searches) -> Iterator[str]:
    """Yield a warning for each mailbox to exclude that no account has, once all mailboxes were listed."""
    mailboxes = list({each.name: each for listed in searches.listings.values() for each in listed}.values())
    for name in search.arguments.exclude_mailboxes:
        if mailboxes and not any(each.selectable and each.name == name for each in mailboxes):
            suggestion = suggest_mailboxes(name, mailboxes)
            is_useful = suggestion.exists or suggestion.names not in {(), (EVERYTHING,)}
            hint = f" {suggestion.sentence}" if is_useful else ""
            yield f"There is no mailbox {code(name)} to exclude.{hint}"


def _search_instead(search: Search, instead: Mapping[Position, Sequence[str]]) -> NextAction | None:
    """Suggest the same search in other mailboxes; None unless there are some for each source."""
    if not all(source in instead for source in search.sources):
        return None
    names = list(dict.fromkeys(name for source in search.sources for name in instead[source]))
    if len(names) == 1 or EVERYTHING in names:
        name = EVERYTHING if EVERYTHING in names else names[0]
        return repeat_search(search, "Search there.", without=["mailboxes"], mailbox=name)
    if len(names) <= limits.COVERAGE_NAMES_MAX and not search.all_accounts:
        return repeat_search(search, "Search there.", without=["mailbox"], mailboxes=names)
    return None


def nothing_searched(search: Search, searches: Searches, instead: NextAction | None) -> ToolError:
    """Return the error of the first mailbox; its details list those of all, if there are several.

    `instead` is the search in mailboxes that exist.
    """
    if not searches.failures:
        field, message = "mailbox", "finds only Junk and Trash. Send their names."
        if search.arguments.exclude_mailboxes:
            field, message = "exclude_mailboxes", "leaves no mailbox to search. Send fewer."
        return InvalidInputError.of(field, BaseReason.OUT_OF_RANGE, message)
    [(source, error), *others] = searches.failures
    next_action = instead
    if next_action is None and error.reason is Reason.MAILBOX_MISSING:
        next_action = list_mailboxes_of(source.account_id)
    if next_action is None and isinstance(error, ConflictError):
        next_action = repeat_search(search, "Search again.")
    if not others:
        return error.replace(next_action=next_action)
    issues = [
        {"account_id": each.account_id, "mailbox": each.mailbox, "message": failure.message}
        for each, failure in searches.failures
    ]
    return error.replace(next_action=next_action, details={**error.details, "issues": issues})


def source_issues(searches: Searches) -> Iterator[Issue]:
    """Build an issue for each mailbox that failed; one for an account, if all of it failed the same way."""
    by_account: dict[str, list[Searched]] = {}
    for each in searches.searched:
        by_account.setdefault(each.source.account_id, []).append(each)
    for account_id, searched in by_account.items():
        failed = [(each.source.mailbox, each.found) for each in searched if isinstance(each.found, ToolError)]
        alike = len({(error.code, error.reason) for _, error in failed}) == 1
        several = len(failed) > 1 and account_id != EVERYTHING
        if len(failed) == len(searched) and alike and (several or failed[0][0] == EVERYTHING):
            yield mailbox_issue(account_id, None, failed[0][1])
        else:
            yield from (mailbox_issue(account_id, name, error) for name, error in failed)


def message_issues(found: Sequence[PageMessage]) -> Iterator[Issue]:
    """Build an issue for each message of a page that could not be fetched."""
    for each in found:
        failure = each.searched.fetched.failures.get(each.ref.uid)
        if failure is not None:
            yield message_issue(each.ref, failure)
