"""Quoted history out of the way: what was written before is in the messages before.

At the end of a text it becomes one line; between answers, only what stands right
above each of them is kept. Without marks in front (as Outlook quotes) everything
below the copied headers counts as history. A forwarded message is content and
stays, and so does a text that is nothing but quotations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.text.quote_marks import (
    HEAD_LINES_MAX,
    attribution_length,
    begins_footer,
    begins_forward,
    history_head_length,
    is_quoted,
    is_rule,
    may_mark,
    quote_depth,
    quoted_text,
)

QUOTES_LINE: Final = "[{count} quoted lines]"
"""What stands for the lines that were taken out: the same in every reply, so that offsets agree."""

KEPT_LINES_MAX: Final = 3
"""So few quoted lines stay, unless the reader has them: the line in their place would say less."""

CONTEXT_LINES_MAX: Final = 5
"""Quoted lines kept above an answer: the paragraph it answers, or the end of it."""

_FOOTER: Final = "-- "


@dataclass(frozen=True, slots=True, kw_only=True)
class CollapsedText:
    """A text with its quoted history collapsed."""

    text: str

    lines_collapsed: int
    """Lines that were taken out, from 0; 0 means that the text is unchanged."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Quoted lines with nothing of the author's own between them: half-open, attributions included."""

    start: int
    first_quoted: int
    end: int


@dataclass(frozen=True, slots=True)
class _Cut:
    """Lines to be taken out, half-open."""

    start: int
    end: int


def collapse_quotes(text: str, *, forwarded: bool = False, above: str = "") -> CollapsedText:
    """Put one line in the place of quoted history; linear time.

    Args:
        text: Plain text, or text made of HTML whose quotations are `> ` lines.
        forwarded: Whether the message is a forwarded one, as `is_forward_subject`
            tells: then copied headers begin its content.
        above: What the reader has just read: few quoted lines at the end go too if they are words of it.
    """
    lines = text.split("\n")
    content_end, history = _history(lines, forwarded=forwarded)
    runs = _runs(lines[:content_end])
    if not _has_own_text(lines[:content_end], runs):
        return CollapsedText(text=text, lines_collapsed=0)
    cuts = [_cut_of(lines, run, content_end) for run in runs]
    if history:
        cuts.append(history)
    end = _last_said(lines)
    cuts = [
        cut
        for cut in cuts
        if cut.end - cut.start > KEPT_LINES_MAX or (cut.end >= end and _repeats(lines, cut, above))
    ]
    return _without(lines, cuts) if cuts else CollapsedText(text=text, lines_collapsed=0)


def _history(lines: Sequence[str], *, forwarded: bool) -> tuple[int, _Cut | None]:
    """Find where the marked-up text ends, and the unmarked history that follows it, if any."""
    own = False
    for index, line in enumerate(lines):
        if not may_mark(line):
            own = own or bool(line.strip())
            continue
        if begins_forward(line):
            return index, None
        length = 0 if is_quoted(line) or forwarded else history_head_length(lines, index)
        if length and own and not _is_marked(lines, index + length):
            start = _above(lines, index)
            return start, _Cut(start, _last_said(lines))
        own = own or bool(line.strip() and not is_quoted(line) and not is_rule(line))
    return len(lines), None


def _is_marked(lines: Sequence[str], start: int) -> bool:
    """Tell whether the quotation below copied headers has marks of its own."""
    said = next((line for line in lines[start : start + KEPT_LINES_MAX] if line.strip()), "")
    return is_quoted(said)


def _above(lines: Sequence[str], index: int) -> int:
    """Give the first line of the blank lines and the rule above a line."""
    start = index
    while start and (not lines[start - 1].strip() or is_rule(lines[start - 1])):
        start -= 1
    while start < index and not lines[start].strip():
        start += 1
    return start


def _last_said(lines: Sequence[str]) -> int:
    """Give the end of a text without its blank last lines."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _runs(lines: Sequence[str]) -> list[_Run]:
    """Find the quotations, each with its attribution; blank lines and attributions join them."""
    runs: list[_Run] = []
    index = own_end = 0
    while index < len(lines):
        if not is_quoted(lines[index]):
            index += 1
            continue
        end = index
        while end < len(lines) and is_quoted(lines[end]):
            end += 1
        start = _introduction(lines, own_end, index)
        if runs and not any(line.strip() for line in lines[runs[-1].end : start]):
            runs[-1] = _Run(runs[-1].start, runs[-1].first_quoted, end)
        else:
            runs.append(_Run(start, index, end))
        index = own_end = end
    return runs


def _introduction(lines: Sequence[str], own_end: int, index: int) -> int:
    """Give the first line of the attribution or copied headers above a quotation, else its own."""
    end = index
    while end > own_end and not lines[end - 1].strip():
        end -= 1
    above = lines[max(own_end, end - HEAD_LINES_MAX) : end]
    length = attribution_length(above)
    if length:
        return end - length
    for start in range(len(above)):
        if start + history_head_length(above, start) == len(above):
            return end - len(above) + start
    return index


def _has_own_text(lines: Sequence[str], runs: Sequence[_Run]) -> bool:
    """Tell whether the author wrote anything, signature and footer aside."""
    quoted = {index for run in runs for index in range(run.start, run.end)}
    said = (line for index, line in enumerate(lines) if index not in quoted and line.strip())
    return not begins_footer(next(said, _FOOTER))


def _cut_of(lines: Sequence[str], run: _Run, content_end: int) -> _Cut:
    """Choose which lines of a quotation to take out."""
    after = run.end
    while after < content_end and not lines[after].strip():
        after += 1
    if after == content_end or begins_footer(lines[after]):
        return _Cut(run.start, run.end)
    return _Cut(run.first_quoted, _context_start(lines, run))


def _context_start(lines: Sequence[str], run: _Run) -> int:
    """Find the beginning of the paragraph that an answer below the quotation answers."""
    start = run.end
    while start > run.first_quoted and not quoted_text(lines[start - 1]):
        start -= 1
    depth = quote_depth(lines[start - 1])
    floor = max(run.first_quoted, start - CONTEXT_LINES_MAX)
    while start > floor and quoted_text(lines[start - 1]) and quote_depth(lines[start - 1]) == depth:
        start -= 1
    return start


def _repeats(lines: Sequence[str], cut: _Cut, above: str) -> bool:
    """Tell whether all that a few lines quote stands in the text above; one line alone costs nothing."""
    if cut.end - cut.start == 1:
        return False
    marked = [line for line in lines[cut.start : cut.end] if is_quoted(line)]
    said = _words(" ".join(map(quoted_text, marked)))
    return bool(said) and f" {said} " in f" {_words(above)} "


def _words(text: str) -> str:
    return " ".join(text.split())


def _without(lines: Sequence[str], cuts: Sequence[_Cut]) -> CollapsedText:
    kept: list[str] = []
    position = 0
    for cut in cuts:
        kept += lines[position : cut.start]
        kept.append(QUOTES_LINE.format(count=cut.end - cut.start))
        position = cut.end
    kept += lines[position:]
    return CollapsedText(text="\n".join(kept), lines_collapsed=sum(cut.end - cut.start for cut in cuts))
