"""What a search asks for, whoever answers it: the server's SEARCH or a look at the messages."""

import re
from dataclasses import dataclass, fields
from datetime import datetime

_WORD = re.compile(
    r"""
    (?P<plain> \\?" (?P<between> (?: (?!\\?") . )* ) (?:\\?")? )  # as typed, or as JSON escapes it twice
    | [“”„«»] (?P<set> [^“”„«»]* ) [“”„«»]?  # as typeset
    | (?P<word> \S+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_JOINING = {"query": {"AND"}, "exclude": {"AND", "OR", "|"}}
"""What stands between words and says what is done anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What to search for; all that is set must hold. "", 0, False and None ask nothing.

    Texts hold no CR, LF or NUL: callers refuse them before, in words for whoever sent them.
    """

    query: str = ""
    """Words, each somewhere in headers or body; a "quoted phrase" counts as one (`split_words`)."""

    exclude: str = ""
    """Words, written likewise, none of which may occur in headers or body."""

    from_: str = ""
    to: str = ""
    cc: str = ""
    subject: str = ""
    body: str = ""
    any_address: str = ""
    """Part of a name or address in From, To or Cc."""

    keyword: str = ""
    """A keyword (RFC 9051 section 2.3.2), as `$Forwarded`."""

    header_message_id: str = ""
    """The Message-ID header, with or without angle brackets."""

    gmail_query: str = ""
    """Gmail's own search language (X-GM-RAW), where the server is Gmail."""

    unread_only: bool = False
    flagged: bool = False
    answered: bool = False
    unanswered_only: bool = False
    has_attachment: bool = False
    """SEARCH has no key for it: always found out by looking at the structure of messages."""

    larger_than: int = 0
    """Octets, as RFC822.SIZE counts them; so `smaller_than`."""

    smaller_than: int = 0
    since: datetime | None = None
    """Aware. Received (INTERNALDATE) at this moment or after, exact to the second."""

    before: datetime | None = None
    """Aware. Received before this moment."""

    @property
    def asked(self) -> frozenset[str]:
        """Names of the fields that ask something; none if every message matches."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) != each.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word as it was written, or a phrase without its quotes."""

    text: str
    quoted: bool


def read_words(text: str) -> list[Word]:
    """Divide a text at its spaces outside quotes; one that never closes ends with the text."""
    return [_word(match) for match in _WORD.finditer(text)]


def _word(match: re.Match[str]) -> Word:
    if match["word"] is not None:
        return Word(text=match["word"], quoted=False)
    phrase = match["set"].strip() if match["plain"] is None else match["between"]  # « comme ça »
    return Word(text=phrase, quoted=True)


def split_words(name: str, text: str) -> list[str]:
    """Divide `query` and `exclude` into what is looked for; `body` is one phrase.

    Left out is what asks nothing: AND between words, a comma or an asterisk at the end of one, and
    the empty phrase, which servers find everywhere.
    """
    if name == "body":
        return [text]
    words = read_words(text)
    between = range(1, len(words) - 1)
    joining = {each for each in between if not words[each].quoted and words[each].text in _JOINING[name]}
    sought = [
        word.text if word.quoted else trim(word.text)
        for index, word in enumerate(words)
        if index not in joining
    ]
    return [each for each in sought if each]


def read_phrase(text: str) -> str:
    """Give the phrase of a field such as `subject`: quotes around the whole of it are not looked for."""
    words = read_words(text)
    return words[0].text if len(words) == 1 and words[0].quoted else trim(text)


def trim(text: str) -> str:
    """Take asterisks from both ends, and commas from the end: parts of words are found anyway."""
    return text.rstrip("*,;").lstrip("*")
