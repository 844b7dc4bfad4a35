"""What a search covered and what it did not, for programs and in words.

"No messages matched" appears only if everything was searched and the answer is proven: never for words,
which servers overlook in text that they can't read.
"""

from collections.abc import Iterable, Sequence
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
from mailmcp.wording import counted
from mcp_envelope import code

SENTENCES_MAX: Final = 8
"""In the description of how a search was made: some 200 tokens."""

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

    searches: Searches
    unread: bool = False
    """Whether messages were found that could not be fetched."""

    caveats: tuple[str, ...] = ()
    """Sentences: what is missing, or may not belong on this page."""

    @property
    def seen(self) -> list[MailboxPage]:
        """What was found in each mailbox."""
        return [*self.searches.pages.values()]

    @property
    def others(self) -> list[Place]:
        """Other mailboxes that could be searched, as far as they were listed."""
        tried = {(each.account_id, each.mailbox) for each in self.searches.results}
        return [
            (account_id, each.name)
            for account_id, listed in self.searches.listings.items()
            for each in listed
            if each.selectable and (account_id, each.name) not in tried
        ]

    @property
    def all_seen(self) -> bool:
        """Whether nothing is known to be missing from what was searched."""
        searches = self.searches
        missing = searches.failures or searches.cut or searches.search.incomplete
        return not missing and all(each.complete for each in self.seen)

    @property
    def unproven(self) -> str:
        """Sentences about what is unproven if nothing was found: servers don't look everywhere."""
        if self.searches.search.total or any(each.total for each in self.seen):
            return ""
        return " ".join(dict.fromkeys(each.known_gaps for each in self.seen if each.known_gaps))

    @property
    def method(self) -> list[str]:
        """Sentences about how it was searched."""
        search, said = self.searches.search, [*self.searches.notes]
        said += [line for each in self.seen for line in each.statements]
        # A mailbox that filled its page has more, too, but nothing there was given up.
        if unchecked := sum(each.unchecked for each in self.seen):
            checked = sum(each.checked for each in self.seen if each.unchecked)
            of_all = f"{checked} of {checked + unchecked} possible matches"
            said.append(f"Checked {of_all}; the next page continues from there.")
        said += self.reach
        if search.by_written:
            said.append("Times and order go by the Date header.")
        if self.searches.cut:
            said.append("There are more mailboxes than one search takes.")
        if search.incomplete:
            said.append("Earlier pages could not show everything.")
        return said

    @property
    def reach(self) -> list[str]:
        """Sentences about words that are in no subject, text or address, and mailboxes searched in part."""
        anywhere = self.searches.search.anywhere and any(each.total for each in self.seen)
        said = [each.reach for each in self.seen if each.reach]
        if anywhere:
            said.insert(0, "The words are in names of files or in header fields that people don't see.")
        return said

    @property
    def data(self) -> CoverageData:
        """The same for programs; of many mailboxes the first are named."""
        unproven = self.unproven
        failed = [(each.account_id, each.mailbox) for each in self.searches.failures]
        return CoverageData(
            complete=self.all_seen and not (unproven or self.unread or self.caveats),
            mailboxes_searched=len(self.seen),
            mailboxes_failed=places_data(failed),
            mailboxes_not_searched=places_data(self.others) or None,
            method=_joined([*self.method, *self.caveats, unproven]) or "The server searched.",
        )

    def lines(self, *, empty: bool, short: bool = False) -> tuple[str, ...]:
        """Write the lines of the text channel; a `short` page has fewer messages than it could."""
        if (empty or short or not self.all_seen) and (method := _joined(self.method)):
            return (f"How it was searched: {method}", *self.caveats)
        return (*self.reach, *self.caveats)

    @property
    def where(self) -> str:
        """The one mailbox that was searched, or how many."""
        search = self.searches.search
        accounts = ", ".join(dict.fromkeys(each.account_id for each in self.searches.pages))
        if search.one_mailbox:
            return f"{code(search.sources[0].mailbox)} ({accounts})"
        return f"{counted(len(self.seen), 'mailbox', 'mailboxes')} ({accounts})"

    def summarize(self, found: str, zone: tzinfo, *, verb: str) -> str:
        """Write the summary of what was found, and where; `verb` says what was done, in the past tense."""
        by_written = ", by Date header" if self.searches.search.by_written else ""
        summary = f"{found}{by_written}, times in {zone}"
        return summary if self.all_seen else f"{summary}; not everything could be {verb}"

    def summarize_nothing_found(self) -> str:
        """Write the summary of a page without messages; earlier pages may have had some."""
        if not self.all_seen:
            return f"No messages were found in {self.where}, but not everything could be searched"
        if not self.searches.search.is_first_page:
            return f"No more messages match in {self.where}"
        there, unproven, others = sum(each.exists for each in self.seen), self.unproven, len(self.others)
        how, doubt = ("were found", f". {unproven.rstrip('.')}") if unproven else ("matched", "")
        verb = "was" if others == 1 else "were"
        beside = f"; {counted(others, 'mailbox', 'mailboxes')} {verb} not searched" if others else ""
        return f"No messages {how} in {self.where}, out of {there}{doubt}{beside}"


def places_data(places: Sequence[tuple[str, str | None]]) -> list[dict[str, str]]:
    """Name the first of some mailboxes for programs; an account without one stands for all of its own."""
    shown = places[: limits.COVERAGE_NAMES_MAX]
    return [{"account_id": account_id, "mailbox": name or EVERYTHING} for account_id, name in shown]


def _joined(sentences: Iterable[str]) -> str:
    """Join sentences, each once, as many as there is room for."""
    said = [*dict.fromkeys(filter(None, sentences))]
    return " ".join(said[:SENTENCES_MAX] + [ELLIPSIS] * (len(said) > SENTENCES_MAX))
