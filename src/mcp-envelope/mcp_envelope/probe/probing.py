"""Decides which calls to make: only of tools that are marked read-only or that the user names."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mcp_types import Tool as PublishedTool

from mcp_envelope.probe.envelope import as_object, envelope_of
from mcp_envelope.probe.sample import UnmakeableError, make_arguments, make_mistyped
from mcp_envelope.probe.session import Kind, Listed, Reply, Session

JsonObject = dict[str, Any]

UNKNOWN: Final = "no_such_argument"
TOOLS_MAX: Final = 200
"""More tools than this aren't called."""

KNOWN_CHARS_MAX: Final = 1_000
"""Longer strings of a reply aren't sent back as arguments."""


@dataclass(slots=True, kw_only=True)
class Probed:
    """The replies of one tool."""

    tool: PublishedTool
    why_not_called: str = ""
    """Why it wasn't called at all."""

    replies: list[Reply] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What couldn't be tried, and other findings."""


_MISSING: Final = frozenset({"issues", "error", "details"})


class Prober:
    """Calls tools one after the other, and remembers values of their replies."""

    def __init__(self, session: Session, listed: Listed, allowed: Collection[str]) -> None:
        """Call the tools that are marked read-only, and those in `allowed`."""
        self._session = session
        self._probed = {tool.name: Probed(tool=tool) for tool in listed.tools}
        for number, each in enumerate(self._probed.values()):
            if not (is_read_only(each.tool) or each.tool.name in allowed):
                each.why_not_called = "it isn't marked read-only; use --allow to call it"
            elif number >= TOOLS_MAX:
                each.why_not_called = f"only the first {TOOLS_MAX} tools are called"
        self._known: dict[str, object] = {}

    async def run(self) -> list[Probed]:
        """Call tools with fewer required arguments first: their replies provide values for the others."""
        callable_ = [each for each in self._probed.values() if not each.why_not_called]
        for each in sorted(callable_, key=lambda each: len(_required(each.tool))):
            await self._probe(each)
        return list(self._probed.values())

    async def _probe(self, probed: Probed) -> None:
        schema = probed.tool.input_schema
        try:
            arguments = make_arguments(schema, self._known)
        except UnmakeableError as error:
            probed.remarks.append(f"no valid call was made, since its arguments can't be invented: {error}")
            arguments = None
        if arguments is not None:
            reply = await self._call(probed, Kind.VALID, arguments)
            await self._follow(probed, reply)
        await self._call_wrongly(probed, arguments)

    async def _call_wrongly(self, probed: Probed, arguments: JsonObject | None) -> None:
        """Call it without a required argument, with one that it doesn't have, with one of a wrong type."""
        schema, given = probed.tool.input_schema, arguments or {}
        if required := _required(probed.tool):
            left = {name: value for name, value in given.items() if name != required[0]}
            await self._call(probed, Kind.MISSING, left)
        await self._call(probed, Kind.UNKNOWN, {**given, UNKNOWN: 1})
        if (mistyped := make_mistyped(schema, given)) is not None:
            await self._call(probed, Kind.MISTYPED, mistyped)

    async def _follow(self, probed: Probed, reply: Reply) -> None:
        """Make one call that the reply offers."""
        name, arguments = _offer(reply, probed.tool)
        if name is None:
            return
        target = self._probed.get(name)
        if target is None:
            probed.remarks.append(f"its next action names a tool that isn't listed: {name}")
        elif target.why_not_called:
            probed.remarks.append(f"its next action wasn't followed, since it calls {name}")
        else:
            following = await self._call(target, Kind.NEXT, arguments)
            if following.result is None or following.result.get("isError"):
                probed.remarks.append("the call that its reply offers fails")

    async def _call(self, probed: Probed, kind: Kind, arguments: Mapping[str, Any]) -> Reply:
        reply = await self._session.call(probed.tool.name, kind, arguments)
        probed.replies.append(reply)
        if reply.result is not None and not reply.result.get("isError"):
            self._remember(reply.result.get("structuredContent"))
        return reply

    def _remember(self, structured: object) -> None:
        """Keep the first value of each name in a reply; skip issues and errors: those name what is lost."""
        waiting = [structured]
        while waiting:
            value = waiting.pop()
            if isinstance(value, list):
                waiting += reversed(value)
            elif isinstance(value, Mapping):
                for name, each in value.items():
                    if isinstance(each, int) or (isinstance(each, str) and len(each) <= KNOWN_CHARS_MAX):
                        self._known.setdefault(name, each)
                waiting += reversed([each for name, each in value.items() if name not in _MISSING])


def is_read_only(tool: PublishedTool) -> bool:
    """Return whether the server says that a tool changes nothing; no hint counts as no."""
    return tool.annotations is not None and tool.annotations.read_only_hint is True


def _required(tool: PublishedTool) -> list[str]:
    required = tool.input_schema.get("required")
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []


def _offer(reply: Reply, tool: PublishedTool) -> tuple[str | None, JsonObject]:
    """Find the call that a reply offers: its next action, or the next page of the same tool."""
    envelope, _ = envelope_of(reply.result or {})
    data, error = (as_object(as_object(envelope).get(key)) for key in ("data", "error"))
    for place in (data, error, as_object(data.get("details")), as_object(error.get("details"))):
        action = as_object(place.get("next_action"))
        if isinstance(action.get("tool"), str) and isinstance(action.get("arguments"), Mapping):
            return action["tool"], dict(action["arguments"])
    pagination = as_object(as_object(as_object(envelope).get("meta")).get("pagination"))
    cursor = data.get("next_cursor") or pagination.get("cursor")
    if isinstance(cursor, str) and "cursor" in as_object(tool.input_schema.get("properties")):
        return tool.name, {**reply.arguments, "cursor": cursor}
    return None, {}
