"""One line that tells what a text is about."""

import re
from typing import Final

from mailmcp.mail.clean import clean_text

ELLIPSIS: Final = "…"

# A reply begins with what it answers: the quoted lines say nothing new.
_QUOTED_LINE: Final = re.compile(r"^>.*$", re.MULTILINE)


def make_snippet(text: str, max_chars: int) -> str:
    """Make the beginning of a text one line of at most `max_chars` characters, from 1.

    White space is collapsed and invisible characters are taken out. Quoted lines
    are skipped where anything else is left. What is cut ends at a word, if one
    fits, and with "…".
    """
    seen = clean_text(text).text
    line = " ".join(_QUOTED_LINE.sub("", seen).split()) or " ".join(seen.split())
    if len(line) <= max_chars:
        return line
    room = max(max_chars, 1) - len(ELLIPSIS)
    # One character more: a word that ends exactly at the edge stays.
    words, _, _ = line[: room + 1].rpartition(" ")
    kept = words if len(words) * 2 >= room else line[:room]
    return kept.rstrip(" ,;:-") + ELLIPSIS
