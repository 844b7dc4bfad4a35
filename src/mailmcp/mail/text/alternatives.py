"""Whether the plain text of a message says only what its HTML shows (RFC 2046 section 5.1.4).

People see the HTML and agents read the plain text, so text in the plain part alone is the easiest
kind of hidden text. The two are compared by neighbouring words: programs that convert HTML to
plain text break lines, number links and flatten tables, but seldom change the words.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from mailmcp.mail.html.marks import MARK_OPENING, without_marked
from mailmcp.mail.mime.body_parts import TextParts
from mailmcp.mail.text.body import body_text
from mailmcp.mail.text.smime import open_signed
from mailmcp.mail.text.words import BOILERPLATE, without_targets, words_of
from mailmcp.wording import counted

_WORDS_MIN: Final = 6  # distinct ones; a line with fewer says too little to be judged
_PAIRS_MIN: Final = 4  # of neighbours that are not both boilerplate
_PAIRS_MISSING: Final = 0.8  # of neighbours; text converted from the HTML has nearly all
_WORDS_MISSING: Final = 0.4  # of longer words; text that says the same in other words has most
_LONG: Final = 4  # letters; shorter words are in any text

_PICTURE: Final = re.compile(r"\[[^\[\]]*\]")  # its alternative text
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s|(?<=[\u3002\uff01\uff1f])")
_PARAGRAPH_END: Final = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainOnly:
    """What the plain text says and the HTML does not show, or may not show."""

    lines: int = 0
    """How many lines say it. A sentence over several lines counts as one."""

    maybe_lines: int = 0
    """How many more lines the HTML shows only where it may be hidden."""

    first: str = ""
    """The first line that isn't shown, else the first that may not be; "" if there is neither."""

    html_lines: int = 0
    """How many lines of the HTML the plain text doesn't have, if that is what is read of the message."""

    def warnings(self, *, where: str = "the plain text", html_shown_by: str = "") -> list[str]:
        """List what a reader must know; `html_shown_by` names what shows the HTML, if anything does."""
        lines, maybe, html = (
            counted(each, "line") for each in (self.lines, self.maybe_lines, self.html_lines)
        )
        shown = f": {html_shown_by} shows {'it' if self.html_lines == 1 else 'them'}" if html_shown_by else ""
        said = (
            (self.lines, f"People who read the HTML don't see {lines} of {where}."),
            (self.maybe_lines, f"People who read the HTML may not see {maybe} of {where}."),
            (self.html_lines, f"The HTML has {html} that {where}, shown here, doesn't have{shown}."),
        )
        return [warning for count, warning in said if count]


def lines_not_in_html(
    text_parts: TextParts, octets: Mapping[str, bytes], *, html_is_read: bool = False
) -> PlainOnly:
    """Find the lines of the plain text that say what the HTML does not show, in linear time.

    A sentence over several lines counts as one line, unless one of its lines counts already.

    Args:
        text_parts: Of the message, from `choose_text_parts`.
        octets: Content by part id, whole and still transfer-encoded.
        html_is_read: Whether the text of the message is that of the HTML, which then isn't compared.

    Returns:
        No lines either if there is nothing to compare: no plain alternative to HTML, or missing octets.
    """
    text_parts, octets = open_signed(text_parts, octets)
    shown = {part.part_id for part in text_parts.html}
    plain = tuple(part for part in text_parts.plain if part.part_id not in shown)
    if not plain or not any(part.is_html for part in text_parts.html) or not octets.keys() >= shown:
        return PlainOnly()
    said = body_text(TextParts(plain=plain), {part.part_id: octets.get(part.part_id, b"") for part in plain})
    seen = body_text(TextParts(plain=text_parts.html), octets)
    found = find_plain_only(said.text, seen.text)
    if html_is_read or not octets.keys() >= {part.part_id for part in plain}:
        return found
    lines, _ = _find_missing(_PICTURE.sub(" ", without_targets(without_marked(seen.text))), said.text)
    return replace(found, html_lines=lines)


def find_plain_only(said: str, seen: str) -> PlainOnly:
    """Find the lines and sentences of `said` that `seen` does not have, or has only in marks."""
    lines, first = _find_missing(said, seen)
    all_lines, first_maybe = _find_missing(said, without_marked(seen)) if MARK_OPENING in seen else (0, "")
    return PlainOnly(
        lines=lines,
        maybe_lines=max(all_lines - lines, 0),
        first=first or first_maybe,
    )


def _find_missing(said: str, seen: str) -> tuple[int, str]:
    """Count the lines and sentences of `said` that `seen` does not have, and return the first."""
    html = _Shown(without_targets(seen))
    count, earliest = 0, ""
    for paragraph in _PARAGRAPH_END.split(said):
        lines = paragraph.split("\n")
        missing = [html.lacks(line) for line in lines]
        found = [(number, lines[number]) for number, lacks in enumerate(missing) if lacks]
        for first, sentence in _sentences(paragraph):
            own = missing[first : first + sentence.count("\n") + 1]
            if len(own) > 1 and not any(own) and html.lacks(sentence):
                found.append((first, sentence))
        count += len(found)
        earliest = earliest or min(found, default=(0, ""))[1].strip()
    return count, earliest


def _sentences(paragraph: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence with the number, from 0, of the line it begins on."""
    start = line = 0
    for end in (*(match.end() for match in _SENTENCE_END.finditer(paragraph)), len(paragraph)):
        sentence = paragraph[start:end]
        yield line, sentence.rstrip()
        line += sentence.count("\n")
        start = end


class _Shown:
    """The words of the HTML that people see, and which of them are neighbours."""

    __slots__ = ("_neighbours", "_words")

    def __init__(self, text: str) -> None:
        words = words_of(text)
        self._words = BOILERPLATE.union(words)
        self._neighbours = frozenset(pairwise(words))

    def lacks(self, text: str) -> bool:
        """Return whether a line says enough to be judged, and hardly any of it is here."""
        words = words_of(text)
        pairs = {pair for pair in pairwise(words) if not BOILERPLATE.issuperset(pair)}
        if len(set(words)) < _WORDS_MIN or len(pairs) < _PAIRS_MIN:
            return False
        if len(pairs - self._neighbours) < _PAIRS_MISSING * len(pairs):
            return False
        longer = {word for word in words if len(word) >= _LONG}
        return len(longer - self._words) >= _WORDS_MISSING * len(longer)
