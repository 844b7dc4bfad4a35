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
from mailmcp.model.cursor import Source
from mailmcp.reasons import Reason
from mailmcp.tools.errors import list_mailboxes_of, mailbox_issue, message_issue
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.coverage import code_list
from mailmcp.tools.search.listings import list_accounts
from mailmcp.tools.search.page import PageMessage
from mailmcp.tools.search.sources import Searched, Searches
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

SIMILAR_MAILBOXES_MAX: Final = 3
"""Mailboxes suggested for a name that doesn't exist."""

MAILBOX_CHARS_COMPARED: Final = 100
"""Of a name that is compared with those of all mailboxes: the time grows with its square."""

_SEPARATORS = re.compile(r"[/.\\]")
"""What may separate the levels of a guessed name."""

_ALL_MAIL = {"all", "all mail", "all mailboxes", "all folders", "any", "anywhere", "everything", "everywhere"}
_CUTOFF = 0.7
"""Similarity from which a name may be a typo: `Archiv`, `Recepits`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """What to suggest for a missing mailbox."""

    sentence: str
    names: tuple[str, ...] = ()
    """Mailboxes that may have been meant; empty if none is similar."""

    is_container: bool = False
    """Whether there is a mailbox of that name, which only contains others."""

    is_listed: bool = False
    """Whether there is a mailbox of that name, which the server doesn't open."""

    @property
    def is_sure(self) -> bool:
        """Whether to search the mailboxes named."""
        return len(self.names) == 1 or (self.is_container and bool(self.names))


def suggest_mailboxes(name: str, mailboxes: Sequence[Mailbox]) -> Suggestion:
    """Suggest mailboxes in place of one that can't be opened."""
    selectable = [each for each in mailboxes if each.selectable]
    same = [each for each in mailboxes if each.name.casefold() == name.casefold()]
    if same and not any(each.selectable for each in same):
        container = same[0]
        prefix = f"{container.name}{container.delimiter}"
        names = tuple(
            each.name for each in selectable if container.delimiter and each.name.startswith(prefix)
        )
        below = f"; below it: {code_list(names)}" if names else ""
        sentence = f"{code(container.name)} holds no messages{below}."
        return Suggestion(sentence=sentence, names=names, is_container=True)
    if any(each.name == name for each in selectable):
        return Suggestion(sentence=f"The server lists {code(name)}, but doesn't open it.", is_listed=True)
    for names in map(tuple, _guesses(name, selectable)):
        if names == (EVERYTHING,):
            return Suggestion(sentence=f"{code(EVERYTHING)} means all mailboxes.", names=names)
        if names:
            named = " or ".join(map(code, names[:SIMILAR_MAILBOXES_MAX]))
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
    close = get_close_matches(asked[:MAILBOX_CHARS_COMPARED], known, cutoff=_CUTOFF)
    yield list(dict.fromkeys(known[each] for each in close))


def _is_missing(searched: Searched) -> bool:
    error = searched.found
    return isinstance(error, NotFoundError) and error.reason is Reason.MAILBOX_MISSING


def _drop_lacking(search: Search, searches: Searches) -> None:
    """Drop the failures of accounts that lack a mailbox which another account has; say which one that is."""
    found: dict[str, list[str]] = {}
    for source, _ in searches.pages if search.all_accounts else ():
        found.setdefault(source.mailbox, []).append(source.account_id)
    # A mailbox that was there on an earlier page has a UIDVALIDITY: it is missed.
    lacking = [
        each.source
        for each in searches.searched
        if _is_missing(each) and each.source.mailbox in found and not each.source.uidvalidity
    ]
    searches.searched = [each for each in searches.searched if each.source not in lacking]
    names = dict.fromkeys(source.mailbox for source in lacking)
    searches.notes += [f"{code(name)} was searched only in {', '.join(found[name])}." for name in names]


async def explain_failures(call: Call, search: Search, searches: Searches) -> None:
    """Explain why mailboxes could not be searched; one round trip for all accounts if some are missing.

    Raises:
        ToolError: None could be searched.
    """
    instead = await _explain_missing(call, search, searches) if searches.failures else {}
    if not searches.pages:
        suggested = search_instead(search, instead) if search.is_first_page else None
        raise nothing_searched(search, searches, suggested)


async def _explain_missing(call: Call, search: Search, searches: Searches) -> dict[Source, tuple[str, ...]]:
    """Name the existing mailboxes in errors about missing ones; one round trip for all accounts.

    A mailbox that some accounts lack and another one has is no failure. One that all lack becomes one
    failure, of account `*`.

    Returns:
        For each source, the mailboxes to search instead.
    """
    _drop_lacking(search, searches)
    missing: dict[str, list[Searched]] = {}
    for each in filter(_is_missing, searches.searched):
        missing.setdefault(each.source.mailbox, []).append(each)
    lacking = [each.source.account_id for some in missing.values() for each in some]
    listings = await list_accounts(call, lacking, searches.listings)
    instead: dict[Source, tuple[str, ...]] = {}
    for name, some in missing.items():
        accounts = [each.source.account_id for each in some]
        known = {each.name: each for account_id in accounts for each in listings.get(account_id, ())}
        where = f"account {accounts[0]}" if len(accounts) == 1 else f"{len(accounts)} accounts"
        sentences = [f"There is no mailbox {code(name)} in {where}."]
        suggestion = suggest_mailboxes(name, list(known.values()))
        if suggestion.is_container or suggestion.is_listed:
            sentences = [suggestion.sentence]
        elif known and (suggestion.names or len(accounts) == 1):
            sentences.append(suggestion.sentence)
        if suggestion.is_sure:
            instead |= {each.source: suggestion.names for each in some}
        first = some[0]
        assert isinstance(first.found, NotFoundError)  # noqa: S101 - it is missing
        names = list(suggestion.names[: limits.COVERAGE_NAMES_MAX])
        explained = first.found.replace(
            message=" ".join(sentences),
            details={**first.found.details, "did_you_mean": names} if names else None,
        )
        source = first.source if len(some) == 1 else replace(first.source, account_id=EVERYTHING)
        index = searches.searched.index(first)
        searches.searched[index] = Searched(source=source, found=explained)
        searches.searched = [each for each in searches.searched if each not in some]
    return instead


def excluded_in_vain(search: Search, searches: Searches) -> Iterator[str]:
    """Yield a warning for each mailbox to exclude that no account has, once all mailboxes were listed."""
    mailboxes = list({each.name: each for listed in searches.listings.values() for each in listed}.values())
    known = {each.name for each in mailboxes if each.selectable}
    for name in search.excluded:
        if mailboxes and name not in known:
            suggestion = suggest_mailboxes(name, mailboxes)
            is_useful = suggestion.names != (EVERYTHING,) and (suggestion.names or suggestion.is_container)
            hint = f" {suggestion.sentence}" if is_useful else ""
            yield f"There is no mailbox {code(name)} to exclude.{hint}"


def search_instead(search: Search, instead: Mapping[Source, Sequence[str]]) -> NextAction | None:
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

    Args:
        search: What was searched for.
        searches: All of them failed, or there were none.
        instead: The search in mailboxes that exist.
    """
    failed = searches.failures
    if not failed:
        field, message = "mailbox", "finds only Junk and Trash. Send their names."
        if search.excluded:
            field, message = "exclude_mailboxes", "leaves no mailbox to search. Send fewer."
        return InvalidInputError.of(field, BaseReason.OUT_OF_RANGE, message)
    source, error = failed[0]
    next_action = instead
    if next_action is None and error.reason is Reason.MAILBOX_MISSING:
        next_action = list_mailboxes_of(source.account_id)
    if next_action is None and isinstance(error, ConflictError):
        next_action = repeat_search(search, "Search again.")
    if len(failed) == 1:
        return error.replace(next_action=next_action)
    issues = [
        {"account_id": source.account_id, "mailbox": source.mailbox, "message": each.message}
        for source, each in failed
    ]
    return error.replace(next_action=next_action, details={**error.details, "issues": issues})


def source_issues(searches: Searches) -> Iterator[Issue]:
    """Build an issue for each mailbox that failed; one for an account, if all of it failed the same way."""
    by_account: dict[str, list[Searched]] = {}
    for each in searches.searched:
        by_account.setdefault(each.source.account_id, []).append(each)
    for account_id, searched in by_account.items():
        errors = [each.found for each in searched if isinstance(each.found, ToolError)]
        alike = len({(error.code, error.reason) for error in errors}) == 1
        several = len(errors) > 1 and account_id != EVERYTHING
        whole = several or searched[0].source.mailbox == EVERYTHING
        if len(errors) == len(searched) and alike and whole:
            yield mailbox_issue(account_id, None, errors[0])
            continue
        for each in searched:
            if isinstance(each.found, ToolError):
                yield mailbox_issue(account_id, each.source.mailbox, each.found)


def message_issues(found: Sequence[PageMessage]) -> Iterator[Issue]:
    """Build an issue for each message of a page that could not be fetched."""
    for each in found:
        failure = each.searched.fetched.failures.get(each.ref.uid)
        if failure is not None:
            yield message_issue(each.ref, failure)
