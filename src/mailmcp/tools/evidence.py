"""Why a message was found: where the words of a search stand in it, and the text around them.

Only what was fetched is looked at: header fields, names of files, the first octets of the
text. What is not found there is not said to be found.
"""

from dataclasses import dataclass

from mailmcp import limits
from mailmcp.imap.fetch import FetchedMessage
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts
from mailmcp.mail.text.body import body_text
from mailmcp.mail.text.snippet import find_word, make_snippet_around, normalize_words
from mailmcp.model.query import SearchQuery, split_words
from mailmcp.tools.message_parts import complete_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTerms:
    """The words of a search, by where they may stand; empty where none are looked for."""

    anywhere: tuple[str, ...] = ()
    from_: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    body: tuple[str, ...] = ()

    @property
    def in_text(self) -> tuple[str, ...]:
        """Words that may stand in the text."""
        return (*self.body, *self.anywhere)

    @property
    def anything(self) -> bool:
        """Whether there is a word at all."""
        return any((self.anywhere, self.from_, self.to, self.cc, self.subject, self.body))


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageText:
    """What there is to see of one message; empty where it is not there or was not fetched."""

    from_: str = ""
    to: str = ""
    cc: str = ""
    subject: str = ""
    body: str = ""
    files: tuple[str, ...] = ()


def search_terms(criteria: SearchQuery) -> SearchTerms:
    """Take the words out of a search, as many as are looked for."""
    address = _phrase(criteria.any_address)
    words = map(normalize_words, split_words("query", criteria.query))
    return SearchTerms(
        anywhere=tuple(dict.fromkeys(words))[: limits.EVIDENCE_WORDS_MAX],
        from_=_phrase(criteria.from_) + address,
        to=_phrase(criteria.to) + address,
        cc=_phrase(criteria.cc) + address,
        subject=_phrase(criteria.subject),
        body=_phrase(criteria.body),
    )


def _phrase(text: str) -> tuple[str, ...]:
    return (normalize_words(text),) if text.strip() else ()


def find_evidence(sought: SearchTerms, seen: MessageText) -> list[str]:
    """Name the places where a word of the search stands: `subject`, `from`, …; empty if none was seen."""
    places = (
        ("subject", seen.subject, sought.subject),
        ("from", seen.from_, sought.from_),
        ("to", seen.to, sought.to),
        ("cc", seen.cc, sought.cc),
        ("body", seen.body, sought.body),
        ("attachment_name", "\n".join(seen.files), ()),
    )
    return [
        name
        for name, text, words in places
        if find_word(normalize_words(text), (*words, *sought.anywhere)) is not None
    ]


def text_octets(sought: SearchTerms) -> int:
    """Say how much of a text is looked at: more where words are to be found in it."""
    return limits.EVIDENCE_OCTETS if sought.in_text else limits.SNIPPET_OCTETS


def text_of(fetched: FetchedMessage, sought: SearchTerms) -> str:
    """Read the first octets of the text, as far as whole characters go; "" if there are none."""
    head, text = fetched.sections.get("HEADER.FIELDS", b""), fetched.sections.get("TEXT", b"")
    cut = len(text) >= text_octets(sought)
    # What is cut is read as if it were whole: the start of a text is all a snippet shows.
    view = parse_message(head + (complete_lines(text) if cut else text), complete=True)
    text_parts = choose_text_parts(view.structure)
    octets = {part.part_id: view.part_octets(part) or b"" for part in text_parts.all}
    seen = body_text(text_parts, octets).text
    return seen.rstrip("\ufffd") if cut else seen


def snippet_of(text: str, sought: SearchTerms, max_chars: int) -> str:
    """Make the snippet of a message: around what was found, else its start; "" if it has no text."""
    return make_snippet_around(text, sought.in_text, max_chars)
