"""What a search could not reach: accounts, mailboxes and messages, and which mailbox may have been meant.

Models write `sent`, `Spam` or `Sent Items` where a server has other names. One LIST saves them a call.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Final

from mailmcp.imap.mailboxes import Mailbox
from mailmcp.imap.special_use import usual_use
from mailmcp.model.cursor import Position
from mailmcp.reasons import Reason
from mailmcp.tools.errors import list_mailboxes_of, mailbox_issue
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments
from mailmcp.tools.search.sources import Searches, list_accounts
from mailmcp.tools.search.state import repeat_search
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, ConflictError, InvalidInputError, Issue, NotFoundError, ToolError, code

_SUGGESTED_MAX: Final = 3
"""Mailboxes suggested for a name that doesn't exist."""

_SEPARATORS: Final = re.compile(r"[/.\\]")
"""What may separate the levels of a guessed name."""

_ALL_MAIL: Final = {"all", "all mail", "all mailboxes", "any", "anywhere", "everything", "everywhere"}
_CUTOFF: Final = 0.7
"""Similarity from which a name may be a typo: `Archiv`, `Recepits`."""


def suggest_mailboxes(name: str, mailboxes: Sequence[Mailbox]) -> list[str]:
    """Suggest mailboxes in place of one that can't be opened; none if no name is similar."""
    usable = [each for each in mailboxes if each.selectable and each.name != name]
    asked, leaf = name.casefold(), _SEPARATORS.split(name)[-1].casefold()
    use = "\\All" if leaf in _ALL_MAIL else usual_use(name)
    known = {each.name.casefold(): each.name for each in usable}
    known |= {each.leaf.casefold(): each.name for each in usable}
    guesses = (  # the surest first
        [each.name for each in usable if each.name.casefold() == asked],
        [each.name for each in usable if leaf and each.leaf.casefold() == leaf],
        [each.name for each in usable if use and each.special_use == use],
        [EVERYTHING] if leaf in _ALL_MAIL else [],
        # A mailbox that only contains others.
        [each.name for each in usable if each.name.casefold().startswith(f"{asked}{each.delimiter or '/'}")],
        [known[each] for each in get_close_matches(asked, known, cutoff=_CUTOFF)],
    )
    return list(dict.fromkeys(next(filter(None, guesses), [])))[:_SUGGESTED_MAX]


async def explain_failures(call: Call, searches: Searches) -> None:
    """Explain why mailboxes could not be searched; one round trip for all accounts if some are missing.

    Where another account has a mailbox, accounts that lack it haven't failed: a note says which one has it.

    Raises:
        ToolError: None could be searched.
    """
    missing = {
        source: error
        for source, error in searches.failures.items()
        if isinstance(error, NotFoundError) and error.reason is Reason.MAILBOX_MISSING
    }
    found: dict[str, list[str]] = {}
    for source in searches.pages:
        found.setdefault(source.mailbox, []).append(source.account_id)
    # A mailbox that was there on an earlier page is missed.
    lacking = {each for each in missing if each.mailbox in found and not each.is_begun}
    names = dict.fromkeys(each.mailbox for each in missing if each in lacking)
    searches.notes += [f"{code(name)} was searched only in {', '.join(found[name])}." for name in names]
    unknown = [each.account_id for each in missing if each not in lacking]
    listings = await list_accounts(call, unknown, searches.listings) if unknown else {}
    mailboxes = [each for listed in listings.values() for each in listed]
    searches.results = {
        source: _explain(missing[source], source, mailboxes) if source in missing else result
        for source, result in searches.results.items()
        if source not in lacking
    }
    if not searches.pages:
        raise _nothing_searched(searches)


def _explain(error: NotFoundError, source: Position, mailboxes: Sequence[Mailbox]) -> NotFoundError:
    """Name existing mailboxes in the error about a missing one."""
    meant, details = suggest_mailboxes(source.mailbox, mailboxes), error.details
    message = f"There is no mailbox {code(source.mailbox)} in account {source.account_id}."
    if meant:
        message += f" Did you mean {' or '.join(map(code, meant))}?"
        details = {**details, "did_you_mean": meant}
    return error.replace(message=message, details=details)


def search_warnings(searches: Searches, sent: SearchMessagesArguments, today: date) -> Iterator[str]:
    """Describe what had no effect: `last_days` 0, and mailboxes to exclude that no account has."""
    if "last_days" in sent.model_fields_set and not (sent.last_days or sent.cursor):
        yield f"last_days 0 is no filter; for today send since {today}."
    names = {each.name for listed in searches.listings.values() for each in listed}
    for name in searches.search.arguments.exclude_mailboxes:
        if names and name not in names:
            yield f"There is no mailbox {code(name)} to exclude."


def _nothing_searched(searches: Searches) -> ToolError:
    """Return the error of the first mailbox; its details list those of all, if there are several."""
    search = searches.search
    if not searches.failures:
        field, message = "mailbox", "finds only Junk and Trash. Send their names."
        if search.arguments.exclude_mailboxes:
            field, message = "exclude_mailboxes", "leaves no mailbox to search. Send fewer."
        return InvalidInputError.of(field, BaseReason.OUT_OF_RANGE, message)
    [error, *others] = searches.failures.values()
    next_action, details = error.next_action, error.details
    if error.reason is Reason.MAILBOX_MISSING:
        meant = details.get("did_you_mean")
        next_action = list_mailboxes_of(search.arguments.account_id)
        if isinstance(meant, list) and len(meant) == 1 and len(search.arguments.names) == 1:
            next_action = repeat_search(search, "Search there.", mailbox=meant[0])
    elif isinstance(error, ConflictError):
        next_action = repeat_search(search, "Search again.")
    if others:
        issues = [
            {"account_id": each.account_id, "mailbox": each.mailbox, "message": failure.message}
            for each, failure in searches.failures.items()
        ]
        details = {**details, "issues": issues}
    return error.replace(next_action=next_action, details=details)


def source_issues(searches: Searches) -> Iterator[Issue]:
    """Build an issue for each mailbox that failed; one for an account, if all of it failed the same way."""
    by_account: dict[str, dict[str, ToolError]] = {}
    for source, error in searches.failures.items():
        by_account.setdefault(source.account_id, {})[source.mailbox] = error
    for account_id, failed in by_account.items():
        count = sum(each.account_id == account_id for each in searches.results)
        is_account = len(failed) == count > 1 and len({error.message for error in failed.values()}) == 1
        if is_account or EVERYTHING in failed:
            yield mailbox_issue(account_id, None, next(iter(failed.values())))
        else:
            yield from (mailbox_issue(account_id, name, error) for name, error in failed.items())
