"""The tools as declared."""

import re
from pathlib import Path

from mailmcp.imap.account import Writes
from mailmcp.tools.registry import load_tools

NAMES = [tool.name for tool in load_tools()]


def test_every_tool_is_described_and_read_only_unless_it_writes() -> None:
    for tool in load_tools():
        assert tool.read_only is (tool.writes is Writes.OFF)
        assert re.fullmatch(r"imap_[a-z_]+", tool.name)
        assert tool.title
        assert tool.description.endswith(".")
    assert len(set(NAMES)) == len(NAMES)


def test_the_readme_lists_every_tool() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert list(dict.fromkeys(re.findall(r"`(imap_[a-z_]+)`", readme))) == NAMES
