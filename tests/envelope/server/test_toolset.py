"""Tools called through a real client, in both eras of the protocol, on both servers of the SDK."""

import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp_types import INVALID_PARAMS, CallToolResult
from pydantic import BaseModel, Field

from mcp_envelope import Arguments, Dialect, NotFoundError, Outcome, Page, Tool
from mcp_envelope.mcpserver import EnvelopeServer
from mcp_envelope.server import Call, Toolset
from mcp_envelope.testing import BrokenReplyError, CheckedClient

SECRET = "Xq9-never-in-a-reply"
Era = Literal["auto", "legacy"]
Build = Callable[[Toolset], "Server[Any] | MCPServer"]


class Reason(StrEnum):
    GONE = "gone"


class Shelf(BaseModel):
    books: list[str]


class Wanted(Arguments):
    title: str = Field("", description="Part of it.")
    rows: int = Field(2, ge=1)


class Paged(Arguments):
    cursor: str = ""


def low_level(tools: Toolset) -> Server[Any]:
    return Server("shelf", on_list_tools=tools.list_tools, on_call_tool=tools.call_tool)


def high_level(tools: Toolset) -> MCPServer:
    server = EnvelopeServer("shelf", tools)

    @server.tool(structured_output=False)
    def plain() -> str:
        """A tool of the server's own."""
        return "plain"

    return server


def make_tools(dialect: Dialect = Dialect.SUMMARY, **options: Any) -> Toolset:
    tools = Toolset("shelf/1", dialect=dialect, **options)

    @tools.tool(read_only=True)
    async def find(arguments: Wanted, call: Call) -> Outcome[Shelf]:
        """Find books."""
        call.report(1, 2, "looking")
        call.telemetry["look_ups"] = 3
        call.log_fields["shelf"] = "A"
        return Outcome(summary="1 book", data=Shelf(books=[arguments.title] * arguments.rows))

    @tools.tool()
    def find_in_thread(arguments: Wanted, _call: Call) -> Outcome[Shelf]:
        """Find books, in a function that blocks."""
        assert threading.current_thread() is not threading.main_thread()
        return Outcome(summary="1 book", data=Shelf(books=[arguments.title]))

    @tools.tool()
    async def fail(_arguments: Wanted, _call: Call) -> Outcome[Shelf]:
        """Fail as a tool should."""
        raise NotFoundError("There is no such shelf.", reason=Reason.GONE)

    @tools.tool()
    async def break_down(_arguments: Wanted, _call: Call) -> Outcome[Shelf]:
        """Fail as no tool should."""
        raise ZeroDivisionError(SECRET)

    @tools.tool()
    async def hang(_arguments: Wanted, _call: Call) -> Outcome[Shelf]:
        """Never end."""
        await anyio.sleep_forever()
        raise AssertionError

    @tools.tool()
    async def page(arguments: Paged, _call: Call) -> Outcome[Shelf]:
        """Give two pages."""
        more = Page(page_size=1, cursor=None if arguments.cursor else "2")
        return Outcome(summary="1 book", data=Shelf(books=["a"]), page=more)

    @tools.tool()
    async def forget_page(_arguments: Paged, _call: Call) -> Outcome[Shelf]:
        """Take a cursor and give no page."""
        return Outcome(summary="1 book", data=Shelf(books=["a"]))

    return tools


@asynccontextmanager
async def connected(tools: Toolset, build: Build = low_level, era: Era = "auto") -> AsyncIterator[Client]:
    async with Client(build(tools), mode=era) as client:
        yield client


def call(name: str, arguments: dict[str, Any] | None = None, **options: Any) -> CallToolResult:
    async def run() -> CallToolResult:
        async with connected(make_tools(**options)) as client:
            return await CheckedClient(client, options.get("dialect", Dialect.SUMMARY)).call_tool(
                name, arguments or {}
            )

    return anyio.run(run)


def text(result: CallToolResult) -> str:
    return getattr(result.content[0], "text", "")


@pytest.mark.parametrize("era", ["auto", "legacy"])
@pytest.mark.parametrize("build", [low_level, high_level])
@pytest.mark.parametrize("dialect", Dialect)
def test_every_reply_of_every_tool_is_in_order(dialect: Dialect, build: Build, era: Era) -> None:
    async def run() -> None:
        async with connected(make_tools(dialect), build, era) as client:
            checked = CheckedClient(client, dialect)
            for name in ("find", "find_in_thread", "page"):
                assert not (await checked.call_tool(name)).is_error
            for name in ("fail", "break_down", "forget_page"):
                assert (await checked.call_tool(name)).is_error
            assert (await checked.call_tool("find", {"colour": "red"})).is_error
            with pytest.raises(MCPError) as caught:
                await client.call_tool("burn", {})
            assert caught.value.error.code == INVALID_PARAMS

    anyio.run(run)


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_an_mcpserver_keeps_tools_of_its_own(era: Era) -> None:
    async def run() -> None:
        async with connected(make_tools(), high_level, era) as client:
            assert "plain" in [tool.name for tool in (await client.list_tools()).tools]
            assert text(await client.call_tool("plain", {})) == "plain"

    anyio.run(run)


def test_arguments_are_read_as_models_send_them() -> None:
    reply = call("find", {"title": None, "rows": "3"}).structured_content or {}
    assert reply["data"]["books"] == ["", "", ""]


def test_telemetry_is_in_the_reply() -> None:
    reply = call("find").structured_content or {}
    assert reply["meta"]["telemetry"] == {"look_ups": 3}


def test_a_bug_is_answered_as_internal_and_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    result = call("break_down")
    assert SECRET not in result.model_dump_json()
    reply = result.structured_content or {}
    assert (reply["error"]["code"], reply["error"]["details"]["reason"]) == ("internal", "unexpected")
    (logged,) = [record for record in caplog.records if record.exc_info]
    assert vars(logged)["request_id"] == reply["meta"]["request_id"]


def test_a_tool_that_takes_a_cursor_and_gives_no_page_is_a_bug(caplog: pytest.LogCaptureFixture) -> None:
    assert call("forget_page").is_error
    assert any("cursor" in str(record.exc_info) for record in caplog.records if record.exc_info)


def test_a_call_that_never_ends_is_stopped() -> None:
    """A second after its deadline, since the tool may have more to say about it."""
    reply = call("hang", timeout_s=-1.0).structured_content or {}
    assert (reply["error"]["code"], reply["error"]["details"]["reason"]) == ("timeout", "deadline")


def test_the_next_page_is_offered_and_leads_to_the_last_one() -> None:
    first = call("page")
    action = (first.structured_content or {})["data"]["next_action"]
    assert (action["tool"], action["arguments"]) == ("page", {"cursor": "2"})
    last = call(action["tool"], action["arguments"]).structured_content or {}
    assert last["data"]["has_more"] is False
    assert "next_action" not in last["data"]


@pytest.mark.parametrize(
    ("name", "level", "outcome"),
    [
        ("find", logging.INFO, "ok"),
        ("fail", logging.WARNING, "not_found/gone"),
        ("break_down", logging.ERROR, "internal/unexpected"),
    ],
)
def test_a_call_is_one_line_of_the_log_at_the_level_of_its_outcome(
    caplog: pytest.LogCaptureFixture, name: str, level: int, outcome: str
) -> None:
    caplog.set_level(logging.INFO, "shelf")
    reply = call(name).structured_content or {}
    (line,) = [record for record in caplog.records if hasattr(record, "outcome") and not record.exc_info]
    said = vars(line)
    assert (line.name, line.levelno, said["outcome"], said["tool"]) == ("shelf", level, outcome, name)
    assert said["request_id"] == reply["meta"]["request_id"]
    assert name != "find" or (said["shelf"], said["look_ups"]) == ("A", 3)


def test_a_trace_of_the_caller_is_in_the_reply() -> None:
    async def run() -> CallToolResult:
        async with connected(make_tools()) as client:
            meta: Any = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
            return await client.call_tool("find", {}, meta=meta)

    reply = anyio.run(run).structured_content or {}
    assert (reply["meta"]["trace_id"], reply["meta"]["span_id"]) == ("a" * 32, "b" * 16)


def test_progress_reaches_a_client_that_asks_for_it() -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def run() -> None:
        async with connected(make_tools()) as client:
            await client.call_tool("find", {}, progress_callback=note)

    anyio.run(run)
    assert told == [(1.0, 2.0, "looking")]


def test_a_reply_that_breaks_a_rule_fails_the_test_that_asked_for_it() -> None:
    """What the checked client is for: here the dialect is another than the server's."""

    async def run() -> None:
        async with connected(make_tools()) as client:
            with pytest.raises(BrokenReplyError, match="success"):
                await CheckedClient(client, Dialect.DISCRIMINATED).call_tool("find")

    anyio.run(run)


class Contradicting(BaseModel):
    has_more: bool


async def contradict(_arguments: Wanted, _call: Call) -> Outcome[Contradicting]:
    """Say again what the envelope says."""
    return Outcome(summary="s", data=Contradicting(has_more=True))


async def unannotated(_arguments, _call):  # type: ignore[no-untyped-def]
    """Say nothing of its types."""


def test_a_function_may_leave_out_the_call() -> None:
    tools = Toolset("shelf/1")

    @tools.tool()
    def find(arguments: Wanted) -> Outcome[Shelf]:
        """Find books, in a thread."""
        return Outcome(summary="1 book", data=Shelf(books=[arguments.title]))

    @tools.tool()
    async def look(_arguments: Arguments) -> Outcome[Shelf]:
        """Look at the shelf, on the event loop."""
        await anyio.lowlevel.checkpoint()
        return Outcome(summary="1 book", data=Shelf(books=["a"]))

    async def run() -> list[Any]:
        async with Client(tools.server()) as client:
            results = [await client.call_tool("find", {"title": "a"}), await client.call_tool("look", {})]
            return [(each.structured_content or {})["data"]["books"] for each in results]

    assert anyio.run(run) == [["a"], ["a"]]


def test_data_cannot_say_again_what_the_envelope_says() -> None:
    with pytest.raises(ValueError, match="has_more"):
        Tool.of(contradict)


def test_a_function_without_annotations_is_refused() -> None:
    with pytest.raises(TypeError, match="first parameter"):
        Tool.of(unannotated)


async def answer_with_a_text(_arguments: Wanted) -> Outcome[Shelf]:
    """Take a text for a tuple of lines."""
    return Outcome(summary="s", data=Shelf(books=[]), blocks="- a")  # type: ignore[arg-type]


async def fail_without_an_enumeration(_arguments: Wanted) -> Outcome[Shelf]:
    """Give a reason that is a plain text."""
    raise NotFoundError("There is no such shelf.", reason="gone")  # type: ignore[arg-type]


@pytest.mark.parametrize("run", [answer_with_a_text, fail_without_an_enumeration])
def test_a_value_of_a_wrong_type_is_a_bug_like_any_other(run: Any, caplog: pytest.LogCaptureFixture) -> None:
    async def ask() -> CallToolResult:
        async with connected(Toolset("shelf/1", [Tool.of(run)])) as client:
            return await CheckedClient(client).call_tool(run.__name__)

    reply = anyio.run(ask).structured_content or {}
    assert (reply["error"]["code"], reply["error"]["details"]["reason"]) == ("internal", "unexpected")
    assert [record for record in caplog.records if record.exc_info]
