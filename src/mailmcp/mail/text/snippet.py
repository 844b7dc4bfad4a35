"""One line that tells what a text is about, or why a search found it."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from mailmcp.mail.clean import clean_text, strip_leading_marks

ELLIPSIS: Final = "…"

# A reply begins with what it answers: the quoted lines say nothing new.
_QUOTED_LINE: Final = re.compile(r"^>.*$", re.MULTILINE)


def make_snippet(text: str, max_chars: int) -> str:
    """Make the beginning of a text one line of at most `max_chars` characters, from 1.

    White space is collapsed and invisible characters are taken out. Quoted lines
    are skipped where anything else is left. What is cut ends at a word, if one
    fits, and with "…".
    """
    new, whole = _lines(text)
    return _cut(new or whole, max_chars)


def make_snippet_around(text: str, words: Sequence[str], max_chars: int) -> str:
    """Make one line of the part of a text in which the first of `words` stands.

    As `make_snippet`, which it falls back to if no word is found; quoted lines are looked
    at last. Where something was left out before the line begins with "…".

    Args:
        text: May be empty.
        words: Words or phrases, in any case; empty ones are found nowhere.
        max_chars: Most characters of the line, from 1.
    """
    new, whole = _lines(text)
    for line in (new, whole):
        hit = find_word(line, words)
        if hit is not None:
            return _cut_around(line, hit, max_chars)
    return _cut(new or whole, max_chars)


def find_word(text: str, words: Sequence[str]) -> range | None:
    """Find the first place where one of the words or phrases stands; case and spacing do not matter.

    Returns:
        Its characters; None if none is there. Composed and decomposed letters are told apart
        unless both were normalized (`normalize_words`).
    """
    patterns = [r"\s+".join(map(re.escape, word.split())) for word in words if word.strip()]
    found = re.search("|".join(patterns), text, re.IGNORECASE) if patterns else None
    return range(found.start(), found.end()) if found else None


def normalize_words(text: str) -> str:
    """Compose letters and their accents (Unicode NFC), as text and words must be to be compared."""
    return unicodedata.normalize("NFC", text)


def _lines(text: str) -> tuple[str, str]:
    """Make one line of what is new in a text, and one of all of it."""
    seen = normalize_words(clean_text(text).text)
    return " ".join(_QUOTED_LINE.sub("", seen).split()), " ".join(seen.split())


def _cut(line: str, max_chars: int) -> str:
    if len(line) <= max_chars:
        return line
    room = max(max_chars, 1) - len(ELLIPSIS)
    # One character more: a word that ends exactly at the edge stays.
    words, _, _ = line[: room + 1].rpartition(" ")
    kept = words if len(words) * 2 >= room else line[:room]
    return kept.rstrip(" ,;:-") + ELLIPSIS


def _cut_around(line: str, hit: range, max_chars: int) -> str:
    """Cut a line so that it shows the hit, with a third of the room before it."""
    if hit.stop <= max_chars * 2 // 3:
        return _cut(line, max_chars)
    begin = max(hit.start - max_chars // 3, 0)
    # From a whole word on, if one begins between the edge and the hit.
    space = line.find(" ", max(begin - 1, 0), hit.start)
    begin = space + 1 if begin and space >= 0 else begin
    if not begin:
        return _cut(line, max_chars)
    return ELLIPSIS + _cut(strip_leading_marks(line[begin:]), max_chars - len(ELLIPSIS))
