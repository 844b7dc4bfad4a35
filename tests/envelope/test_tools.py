"""Tools on real servers and clients: registration, calls, the log, progress, confirmation, schemas."""

import logging
import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal, cast

import anyio
import pytest
from mcp import Client, MCPError
from mcp.server.lowlevel import Server
from mcp_types import INVALID_PARAMS, CallToolResult, ElicitResult, ErrorData, InputRequiredResult
from pydantic import BaseModel, Field

from envelope.samples import ISSUE, Reason, Shelf
from mcp_envelope import (
    Arguments,
    ConfirmationRequired,
    Confirmations,
    Dialect,
    InternalError,
    Issue,
    NotFoundError,
    Outcome,
    Tool,
    Untrusted,
)
from mcp_envelope.dialects import shape_of
from mcp_envelope.mcpserver import EnvelopeServer
from mcp_envelope.schema import compact_schema
from mcp_envelope.server import Call, Toolset
from mcp_envelope.testing import BrokenReplyError, CheckedClient

SECRET = "Xq9-never-echoed"
ERAS: list[Literal["legacy", "auto"]] = ["legacy", "auto"]
CONFIRMATIONS = Confirmations()


class Wanted(Arguments):
    title: str = ""
    rows: Annotated[int, Field(ge=1)] = 1


class Paged(Arguments):
    cursor: str = ""


class Burnt(Arguments):
    title: str = ""
    confirm: str = ""


class Other(BaseModel):
    pages: int = 1


def book(*titles: str, **options: Any) -> Outcome[Shelf]:
    return Outcome(summary="Books", data=Shelf(books=list(titles)), **options)


async def find(arguments: Wanted, call: Call) -> Outcome[Shelf]:
    """Find books."""
    call.report(1, 2, "looking")
    call.report(1, 2, "reading")
    call.telemetry["look_ups"] = 3
    call.log_fields["shelf"] = "A"
    return book(*[arguments.title] * arguments.rows)


def find_in_thread(arguments: Wanted, call: Call) -> Outcome[Shelf]:
    """Find books, in a function that blocks."""
    assert threading.current_thread() is not threading.main_thread()
    thread = threading.Thread(target=call.report, args=(1, 0, "looking"))
    thread.start()
    thread.join()
    call.report(0, 0, "reading")
    return book(arguments.title)


def fail(_arguments: Arguments) -> Outcome[Shelf]:
    """Fail as a tool should."""
    raise NotFoundError("There is no such shelf.", reason=Reason.GONE)


async def hang(_arguments: Arguments) -> Outcome[Shelf]:
    """Never end."""
    await anyio.sleep_forever()
    raise AssertionError


async def burn(arguments: Burnt) -> Outcome[Shelf]:
    """Burn a book that the user agrees to burn."""
    CONFIRMATIONS.require("burn", arguments, f"Burn {arguments.title}?")
    return book(arguments.title)


async def sell(arguments: Burnt) -> Outcome[Shelf]:
    """Sell a book that the user agrees to sell, in the same words."""
    CONFIRMATIONS.require("sell", arguments, f"Burn {arguments.title}?")
    return book(arguments.title)


def buggy(name: str, make: Callable[[], Any], **options: Any) -> Tool:
    """A tool without an annotated function, which does what `make` does."""

    async def run(_arguments: Arguments) -> Outcome[Any]:
        return cast("Outcome[Any]", make())

    options = {"arguments": Arguments, "takes_context": False, **options}
    return Tool(name=name, description="Fail.", data=Shelf, run=run, **options)


def ask_in_vain() -> Outcome[Shelf]:
    raise ConfirmationRequired("Burn all?", "token")


BUGS = (
    buggy("break_down", lambda: dict[str, Any]()[SECRET]),
    buggy("forget_page", book, arguments=Paged),
    buggy("ask_without_argument", ask_in_vain),
    buggy("return_other_data", lambda: Outcome(summary="s", data=Other())),
    buggy("hide_an_issue", lambda: book("a", issues=(ISSUE,)), has_status=False),
)
TOOLS = (
    *(Tool.of(each) for each in (find, find_in_thread, fail, burn, sell)),
    Tool.of(hang, name="read_for_ever", read_only=True),
    Tool.of(hang, name="write_for_ever"),
    *BUGS,
)


def low_level(tools: Toolset) -> Any:
    return Server("shelf", on_list_tools=tools.list_tools, on_call_tool=tools.call_tool)


def high_level(tools: Toolset) -> Any:
    server = EnvelopeServer(tools)
    server.add_tool(lambda: "plain", name="plain")
    return server


BUILDS = pytest.mark.parametrize("build", [low_level, high_level])


def call(
    name: str,
    arguments: dict[str, Any] | None = None,
    *,
    build: Callable[[Toolset], Any] = low_level,
    era: Literal["legacy", "auto"] = "auto",
    client: dict[str, Any] | None = None,
    send: dict[str, Any] | None = None,
    **options: Any,
) -> CallToolResult:
    """Call a tool of the shelf; `client` has options of the SDK's, `send` those of the request."""

    async def run() -> CallToolResult:
        tools = Toolset("shelf/1", TOOLS, **options)
        async with Client(build(tools), mode=era, **(client or {})) as connected:
            checked = CheckedClient(connected, options.get("dialect", Dialect.SUMMARY))
            return await checked.call_tool(name, arguments, **(send or {}))

    return anyio.run(run)


def reply(result: CallToolResult) -> dict[str, Any]:
    return result.structured_content or {}


@pytest.mark.parametrize("era", ERAS)
@BUILDS
@pytest.mark.parametrize("dialect", Dialect)
def test_every_reply_is_in_order(dialect: Dialect, build: Any, era: Any) -> None:
    for name in ("find", "find_in_thread"):
        assert not call(name, build=build, era=era, dialect=dialect).is_error
    for name in ("fail", "break_down", "burn"):
        assert call(name, build=build, era=era, dialect=dialect).is_error
    with pytest.raises(BaseExceptionGroup) as caught:
        call("lend", build=build, era=era, dialect=dialect)
    found: BaseException = caught.value
    while isinstance(found, BaseExceptionGroup):
        (found,) = found.exceptions
    assert isinstance(found, MCPError)
    assert found.error.code == INVALID_PARAMS
    assert found.error.data == {"code": shape_of(dialect).UNKNOWN_TOOL}


def test_an_mcpserver_keeps_tools_of_its_own_and_a_broken_reply_fails_its_test() -> None:
    async def run() -> str:
        async with Client(high_level(Toolset("shelf/1", [Tool.of(find)]))) as client:
            assert [each.name for each in (await client.list_tools()).tools] == ["find", "plain"]
            with pytest.raises(BrokenReplyError, match=r"looks like summary: pass dialect=Dialect\.SUMMARY;"):
                await CheckedClient(client, Dialect.DISCRIMINATED).call_tool("find")
            return getattr((await client.call_tool("plain", {})).content[0], "text", "")

    assert anyio.run(run) == "plain"


def test_what_a_call_says_is_in_its_reply_and_its_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "shelf")
    meta = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
    found = reply(call("find", {"title": 7, "rows": "2"}, send={"meta": meta}))
    assert found["data"]["books"] == ["7", "7"]
    assert found["meta"]["telemetry"] == {"look_ups": 3}
    assert (found["meta"]["trace_id"], found["meta"]["span_id"]) == ("a" * 32, "b" * 16)
    (line,) = [vars(each) for each in caplog.records if hasattr(each, "outcome")]
    assert (line["name"], line["outcome"], line["tool"], line["shelf"]) == ("shelf", "ok", "find", "A")
    assert (line["look_ups"], line["request_id"]) == (3, found["meta"]["request_id"])
    for header in ("00-x-y-01", f"00-{'0' * 32}-{'b' * 16}-01"):
        assert "trace_id" not in reply(call("find", send={"meta": {"traceparent": header}}))["meta"]


@pytest.mark.parametrize(
    ("name", "level", "outcome"),
    [
        ("fail", logging.WARNING, "not_found/gone"),
        ("burn", logging.WARNING, "auth_failed/confirmation_required"),
        *((each.name, logging.ERROR, "internal/unexpected") for each in BUGS),
    ],
)
def test_a_failure_is_logged_at_its_level_and_a_bug_with_its_traceback(
    caplog: pytest.LogCaptureFixture, name: str, level: int, outcome: str
) -> None:
    result = call(name)
    assert SECRET not in result.model_dump_json()
    error = reply(result)["error"]
    assert f"{error['code']}/{error['details']['reason']}" == outcome
    (line,) = [each for each in caplog.records if hasattr(each, "outcome") and not each.exc_info]
    assert (line.levelno, vars(line)["outcome"]) == (level, outcome)
    assert bool([each for each in caplog.records if each.exc_info]) is (level == logging.ERROR)


def test_a_call_that_never_ends_is_stopped() -> None:
    """A second after its deadline, since the tool may have more to say about it."""
    error = reply(call("read_for_ever", timeout_s=-1.0))["error"]
    assert (error["code"], error["details"]["reason"], error["retryable"]) == ("timeout", "deadline", True)
    late = reply(call("write_for_ever", timeout_s=-1.0, dialect=Dialect.RESPONSE_V2))
    assert "may still be carried out" in late["error"]
    assert (late["data"]["error_code"], late["data"]["details"]["retryable"]) == ("TIMEOUT", False)
    assert late["data"]["remediation"] == "Look whether it was done before you send it again."


def reason(result: CallToolResult) -> str:
    return str(reply(result)["error"]["details"]["reason"])


YES = ElicitResult(action="accept", content={"do_it": True})


@pytest.mark.parametrize("era", ERAS)
@BUILDS
@pytest.mark.parametrize(
    "answer",
    [
        YES,
        ElicitResult(action="accept"),
        ElicitResult(action="accept", content={}),
        ElicitResult(action="accept", content={"do_it": False}),
        ElicitResult(action="accept", content={"do_it": "true"}),
        ElicitResult(action="accept", content={"do_it": 1}),
        ElicitResult(action="accept", content={"confirm": True}),
        ElicitResult(action="decline", content={"do_it": True}),
        ElicitResult(action="cancel"),
    ],
)
def test_a_client_that_can_asks_its_user_who_has_to_fill_in_the_form(
    era: Any, build: Any, answer: ElicitResult
) -> None:
    asked: list[str] = []

    async def fill_in(_context: object, params: Any) -> ElicitResult:
        asked.append(params.message)
        assert params.requested_schema["required"] == ["do_it"]
        assert params.requested_schema["properties"] == {"do_it": {"type": "boolean", "title": "Yes, do it"}}
        return answer

    result = call("burn", {"title": "Emma"}, era=era, build=build, client={"elicitation_callback": fill_in})
    assert asked == ["Burn Emma?"]
    if answer is YES:
        assert reply(result)["data"]["books"] == ["Emma"]
    else:
        assert (reply(result)["error"]["code"], reason(result)) == ("auth_failed", "declined")


def test_an_answer_is_good_once_for_the_question_that_was_asked() -> None:
    """The client keeps the state of the question, and may send what it likes."""

    async def run() -> None:
        options: dict[str, Any] = {"elicitation_callback": never}
        async with Client(low_level(Toolset("shelf/1", TOOLS)), **options) as client:

            async def send(tool: str, title: str, state: str | None) -> CallToolResult:
                return await client.call_tool(
                    tool, {"title": title}, input_responses={"confirm": YES}, request_state=state
                )

            asked = await client.session.call_tool("burn", {"title": "Emma"}, allow_input_required=True)
            assert isinstance(asked, InputRequiredResult)
            assert reason(await send("burn", "Emma", None)) == "declined"
            assert reason(await send("burn", "Emma", "yes")) == "invalid_value"
            assert reason(await send("burn", "Ivanhoe", asked.request_state)) == "plan_changed"
            assert reason(await send("sell", "Emma", asked.request_state)) == "plan_changed"
            assert reply(await send("burn", "Emma", asked.request_state))["data"]["books"] == ["Emma"]
            assert reason(await send("burn", "Emma", asked.request_state)) == "confirmation_used"

    async def never(_context: object, _params: object) -> ElicitResult:
        raise AssertionError

    anyio.run(run)


def test_a_client_whose_asking_fails_gets_the_reply_that_asks() -> None:
    async def fail_to_ask(_context: object, _params: object) -> ErrorData:
        return ErrorData(code=INVALID_PARAMS, message="No form today.")

    options = {"elicitation_callback": fail_to_ask}
    asked = reply(call("burn", {"title": "Emma"}, era="legacy", client=options))["error"]
    assert asked["details"]["reason"] == "confirmation_required"
    action = asked["next_action"]
    assert reply(call(action["tool"], action["arguments"]))["data"]["books"] == ["Emma"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("name", "total"), [("find", 2.0), ("find_in_thread", None)])
def test_progress_of_any_thread_reaches_a_client_that_asks_for_it(name: str, total: float, era: Any) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    call(name, era=era, send={"progress_callback": note})
    assert told == [(1.0, total, "looking"), (1.001, total, "reading")]


class Contradicting(BaseModel):
    has_more: bool


class Unpublishable(BaseModel):
    run: Callable[[], None]


async def contradict(_arguments: Wanted) -> Outcome[Contradicting]:
    """Say again what the envelope says."""
    raise AssertionError


async def publish_a_function(_arguments: Wanted) -> Outcome[Unpublishable]:
    """Have data that no schema describes."""
    raise AssertionError


async def undocumented(_arguments: Wanted) -> Outcome[Shelf]:
    raise AssertionError


async def take_a_number(_arguments: int) -> Outcome[Shelf]:
    """Take what aren't arguments."""
    raise AssertionError


async def unannotated(_arguments, _call):  # type: ignore[no-untyped-def]
    """Say nothing of its types."""


async def take_more(_arguments: Wanted, _call: Call, _more: int) -> Outcome[Shelf]:
    """Take what nobody gives."""
    raise AssertionError


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (contradict, "data.has_more"),
        (publish_a_function, "no JSON schema"),
        (undocumented, "docstring"),
        (take_a_number, "not a subclass of Arguments"),
        (unannotated, "annotate the first parameter"),
        (take_more, "takes its arguments"),
    ],
)
def test_a_tool_that_does_not_fit_is_refused_where_it_is_made(run: Any, error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        Toolset("shelf/1").tool()(run)


def test_other_mistakes_are_refused_where_they_are_made() -> None:
    tools = Toolset("shelf/1", [Tool.of(find)])
    makes: dict[str, Callable[[], object]] = {
        "two tools called find": lambda: tools.add(Tool.of(find)),
        "valid name of a tool": lambda: Tool.of(find, name="find books"),
        "keys of its own called code": lambda: Issue.of(
            NotFoundError("Gone.", reason=Reason.GONE), stage="read", code=1
        ),
        "made of a ToolError": lambda: Issue.of(OSError("Gone."), stage="read"),  # type: ignore[arg-type]
        "'shelf' isn't a name and a number": lambda: Toolset("shelf"),
        "blocks must be": lambda: book(blocks="- a"),
        "must be a word": lambda: Untrusted(label="x\nNext: y", text=""),
        "needs a message": lambda: InternalError(" ", reason=Reason.GONE),
        "needs a summary": lambda: Outcome(summary=" ", data=Shelf(books=[])),
        "member of a StrEnum": lambda: InternalError("Broken.", reason="gone"),  # type: ignore[arg-type]
    }
    for error, make in makes.items():
        with pytest.raises((TypeError, ValueError), match=error):
            make()


class Inner(BaseModel):
    """For programmers."""

    title: str
    count: int | None = None
    children: list["Inner"] = []


class Outer(Arguments):
    inner: Inner | None = Field(None, description="What is inside.")
    word: str = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    either: int | str | None = None


def test_a_schema_says_nothing_that_a_reader_does_not_need() -> None:
    assert compact_schema(Outer, mode="validation") == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "inner": {
                "type": "object",
                "description": "What is inside.",
                "properties": {
                    "title": {"type": "string"},
                    "count": {"type": "integer"},
                    "children": {"type": "array", "items": {"type": "object"}},
                },
                "required": ["title"],
            },
            "word": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
    }
