"""The pages in docs/ are in step with the product: generated parts, links, what they claim."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.docs_pages import LIBRARY, PAGES, PARTS, regenerate, replies_of

from mailmcp.model.query import CRITERIA
from mailmcp.tools.registry import load_tools
from mcp_envelope import Dialect

ROOT = Path(__file__).parents[2]
MARKDOWN = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/*/README.md")])
LINK = re.compile(r"\[[^\]]*\]\((?!https?://|#|mailto:)([^)#]+)")
LINK_TO_HEADING = re.compile(r"\]\((?!https?://)([^)#]*\.md)?#([^)]+)\)")
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_generated_parts_are_what_they_would_be_now(page: Path) -> None:
    """`scripts/docs` writes them anew."""
    written = page.read_text(encoding="utf-8")
    assert regenerate(written) == written


@pytest.mark.parametrize("dialect", Dialect)
def test_the_replies_of_the_ticket_tracker_are_what_they_would_be_now(dialect: Dialect) -> None:
    """`scripts/docs` writes them anew."""
    written = (LIBRARY / "replies" / f"{dialect.value}.json").read_text(encoding="utf-8")
    assert replies_of(dialect) == written


def test_each_generated_part_is_on_one_page_between_its_markers() -> None:
    """Otherwise a new dialect would go without its examples, and a part with a wrong marker stay as it is."""
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    markers = re.findall(r"<!-- (?:begin|end) (.*?) -->", pages)
    assert sorted(markers) == sorted([*PARTS, *PARTS])


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def headings(page: Path) -> set[str]:
    """Return the names by which GitHub links to the headings of a page."""
    found = re.findall(r"^#+ (.*)$", CODE_BLOCK.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in found}


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.name)
def test_links_to_headings_lead_to_one(page: Path) -> None:
    links = LINK_TO_HEADING.findall(CODE_BLOCK.sub("", page.read_text(encoding="utf-8")))
    targets = [(page.parent / target if target else page, heading) for target, heading in links]
    assert [(target.name, each) for target, each in targets if each not in headings(target)] == []


def test_the_architecture_names_files_that_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|\*\*)((?:\w+/)*\w+\.py|(?:\w+/)+)(?:`|\*\*)", page))
    paths = [path for folder in ("src", "tests") for path in (ROOT / folder, *(ROOT / folder).rglob("*"))]
    known = {f"{path.as_posix()}/" if path.is_dir() else path.as_posix() for path in paths}
    assert [name for name in sorted(named) if not any(each.endswith(f"/{name}") for each in known)] == []


def test_the_page_of_the_tools_links_to_each() -> None:
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    assert [tool.name for tool in load_tools() if f"[`{tool.name}`](#{tool.name})" not in page] == []


@pytest.mark.parametrize("criterion", [row.argument for row in CRITERIA if row.published])
def test_the_table_of_searching_explains_each_criterion(criterion: str) -> None:
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    table = page.partition("| criterion | matches |")[2].partition("\n\n")[0]
    assert f"`{criterion}`" in table


def test_the_architecture_names_every_package() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    source = ROOT / "src" / "mailmcp"
    packages = {path.parent.name for path in source.rglob("__init__.py")} - {"mailmcp"}
    drawing = page.split("```")[1]
    known = set(re.findall(r"\w+", drawing)) | set(re.findall(r"(\w+)/", page))
    assert packages - known == set()


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "decisions").glob("*.md")), ids=lambda page: page.name[:4]
)
def test_a_decision_is_short(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 15


def test_the_library_alone_needs_neither_mail_nor_the_sdk() -> None:
    loaded = "{'mailmcp', 'mcp', 'imapclient', 'anyio'} & set(sys.modules)"
    script = f"import sys, mcp_envelope; print(sorted({loaded}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
