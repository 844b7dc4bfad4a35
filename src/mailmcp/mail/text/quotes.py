"""Quoted history out of the way: what was written before is in the messages before.

At the end of a text it becomes one line; between answers, only what stands right
above each of them is kept. A forwarded message is content and stays, and so does a
text that is nothing but quotations.

A line of the author's is never removed knowingly: better a hundred quoted lines too many. So
marked lines are history only from the first attribution on: what an author quotes above it is a
citation. Without any attribution they are history in replies alone. Lines without marks are
history only in a reply, below an attribution that only a program writes or below copied headers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.text.attribution import ATTRIBUTION_LINES_MAX, find_attribution
from mailmcp.mail.text.quote_marks import (
    HEAD_LINES_MAX,
    announces_original,
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
"""So few quoted lines stay, unless they end the text and are headed, or the reader has them."""

CONTEXT_LINES_MAX: Final = 5
"""Quoted lines kept above an answer: the paragraph it answers, or the end of it."""

_FOOTER: Final = "-- "

_FULL_CHARS_MIN: Final = 70
"""Characters of a quoted line that a program broke because the mark made it too long, with the next word."""

_BROKEN_MIN: Final = 2
"""Rests of broken lines in one quotation: a single one may be an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollapsedText:
    """A text with its quoted history collapsed."""

    text: str

    lines_collapsed: int
    """Lines that were taken out, from 0; 0 means that the text is unchanged."""


@dataclass(slots=True)
class _Run:
    """Quoted lines with nothing of the author's own between them: half-open, attributions included."""

    start: int
    first_quoted: int
    end: int
    attributed: bool
    history: bool
    """Whether it has an attribution, or follows one that has."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """Lines to be removed, half-open."""

    start: int
    end: int
    headed: bool = False
    """Whether an attribution or copied headers are among them: alone longer than the line for all."""


def collapse_quotes(
    text: str, *, reply: bool = True, forwarded: bool = False, above: str = ""
) -> CollapsedText:
    """Put one line in the place of quoted history; linear time.

    Args:
        text: Plain text, or text made of HTML whose quotations are `> ` lines.
        reply: Whether the message answers another (`Links.answers`): a new message
            may cite, but has no history without an attribution.
        forwarded: Whether the message is a forwarded one, as `is_forward_subject`
            tells: then copied headers begin its content.
        above: What the reader has just read: few quoted lines at the end go too if they are words of it.
    """
    lines = text.split("\n")
    content_end, unmarked = _unmarked(lines, reply=reply, forwarded=forwarded)
    runs = _runs(lines[:content_end])
    if not _has_own_text(lines[:content_end], runs):
        return CollapsedText(text=text, lines_collapsed=0)
    attributed = unmarked or any(run.history for run in runs)
    cuts = [_cut_of(lines, run, content_end) for run in runs if run.history or (reply and not attributed)]
    if unmarked:
        cuts.append(unmarked)
    end = _last_said(lines)
    cuts = [
        cut
        for cut in cuts
        if cut.end - cut.start > KEPT_LINES_MAX
        or (cut.end >= end and (cut.headed or _repeats(lines, cut, above)))
    ]
    return _without(lines, cuts) if cuts else CollapsedText(text=text, lines_collapsed=0)


def _unmarked(lines: Sequence[str], *, reply: bool, forwarded: bool) -> tuple[int, _Cut | None]:
    """Find where the marked-up text ends, and the unmarked history that follows it, if any."""
    said = lines[: _last_said(lines)]
    own = len(said)  # the author's first line
    last_quoted = max((index for index, line in enumerate(said) if is_quoted(line)), default=-1)
    for index, line in enumerate(said):
        if may_mark(line) and not is_quoted(line):
            if begins_forward(line):
                return index, None
            if own < index and not forwarded and (reply or announces_original(line)):
                start = _unmarked_start(said, index, marked=last_quoted > index)
                if own < start:
                    return start, _Cut(start, len(said), headed=True)
        if own > index and line.strip() and not is_quoted(line) and not is_rule(line):
            own = index
    return len(lines), None


def _unmarked_start(lines: Sequence[str], index: int, *, marked: bool) -> int:
    """Return the first line of what heads an unmarked quotation, if that begins or ends here; else 0.

    Args:
        lines: Of the text.
        index: Of a line.
        marked: Whether lines with marks follow. Below copied headers they may be older
            history; below an attribution they are what it is about.
    """
    length = history_head_length(lines, index)
    if length:
        return 0 if _is_marked(lines, index + length) else _above(lines, index)
    if marked or index + 1 == len(lines):
        return 0
    found = find_attribution(lines[max(index + 1 - ATTRIBUTION_LINES_MAX, 0) : index + 1])
    return _above(lines, index + 1 - found.lines) if found and found.certain else 0


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
    """Find the quotations, each with its attribution; blank lines join them, and later attributions."""
    runs: list[_Run] = []
    index = own_end = 0
    while index < len(lines):
        if not is_quoted(lines[index]):
            index += 1
            continue
        end = _quoted_end(lines, index)
        start = _introduction(lines, own_end, index)
        attributed = start < index or _begins_attributed(lines[index:end])
        before = runs[-1] if runs else None
        follows = before is not None and not any(line.strip() for line in lines[before.end : start])
        if before and follows and (before.history or not attributed):
            before.end = end
        else:
            history = attributed or (before is not None and before.history)
            runs.append(_Run(start, index, end, attributed, history))
        index = own_end = end
    return runs


def _quoted_end(lines: Sequence[str], start: int) -> int:
    """Find the end of quoted lines, with the rests of those that a program broke."""
    index, broken = start, []
    while index < len(lines):
        if not is_quoted(lines[index]):
            if not _is_rest(lines, index):
                break
            broken.append(index)
        index += 1
    return broken[0] if 0 < len(broken) < _BROKEN_MIN else index


def _is_rest(lines: Sequence[str], index: int) -> bool:
    """Check whether a line between quoted ones is the rest of the one above: full, it was broken."""
    if index + 1 >= len(lines) or not is_quoted(lines[index - 1]) or not is_quoted(lines[index + 1]):
        return False
    rest, above = lines[index], lines[index - 1].rstrip()
    return (
        rest[:1].islower()
        and len(rest) < len(above)
        and len(above) + len(rest.split()[0]) >= _FULL_CHARS_MIN
        and (above[-1].isalnum() or above[-1] == ",")
    )


def _begins_attributed(quoted: Sequence[str]) -> bool:
    """Check whether the attribution of quoted lines is the first of them, as some programs write it."""
    said = [quoted_text(line) for line in quoted[: ATTRIBUTION_LINES_MAX + 1]]
    return any(find_attribution(said[:end]) for end in range(1, len(said) + 1))


def _introduction(lines: Sequence[str], own_end: int, index: int) -> int:
    """Return the first line of the attribution or copied headers above a quotation, else its own."""
    end = index
    while end > own_end and not lines[end - 1].strip():
        end -= 1
    above = lines[max(own_end, end - HEAD_LINES_MAX) : end]
    attribution = find_attribution(above)
    if attribution:
        return end - attribution.lines
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
        return _Cut(run.start, run.end, headed=run.attributed)
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
