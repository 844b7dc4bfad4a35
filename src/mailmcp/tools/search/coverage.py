"""What a search has seen and what it has not, for programs and in words.

"No message matches" is said only where everything was searched and the answer can be trusted: never of words,
which servers overlook where they cannot read them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox
from mailmcp.imap.search.page import MailboxPage
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.sources import Searches, in_preferred_order
from mailmcp.tools.search.state import Search
from mailmcp.tools.wording import counted
from mcp_envelope import code

Place = tuple[str, str]
"""Account and mailbox."""


class CoverageData(BaseModel):
    """How far a page can be trusted; `mailboxes_searched` counts those of this page."""

    complete: bool
    mailboxes_searched: int
    mailboxes_failed: list[str]
    mailboxes_not_searched: list[str] | None = None
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was searched for one page."""

    search: Search
    seen: tuple[MailboxPage, ...]
    accounts: tuple[str, ...]
    """Those of the mailboxes that were searched, each once."""

    failed: tuple[Place, ...]
    """Mailboxes that could not be searched; `*` where the account could not even list them."""

    unread: bool = False
    """Whether messages were found that could not be fetched."""

    others: tuple[Place, ...] = ()
    """Mailboxes that were not searched and could be, as far as that was looked up."""

    aside: tuple[Place, ...] = ()
    """Those among them that a search of all leaves out."""

    last: bool = False
    """Whether mailboxes of just those names were searched: the last step that `advice` leads to."""

    cut: bool = False

    @property
    def complete(self) -> bool:
        """Whether no match can be missing from the mailboxes that were meant, which is proven."""
        return self.all_seen and not (self.unproven or self.unread)

    @property
    def all_seen(self) -> bool:
        """Whether nothing is known to be missing from what was searched."""
        seen = all(each.complete for each in self.seen)
        return seen and not (self.failed or self.cut or self.search.incomplete)

    @property
    def unproven(self) -> str:
        """What the answers rest on that nothing has shown to work, in sentences, each once.

        Words that were found nowhere may still be where servers do not look.
        """
        said = [each.unverified for each in self.seen]
        if not self.search.total and not any(each.uids or each.left for each in self.seen):
            said += [each.known_gaps for each in self.seen]
        return " ".join(dict.fromkeys(filter(None, said)))

    @property
    def method(self) -> str:
        """How it was searched, in sentences, each once."""
        return self._bounded(*self._statements(), self.unproven)

    def _statements(self) -> list[str]:
        said = [*dict.fromkeys(line for each in self.seen for line in each.statements)]
        if self.cut:
            said.append("There are more mailboxes than one search takes.")
        if self.search.incomplete:
            said.append("Earlier pages could not see everything.")
        return said

    def _bounded(self, *sentences: str) -> str:
        return make_snippet(" ".join(filter(None, sentences)), limits.COVERAGE_CHARS_MAX)

    @property
    def data(self) -> CoverageData:
        """The same for programs."""
        return CoverageData(
            complete=self.complete,
            mailboxes_searched=len(self.seen),
            mailboxes_failed=self._names(self.failed),
            mailboxes_not_searched=self._names(self.others) or None,
            method=self.method or "The server searched.",
        )

    def _names(self, places: Sequence[Place]) -> list[str]:
        """Name mailboxes, with their account where there are several; the last line counts the rest."""
        accounts = {each.account_id for each in self.search.sources}
        names = [name if len(accounts) == 1 else f"{account_id}: {name}" for account_id, name in places]
        rest = len(names) - limits.COVERAGE_NAMES_MAX
        return names if rest <= 0 else [*names[: limits.COVERAGE_NAMES_MAX], f"and {rest} more"]

    def lines(self, *, empty: bool) -> tuple[str, ...]:
        """Say in the text what the data says, where a reader must know it."""
        lines = []
        said = self._bounded(*self._statements()) if empty or not self.all_seen else ""
        if said:
            lines.append(f"How it was searched: {said}")
        if self.unproven and not (empty and self.all_seen):  # else the summary says it
            lines.append(f"Not proven to be all: {self.unproven}")
        if empty and self.others:
            lines.append(f"Not searched: {', '.join(map(code, self._names(self.others)))}")
        return tuple(lines)


def cover(
    search: Search, found: Searches, listings: Mapping[str, Sequence[Mailbox]], *, unread: bool = False
) -> Coverage:
    """Say what a search has covered.

    Args:
        search: What was searched for.
        found: What came of it.
        listings: The mailboxes of accounts that were looked up.
        unread: Whether messages of the page could not be fetched.
    """
    seen = {
        (each.source.account_id, each.source.mailbox): each.found
        for each in found.searched
        if isinstance(each.found, MailboxPage)
    }
    failed = tuple(
        (each.source.account_id, each.source.mailbox)
        for each in found.searched
        if not isinstance(each.found, MailboxPage)
    )
    others: list[Place] = []
    aside: list[Place] = []
    left_out: set[Place] = set()
    for account_id, mailboxes in listings.items():
        usual = {each.name for each in in_preferred_order(mailboxes)}
        for each in mailboxes:
            place = (account_id, each.name)
            left_out |= {place} if each.selectable and each.name not in usual else set()
            if each.selectable and place not in seen and place not in failed:
                others.append(place)
                aside += [] if each.name in usual else [place]
    return Coverage(
        search=search,
        seen=tuple(seen.values()),
        accounts=tuple(dict.fromkeys(account_id for account_id, _ in seen)),
        unread=unread,
        failed=failed,
        others=tuple(others),
        aside=tuple(aside),
        last=left_out <= seen.keys() and _names_of(seen) == _names_of(left_out),
        cut=found.cut,
    )


def say_where(search: Search, coverage: Coverage) -> str:
    """Name the one mailbox that was searched, or count them."""
    accounts = ", ".join(coverage.accounts)
    if search.one_mailbox:
        return f"{code(search.sources[0].mailbox)} ({accounts})"
    return f"{counted(len(coverage.seen), 'mailbox', 'mailboxes')} ({accounts})"


def say_nothing_found(search: Search, coverage: Coverage, *, first: bool) -> str:
    """Write the summary of a page without messages: what is proven, and what is not.

    `first` tells whether the search begins with this page; earlier ones may have had messages.
    """
    where = say_where(search, coverage)
    if not first and coverage.all_seen:
        return f"No more messages match in {where}"
    if coverage.failed:
        return f"No message was found in {where}, but {_count(coverage.failed)} could not be searched"
    if not coverage.all_seen:
        return f"No message was found in {where}, but not everything there could be seen"
    there = sum(each.exists for each in coverage.seen)
    found = f"No message matches in {where}, of {there} there"
    if coverage.unproven:
        doubt = coverage.unproven.rstrip(".")
        found = f"No message was found in {where}, of {there} there. {doubt}"
    if not coverage.others:
        return found
    verb = "was" if len(coverage.others) == 1 else "were"
    return f"{found}; {_count(coverage.others)} {verb} not searched"


def _count(places: Sequence[Place]) -> str:
    accounts = [account_id for account_id, name in places if name == EVERYTHING]
    if len(accounts) == len(places):
        return counted(len(accounts), "account")
    return counted(len(places), "mailbox", "mailboxes")


def _names_of(places: Iterable[Place]) -> set[str]:
    return {name for _, name in places}
