"""The pages in docs/ are in step with the product: generated parts, links, what they claim."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts.docs_pages import PAGES, PARTS, regenerate

ROOT = Path(__file__).parents[2]
ENVELOPE = ROOT / "src" / "mailmcp" / "envelope"
MARKDOWN = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\[[^\]]*\]\((?!https?://|#|mailto:)([^)#]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_generated_parts_are_what_they_would_be_now(page: Path) -> None:
    """`scripts/docs` writes them anew."""
    written = page.read_text(encoding="utf-8")
    assert regenerate(written) == written


@pytest.mark.parametrize("between", ["", "\n", "old\n", "old\n\n", "one\ntwo\n"], ids=repr)
def test_a_part_is_written_whatever_stands_between_its_markers(between: str) -> None:
    written = regenerate(f"a\n<!-- begin reasons -->\n{between}<!-- end reasons -->\nb\n")
    assert written == f"a\n<!-- begin reasons -->\n{PARTS['reasons']()}\n<!-- end reasons -->\nb\n"


@pytest.mark.parametrize(
    "page",
    [
        "<!-- begin reasons -->\n",
        "<!-- end reasons -->\n",
        "<!-- begin reasons --> <!-- end reasons -->\n",
        "<!-- begin reasons -->\n<!-- end reason -->\n",
        "<!-- begin resaons -->\n<!-- end resaons -->\n",
        "<!-- begin Reasons -->\n<!-- end Reasons -->\n",
        "<!-- begin reasons-->\n<!-- end reasons -->\n",
    ],
)
def test_markers_that_would_be_passed_over_are_an_error(page: str) -> None:
    with pytest.raises(ValueError, match="markers without a partner"):
        regenerate(page)


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_architecture_has_a_place_for_every_module_that_reads_mail() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {name for quoted in re.findall(r"`([^`\n]+)`", page) for name in re.findall(r"\w+", quoted)}
    modules = {path.stem for path in (ROOT / "src" / "mailmcp" / "mail").rglob("*.py")} - {"__init__"}
    assert modules - named == set()


def test_the_page_names_every_file_that_a_new_dialect_touches() -> None:
    page = (ROOT / "docs" / "envelope.md").read_text(encoding="utf-8")
    claim = page[page.index("Adding a fourth") : page.index("- **`summary`** (default)")]
    touched = {
        path.name
        for path in ENVELOPE.rglob("*.py")
        if re.search(r"Dialect\.RESPONSE_V2|RESPONSE_V2 =", path.read_text(encoding="utf-8"))
    }
    assert touched == {"names.py", "registry.py", "checker.py"}
    assert touched == set(re.findall(r"`(\w+\.py)`", claim))


def test_of_mail_the_envelope_has_the_names_that_the_page_admits() -> None:
    """Whoever takes it for another domain finds nothing else to rename."""
    found = {
        name
        for path in ENVELOPE.rglob("*.py")
        for name in _names(ast.parse(path.read_text(encoding="utf-8")))
        if re.search(r"(?i)imap|mail|(?<![a-z])uid", name) and not name.startswith("mailmcp.")
    }
    assert found == {"MailError", "mailmcp/1"}


def _names(tree: ast.AST) -> Iterator[str]:
    """Give every name and text in a piece of code but docstrings and the members of `Reason`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and node.name == "Reason":
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        fields = ("id", "attr", "name", "arg", "value", "module")
        texts = [getattr(node, field, None) for field in fields]
        yield from (each for each in texts if isinstance(each, str))
        yield from _names(node)


def test_the_envelope_can_be_had_without_mail_and_without_mcp() -> None:
    script = (
        "import sys, mailmcp.envelope, mailmcp.envelope.checker, mailmcp.envelope.text, "
        "mailmcp.envelope.dialects.registry;"
        "print(sorted({'mcp', 'mcp_types', 'imapclient', 'imaplib', 'anyio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
