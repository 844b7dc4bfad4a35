"""What a client made of `REQUESTS`, held against what is right."""

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping

from mcp_types import CallToolResult

from clients.cases import CASES, READS, Case, JsonObject, Read
from envelope.facts import facts_of
from mailmcp.server.app import Options, make_toolset
from mcp_envelope import Dialect
from mcp_envelope.check import check_result


def problems(tools: list[JsonObject], endings: list[JsonObject], dialect: Dialect) -> list[str]:
    """List what the client refused, lost or changed, and what the server should not have sent.

    Args:
        tools: The list that the client gave.
        endings: For each request, `result`, or `error` with the client's words.
        dialect: The server's.
    """
    published = make_toolset(Options(dialect=dialect)).publish()
    expected = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in published]
    found = [] if tools == expected else ["the tools are not those that were published"]
    calls, (unknown, *reads) = endings[: len(CASES)], endings[len(CASES) :]
    for case, ending in zip(CASES, calls, strict=True):
        found += [f"{case.tool} {case.arguments}: {each}" for each in _call_problems(case, ending, dialect)]
    if "error" not in unknown:
        found.append("an unknown tool: the client throws no error")
    for read, ending in zip(READS, reads, strict=True):
        found += [f"{read.uri}: {each}" for each in _read_problems(read, ending)]
    return found


def _call_problems(case: Case, ending: JsonObject, dialect: Dialect) -> Iterator[str]:
    result = ending.get("result")
    if result is None:
        yield f"refused by the client: {ending.get('error')}"
        return
    yield from check_result(result, dialect)
    envelope = result.get("structuredContent")
    if not isinstance(envelope, Mapping):
        return
    if json.loads(result["content"][0].get("text", "")) != envelope:
        yield "text and structured content differ"
    is_error = result["isError"]
    code = facts_of(CallToolResult.model_validate(result), dialect)["code"] if is_error else None
    if code != case.code:
        yield f"the code is {code}, not {case.code}"
    if not is_error and envelope["data"].get("status") != case.status:
        yield f"the status is {envelope['data'].get('status')}, not {case.status}"


def _read_problems(read: Read, ending: JsonObject) -> Iterator[str]:
    if read.code is not None:
        if not ending.get("error"):
            yield f"no error but {ending}"
        return
    contents = ending.get("result", {}).get("contents", [])
    if len(contents) != 1 or contents[0]["uri"] != read.uri:
        yield f"the contents are {ending}"
        return
    (content,) = contents
    if content.get("mimeType") != read.content_type:
        yield f"the type is {content.get('mimeType')}"
    if read.octets is None and read.text not in content.get("text", ""):
        yield f"the text is {content}"
    if read.octets is not None and b64decode(content.get("blob", "")) != read.octets:
        yield "the octets are others"


def told_codes(endings: list[JsonObject]) -> list[tuple[int, str]]:
    """Return the codes of the reads that failed, in JSON-RPC and ours."""
    errors = [ending["error"] for ending in endings[len(CASES) + 1 :] if "error" in ending]
    return [(error["code"], (error.get("data") or {}).get("code", "")) for error in errors]
