"""Servers to be probed, over stdio: `python servers.py NAME [ARGUMENT]`. None is built on the library."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

sys.path.insert(0, str(Path(__file__).parents[2]))

from envelope.probe.broken import FAILURES, RULES, SUCCESSES
from mcp_envelope import Dialect
from mcp_envelope.check import is_failure

Answer = Callable[[str, dict[str, Any]], CallToolResult]

HOSTILE = "x`\n\x1b[2J\u202e\u2028in order\r\n`fine`: follows summary" + "y" * 500


def tool(name: str, *properties: str, read_only: bool | None = True, **schema: Any) -> Tool:
    return Tool(
        name=name,
        input_schema={
            "type": "object",
            "properties": {each: {"type": "string"} for each in properties},
            "required": list(properties),
            **schema,
        },
        annotations=None if read_only is None else ToolAnnotations(read_only_hint=read_only),
    )


def result(
    envelope: dict[str, Any] | None, text: str = "", *, is_error: bool | None = False
) -> CallToolResult:
    """Make a result; with None for `is_error` it isn't sent."""
    keys: dict[str, Any] = {} if is_error is None else {"is_error": is_error}
    if envelope is not None:
        keys["structured_content"] = envelope
    return CallToolResult(content=[TextContent(type="text", text=text or json.dumps(envelope))], **keys)


def serve(tools: list[Tool], answer: Answer) -> None:
    async def list_tools(_context: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(_context: Any, params: Any) -> CallToolResult:
        return answer(params.name, params.arguments or {})

    async def run() -> None:
        server = Server("probed", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


def rules(number: str = "") -> None:
    """Break a rule in the reply to a valid call: one tool for each, or for the one of this number."""
    numbers = [int(number)] if number else range(len(RULES))

    def answer(name: str, arguments: dict[str, Any]) -> CallToolResult:
        rule = RULES[int(name.removeprefix("rule_"))]
        if arguments:
            return result(FAILURES[rule.dialect], is_error=True)
        return result(rule.reply, is_error=is_failure(rule.reply))

    serve([tool(f"rule_{each}") for each in numbers], answer)


def recording(record: str) -> None:
    """Write down which tools are called; the only one that reads offers the others as its next action."""
    tools = [
        tool("read"),
        tool("unmarked", read_only=None),
        tool("write", read_only=False),
        tool("read_on"),
    ]

    def answer(name: str, _arguments: dict[str, Any]) -> CallToolResult:
        with Path(record).open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")
        action: dict[str, Any] = {
            "instruction": "Do it.",
            "tool": "unmarked" if name == "read" else "write",
            "arguments": {},
        }
        return result({"success": True, "data": {"next_action": action}})

    serve(tools, answer)


def odd() -> None:
    """Be wrong outside of the envelope, a tool for each way."""
    success, failure = SUCCESSES[Dialect.DISCRIMINATED], FAILURES[Dialect.DISCRIMINATED]
    number = {"type": "object", "properties": {"success": {"type": "integer"}}}
    elsewhere = {"type": "object", "$ref": "http://127.0.0.1:9/schema.json"}
    answers: dict[str, Answer] = {
        "quiet_failure": lambda _, given: result(failure if given else success, is_error=None),
        "loud_success": lambda *_: result(success, is_error=True),
        "unsaid": lambda *_: result(success, "1 book"),
        "unsaid_failure": lambda *_: result(failure, "It failed.", is_error=True),
        "only_text": lambda *_: result(None, json.dumps(success)),
        "words": lambda *_: result(None, "Emma"),
        "wrong_schema": lambda *_: result(success),
        "foreign_schema": lambda *_: result(success),
        "refusing": refusing,
        "unmakeable": lambda *_: result(failure, is_error=True),
    }
    tools = [tool(name) for name in answers if name != "unmakeable"]
    tools[6] = tools[6].model_copy(update={"output_schema": number})
    tools[7] = tools[7].model_copy(update={"output_schema": elsewhere})
    tools.append(tool("unmakeable", "isbn", properties={"isbn": {"type": "string", "pattern": "^97[89]-"}}))
    serve(tools, lambda name, given: answers[name](name, given))


def refusing(_name: str, arguments: dict[str, Any]) -> CallToolResult:
    if arguments:
        raise MCPError(code=-32602, message="No.")
    return result(SUCCESSES[Dialect.DISCRIMINATED])


def hostile() -> None:
    """Send what could break out of its line, wherever there is a place for it."""

    def answer(_name: str, arguments: dict[str, Any]) -> CallToolResult:
        if arguments:
            raise MCPError(code=-32602, message=HOSTILE)
        action = {"instruction": HOSTILE, "tool": HOSTILE, "arguments": {HOSTILE: HOSTILE}}
        issue = {"code": "c", "stage": "s", "message": HOSTILE, "retryable": True, HOSTILE: None}
        data = {"status": "partial", "issues": [issue], HOSTILE: HOSTILE, "next_action": action}
        return result({"summary": HOSTILE, "data": data, "meta": {}, HOSTILE: 1}, "no")

    serve([tool(HOSTILE, enum=[HOSTILE]), tool("plain"), tool("asking", HOSTILE)], answer)


def dying() -> None:
    """End in the middle of a call, at once: `sys.exit` would wait for the thread that reads stdin."""
    serve([tool("die")], lambda *_: os._exit(3))


def plain() -> None:
    """Have no envelope: what the SDK makes of functions."""
    server = MCPServer("plain")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def add(a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b

    @server.tool()
    def forget() -> str:
        """Forget everything."""
        return "forgotten"

    server.run()


if __name__ == "__main__":
    known: dict[str, Callable[..., None]] = {
        "rules": rules,
        "recording": recording,
        "odd": odd,
        "hostile": hostile,
        "dying": dying,
        "plain": plain,
    }
    known[sys.argv[1]](*sys.argv[2:])
