"""Why a message was found: which parts of it contain the words of a search, and the text around them.

Only what was fetched is looked at: header fields, file names, the first octets of the text.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mailmcp.imap.rows import FetchedMessage
from mailmcp.mail.html.marks import MARK_OPENING
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts
from mailmcp.mail.text.body import body_text
from mailmcp.mail.text.snippet import find_words, normalize_words
from mailmcp.model.query import Kind, SearchQuery

SNIPPET_OCTETS: Final = 4096
"""Fetched of a message for a snippet: MIME headers, a short style sheet and 500 characters."""

EVIDENCE_OCTETS: Final = 16_384
"""Fetched of a message to show where a search matched: four screens of text, or one page of HTML.
A hundred messages stay under 2 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTerms:
    """The words and phrases of a search, normalized."""

    anywhere: tuple[str, ...] = ()
    by_place: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Those that are searched for in one place: `body`, or a header field in lower case."""

    @property
    def in_text(self) -> tuple[str, ...]:
        """The terms that the text may contain."""
        return (*self.by_place.get("body", ()), *self.anywhere)

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self.anywhere or self.by_place)


def search_terms(query: SearchQuery) -> SearchTerms:
    """Collect what a search looks for."""
    anywhere: list[str] = []
    by_place: dict[str, tuple[str, ...]] = {}
    for row in query.criteria:
        if row.kind is Kind.WORDS and not row.negated:
            anywhere += map(normalize_words, query[row])
        elif row.kind is Kind.PHRASE and query[row].strip():
            for place in map(str.lower, row.header_fields or ("body",)):
                by_place[place] = (*by_place.get(place, ()), normalize_words(query[row]))
    return SearchTerms(anywhere=tuple(dict.fromkeys(anywhere)), by_place=by_place)


def find_evidence(terms: SearchTerms, texts: Mapping[str, str]) -> list[str]:
    """Return the places whose text contains a term; `body`, `attachment_name`, or a field in lower case."""
    found: list[str] = []
    for place, text in texts.items():
        wanted = (*terms.by_place.get(place, ()), *terms.anywhere)
        if find_words(normalize_words(text.replace(MARK_OPENING, " ")), wanted):
            found.append(place)
    return found


def text_octets(terms: SearchTerms) -> int:
    """Return how much of a text to fetch: more if the search looks for words in it."""
    return EVIDENCE_OCTETS if terms.in_text else SNIPPET_OCTETS


def text_of(fetched: FetchedMessage, terms: SearchTerms) -> str:
    """Read the first octets of the text, without a character cut in half; "" if there is none."""
    head, text = fetched.sections.get("HEADER.FIELDS", b""), fetched.sections.get("TEXT", b"")
    cut = len(text) >= text_octets(terms)
    # What is cut is read as if it were whole: the start of a text is all a snippet shows.
    view = parse_message(head + text, complete=True)
    text_parts = choose_text_parts(view.structure)
    octets = {part.part_id: view.part_octets(part) or b"" for part in text_parts.all}
    parts = frozenset(octets) if cut else frozenset()
    seen = body_text(text_parts, octets, cut=parts).text
    return seen.rstrip("\ufffd") if cut else seen
