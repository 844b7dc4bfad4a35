"""The library's README: what it shows can be pasted and run."""

import re
import runpy
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult

from mcp_envelope.testing import CheckedClient

README = Path(__file__).parents[2] / "src" / "mcp-envelope" / "README.md"
TEXT = README.read_text(encoding="utf-8")
SERVER, TEST = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_the_smallest_server_and_its_test_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "capitals.py").write_text(SERVER, encoding="utf-8")
    (tmp_path / "test_capitals.py").write_text(TEST, encoding="utf-8")
    server = runpy.run_path(str(tmp_path / "capitals.py"))["server"]

    async def run() -> CallToolResult:
        async with Client(server) as client:
            return await CheckedClient(client).call_tool("find_capital", {"country": "Japan"})

    assert (anyio.run(run).structured_content or {})["data"]["city"] == "Tokyo"
    monkeypatch.syspath_prepend(str(tmp_path))
    runpy.run_path(str(tmp_path / "test_capitals.py"))["test_a_country_that_does_not_exist"]()
    assert len(TEXT.splitlines()) <= 215, "an author reads it in one go"
