"""What is published of the tools, and what it costs."""

import json
from pathlib import Path
from typing import Any

import pytest
from scripts.benchmarks.vocabulary import count_tokens

from mailmcp.server.app import Options, make_toolset
from mailmcp.tools.preferences import Preferences
from mailmcp.tools.registry import TOOLS


def published(name: str, *, lean_rows: bool = False) -> dict[str, Any]:
    tools = make_toolset(Options(lean_rows=lean_rows)).publish()
    return next(each for each in tools if each.name == name).model_dump(
        mode="json", by_alias=True, exclude_none=True
    )


TOKENS_MAX = 3_400
"""For all tools but `imap_get_changes`: every host pays for them in each session."""

CHANGES_TOKENS_MAX = 350


def test_the_list_of_tools_is_short() -> None:
    written = {tool.name: json.dumps(published(tool.name), separators=(",", ":")) for tool in TOOLS}
    spent = {name: count_tokens(text) for name, text in written.items()}
    assert spent.pop("imap_get_changes") <= CHANGES_TOKENS_MAX
    assert sum(spent.values()) <= TOKENS_MAX, spent


@pytest.mark.parametrize("name", [tool.name for tool in TOOLS])
def test_input_schemas_are_flat_objects_without_combinators(name: str) -> None:
    """Hosts choke on them, and on `null` as a default."""
    schema = published(name)["inputSchema"]
    text = json.dumps(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert not [word for word in ("anyOf", "oneOf", "allOf", "$ref", "null", "title") if f'"{word}"' in text]
    plain = {"string", "integer", "boolean"}
    for each in schema["properties"].values():
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
