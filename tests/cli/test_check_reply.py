"""`mailmcp check-reply`: any reply against the rules of its dialect."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mailmcp.cli.main import cli
from mcp_envelope import Dialect

META = {"version": "mailmcp/1", "now_utc": "2026-01-02T03:04:05.678Z", "duration_ms": 1, "request_id": "r1"}
ERROR = {
    "code": "timeout",
    "message": "Too late.",
    "data": {"code": "timeout"},
    "retryable": True,
    "details": {"reason": "command"},
}


def test_a_reply_in_order(tmp_path: Path) -> None:
    path = tmp_path / "reply.json"
    path.write_text(json.dumps({"error": ERROR, "meta": META}))
    result = CliRunner().invoke(cli, ["check-reply", str(path)])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no rules broken\n")


def test_a_reply_on_stdin_that_breaks_rules() -> None:
    reply = json.dumps({"error": {**ERROR, "code": "oops"}, "meta": {}, "data": {}})
    result = CliRunner().invoke(cli, ["check-reply", "-"], input=reply)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert len(lines) > 1
    assert result.stderr == f"{len(lines)} rules broken\n"


def test_a_reply_of_another_dialect_is_not_in_order() -> None:
    reply = json.dumps({"error": ERROR, "meta": META})
    for dialect in (Dialect.RESPONSE_V2, Dialect.DISCRIMINATED):
        result = CliRunner().invoke(cli, ["check-reply", "--envelope", dialect.value, "-"], input=reply)
        assert result.exit_code == 1


@pytest.mark.parametrize("text", ["", "{", "mail"])
def test_what_is_not_json_is_a_mistake(text: str) -> None:
    result = CliRunner().invoke(cli, ["check-reply", "-"], input=text)
    assert result.exit_code == 2
    assert "the reply is not JSON" in result.stderr


@pytest.mark.parametrize("depth", [400, 900, 100_000])
def test_what_is_nested_too_deeply_is_a_mistake(depth: int) -> None:
    """Some of it can still be parsed, and then breaks rules."""
    text = f'{{"data": {"[" * depth}{"]" * depth}, "meta": {{}}}}'
    result = CliRunner().invoke(cli, ["check-reply", "-"], input=text)
    assert result.exit_code == (2 if "the reply is nested too deeply" in result.stderr else 1)
    assert isinstance(result.exception, SystemExit)
    assert depth < 100_000 or result.exit_code == 2


@pytest.mark.parametrize("text", ["null", "[]", "7", '"mail"'])
def test_json_that_is_no_object_breaks_a_rule(text: str) -> None:
    result = CliRunner().invoke(cli, ["check-reply", "-"], input=text)
    assert result.exit_code == 1
    assert result.stdout
