"""The client of the Python SDK over stdio, in both eras: each reply of each tool in each dialect."""

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from clients.exchange import CALLS, Exchange, Exchanges, JsonObject, problems
from clients.exchange import Client as RunsClient
from clients.site import Site
from mcp_envelope import Dialect
from thinning import thin

TIMEOUT_S = 60.0


def python_legacy(site: Site, dialect: Dialect) -> Exchange:
    """It begins with `initialize`."""
    return anyio.run(_exchange, site, dialect, "legacy")


def python_modern(site: Site, dialect: Dialect) -> Exchange:
    """As it comes: it asks for the modern revision first."""
    return anyio.run(_exchange, site, dialect, "auto")


async def _exchange(site: Site, dialect: Dialect, mode: str) -> Exchange:
    recorded = site.recorded(dialect, f"python-{mode}-{dialect.value}")
    program, *arguments = recorded.command
    server = StdioServerParameters(command=program, args=arguments)
    with anyio.fail_after(TIMEOUT_S):
        async with Client(server, mode=mode) as client:
            listed = await client.list_tools()
            endings = [await _ending(client, each) for each in CALLS]
            version = client.protocol_version
    tools = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in listed.tools]
    return Exchange(version=version, tools=tools, endings=endings, sent=recorded.results())


async def _ending(client: Client, call: JsonObject) -> JsonObject:
    try:
        result = await client.call_tool(call["tool"], call["arguments"])
    except MCPError as error:
        return {"error": {"code": error.code, "message": error.message}}
    except RuntimeError as error:  # structured content that does not fit its schema
        return {"error": {"message": str(error)}}
    return {"result": result.model_dump(mode="json", by_alias=True, exclude_unset=True)}  # null is a value


@pytest.mark.parametrize("dialect", thin(Dialect, keep_every=len(Dialect)))
@pytest.mark.parametrize(
    ("client", "version"), [(python_legacy, "2025-11-25"), (python_modern, "2026-07-28")]
)
def test_client_hands_over_every_reply_unharmed(
    exchanges: Exchanges, client: RunsClient, version: str, dialect: Dialect
) -> None:
    exchange = exchanges.of(client, dialect)
    assert exchange.version == version
    assert problems(exchange, dialect) == []
    assert exchange.endings[-1]["error"]["code"] == INVALID_PARAMS
