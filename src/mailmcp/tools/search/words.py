"""The words of a text as callers write them: divided at spaces, except in quotes."""

import re
from dataclasses import dataclass

_WORD = re.compile(
    r"""
    (?P<plain> \\?" (?P<between> (?: (?!\\?") . )* ) (?:\\?")? )  # as typed, or as JSON escapes it twice
    | [“”„«»] (?P<typeset> [^“”„«»]* ) [“”„«»]?
    | (?P<word> \S+ )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word as it was written, or a phrase without its quotes."""

    text: str
    quoted: bool


def read_words(text: str, *, ignored: frozenset[str]) -> tuple[str, ...]:
    """Read the words and quoted phrases to search for.

    Commas and asterisks at the ends of words are dropped, and so is the empty phrase, which servers
    find everywhere.

    Args:
        text: What was sent.
        ignored: Operators between words that ask for what is done anyway.
    """
    words = _divide(text)
    ends = {0, len(words) - 1}
    kept = (
        word for index, word in enumerate(words) if word.quoted or index in ends or word.text not in ignored
    )
    texts = (word.text if word.quoted else _trim(word.text) for word in kept)
    return tuple(each for each in texts if each)


def read_phrase(text: str) -> str:
    """Read a phrase; quotes around the whole of it are not searched for."""
    words = _divide(text)
    return words[0].text if len(words) == 1 and words[0].quoted else _trim(text)


def _divide(text: str) -> list[Word]:
    """Divide a text at its spaces outside quotes; a quote that never closes ends with the text."""
    return [_word(match) for match in _WORD.finditer(text)]


def _word(match: re.Match[str]) -> Word:
    if match["word"] is not None:
        return Word(text=match["word"], quoted=False)
    phrase = match["typeset"].strip() if match["plain"] is None else match["between"]  # « comme ça »
    return Word(text=phrase, quoted=True)


def _trim(text: str) -> str:
    """Strip asterisks, and commas at the end: parts of words are found anyway."""
    return text.rstrip("*,;").lstrip("*")
