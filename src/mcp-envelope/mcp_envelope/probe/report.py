"""The findings as lines for a terminal, or as JSON.

Names, messages and values are the server's, and it may be hostile: each is on one line, cut, and without
anything that a terminal would act on.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Final

from mcp_envelope.markdown import code, one_line
from mcp_envelope.probe.session import Listed
from mcp_envelope.probe.verdict import Verdict

NAME_CHARS_MAX: Final = 80
LINE_CHARS_MAX: Final = 300
FINDINGS_MAX: Final = 10
"""Of one sort about one tool; the JSON has all."""

OCTETS_PER_TOKEN: Final = 4
"""A rule of thumb for JSON in English; no two models count alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found out about a server."""

    listed: Listed
    verdicts: list[Verdict]
    stray_lines: int = 0
    """Lines on stdout that weren't messages."""

    @property
    def is_in_order(self) -> bool:
        """Whether every tool that was called follows the same dialect and breaks none of its rules."""
        called = [each for each in self.verdicts if not each.why_not_called]
        dialects = {each.dialect for each in called}
        return len(dialects) == 1 and None not in dialects and all(each.is_in_order for each in called)


def write_json(report: Report) -> str:
    """Write all findings as JSON, in ASCII."""
    listed = report.listed
    value = {
        "server": listed.server,
        "protocol": listed.protocol,
        "in_order": report.is_in_order,
        "stray_lines": report.stray_lines,
        "tools_list": {"tools": len(listed.tools), "octets": listed.octets, "cut": listed.is_cut},
        "tools": [asdict(each) | {"in_order": each.is_in_order} for each in report.verdicts],
    }
    return json.dumps(value, indent=2) + "\n"


def write_text(report: Report) -> str:
    """Write the findings for people."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    listed = report.listed
    tokens = round(listed.octets / OCTETS_PER_TOKEN)
    yield f"{name(listed.server)}, MCP {name(listed.protocol)}"
    cut = ", and there are more that weren't listed" if listed.is_cut else ""
    yield (
        f"tools/list: {_count(len(listed.tools), 'tool')}, {listed.octets:,} octets, "
        f"estimated {tokens:,} tokens (octets / {OCTETS_PER_TOKEN}){cut}"
    )
    if report.stray_lines:
        yield f"stdout: {_count(report.stray_lines, 'line')} that no client can read; log to stderr"
    for verdict in report.verdicts:
        yield ""
        yield from _tool_lines(verdict)
    yield ""
    yield "ok" if report.is_in_order else _why_not(report.verdicts)


def _why_not(verdicts: list[Verdict]) -> str:
    called = [each for each in verdicts if not each.why_not_called]
    dialects = {each.dialect for each in called}
    if not called:
        return "not ok: no tool was called"
    if None in dialects:
        return "not ok: there are replies without an envelope"
    if len(dialects) > 1:
        return f"not ok: the tools follow different dialects: {', '.join(sorted(filter(None, dialects)))}"
    return f"not ok: {_count(sum(not each.is_in_order for each in called), 'tool')} of {len(called)}"


def _tool_lines(verdict: Verdict) -> Iterator[str]:
    if verdict.why_not_called:
        yield f"{name(verdict.tool)}: not called: {verdict.why_not_called}"
        return
    yield f"{name(verdict.tool)}: {_dialect(verdict)}"
    yield from _items(line(each) for each in verdict.broken)
    yield from _items(f"strict: {line(each)}" for each in verdict.strict)
    for call in verdict.calls:
        yield f"  {call['kind']}: {call['ended']} {name(json.dumps(call['arguments'], ensure_ascii=False))}"
    yield from _findings("isError", "agrees with every envelope", verdict.is_error, verdict.dialect is None)
    yield from _findings(
        "text",
        "has every text of the structured content",
        verdict.unsaid,
        not verdict.has_structured,
        "it lacks ",
    )
    yield from _findings(
        "output schema", "published, and every reply satisfies it", verdict.schema, not verdict.has_schema
    )
    yield from _items((line(each) for each in verdict.remarks), "  remark: ")


def _dialect(verdict: Verdict) -> str:
    if verdict.dialect is None:
        return "no envelope in any reply"
    if not verdict.broken:
        return f"follows {verdict.dialect.value}"
    return f"closest to {verdict.dialect.value}, but breaks {_count(len(verdict.broken), 'rule')}"


_UNTOLD: Final = {
    "isError": "there is no envelope that it could agree with",
    "text": "there is no structured content to compare it with",
    "output schema": "not published",
}


def _findings(what: str, good: str, findings: list[str], untold: bool, prefix: str = "") -> Iterator[str]:  # noqa: FBT001 - one of a row
    """Write what is good, or each finding, or why there can't be one."""
    if not findings:
        yield f"  {what}: {_UNTOLD[what] if untold else good}"
    yield from _items((line(each) for each in findings), f"  {what}: {prefix}")


def _items(lines: Iterable[str], prefix: str = "  - ") -> Iterator[str]:
    waiting = list(lines)
    yield from (f"{prefix}{each}" for each in waiting[:FINDINGS_MAX])
    if len(waiting) > FINDINGS_MAX:
        yield f"{prefix}and {len(waiting) - FINDINGS_MAX} more"


def name(value: str) -> str:
    """Write a value of the server's as a code span."""
    return code(_printable(value, NAME_CHARS_MAX))


def line(sentence: str) -> str:
    """Put a sentence in which the server's words may be on one line."""
    return one_line(_printable(sentence, LINE_CHARS_MAX))


def _printable(text: str, chars_max: int) -> str:
    """Replace what a terminal would act on, or what it would show in another order; cut what is long."""
    shown = "".join(each if each.isprintable() else " " for each in text[:chars_max])
    return f"{shown}…" if len(text) > chars_max else shown


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
