"""How a server matches text: where it looks, and which letters it treats as equal.

RFC 9051 section 6.4.4 asks for substrings in any case and leaves the rest open.
"""

import unicodedata
from dataclasses import dataclass
from functools import cache

from typing_extensions import override

from search.known_mail import Known


@dataclass(frozen=True, slots=True)
class Rules:
    """How one server reads the text of a query."""

    anywhere: bool = False
    """Whether words of `query` are nowhere among what people see: TEXT finds them."""

    def text(self, message: Known, word: str) -> bool:
        """Whether TEXT finds a word in a message."""
        raise NotImplementedError

    def body(self, message: Known, word: str) -> bool:
        """Whether BODY does."""
        raise NotImplementedError

    def field(self, value: str, word: str) -> bool:
        """Whether a word is found in the value of a header field."""
        raise NotImplementedError

    def keyword(self, message: Known, keyword: str) -> bool:
        """Whether a message has a keyword."""
        raise NotImplementedError

    def seen(self, message: Known, word: str) -> bool:
        """Whether a word is in the subject, the people or the text."""
        fields = (message.subject, message.from_, message.to, message.cc)
        return any(self.field(each, word) for each in fields) or self.body(message, word)

    def found(self, message: Known, word: str) -> bool:
        """Whether `query` finds a word."""
        return self.text(message, word) if self.anywhere else self.seen(message, word)


class DovecotRules(Rules):
    """Dovecot 2.3 without full-text search: substrings of decomposed letters, in any case.

    So `u` is found in `ü`, which is an `u` and two dots, and composed letters equal decomposed ones.
    TEXT looks at whole header fields, names included, of the message, of its parts and of messages
    inside, BODY at none of them; both look at the text of text parts, HTML as it stands. It does not
    join lines.
    """

    @override
    def text(self, message: Known, word: str) -> bool:
        return any(self.field(each, word) for each in (*message.written.lines, *message.written.texts))

    @override
    def body(self, message: Known, word: str) -> bool:
        return any(self.field(each, word) for each in message.written.texts)

    @override
    def field(self, value: str, word: str) -> bool:
        return _fold(word) in _fold(value)

    @override
    def keyword(self, message: Known, keyword: str) -> bool:
        return keyword.lower() in {each.lower() for each in message.flags}


class PymapRules(Rules):
    """The embedded server: TEXT and BODY are one, Unicode's case folding, letters as they were sent.

    They look at the values of header fields and at text parts. In the keys for single fields the
    case of ASCII letters alone does not matter; in keywords every case does.
    """

    @override
    def text(self, message: Known, word: str) -> bool:
        values = [line.partition(": ")[2] for line in message.written.lines]
        return any(word.casefold() in each.casefold() for each in (*values, *message.written.texts))

    @override
    def body(self, message: Known, word: str) -> bool:
        return self.text(message, word)

    @override
    def field(self, value: str, word: str) -> bool:
        return _lower(word) in _lower(value)

    @override
    def keyword(self, message: Known, keyword: str) -> bool:
        return keyword in message.flags


@cache
def _fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(each.upper() if len(each.upper()) == 1 else each for each in decomposed)


@cache
def _lower(text: str) -> str:
    return "".join(each.lower() if each.isascii() else each for each in text)
