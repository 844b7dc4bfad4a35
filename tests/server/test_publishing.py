"""What is published of the tools, and what it costs."""

import json
from typing import Any

import anyio
import pytest
from mcp import Client
from scripts.benchmarks.vocabulary import count_listed_tokens

from mailmcp.imap.account import Account, Password
from mailmcp.server.app import Options, build_server, make_toolset
from mailmcp.tools.registry import TOOLS


def published(name: str, *, lean_rows: bool = False) -> dict[str, Any]:
    tools = make_toolset(Options(lean_rows=lean_rows)).publish()
    return next(each for each in tools if each.name == name).model_dump(mode="json", by_alias=True)


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
