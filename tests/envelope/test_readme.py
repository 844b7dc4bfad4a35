"""The library's README: what it shows can be pasted and run."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from mcp_envelope.testing import CheckedClient

README = Path(__file__).parents[2] / "src" / "mcp-envelope" / "README.md"
TEXT = README.read_text(encoding="utf-8")
SERVER, TEST = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https://)([^)#]+)")


@pytest.fixture
def pasted(tmp_path: Path) -> Path:
    (tmp_path / "capitals.py").write_text(SERVER, encoding="utf-8")
    (tmp_path / "test_capitals.py").write_text(TEST, encoding="utf-8")
    return tmp_path


def in_folder(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, timeout=100, check=False
    )


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_the_smallest_server_runs(pasted: Path, era: Literal["legacy", "auto"]) -> None:
    async def run() -> list[CallToolResult]:
        command = StdioServerParameters(command=sys.executable, args=[str(pasted / "capitals.py")])
        with anyio.fail_after(60):
            async with Client(command, mode=era) as client:
                checked = CheckedClient(client)
                return [
                    await checked.call_tool("find_capital", {"country": each})
                    for each in ("Japan", "Atlantis")
                ]

    found, missing = anyio.run(run)
    assert (found.structured_content or {})["data"]["city"] == "Tokyo"
    assert missing.is_error


def test_its_test_passes(pasted: Path) -> None:
    done = in_folder(pasted, "pytest", "-q", "-p", "no:cacheprovider", "test_capitals.py")
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_links_lead_somewhere_and_it_is_short() -> None:
    links = LINK.findall(TEXT)
    assert links
    assert [each for each in links if not (README.parent / each).exists()] == []
    assert len(TEXT.splitlines()) <= 190
