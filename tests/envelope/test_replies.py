"""The files of good and bad replies, the schema for other languages, and the checker: all agree."""

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mcp_envelope import Dialect, check_reply
from mcp_envelope.__main__ import main
from mcp_envelope.check import SCHEMAS, Mode, check_result, is_failure

REPLIES = Path(__file__).parents[2] / "src" / "mcp-envelope" / "replies"
CASES = [
    pytest.param(dialect, case, id=f"{dialect.value}: {case['case']}")
    for dialect in Dialect
    for case in json.loads((REPLIES / f"{dialect.value}.json").read_text(encoding="utf-8"))
]


def broken_rules(reply: object, dialect: Dialect, mode: Mode) -> list[str]:
    """Name each broken rule by the path of what is wrong, missing or too much, and the keyword that says so.

    Comparisons, which have no keyword, are named as the checker does.
    """
    schema = json.loads(SCHEMAS.read_text(encoding="utf-8"))
    name = dialect.value + ("_strict" if mode is Mode.STRICT else "")
    rules = set()
    for error in jsonschema.Draft202012Validator(schema | {"$ref": f"#/$defs/{name}"}).iter_errors(reply):
        instance: Any = error.instance
        part: Any = error.schema
        keys: list[str] = []
        if error.validator == "required":
            keys = [key for key in part["required"] if key not in instance]
        elif error.validator == "additionalProperties" and not part["additionalProperties"]:
            keys = [key for key in instance if key not in part["properties"]]
        for key in keys or [""]:
            path = "".join(f"/{each}" for each in [*error.absolute_path, key] if each != "")
            rules.add(f"{path or '/'}: {error.validator or 'false'}")
    return sorted(rules) or check_reply(reply, dialect, mode)


@pytest.mark.parametrize(("dialect", "case"), CASES)
def test_a_reply_keeps_the_rules_or_breaks_them_as_its_file_says(
    dialect: Dialect, case: dict[str, Any]
) -> None:
    for mode in Mode:
        assert (check_reply(case["reply"], dialect, mode) == []) is case[mode.value]
    laxer = Mode.STRICT if case["convention"] else Mode.CONVENTION
    assert broken_rules(case["reply"], dialect, laxer) == case.get("broken", [])


@pytest.mark.parametrize("dialect", Dialect)
def test_each_case_has_a_name_of_its_own(dialect: Dialect) -> None:
    cases = json.loads((REPLIES / f"{dialect.value}.json").read_text(encoding="utf-8"))
    names = [case["case"] for case in cases]
    assert sorted(set(names)) == sorted(names)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMAS.read_text(encoding="utf-8")))


@pytest.mark.parametrize("reply", [None, [], "text", 7, {"error": {"code": []}, "meta": {}}, {"data": [[]]}])
def test_what_is_no_reply_at_all_is_judged(reply: object) -> None:
    for dialect in Dialect:
        for mode in Mode:
            assert check_reply(reply, dialect, mode)
            assert check_result(reply, dialect, mode)


@pytest.mark.parametrize("dialect", Dialect)
def test_a_result_carries_its_envelope_and_says_whether_it_failed(dialect: Dialect) -> None:
    cases = json.loads((REPLIES / f"{dialect.value}.json").read_text(encoding="utf-8"))
    sound = [each["reply"] for each in cases if each["strict"]]
    assert {is_failure(reply) for reply in sound} == {True, False}
    for reply in sound:
        content, failed = [{"type": "text", "text": "t"}], is_failure(reply)
        result = {"content": content, "structuredContent": reply, "isError": failed}
        assert check_result(result, dialect) == []
        assert check_result(result | {"isError": not failed}, dialect) == ["isError contradicts the envelope"]
        assert check_result(result | {"content": []}, dialect)[0].startswith("content has no text")
        assert check_result(result | {"structuredContent": None}, dialect)[0] == "the reply is not an object"


@pytest.mark.parametrize(
    ("reply", "arguments", "status", "said"),
    [
        ('{"success": true, "data": {}}', ["--mode", "convention"], 0, ""),
        ('{"success": true, "data": {}}', [], 1, "data: 'summary' is a required property\n"),
        ('{"success": true, "data": {}, "meta": 1}', ["--mode", "convention"], 1, "the reply: "),
        ("{", [], 2, ""),
    ],
)
def test_the_command_lists_the_rules_that_are_broken(
    reply: str,
    arguments: list[str],
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(reply))
    assert main(["check", "-", "--dialect", "discriminated", *arguments]) == status
    assert capsys.readouterr().out.startswith(said)
