"""One line that shows what a text is about, or why a search found it."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from mailmcp.mail.clean import clean_text
from mailmcp.mail.html.marks import MARK_OPENING, is_in_mark

ELLIPSIS: Final = "…"

# A reply begins with what it answers; the quoted lines say nothing new.
_QUOTED_LINE: Final = re.compile(r"^>.*$", re.MULTILINE)


def make_snippet(text: str, max_chars: int) -> str:
    """Return the beginning of a text as one line of at most `max_chars` characters, from 1.

    Collapses white space, removes invisible characters, and skips quoted lines if anything else is
    left. A cut line ends with a whole word, if one fits, and "…".
    """
    new, whole = _lines(text)
    return _cut(new or whole, max_chars)


def make_snippet_around(text: str, words: Sequence[str], max_chars: int) -> str:
    """Return one line around the last of `words` in a text, or the beginning if none is found.

    Like `make_snippet`, and begins with "…" if something before it was left out. Quoted lines are
    searched last.

    Args:
        text: May be empty.
        words: Words or phrases, in any case; empty ones match nothing.
        max_chars: The limit for the line, from 1.
    """
    new, whole = _lines(text)
    for line in (new, whole):
        hits = find_words(line, words)
        if hits:
            return _cut_around(line, hits[-1], max_chars)
    return _cut(new or whole, max_chars)


def find_words(text: str, words: Sequence[str]) -> list[range]:
    """Find the words or phrases, ignoring case and spacing.

    Returns:
        The characters of each. Composed and decomposed letters differ unless both texts were normalized
        (`normalize_words`).
    """
    patterns = [r"\s+".join(map(re.escape, word.split())) for word in words if word.strip()]
    found = re.finditer("|".join(patterns), text, re.IGNORECASE) if patterns else ()
    return [range(each.start(), each.end()) for each in found]


def normalize_words(text: str) -> str:
    """Compose letters and their accents (Unicode NFC), so that texts can be compared."""
    return unicodedata.normalize("NFC", text)


def _lines(text: str) -> tuple[str, str]:
    """Return the text without quoted lines, and all of it, each as one line."""
    seen = normalize_words(clean_text(text).text)
    return " ".join(_QUOTED_LINE.sub("", seen).split()), " ".join(seen.split())


def _cut(line: str, max_chars: int) -> str:
    if len(line) <= max_chars:
        return line
    room = max(max_chars, 1) - len(ELLIPSIS)
    # One character more, so that a word that ends exactly at the limit stays.
    words, _, _ = line[: room + 1].rpartition(" ")
    kept = words if len(words) * 2 >= room else clean_text(line[:room]).text
    return kept.rstrip(" ,;:-") + ELLIPSIS


def _cut_around(line: str, hit: range, max_chars: int) -> str:
    """Cut a line so that it shows the match, with a third of the room before it."""
    if hit.stop <= max_chars * 2 // 3:
        return _cut(line, max_chars)
    begin = max(hit.start - max_chars // 3, 0)
    # From a whole word, if one begins before the match.
    space = line.find(" ", max(begin - 1, 0), hit.start)
    begin = space + 1 if begin and space >= 0 else begin
    if not begin:
        return _cut(line, max_chars)
    opening = MARK_OPENING if is_in_mark(line, begin) else ""
    return ELLIPSIS + _cut(opening + clean_text(line[begin:]).text, max_chars - len(ELLIPSIS))
