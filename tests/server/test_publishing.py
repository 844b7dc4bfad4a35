"""What is published of the tools: what it costs them, and whether it is what was written."""

import json
from typing import Any

import anyio
import pytest
from mcp import Client
from scripts.benchmarks.vocabulary import count_listed_tokens
from scripts.published_schemas import FOLDER

from mailmcp.imap.account import Account, Password
from mailmcp.server.app import build_server
from mailmcp.server.publishing import publish_all, write_published
from mailmcp.tools.registry import TOOLS
from mcp_envelope import Dialect


def published(name: str, **options: bool) -> dict[str, Any]:
    return next(each for each in publish_all(Dialect.SUMMARY, **options) if each["name"] == name)


@pytest.mark.parametrize("dialect", Dialect)
def test_published_files_are_up_to_date(dialect: Dialect) -> None:
    """A change of a contract shows as a diff: `scripts/docs` writes the new one."""
    assert (FOLDER / f"{dialect.value}.json").read_text(encoding="utf-8") == write_published(dialect)


def test_there_are_files_only_for_the_dialects() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{dialect.value}.json" for dialect in Dialect}


def test_the_list_of_tools_is_short() -> None:
    """Every host pays for it in each session: 650 tokens a tool on average in the default dialect."""

    async def count() -> tuple[int, int]:
        account = Account(
            account_id="home", host="localhost", port=993, user="ann", credentials=Password(lambda: "")
        )
        async with Client(build_server([account])) as client:
            return await count_listed_tokens(client)

    tools, tokens = anyio.run(count)
    assert tools == len(TOOLS)
    assert tokens / tools <= 650


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


def test_all_tools_are_read_only_and_say_so() -> None:
    assert all(tool.read_only for tool in TOOLS)
    assert all(tool["annotations"]["readOnlyHint"] is True for tool in publish_all(Dialect.SUMMARY))


def test_a_tool_that_saves_files_is_not_read_only_and_not_destructive() -> None:
    changed = [
        (tool["name"], tool["annotations"])
        for tool, plain in zip(
            publish_all(Dialect.SUMMARY, saving=True), publish_all(Dialect.SUMMARY), strict=True
        )
        if tool != plain
    ]
    assert changed == [
        ("imap_get_attachment", {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": True})
    ]


def test_lean_rows_are_published_as_they_are() -> None:
    def row(**options: bool) -> dict[str, Any]:
        schema = published("imap_search_messages", **options)["outputSchema"]
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
