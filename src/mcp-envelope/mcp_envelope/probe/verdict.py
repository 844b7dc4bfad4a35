"""Judges the replies of a tool: their dialect, the rules that they break, and whether their parts agree."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_envelope.check import Mode, check_reply, check_result, is_failure
from mcp_envelope.dialects.registry import Dialect, shape_of
from mcp_envelope.probe.agreement import missing_texts
from mcp_envelope.probe.envelope import envelope_of, text_of
from mcp_envelope.probe.probing import Probed
from mcp_envelope.probe.sample import misfits
from mcp_envelope.probe.session import Kind, Reply

FINDING_CHARS_MAX: Final = 200
"""Length limit of a finding, which may quote the server."""

_WRONG: Final = {Kind.MISSING, Kind.UNKNOWN, Kind.MISTYPED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The findings about one tool. They quote servers without escaping."""

    tool: str
    why_not_called: str
    calls: list[dict[str, Any]]
    """The kind and arguments of each call, and how it ended: success, failure, refused, no reply."""

    dialect: Dialect | None
    """The dialect that the replies follow, or the closest one; None if they have no envelope."""

    broken: list[str]
    """The rules of the dialect that they break."""

    strict: list[str]
    """What this library would do better; only with `strict`."""

    is_error: list[str]
    """Replies whose `isError` contradicts them."""

    schema: list[str]
    """Replies that don't satisfy the published output schema."""

    has_schema: bool
    has_structured: bool
    unsaid: list[str]
    """Paths of the structured content whose text isn't in the text channel."""

    remarks: list[str] = field(default_factory=list)

    @property
    def is_in_order(self) -> bool:
        """Whether nothing is broken; a tool that wasn't called has shown nothing else."""
        return not (self.broken or self.strict or self.is_error or self.schema)


def judge(probed: Probed, *, strict: bool) -> Verdict:
    """Judge the replies of a tool; `strict` adds the rules that this library keeps."""
    dialect, broken = _nearest(probed.replies)
    schema = probed.tool.output_schema
    return Verdict(
        tool=probed.tool.name,
        why_not_called=probed.why_not_called,
        calls=[
            {"kind": each.kind.value, "arguments": each.arguments, "ended": _ending(each)}
            for each in probed.replies
        ],
        dialect=dialect,
        broken=broken,
        strict=_named(probed.replies, lambda result: _strict(result, dialect)) if strict else [],
        is_error=_named(probed.replies, _contradictions),
        schema=[] if schema is None else _named(probed.replies, lambda result: _misfits(result, schema)),
        has_schema=schema is not None,
        has_structured=any("structuredContent" in (each.result or {}) for each in probed.replies),
        unsaid=_named(probed.replies, _unsaid),
        remarks=[*probed.remarks, *_remarks(probed.replies)],
    )


def _named(replies: Iterable[Reply], find: Callable[[Mapping[str, Any]], Iterable[str]]) -> list[str]:
    """List what is found in the results, each once, with the first call that it was found in."""
    found: dict[str, str] = {}
    for reply in replies:
        for each in find(reply.result) if reply.result is not None else ():
            found.setdefault(each, _finding(each, reply))
    return list(found.values())


def _finding(sentence: str, reply: Reply) -> str:
    cut = f"{sentence[:FINDING_CHARS_MAX]}…" if len(sentence) > FINDING_CHARS_MAX else sentence
    return f"{cut} ({reply.kind.value})"


def _nearest(replies: list[Reply]) -> tuple[Dialect | None, list[str]]:
    """Find the dialect that the replies look like, by their keys, and the rules of it that they break."""
    unanswered = [_finding(reply.error, reply) for reply in replies if _is_unanswered(reply)]
    envelopes = [envelope_of(reply.result)[0] for reply in replies if reply.result is not None]
    keys = [envelope.keys() for envelope in envelopes if envelope is not None]
    if not keys:
        return None, unanswered

    def distance(dialect: Dialect) -> tuple[int, int]:
        shape = shape_of(dialect)
        forms = (shape.success_keys, shape.failure_keys)
        differing = sum(min(len(each ^ form) for form in forms) for each in keys)
        return differing, len(broken[dialect])

    broken = {each: _named(replies, lambda result, each=each: _broken(result, each)) for each in Dialect}  # type: ignore[misc]
    nearest = min(Dialect, key=distance)
    return nearest, broken[nearest] + unanswered


def _is_unanswered(reply: Reply) -> bool:
    """Return whether an expected reply is missing; wrong arguments may be refused."""
    return reply.result is None and not (reply.is_refused and reply.kind in _WRONG)


def _broken(result: Mapping[str, Any], dialect: Dialect) -> list[str]:
    envelope, _ = envelope_of(result)
    if envelope is None:
        return ["there is no envelope"]
    return check_reply(envelope, dialect, Mode.CONVENTION)


def _strict(result: Mapping[str, Any], dialect: Dialect | None) -> list[str]:
    if dialect is None:
        return []
    lax = _broken(result, dialect)
    return [each for each in check_result(result, dialect, Mode.STRICT) if each not in lax]


def _contradictions(result: Mapping[str, Any]) -> Iterable[str]:
    envelope, _ = envelope_of(result)
    if envelope is not None and is_failure(envelope) != (result.get("isError") is True):
        yield "a failure doesn't set isError" if is_failure(envelope) else "a success sets isError"


def _misfits(result: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterable[str]:
    """Check structured content, that of failures too, since some clients do; a failure may have none."""
    if "structuredContent" in result:
        yield from list(misfits(result["structuredContent"], schema, schema))[:3]
    elif result.get("isError") is not True:
        yield "there is no structured content"


def _unsaid(result: Mapping[str, Any]) -> list[str]:
    structured = result.get("structuredContent")
    return missing_texts(structured, text_of(result)) if isinstance(structured, Mapping) else []


def _ending(reply: Reply) -> str:
    if reply.result is None:
        return "refused" if reply.is_refused else "no reply"
    envelope, _ = envelope_of(reply.result)
    failed = reply.result.get("isError") is True or (envelope is not None and is_failure(envelope))
    return "failure" if failed else "success"


def _remarks(replies: list[Reply]) -> Iterable[str]:
    for reply in replies:
        if reply.kind in _WRONG and _ending(reply) == "success":
            yield f"it accepts a call with one {reply.kind.value}"
        if reply.is_refused and reply.kind in _WRONG:
            yield f"models may not see {_finding(reply.error, reply)}"
    if replies and all(_ending(reply) != "success" for reply in replies):
        yield "no call succeeded, so only its failures were judged"
    found = [envelope_of(reply.result) for reply in replies if reply.result is not None]
    if any(envelope is not None and not is_structured for envelope, is_structured in found):
        yield "the envelope is the text, and there is no structured content"
