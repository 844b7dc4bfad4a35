"""Good and bad calls in every dialect: each reply by the rules, by its schema, and to the point."""

from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from envelope.facts import facts_of
from mcp_envelope import Dialect, check_reply
from server.call_table import BAD, GOOD, SEARCH, SECRET
from server.mailbox import connected


def filled(value: Any, places: dict[str, str]) -> Any:
    """Put the id and the cursor where they belong."""
    if isinstance(value, dict):
        return {key: filled(each, places) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, places) for each in value]
    if isinstance(value, str):
        for name, text in places.items():
            value = value.replace(name, text)
    return value


async def places_of(client: Client) -> dict[str, str]:
    data = ((await client.call_tool(SEARCH, {"limit": 1})).structured_content or {})["data"]
    return {"{id}": data["messages"][0]["message_id"], "{cursor}": data["next_cursor"]}


async def output_schemas(client: Client) -> dict[str, Draft202012Validator]:
    """Check the published schemas once each, which takes longer than to validate a reply by one."""
    schemas = {tool.name: tool.output_schema or {} for tool in (await client.list_tools()).tools}
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    return {name: Draft202012Validator(schema) for name, schema in schemas.items()}


def test_the_table_is_long_enough() -> None:
    assert len(GOOD) >= 20
    assert len(BAD) >= 60


@pytest.mark.parametrize("dialect", Dialect)
def test_good_calls_succeed(dialect: Dialect) -> None:
    async def run() -> None:
        async with connected(dialect=dialect) as client:
            schemas = await output_schemas(client)
            places = await places_of(client)
            for tool, arguments in GOOD:
                result = await client.call_tool(tool, filled(arguments, places))
                assert not result.is_error, (tool, arguments, result.content)
                assert check_reply(result.structured_content, dialect) == []
                schemas[tool].validate(result.structured_content)

    anyio.run(run)


@pytest.mark.parametrize("dialect", Dialect)
def test_bad_calls_say_all_that_is_wrong_and_repeat_nothing(dialect: Dialect) -> None:
    async def run() -> None:
        async with connected(dialect=dialect) as client:
            schemas = await output_schemas(client)
            places = await places_of(client)
            for bad in BAD:
                result = await client.call_tool(bad.tool, filled(bad.arguments, places))
                said = facts_of(result, dialect)
                assert result.is_error, bad
                assert check_reply(result.structured_content, dialect) == []
                schemas[bad.tool].validate(result.structured_content)
                assert said["code"] == "invalid_input", bad
                assert [problem["field"] for problem in said["problems"]] == list(bad.fields), bad
                assert said["details"]["reason"] == bad.reason, bad
                assert SECRET not in result.model_dump_json(), bad
                assert all(field in getattr(result.content[0], "text", "") for field in bad.fields), bad

    anyio.run(run)
