"""Collapse quoted history: it is in the earlier messages.

At the end of a text it becomes one line. Between answers, only the lines right above each answer
are kept. A forwarded message is content and stays, and so does a text of quotations alone.

No line of the author's is knowingly removed: keeping a hundred quoted lines is better. So marked
lines are history only after the first attribution; what the author quotes above it is a citation.
Without any attribution they are history only in replies. Lines without marks are history only in a
reply, below an attribution that only a program writes or below copied headers.
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
from mailmcp.wording import counted

KEPT_LINES_MAX: Final = 3
"""So few quoted lines stay, unless they end the text and have an exact head."""

CONTEXT_LINES_MAX: Final = 5
"""Quoted lines kept above an answer: the paragraph it answers, or the end of it."""

_FOOTER: Final = "-- "


@dataclass(frozen=True, slots=True, kw_only=True)
class CollapsedText:
    """A text with its quoted history collapsed."""

    text: str

    lines_collapsed: int
    """How many lines were removed; 0 if the text is unchanged."""


@dataclass(frozen=True, slots=True)
class _Head:
    """What introduces a quotation: an attribution or copied headers."""

    start: int
    """Its first line; that of the quotation if the head stays."""

    exact: bool
    """Whether it is so detailed that it alone is longer than the line that replaces it all."""


@dataclass(slots=True)
class _Run:
    """Quoted lines without the author's text between them: half-open, attributions included."""

    start: int
    first_quoted: int
    end: int
    history: bool
    """Whether it has a head, or follows one that has."""

    headed: bool
    """Whether it has an exact head."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """Lines to be removed, half-open."""

    start: int
    end: int
    headed: bool = False
    """Whether an exact head is among them."""


def collapse_quotes(text: str, *, reply: bool = True, forwarded: bool = False) -> CollapsedText:
    """Replace quoted history with one line, in linear time.

    Args:
        text: Plain text, or text from HTML whose quotations are `> ` lines.
        reply: Whether the message answers another (`ThreadHeaders.is_answer`). A new message may
            cite, but has no history without an attribution.
        forwarded: Whether the message is forwarded (`is_forward_subject`): then copied headers
            begin its content.
    """
    lines = text.split("\n")
    content_end, unmarked = _unmarked(lines, reply=reply, forwarded=forwarded)
    runs = _runs(lines[:content_end])
    if not _has_own_text(lines[:content_end], runs):
        return CollapsedText(text=text, lines_collapsed=0)
    headed = unmarked or any(run.history for run in runs)
    cuts = [_cut_of(lines, run, content_end) for run in runs if run.history or (reply and not headed)]
    if unmarked:
        cuts.append(unmarked)
    end = _above_blank(lines, 0, len(lines))
    cuts = [
        cut
        for cut in cuts
        if cut.end - cut.start > KEPT_LINES_MAX or (cut.end - cut.start > 1 and cut.end >= end and cut.headed)
    ]
    return _without(lines, cuts) if cuts else CollapsedText(text=text, lines_collapsed=0)


def _unmarked(lines: Sequence[str], *, reply: bool, forwarded: bool) -> tuple[int, _Cut | None]:
    """Find where unmarked history begins, if any; the text before it may have marked quotations."""
    said = lines[: _above_blank(lines, 0, len(lines))]
    own = len(said)  # the author's first line
    older = _marked_heads(said)
    for index, line in enumerate(said):
        if may_mark(line) and not is_quoted(line):
            if begins_forward(line):
                return index, None
            if own < index < older[index] and not forwarded and (reply or announces_original(line)):
                head = _unmarked_head(said, index)
                if head and own < head.start:
                    return head.start, _Cut(head.start, len(said), headed=head.exact)
        if own > index and line.strip() and not is_quoted(line) and not is_rule(line):
            own = index
    return len(lines), None


def _marked_heads(lines: Sequence[str]) -> list[int]:
    """Find for each line where the head of the next marked quotation begins.

    Below the head of unmarked history, a quotation with a head of its own is older history. One without
    is what the author answers, and may have the author's text above it.

    Returns:
        -1 if it has no head; the number of lines if no quotation follows.
    """
    heads = [len(lines)] * len(lines)
    for index in range(len(lines) - 2, -1, -1):
        heads[index] = heads[index + 1]
        if is_quoted(lines[index + 1]) and not is_quoted(lines[index]):
            head = _head_above(lines, 0, index + 1)
            heads[index] = head.start if head and head.start <= index else -1
    return heads


def _unmarked_head(lines: Sequence[str], index: int) -> _Head | None:
    """Find the head of an unmarked quotation that begins or ends with a line."""
    length = history_head_length(lines, index)
    if length:
        return _Head(_above(lines, index), length > 1)
    found = find_attribution(lines[max(index + 1 - ATTRIBUTION_LINES_MAX, 0) : index + 1])
    certain = found is not None and found.certain and index + 1 < len(lines)
    return _Head(_above(lines, index + 1 - found.lines), exact=True) if found and certain else None


def _above(lines: Sequence[str], index: int) -> int:
    """Return the first line of the rule above a line, if there is one."""
    start = index
    while start and (not lines[start - 1].strip() or is_rule(lines[start - 1])):
        start -= 1
    while start < index and not lines[start].strip():
        start += 1
    return start


def _runs(lines: Sequence[str]) -> list[_Run]:
    """Find the quotations with their attributions. Blank lines and later attributions join them."""
    runs: list[_Run] = []
    index = own_end = 0
    while index < len(lines):
        if not is_quoted(lines[index]):
            index += 1
            continue
        end = index
        while end < len(lines) and is_quoted(lines[end]):
            end += 1
        head = _head_above(lines, own_end, index) or _head_within(lines[index:end], index)
        start = head.start if head else index
        before = runs[-1] if runs else None
        follows = before is not None and not any(line.strip() for line in lines[before.end : start])
        if before and follows and (before.history or not head):
            before.end = end
        else:
            history = head is not None or (before is not None and before.history)
            runs.append(_Run(start, index, end, history, headed=head is not None and head.exact))
        index = own_end = end
    return runs


def _head_above(lines: Sequence[str], own_end: int, index: int) -> _Head | None:
    """Find the attribution or the copied headers above a quotation."""
    end = _above_blank(lines, own_end, index)
    above = lines[max(own_end, end - HEAD_LINES_MAX) : end]
    found = find_attribution(above)
    if found and not found.lines:
        return _Head(index, found.certain)
    if found:
        start = end - found.lines
        announced = _above_blank(lines, own_end, start) - 1
        announces = announced >= own_end and announces_original(lines[announced])
        return _Head(announced if announces else start, found.certain)
    for start in range(len(above)):
        length = history_head_length(above, start)
        if length and start + length == len(above):
            return _Head(end - length, length > 1)
    return None


def _above_blank(lines: Sequence[str], start: int, end: int) -> int:
    """Return the end of the text between two lines, without trailing blank lines."""
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _head_within(quoted: Sequence[str], index: int) -> _Head | None:
    """Find the attribution or the copied headers in the first quoted lines."""
    said = [quoted_text(line) for line in quoted[:HEAD_LINES_MAX]]
    for end in range(1, min(len(said), ATTRIBUTION_LINES_MAX + 1) + 1):
        found = find_attribution(said[:end])
        if found:
            return _Head(index, found.certain)
    return _Head(index, exact=True) if history_head_length(said, 0) > 1 else None


def _has_own_text(lines: Sequence[str], runs: Sequence[_Run]) -> bool:
    """Return whether the author wrote anything besides signature and footer."""
    quoted = {index for run in runs for index in range(run.start, run.end)}
    said = (line for index, line in enumerate(lines) if index not in quoted and line.strip())
    return not begins_footer(next(said, _FOOTER))


def _cut_of(lines: Sequence[str], run: _Run, content_end: int) -> _Cut:
    """Choose which lines of a quotation to remove."""
    after = run.end
    while after < content_end and not lines[after].strip():
        after += 1
    if after == content_end or begins_footer(lines[after]):
        return _Cut(run.start, run.end, headed=run.headed)
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


def _without(lines: Sequence[str], cuts: Sequence[_Cut]) -> CollapsedText:
    kept: list[str] = []
    position = 0
    for cut in cuts:
        kept += lines[position : cut.start]
        # The same in every reply, so that offsets agree.
        kept.append(f"[{counted(cut.end - cut.start, 'quoted line')}]")
        position = cut.end
    kept += lines[position:]
    return CollapsedText(text="\n".join(kept), lines_collapsed=sum(cut.end - cut.start for cut in cuts))
