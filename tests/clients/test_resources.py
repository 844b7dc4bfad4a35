"""Every client in every era reads resources of each kind, and meets each error."""

from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from clients.node import run_driver
from clients.resource_cases import (
    LISTS,
    REQUESTS,
    Era,
    JsonObject,
    error_codes,
    list_problems,
    read_problems,
    told_codes,
)
from clients.site import Site
from mcp_envelope import Dialect

TIMEOUT_S = 60.0


def check(endings: list[JsonObject]) -> None:
    """Hold lists and reads against what they should be."""
    reads = endings[len(LISTS) : len(REQUESTS)]
    assert list(list_problems(endings[: len(LISTS)])) == []
    assert list(read_problems(reads)) == []


def codes(endings: list[JsonObject]) -> dict[str, tuple[int, str]]:
    return told_codes(endings[len(LISTS) : len(REQUESTS)])


@pytest.mark.parametrize(("mode", "era"), [("legacy", "legacy"), ("auto", "modern")])
def test_the_python_client(site: Site, mode: str, era: Era) -> None:
    program, *arguments = site.serve(Dialect.SUMMARY)

    async def run() -> list[JsonObject]:
        server = StdioServerParameters(command=program, args=arguments)
        with anyio.fail_after(TIMEOUT_S):
            async with Client(server, mode=mode) as client:
                return [await _ending(client, each) for each in REQUESTS]

    endings = anyio.run(run)
    check(endings)
    assert codes(endings) == error_codes(era)


async def _ending(client: Client, request: JsonObject) -> JsonObject:
    try:
        result = await _ask(client, request["method"], request["params"])
    except MCPError as error:
        return {"error": {"code": error.code, "message": error.message, "data": error.data}}
    return {"result": result}


async def _ask(client: Client, method: str, params: JsonObject) -> JsonObject:
    match method:
        case "resources/list":
            result: Any = await client.list_resources()
        case "resources/templates/list":
            result = await client.list_resource_templates()
        case _:
            result = await client.read_resource(params["uri"])
    written: JsonObject = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    return written


@pytest.mark.full
@pytest.mark.usefixtures("node")
@pytest.mark.parametrize(
    ("driver", "era"),
    [(("ts_v1.mjs",), "legacy"), (("ts_v2.mjs", "modern"), "modern")],
    ids=["1", "2-modern"],
)
def test_the_typescript_clients(site: Site, driver: tuple[str, ...], era: Era) -> None:
    _, *endings = run_driver(*driver, *site.serve(Dialect.SUMMARY), calls=REQUESTS)
    check(endings)
    assert codes(endings) == error_codes(era)


@pytest.mark.full
@pytest.mark.usefixtures("node")
def test_the_typescript_client_2_in_the_legacy_era(site: Site) -> None:
    """It turns the old code for what is not found into the new one by itself, and keeps only the URI."""
    _, *endings = run_driver("ts_v2.mjs", "legacy", *site.serve(Dialect.SUMMARY), calls=REQUESTS)
    check(endings)
    right = {
        name: (-32602, "") if code == "not_found" else (rpc, code)
        for name, (rpc, code) in error_codes("legacy").items()
    }
    assert codes(endings) == right


@pytest.mark.full
@pytest.mark.usefixtures("node")
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector(site: Site, era: Era) -> None:
    """Over HTTP; it shows an error's words, exits with 1."""
    home = {"HOME": str(site.home)}
    _, *endings = run_driver("inspector.mjs", era, site.url(Dialect.SUMMARY), calls=REQUESTS, env=home)
    check(endings)
    failing = error_codes(era)
    exits = [ending["exit"] for ending in endings[len(LISTS) :]]
    assert sum(exits) == len(failing)
    assert set(exits) == {0, 1}
