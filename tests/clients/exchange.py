"""What one client made of one server: every case once, held against what was sent and what is right."""

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mcp_types import CallToolResult

from clients.cases import CASES, UNKNOWN_TOOL, Case
from clients.site import Site
from envelope.facts import facts_of
from mailmcp.server.app import Options, make_toolset
from mcp_envelope import Dialect, check_reply
from mcp_envelope.check import is_failure

JsonObject = dict[str, Any]

CALLS: list[JsonObject] = [*(case.call() for case in CASES), {"tool": UNKNOWN_TOOL, "arguments": {}}]
"""What a client is given to do, on one connection."""

_CHANNELS = ("content", "structuredContent", "isError")
_REQUEST_ID = "mailmcp/request_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What a client gave to whoever called it."""

    version: str | None
    """The protocol's revision; None where the client does not tell."""

    tools: list[JsonObject]
    endings: list[JsonObject]
    """For each of `CALLS`: `result`, or `error` with the client's words."""

    sent: list[JsonObject] | None
    """What the server wrote. None where nobody listened: then the text is the envelope as well."""

    listing: JsonObject = field(default_factory=dict)
    """What a client says about the list besides."""


Client: TypeAlias = Callable[[Site, Dialect], Exchange]


class Exchanges:
    """Runs a client when it is first asked about: with all dialects at once, since it mostly waits."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._done: dict[Client, dict[Dialect, Exchange | BaseException]] = {}

    def of(self, client: Client, dialect: Dialect) -> Exchange:
        """Give what came of a client's calls in a dialect."""
        if client not in self._done:
            with ThreadPoolExecutor(len(Dialect)) as threads:
                running = {each: threads.submit(client, self._site, each) for each in Dialect}
            self._done[client] = {each: run.exception() or run.result() for each, run in running.items()}
        exchange = self._done[client][dialect]
        if isinstance(exchange, BaseException):
            raise exchange
        return exchange


def problems(exchange: Exchange, dialect: Dialect) -> list[str]:
    """List what the client refused, lost or changed, and what the server should not have sent."""
    found = list(_tool_problems(exchange.tools, dialect))
    for case, ending in zip(CASES, exchange.endings, strict=False):
        found += [f"{case.name}: {each}" for each in _problems(case, ending, exchange.sent, dialect)]
    if "error" not in exchange.endings[-1]:
        found.append("an unknown tool: the client throws no error")
    return found


def _tool_problems(tools: list[JsonObject], dialect: Dialect) -> Iterator[str]:
    published = make_toolset(Options(dialect=dialect)).publish()
    expected = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in published]
    if [each["name"] for each in tools] != [each["name"] for each in expected]:
        yield "the tools are not those that were published, in their order"
        return
    for tool, right in zip(tools, expected, strict=True):
        yield from (f"{tool['name']}: {key} was changed" for key in right if tool.get(key) != right[key])


def _problems(
    case: Case, ending: JsonObject, sent: list[JsonObject] | None, dialect: Dialect
) -> Iterator[str]:
    result = ending.get("result")
    if result is None:
        yield f"refused by the client: {ending.get('error')}"
        return
    if result.get("isError") is not (case.code is not None):
        yield f"isError is {result.get('isError')}"
    yield from _harm(result, sent)
    envelope = result.get("structuredContent")
    if not isinstance(envelope, Mapping):
        yield "there is no structured content"
        return
    yield from check_reply(envelope, dialect)
    failed = is_failure(envelope)
    code = facts_of(CallToolResult.model_validate(result), dialect)["code"] if failed else None
    if code != case.code:
        yield f"the code is {code}, not {case.code}"
    if case.code is None and envelope["data"].get("status") != case.status:
        yield f"the status is {envelope['data'].get('status')}, not {case.status}"


def _harm(result: JsonObject, sent: list[JsonObject] | None) -> Iterator[str]:
    """Compare the channels with what the server wrote, or with each other."""
    if sent is None:
        text = result["content"][0].get("text", "")
        if json.loads(text) != result.get("structuredContent"):
            yield "text and structured content differ"
        return
    request_id = result.get("_meta", {}).get(_REQUEST_ID)
    original = next((each for each in sent if each["_meta"][_REQUEST_ID] == request_id), None)
    if original is None:
        yield "the request id of _meta is none that was sent"
        return
    yield from (f"{key} was changed" for key in _CHANNELS if result.get(key) != original[key])
    if not original["content"][0]["text"].strip():
        yield "the text is empty"
