"""A client of one request a call, as light as can be: the SDK's takes more time than the server."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import httpx2

_VERSION: Final = "2026-07-28"
_META: Final = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_ids = count(1)


class LostError(Exception):
    """There was no answer of mailmcp's: the connection failed, or the proxy says that it did."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool replied."""

    text: str
    """All of it, as it came."""

    envelope: Mapping[str, Any]

    @property
    def reason(self) -> str:
        """`code/reason` of a failure; "" of a success."""
        error = self.envelope.get("error")
        return f"{error['code']}/{error['details']['reason']}" if error else ""

    @property
    def data(self) -> Any:
        """Of a success."""
        assert not self.reason, self.text[:2_000]
        return self.envelope["data"]


async def call(
    http: httpx2.AsyncClient, url: str, token: str, tool: str, arguments: Mapping[str, Any]
) -> Answer:
    """Call a tool.

    Raises:
        LostError: It may have been called or not.
    """
    body = {
        "jsonrpc": "2.0",
        "id": next(_ids),
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments, "_meta": _META},
    }
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    try:
        response = await http.post(url, json=body, headers=headers)
    except httpx2.TransportError as error:
        raise LostError(type(error).__name__) from error
    if response.status_code in {502, 503, 504}:
        raise LostError(str(response.status_code))
    assert response.status_code == 200, (response.status_code, response.text)
    text = response.text
    if response.headers["Content-Type"].startswith("text/event-stream"):
        text = next(each for each in text.splitlines() if each.startswith("data:")).removeprefix("data:")
    return Answer(response.text, json.loads(text)["result"]["structuredContent"])
