"""How words are looked for: in whole messages where the server can, else in subjects and senders."""

from collections.abc import Iterator
from enum import Enum, auto

from mailmcp.imap.command import quoted
from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.model.feature import Feature
from mailmcp.model.query import split_words

WORDS_FIELDS = ("query", "exclude", "body")


class WordsAsked(Enum):
    """What is asked of the server for the words of one criterion."""

    AS_MEANT = auto()
    AS_TEXT = auto()
    """TEXT for BODY: it finds all that BODY would, and what holds the words in its headers."""

    IN_HEADERS = auto()
    """SUBJECT or FROM."""

    HERE = auto()
    """Nothing: subjects and senders are looked at message by message."""

    @property
    def headers_only(self) -> bool:
        """Whether texts are not searched."""
        return self in {WordsAsked.IN_HEADERS, WordsAsked.HERE}


def ask_words(name: str, quirks: Quirks) -> WordsAsked:
    """Choose how to ask for the words of `query`, `exclude` or `body`."""
    if name == "exclude" and not quirks.trusts(Feature.NOT):
        return WordsAsked.HERE
    if name == "body" and quirks.verdict(Feature.BODY) is Verdict.OK:
        return WordsAsked.AS_MEANT
    if quirks.trusts(Feature.TEXT):
        wrong = name == "body" and not quirks.trusts(Feature.BODY)
        return WordsAsked.AS_TEXT if wrong else WordsAsked.AS_MEANT
    by_header = quirks.trusts(Feature.SUBJECT) and quirks.trusts(Feature.FROM)
    return WordsAsked.IN_HEADERS if by_header else WordsAsked.HERE


def word_keys(name: str, text: str, asked: WordsAsked) -> Iterator[bytes]:
    """Write the keys for words that the server is asked for."""
    for word in split_words(name, text):
        if name == "exclude":
            yield b"NOT"
        if asked is WordsAsked.IN_HEADERS:
            yield from (b"OR", b"SUBJECT", quoted(word), b"FROM", quoted(word))
        else:
            key = b"BODY" if name == "body" and asked is WordsAsked.AS_MEANT else b"TEXT"
            yield from (key, quoted(word))
