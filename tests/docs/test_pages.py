"""The pages in docs/ are in step with the product: generated parts, links, the small server."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from scripts.docs_pages import PAGES, regenerate

ROOT = Path(__file__).parents[2]
MARKDOWN = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\[[^\]]*\]\((?!https?://|#|mailto:)([^)#]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_generated_parts_are_what_they_would_be_now(page: Path) -> None:
    """`scripts/docs` writes them anew."""
    written = page.read_text(encoding="utf-8")
    assert regenerate(written) == written


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_small_server_is_small() -> None:
    assert len((ROOT / "docs" / "example_server.py").read_text(encoding="utf-8").splitlines()) < 60


def test_the_small_server_works() -> None:
    async def run() -> list[dict[str, Any]]:
        parameters = StdioServerParameters(
            command=sys.executable, args=[str(ROOT / "docs" / "example_server.py")]
        )
        replies = []
        async with Client(stdio_client(parameters)) as client:
            (tool,) = (await client.list_tools()).tools
            for titles in (["Emma"], ["Emma", "Dune"], ["Dune"]):
                result = await client.call_tool("look_up", {"titles": titles})
                jsonschema.validate(result.structured_content, tool.output_schema or {})
                replies.append(result.structured_content or {})
        return replies

    whole, part, none = anyio.run(run)
    assert whole["data"] == {"status": "ok", "issues": [], "authors": {"Emma": "Austen"}}
    assert part["data"]["status"] == "partial"
    assert [issue["message"] for issue in part["data"]["issues"]] == ["Dune"]
    assert none["error"]["code"] == "not_found"


def test_the_envelope_can_be_had_without_mail_and_without_mcp() -> None:
    script = (
        "import sys, mailmcp.envelope, mailmcp.envelope.checker, mailmcp.envelope.text, "
        "mailmcp.envelope.dialects.registry;"
        "print(sorted({'mcp', 'mcp_types', 'imapclient', 'imaplib', 'anyio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
