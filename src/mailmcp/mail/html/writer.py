"""Lines of plain text, written word by word: white space, blocks, quotes, list marks, marks of doubt.

Knows nothing of HTML elements: `render` says what each element means to it.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from mailmcp.mail.html.marks import mark

_SPACES: Final = re.compile(r"[ \t\n\r\f\v\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_PREFIXES_MAX: Final = 12  # quotes and lists nested deeper look alike, and would fill each line


@dataclass(slots=True)
class _Prefix:
    """The prefix of each line of a quote or a list item."""

    first: str
    rest: str
    used: bool = False


@dataclass(slots=True)
class TextWriter:
    """Collects text; nothing is written for breaks at either end, and at most one blank line between."""

    lines: list[str] = field(default_factory=list)
    _words: list[str] = field(default_factory=list)
    _breaks: int = 0
    _space: bool = False
    _prefixes: list[_Prefix] = field(default_factory=list)
    _shared: int = 0

    def write(self, text: str, *, maybe: bool = False) -> None:
        """Add running text; any white space in it is one space."""
        words = _SPACES.sub(" ", text)
        if words.startswith(" ") and self._words:
            self._space = True
        body = words.strip(" ")
        if not body:
            return
        self._begin_line()
        body = mark(body) if maybe else body
        self._words.append(f" {body}" if self._space else body)
        self._space = words.endswith(" ")

    def write_preformatted(self, text: str, *, maybe: bool = False) -> None:
        """Add text whose line ends and spaces count."""
        for number, line in enumerate(text.split("\n")):
            if number and not self._words and self.lines:
                self._breaks = min(self._breaks + 1, 2)
            elif number:
                self.break_line()
            if line.strip():
                self._begin_line()
                body = line.replace("\xa0", " ")
                self._words.append(mark(body) if maybe else body)

    def close_strike(self, sign: str) -> None:
        """Add the sign that closes, or take back the one that opened if nothing came between."""
        if self._words and self._words[-1].strip() == sign:
            opening = self._words.pop()
            self._space = self._space or opening.startswith(" ")
            return
        space, self._space = self._space, False
        self.write(sign)
        self._space = space

    def ends_with_digit(self) -> bool:
        """Return whether the next text would directly follow a digit."""
        return bool(self._words) and not self._space and self._words[-1][-1:].isdigit()

    def break_line(self, breaks: int = 1) -> None:
        """End the line; two breaks leave one blank line, more do not add to it."""
        self._end_line()
        if self._prefixes and not self._prefixes[-1].used:
            breaks = min(breaks, 1)  # a list mark and its text share a line, whatever block the text is in
        self._breaks = max(self._breaks, breaks)

    def line_feed(self) -> None:
        """Do what a `br` does: end the line, or leave it blank if nothing is on it."""
        if self._words:
            self.break_line()
        else:
            self._breaks = min(self._breaks + 1, 2)

    def push_prefix(self, first: str, rest: str) -> None:
        """Begin a quote or a list item; lines after the first begin with `rest`."""
        self._end_line()
        self._shared = min(self._shared, len(self._prefixes)) if self._breaks else len(self._prefixes)
        self._prefixes.append(_Prefix(first, rest))

    def pop_prefix(self) -> None:
        """End the innermost quote or list item."""
        self._end_line()
        self._prefixes.pop()
        self._shared = min(self._shared, len(self._prefixes))

    def tighten(self) -> None:
        """Leave no blank line before what comes next."""
        self._end_line()
        self._breaks = min(self._breaks, 1)

    def append_lines(self, lines: list[str]) -> None:
        """Add finished lines as they are, after the prefix."""
        if lines and not self._prefixes:
            self._end_line()
            self._begin_line()
            self.lines.extend(lines)
            self._breaks = 1
            return
        for line in lines:
            if line:
                self._begin_line()
                self._words.append(line)
            self.break_line(1 if line else 2)

    def finish(self) -> list[str]:
        """Return the lines; the first and the last aren't blank."""
        self._end_line()
        return self.lines

    def _begin_line(self) -> None:
        if self._words:
            return
        if self.lines and self._breaks > 1:
            shared = self._prefixes[: min(self._shared, _PREFIXES_MAX)]
            blank = "".join(prefix.rest for prefix in shared).rstrip()
            if self.lines[-1] != blank:  # as it is if a sign was taken back
                self.lines.append(blank)
        self._breaks, self._space, self._shared = 0, False, len(self._prefixes)
        for prefix in self._prefixes[:_PREFIXES_MAX]:
            self._words.append(prefix.rest if prefix.used else prefix.first)
        for prefix in reversed(self._prefixes):
            if prefix.used:
                break
            prefix.used = True

    def _end_line(self) -> None:
        if line := "".join(self._words).rstrip():
            self.lines.append(line)
            self._breaks = 1
        self._words, self._space = [], False
