"""What a server publishes is read from data, and says what the models say."""

import json

import pytest
from mcp.types import Tool

from mailmcp.server.published import read_published
from mailmcp.server.publishing import publish_all
from mailmcp.tools.registry import TOOLS
from mcp_envelope import Dialect


def wire(tool: Tool) -> str:
    return tool.model_dump_json(by_alias=True, exclude_none=True)


@pytest.mark.parametrize("saving", [False, True])
@pytest.mark.parametrize("lean_rows", [False, True])
@pytest.mark.parametrize("dialect", Dialect)
def test_published_tools_equal_their_models(dialect: Dialect, *, lean_rows: bool, saving: bool) -> None:
    """Octet by octet, with the order of all keys."""
    tools = read_published(dialect, lean_rows=lean_rows, saving=saving).values()
    models = publish_all(dialect, lean_rows=lean_rows, saving=saving)
    assert [wire(tool) for tool in tools] == [
        json.dumps(tool, separators=(",", ":"), ensure_ascii=False) for tool in models
    ]


def test_tools_are_found_by_name_in_the_order_of_the_list() -> None:
    tools = read_published(Dialect.SUMMARY)
    assert list(tools) == [tool.name for tool in TOOLS]
    assert all(name == tool.name for name, tool in tools.items())


def test_each_read_returns_independent_tools() -> None:
    saving = read_published(Dialect.SUMMARY, saving=True)["imap_get_attachment"].annotations
    plain = read_published(Dialect.SUMMARY)["imap_get_attachment"].annotations
    assert saving is not None
    assert plain is not None
    assert (saving.read_only_hint, plain.read_only_hint) == (False, True)
