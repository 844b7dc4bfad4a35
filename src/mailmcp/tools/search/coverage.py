"""What a search covered and what it did not, for programs and in words.

"No messages matched" appears only if everything was searched and the answer is proven: never for words,
which servers overlook in text that they can't read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Annotated, Final

from pydantic import WithJsonSchema

from mailmcp import limits
from mailmcp.imap.search.values import MailboxPage
from mailmcp.mail.text.snippet import ELLIPSIS
from mailmcp.tools.published import Row
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.sources import Searches
from mailmcp.tools.search.state import Search
from mailmcp.wording import counted
from mcp_envelope import code

COVERAGE_CHARS_MAX: Final = 600
"""The description of how a search was made."""

Place = tuple[str, str]
"""Account and mailbox."""

Places = Annotated[list[dict[str, str]], WithJsonSchema({"type": "array"})]
"""Objects with `account_id` and `mailbox`."""


class CoverageData(Row):
    """How far a page can be trusted; `mailboxes_searched` counts those of this page."""

    complete: bool
    mailboxes_searched: int
    mailboxes_failed: Places
    mailboxes_not_searched: Places | None = None
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was searched for one page."""

    search: Search
    searches: Searches
    unread: bool = False
    """Whether messages were found that could not be fetched."""

    caveats: tuple[str, ...] = ()
    """Sentences: which messages of this page may not belong on it."""

    notes: tuple[str, ...] = ()
    """Further sentences about how it was searched."""

    @property
    def seen(self) -> list[MailboxPage]:
        """What was found in each mailbox."""
        return [page for _, page in self.searches.pages]

    @property
    def failed(self) -> list[Place]:
        """Mailboxes that could not be searched; `*` where the account could not even list them."""
        return [(source.account_id, source.mailbox) for source, _ in self.searches.failures]

    @property
    def others(self) -> list[Place]:
        """Other mailboxes that could be searched, as far as they were listed; none that are empty."""
        return [place for place, _ in self._others]

    @property
    def aside(self) -> list[Place]:
        """Those of them that a search of all mailboxes leaves out, unless that was asked for."""
        excluded = self.search.arguments.exclude_mailboxes
        return [place for place, is_usual in self._others if not is_usual and place[1] not in excluded]

    @property
    def _others(self) -> list[tuple[Place, bool]]:
        tried = {(each.source.account_id, each.source.mailbox) for each in self.searches.searched}
        listed = ((account_id, each) for account_id, some in self.searches.listings.items() for each in some)
        return [
            (place, each.is_usual)
            for account_id, each in listed
            if each.selectable and each.messages != 0 and (place := (account_id, each.name)) not in tried
        ]

    @property
    def only_aside(self) -> bool:
        """Whether only mailboxes were searched that a search of all leaves out: the last suggestion."""
        usual = {
            (account_id, each.name)
            for account_id, some in self.searches.listings.items()
            for each in some
            if each.is_usual
        }
        return usual.isdisjoint((source.account_id, source.mailbox) for source, _ in self.searches.pages)

    @property
    def complete(self) -> bool:
        """Whether it is proven that this page and those after it show every match."""
        return self.all_seen and not (self.unproven or self.unread or self.caveats)

    @property
    def all_seen(self) -> bool:
        """Whether nothing is known to be missing from what was searched."""
        seen = all(each.complete for each in self.seen)
        return seen and not (self.failed or self.searches.cut or self.search.incomplete)

    @property
    def unproven(self) -> str:
        """Sentences about what is unproven if nothing was found: servers don't look everywhere."""
        if self.search.total or any(each.total for each in self.seen):
            return ""
        return " ".join(dict.fromkeys(filter(None, (each.known_gaps for each in self.seen))))

    @property
    def method(self) -> list[str]:
        """Sentences about how it was searched, each once."""
        said = [*self.searches.notes, *self.notes]
        said += dict.fromkeys(line for each in self.seen for line in each.statements)
        # A mailbox that filled its page has more, too, but nothing there was given up.
        if unchecked := sum(each.unchecked for each in self.seen):
            checked = sum(each.checked for each in self.seen if each.unchecked)
            of_all = f"{checked} of {checked + unchecked} possible matches"
            said.append(f"Checked {of_all}; the next page continues from there.")
        said += self.reach
        if self.search.by_written:
            said.append("Times and order go by the Date header.")
        if self.searches.cut:
            said.append("There are more mailboxes than one search takes.")
        if self.search.incomplete:
            said.append("Earlier pages could not show everything.")
        return said

    @property
    def reach(self) -> list[str]:
        """Sentences about words that are in no subject, text or address, and mailboxes searched in part."""
        anywhere = self.search.anywhere and any(each.total for each in self.seen)
        said = (
            ["The words are in names of files or in header fields that people don't see."] if anywhere else []
        )
        return said + [each.reach for each in self.seen if each.reach]

    @property
    def data(self) -> CoverageData:
        """The same for programs; of many mailboxes the first are named, and `method` counts the rest."""
        failed, others = places_data(self.failed), places_data(self.others)
        method = _joined([*self.method, *self.caveats, self.unproven]) or "The server searched."
        if rest := len(self.failed) + len(self.others) - len(failed) - len(others):
            method += f" Not named: {counted(rest, 'more mailbox', 'more mailboxes')}."
        return CoverageData(
            complete=self.complete,
            mailboxes_searched=len(self.seen),
            mailboxes_failed=failed,
            mailboxes_not_searched=others or None,
            method=method,
        )

    def lines(self, *, empty: bool, short: bool = False) -> tuple[str, ...]:
        """Write the lines of the text channel; a `short` page has fewer messages than it could."""
        if self.method and (empty or short or not self.all_seen):
            return (f"How it was searched: {_joined(self.method)}", *self.caveats)
        return (*self.reach, *self.caveats)

    @property
    def where(self) -> str:
        """The one mailbox that was searched, or how many."""
        accounts = ", ".join(dict.fromkeys(source.account_id for source, _ in self.searches.pages))
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
        others = self.others
        verb = "was" if len(others) == 1 else "were"
        return f"{summary}; {_count(others)} {verb} not searched" if others else summary


def places_data(places: Sequence[tuple[str, str | None]]) -> list[dict[str, str]]:
    """Name the first of some mailboxes for programs; an account without one stands for all of its own."""
    shown = places[: limits.COVERAGE_NAMES_MAX]
    return [{"account_id": account_id, "mailbox": name or EVERYTHING} for account_id, name in shown]


def code_list(names: Sequence[str]) -> str:
    """Write names in code spans, and the count of those that are too many."""
    shown = [code(each) for each in names[: limits.COVERAGE_NAMES_MAX]]
    more = len(names) - len(shown)
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
