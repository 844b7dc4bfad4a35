"""`mailmcp schema`: the tools as clients see them."""

import json

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from mailmcp.cli.main import cli
from mailmcp.tools.registry import TOOLS
from mcp_envelope import Dialect


@pytest.mark.parametrize("dialect", list(Dialect))
def test_all_tools_are_printed_with_both_schemas(dialect: Dialect) -> None:
    result = CliRunner().invoke(cli, ["schema", "--envelope", dialect.value])
    assert result.exit_code == 0
    published = json.loads(result.stdout)
    assert [tool["name"] for tool in published] == [tool.name for tool in TOOLS]
    for tool in published:
        Draft202012Validator.check_schema(tool["inputSchema"])
        Draft202012Validator.check_schema(tool["outputSchema"])


def test_one_tool_alone() -> None:
    result = CliRunner().invoke(cli, ["schema", "imap_get_message"])
    assert json.loads(result.stdout)["name"] == "imap_get_message"


def test_rows_have_two_forms() -> None:
    full, lean = (CliRunner().invoke(cli, ["schema", "--rows", rows]).stdout for rows in ("full", "lean"))
    assert len(lean) < len(full)
    assert "Rows of listed messages" in CliRunner().invoke(cli, ["schema", "--help"]).stdout


def test_an_unknown_tool_is_a_mistake_that_names_the_known_ones() -> None:
    result = CliRunner().invoke(cli, ["schema", "imap_delete_everything"])
    assert result.exit_code == 2
    assert "imap_list_accounts, imap_list_mailboxes" in result.stderr
