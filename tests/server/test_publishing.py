"""What is published of the tools, and what it costs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripts.benchmarks.vocabulary import count_tokens

from mailmcp.imap.account import Writes
from mailmcp.server.app import Options, make_toolset, write_instructions
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.registry import load_tools
from servers.logins import plain_account

WRITABLE = replace(plain_account("127.0.0.1", 143, "user", "fake-password"), writes=Writes.ALL)


def published(name: str, *, lean_rows: bool = False) -> dict[str, Any]:
    tools = make_toolset(Options(lean_rows=lean_rows), [WRITABLE]).publish()
    return next(each for each in tools if each.name == name).model_dump(
        mode="json", by_alias=True, exclude_none=True
    )


TOKENS_MAX = 3_400
"""For all tools that read mail, but for `imap_get_changes`: every host pays for them in each session."""

CHANGES_TOKENS_MAX = 350
WRITING_TOKENS_MAX = {"imap_change_messages": 600, "imap_save_draft": 400, "imap_undo": 200}

INSTRUCTIONS_TOKENS_MAX = 160


def test_the_list_of_tools_is_short() -> None:
    written = {tool.name: json.dumps(published(tool.name), separators=(",", ":")) for tool in load_tools()}
    spent = {name: count_tokens(text) for name, text in written.items()}
    assert spent.pop("imap_get_changes") <= CHANGES_TOKENS_MAX
    for name in {*WRITING_TOKENS_MAX} & {*spent}:
        assert spent.pop(name) <= WRITING_TOKENS_MAX[name]
    assert sum(spent.values()) <= TOKENS_MAX, spent


@pytest.mark.parametrize("name", [tool.name for tool in load_tools()])
def test_input_schemas_are_flat_objects_without_combinators(name: str) -> None:
    """Hosts choke on them, and on `null` as a default."""
    schema = published(name)["inputSchema"]
    text = json.dumps(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert not [word for word in ("anyOf", "oneOf", "allOf", "$ref", "null", "title") if f'"{word}"' in text]
    plain = {"string", "integer", "boolean"}
    for argument, each in schema["properties"].items():
        if argument == "search":  # the arguments of another tool, which would cost its tokens again
            assert each["type"] == "object"
            continue
        assert each["type"] in plain or (each["type"], each["items"]) == ("array", {"type": "string"})


def test_only_a_folder_to_save_files_in_makes_a_tool_more_than_read_only(tmp_path: Path) -> None:
    """The mail stays as it is also then; what a host may run without asking is another matter."""
    options = Options(preferences=Preferences(save_folder=tmp_path))
    plain, saving = (make_toolset(each).publish() for each in (Options(), options))
    for before, after in zip(plain, saving, strict=True):
        saves = after.name == "imap_get_attachment"
        assert before.annotations is not None
        assert after.annotations is not None
        assert before.annotations.read_only_hint is True
        assert (after.annotations.read_only_hint, after.annotations.destructive_hint) == (
            (False, False) if saves else (True, None)
        )


def test_tools_that_change_mail_are_listed_only_where_an_account_allows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    levels = {Writes.DRAFTS: "draft", Writes.ORGANIZE: "change", Writes.ALL: "erase"}
    reading = load_tools(writes=False)
    writing = [replace(reading[0], name=name, writes=level) for level, name in levels.items()]
    monkeypatch.setattr("mailmcp.server.app.load_tools", lambda *, writes: (*reading, *(writing * writes)))
    home, work = plain_account("h", 1, "u", "p"), plain_account("w", 1, "u", "p")
    for level in Writes:
        for accounts in ((home, replace(work, writes=level)), (replace(home, writes=level), work)):
            listed = [tool.name for tool in make_toolset(Options(), accounts).publish()][len(reading) :]
            assert listed == [name for each, name in levels.items() if level.includes(each)]
            words = write_instructions(accounts)
            assert ("never changes it" in words) == (level is Writes.OFF)
            assert count_tokens(words) <= INSTRUCTIONS_TOKENS_MAX
    assert not {tool.name for tool in make_toolset(Options()).publish()} & set(levels.values())


def test_lean_rows_are_published_as_they_are() -> None:
    def row(*, lean_rows: bool = False) -> dict[str, Any]:
        schema = published("imap_search_messages", lean_rows=lean_rows)["outputSchema"]
        properties = schema["properties"]["data"]["properties"]["messages"]["items"]["properties"]
        assert isinstance(properties, dict)
        return properties

    assert set(row()) - set(row(lean_rows=True)) == {
        "message_uri",
        "message_raw_uri",
        "mailbox",
        "uidvalidity",
        "uid",
        "size_bytes",
        "has_attachments",
        "header_message_id",
        "email_id",
    }
