"""Each tool has its name from the list, and each name its tool."""

from mailmcp.tools import names
from mailmcp.tools.registry import TOOLS


def test_each_name_is_that_of_a_tool() -> None:
    listed = [value for name, value in vars(names).items() if name.isupper()]
    assert listed == [tool.name for tool in TOOLS]


def test_a_tool_its_file_and_its_constant_are_called_alike() -> None:
    for name, value in vars(names).items():
        if name.isupper():
            assert value == f"imap_{name.lower()}"
