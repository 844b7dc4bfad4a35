"""The probe, run on servers over stdio."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest

from clients.node import MODULES, find_node, why_not
from envelope.probe.broken import RULES, Rule
from envelope.probe.servers import HOSTILE
from mcp_envelope.probe.command import probe, run
from mcp_envelope.probe.report import Report, write_json, write_text
from mcp_envelope.probe.verdict import Verdict

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "src" / "mcp-envelope" / "examples"


def probed(*command: str, **options: Any) -> Report:
    async def running() -> Report:
        return await probe(command, timeout_s=60.0, **options)

    return anyio.run(running)


def probed_server(name: str, *arguments: str, **options: Any) -> Report:
    return probed(sys.executable, str(HERE / "servers.py"), name, *arguments, **options)


def by_tool(report: Report) -> dict[str, Verdict]:
    return {each.tool: each for each in report.verdicts}


def command_line(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mcp_envelope", "probe", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


@cache
def broken_rules() -> dict[str, Verdict]:
    return by_tool(probed_server("rules"))


@pytest.mark.parametrize(
    ("number", "rule"), list(enumerate(RULES)), ids=[f"{each.dialect}: {each.says}" for each in RULES]
)
def test_each_broken_rule_is_found(number: int, rule: Rule) -> None:
    verdict = broken_rules()[f"rule_{number}"]
    assert verdict.dialect is rule.dialect
    assert any(rule.says in each for each in verdict.broken), verdict.broken
    assert all(each.endswith("(valid call)") for each in verdict.broken)
    assert not verdict.is_in_order


@pytest.mark.parametrize("server", ["tickets.py", "tickets_mcpserver.py"])
def test_the_examples_are_in_order(server: str) -> None:
    done = command_line("--strict", "--", sys.executable, str(EXAMPLES / server))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert "`search_tickets`: follows summary" in lines
    assert '  next call: success `{"cursor": "3.2"}`' in lines
    assert '  valid call: success `{"ticket_id": "T-1"}`' in lines
    assert lines.count("  isError: agrees with every envelope") == 3
    assert lines.count("  text: has every text of the structured content") == 3
    assert lines.count("  output schema: published, and every reply satisfies it") == 3
    assert lines[-1] == "ok"


def test_mailmcp_is_in_order() -> None:
    report = probed(sys.executable, "-m", "mailmcp", "demo", "--log-level", "error", strict=True)
    assert [each.tool for each in report.verdicts if not each.is_in_order or each.why_not_called] == []
    assert report.is_in_order
    calls = by_tool(report)["imap_get_message"].calls
    assert {each["kind"]: each["ended"] for each in calls}["valid call"] == "success"


def test_a_server_of_the_sdk_has_no_envelope() -> None:
    report = probed_server("plain")
    verdicts = by_tool(report)
    assert verdicts["forget"].why_not_called
    assert (verdicts["add"].dialect, verdicts["add"].has_schema, verdicts["add"].schema) == (None, True, [])
    assert "not ok: there are replies without an envelope" in write_text(report).splitlines()


def test_the_typescript_example_is_called_if_it_is_allowed() -> None:
    if missing := why_not():
        pytest.skip(missing)
    example = MODULES / "@modelcontextprotocol/sdk/dist/esm/examples/server/mcpServerOutputSchema.js"
    command = [str(find_node()), str(example)]
    assert by_tool(probed(*command))["get_weather"].calls == []
    verdict = by_tool(probed(*command, allowed=["get_weather"]))["get_weather"]
    assert (verdict.dialect, verdict.schema, verdict.unsaid) == (None, [], [])
    assert verdict.remarks == ["it accepts a call with one unknown argument"]


@pytest.mark.parametrize(
    ("allowed", "called"),
    [
        ((), {"read", "read_on"}),
        (("unmarked",), {"read", "read_on", "unmarked"}),
        (("write",), {"read", "read_on", "write"}),
    ],
)
def test_nothing_is_called_that_is_not_read_only_or_named(
    tmp_path: Path, allowed: tuple[str, ...], called: set[str]
) -> None:
    record = tmp_path / "calls"
    report = probed_server("recording", str(record), allowed=allowed)
    assert set(record.read_text(encoding="utf-8").split()) == called
    assert {each.tool for each in report.verdicts if not each.why_not_called} == called


@cache
def odd() -> dict[str, Verdict]:
    return by_tool(probed_server("odd"))


@pytest.mark.parametrize(
    ("tool", "field", "finding"),
    [
        ("quiet_failure", "is_error", "a failure doesn't set isError (unknown argument)"),
        ("loud_success", "is_error", "a success sets isError (valid call)"),
        ("unsaid", "unsaid", "data.books[] (valid call)"),
        ("unsaid_failure", "unsaid", "error.message (valid call)"),
        ("only_text", "remarks", "the envelope is the text, and there is no structured content"),
        ("wrong_schema", "schema", "$.success: True is not of type 'integer' (valid call)"),
        ("foreign_schema", "schema", "the schema can't be read (valid call)"),
        ("refusing", "remarks", "models may not see JSON-RPC error -32602: No. (unknown argument)"),
        (
            "unmakeable",
            "remarks",
            "no valid call was made, since its arguments can't be invented: isbn: its pattern is ^97[89]-",
        ),
        ("unmakeable", "remarks", "no call succeeded, so only its failures were judged"),
    ],
)
def test_what_is_wrong_around_the_envelope_is_found(tool: str, field: str, finding: str) -> None:
    assert finding in getattr(odd()[tool], field)


def test_a_refusal_of_wrong_arguments_breaks_no_rule() -> None:
    assert odd()["refusing"].is_in_order


def test_a_text_that_is_no_envelope_follows_no_dialect() -> None:
    assert (odd()["only_text"].dialect, odd()["words"].dialect) == ("discriminated", None)


def test_a_server_that_ends_in_a_call_is_not_in_order() -> None:
    report = probed_server("dying")
    assert by_tool(report)["die"].broken
    assert not report.is_in_order


def test_nothing_that_a_server_sends_breaks_out_of_its_line() -> None:
    report = probed_server("hostile")
    text = write_text(report)
    assert {each.tool: each.dialect for each in report.verdicts}["plain"] == "summary"
    assert "not a time in UTC" in text
    assert "ok" not in text.splitlines()
    assert not any(each.startswith("`fine`") for each in text.splitlines())
    assert all(each.isprintable() for each in text.split("\n"))
    assert max(map(len, text.splitlines())) < 500
    assert json.loads(write_json(report))["tools"][0]["tool"] == HOSTILE
    assert write_json(report).isascii()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["/nonexistent/server"], "couldn't be started"),
        ([sys.executable, "-c", "import sys; sys.exit('\\x1b[2Jno settings')"], "no settings"),
    ],
)
def test_a_server_that_does_not_start_is_told_apart(
    command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command, allowed=(), timeout_s=60.0, strict=False, as_json=False) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "\x1b" not in told


def test_a_server_that_says_nothing_is_given_up(capsys: pytest.CaptureFixture[str]) -> None:
    silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    assert run(silent, allowed=(), timeout_s=0.1, strict=False, as_json=False) == 2
    assert "didn't answer within 0.1 s" in capsys.readouterr().err


def test_lines_on_stdout_that_are_no_messages_are_counted() -> None:
    report = probed("sh", "-c", 'echo hello; exec "$@"', "sh", sys.executable, str(EXAMPLES / "tickets.py"))
    assert report.stray_lines == 1
    assert "stdout: 1 line that no client can read; log to stderr" in write_text(report).splitlines()


def test_the_exit_status_and_the_json_say_that_a_rule_is_broken() -> None:
    done = command_line("--json", "--", sys.executable, str(HERE / "servers.py"), "rules", "0")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert found["in_order"] is False
    assert found["tools"][0]["broken"] == [f"{RULES[0].says} (valid call)"]
    assert found["tools_list"]["octets"] > 0
