"""What a search covered and what it did not, for programs and in words.

"No messages matched" appears only if everything was searched and the answer is proven: never for words,
which servers overlook in text that they can't read.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox
from mailmcp.imap.search.page import MailboxPage
from mailmcp.mail.text.snippet import ELLIPSIS
from mailmcp.tools.published import Row, Strings
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.sources import Searches, in_preferred_order
from mailmcp.tools.search.state import Search
from mailmcp.wording import counted
from mcp_envelope import code

COVERAGE_CHARS_MAX: Final = 600
"""The description of how a search was made."""

Place = tuple[str, str]
"""Account and mailbox."""


class CoverageData(Row):
    """How far a page can be trusted; `mailboxes_searched` counts those of this page."""

    complete: bool
    mailboxes_searched: int
    mailboxes_failed: Strings
    mailboxes_not_searched: Strings | None = None
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was searched for one page."""

    search: Search
    seen: tuple[MailboxPage, ...]
    accounts: tuple[str, ...]
    """The accounts of the mailboxes that were searched."""

    failed: tuple[Place, ...]
    """Mailboxes that could not be searched; `*` where the account could not even list them."""

    unread: bool = False
    """Whether messages were found that could not be fetched."""

    others: tuple[Place, ...] = ()
    """Other mailboxes that could be searched, as far as they were listed."""

    aside: tuple[Place, ...] = ()
    """Those of them that a search of all mailboxes leaves out."""

    caveats: tuple[str, ...] = ()
    """Sentences: which messages of this page may not belong on it."""

    last: bool = False
    """Whether only mailboxes were searched that a search of all leaves out: the last suggestion."""

    cut: bool = False
    """Whether there are more mailboxes than one search takes."""

    notes: tuple[str, ...] = ()
    """Further sentences about how it was searched."""

    @property
    def complete(self) -> bool:
        """Whether it is proven that this page and those after it show every match."""
        return self.all_seen and not (self.unproven or self.unread or self.caveats)

    @property
    def all_seen(self) -> bool:
        """Whether nothing is known to be missing from what was searched."""
        seen = all(each.complete for each in self.seen)
        return seen and not (self.failed or self.cut or self.search.incomplete)

    @property
    def unproven(self) -> str:
        """Sentences about what is unproven in the answer, each once.

        Words that weren't found may still be where servers don't look.
        """
        if self.search.total or any(each.total for each in self.seen):
            return ""
        return " ".join(dict.fromkeys(filter(None, (each.known_gaps for each in self.seen))))

    @property
    def method(self) -> list[str]:
        """Sentences about how it was searched, each once."""
        sentences = [*self.notes, *dict.fromkeys(line for each in self.seen for line in each.statements)]
        # A mailbox that filled its page has more, too, but nothing there was given up.
        if given_up := [each for each in self.seen if each.unchecked]:
            checked = sum(each.checked for each in given_up)
            unchecked = sum(each.unchecked for each in given_up)
            of_all = f"{checked} of {checked + unchecked} possible matches"
            sentences.append(f"Checked {of_all}; the next page continues from there.")
        sentences += self.reach
        if self.search.by_written:
            sentences.append("Times and order go by the Date header.")
        sentences += self.anywhere
        if self.cut:
            sentences.append("There are more mailboxes than one search takes.")
        if self.search.incomplete:
            sentences.append("Earlier pages could not show everything.")
        return [*sentences, *self.caveats]

    @property
    def anywhere(self) -> list[str]:
        """A sentence about words that are in no subject, text or address."""
        found = self.search.anywhere and any(each.total for each in self.seen)
        return ["The words are in names of files or in header fields that people don't see."] if found else []

    @property
    def reach(self) -> list[str]:
        """Sentences about mailboxes that were searched in part so far."""
        return [each.reach for each in self.seen if each.reach]

    @property
    def data(self) -> CoverageData:
        """The same for programs; of many mailboxes the first are named, and `method` counts the rest."""
        method = _joined([*self.method, self.unproven]) or "The server searched."
        if rest := sum(max(len(each) - limits.COVERAGE_NAMES_MAX, 0) for each in (self.failed, self.others)):
            method += f" Not named: {counted(rest, 'more mailbox', 'more mailboxes')}."
        return CoverageData(
            complete=self.complete,
            mailboxes_searched=len(self.seen),
            mailboxes_failed=self._names(self.failed)[: limits.COVERAGE_NAMES_MAX],
            mailboxes_not_searched=self._names(self.others)[: limits.COVERAGE_NAMES_MAX] or None,
            method=method,
        )

    def _names(self, places: Sequence[Place], write: Callable[[str], str] = str) -> list[str]:
        """Name mailboxes, with their account if there are several."""
        is_one = len({each.account_id for each in self.search.sources}) == 1
        return [write(name) if is_one else f"{account_id}: {write(name)}" for account_id, name in places]

    def lines(self, *, empty: bool, short: bool = False) -> tuple[str, ...]:
        """Write the lines of the text channel about it.

        Args:
            empty: The page has no messages.
            short: It has fewer than it could, though more may follow.
        """
        lines = []
        if self.method and (empty or short or not self.all_seen):
            lines.append(f"How it was searched: {_joined(self.method)}")
        else:
            lines += [*self.anywhere, *self.reach]
        if self.unproven and not (empty and self.all_seen):  # else the summary says it
            lines.append(f"Not proven complete: {self.unproven}")
        lines += self.caveats
        if empty and self.others:
            lines.append(f"Not searched: {_some(self._names(self.others, code))}")
        return tuple(lines)

    @property
    def where(self) -> str:
        """The one mailbox that was searched, or how many."""
        accounts = ", ".join(self.accounts)
        if self.search.one_mailbox:
            return f"{code(self.search.sources[0].mailbox)} ({accounts})"
        return f"{counted(len(self.seen), 'mailbox', 'mailboxes')} ({accounts})"

    def summarize(self, found: str, zone: tzinfo, *, verb: str) -> str:
        """Write the summary of what was found, and where; `verb` says what was done, in the past tense."""
        by_written = ", by Date header" if self.search.by_written else ""
        summary = f"{found}{by_written}, times in {zone}"
        return summary if self.all_seen else f"{summary}; not everything could be {verb}"

    def summarize_nothing_found(self) -> str:
        """Write the summary of a page without messages; earlier pages may have had some."""
        if not self.search.is_first_page and self.all_seen:
            return f"No more messages match in {self.where}"
        if self.failed:
            return f"No messages were found in {self.where}, but {_count(self.failed)} could not be searched"
        if not self.all_seen:
            return f"No messages were found in {self.where}, but not everything could be searched"
        there = sum(each.exists for each in self.seen)
        summary = f"No messages matched in {self.where}, out of {there}"
        if self.unproven:
            doubt = self.unproven.rstrip(".")
            summary = f"No messages were found in {self.where}, out of {there}. {doubt}"
        if not self.others:
            return summary
        verb = "was" if len(self.others) == 1 else "were"
        return f"{summary}; {_count(self.others)} {verb} not searched"


def code_list(names: Sequence[str]) -> str:
    """Write names in code spans, and the count of those that are too many."""
    return _some([code(each) for each in names])


def _some(written: Sequence[str]) -> str:
    shown = written[: limits.COVERAGE_NAMES_MAX]
    more = len(written) - len(shown)
    return ", ".join([*shown, f"and {more} more"] if more else shown)


def _joined(sentences: Sequence[str]) -> str:
    """Join sentences, as many as there is room for: none is cut, so that no code span stays open."""
    text = ""
    for sentence in filter(None, map(str.strip, sentences)):
        longer = f"{text} {sentence}".lstrip()
        if text and len(longer) > COVERAGE_CHARS_MAX:
            return f"{text} {ELLIPSIS}"
        text = longer
    return text


def _count(places: Sequence[Place]) -> str:
    """Count accounts if all of them failed as a whole, else mailboxes."""
    if all(name == EVERYTHING for _, name in places):
        return counted(len(places), "account")
    return counted(len(places), "mailbox", "mailboxes")


def cover(
    search: Search,
    searches: Searches,
    listings: Mapping[str, Sequence[Mailbox]],
    *,
    unread: bool = False,
    caveats: tuple[str, ...] = (),
) -> Coverage:
    """Compare what was searched with what exists.

    Args:
        search: What was searched for.
        searches: Its results.
        listings: The mailboxes of accounts, as far as they were listed.
        unread: Whether messages of the page could not be fetched.
        caveats: As `Coverage.caveats`.
    """
    pages = {(source.account_id, source.mailbox): page for source, page in searches.pages}
    failed = tuple((source.account_id, source.mailbox) for source, _ in searches.failures)
    selectable: list[Place] = []  # an empty mailbox counts as searched
    usual: set[Place] = set()
    for account_id, listed in listings.items():
        selectable += [(account_id, each.name) for each in listed if each.selectable and each.messages != 0]
        usual |= {(account_id, each.name) for each in in_preferred_order(listed)}
    left_out = set(selectable) - usual
    others = tuple(place for place in selectable if place not in pages and place not in failed)
    return Coverage(
        search=search,
        seen=tuple(pages.values()),
        accounts=tuple(dict.fromkeys(account_id for account_id, _ in pages)),
        unread=unread,
        caveats=caveats,
        failed=failed,
        others=others,
        aside=tuple(place for place in others if place in left_out and place[1] not in search.excluded),
        last=left_out <= pages.keys() and {name for _, name in pages} == {name for _, name in left_out},
        notes=tuple(searches.notes),
        cut=searches.cut,
    )
