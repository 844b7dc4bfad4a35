"""The tree of the tests mirrors the tree of the source, and no file holds too much."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "mailmcp"
TESTS = ROOT / "tests"

LINES_MAX = 400
"""Most files hold half of it. A longer one may well hold two ideas."""

TABLES = {"limits.py", "reasons.py"}
"""Looked up by name and never read from end to end: every limit is in one place, and every reason."""

MODULES = sorted(
    path.relative_to(SOURCE)
    for path in SOURCE.rglob("*.py")
    if path.name not in {"__init__.py", "reasons.py"}
)


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_every_module_has_its_test(module: Path) -> None:
    """`__main__` is tested by `test_main`; the rest by the module's own name."""
    mirrored = TESTS / module.parent / f"test_{module.stem.strip('_')}.py"
    assert mirrored.is_file()


@pytest.mark.parametrize("folder", [SOURCE, TESTS], ids=["src", "tests"])
def test_no_file_holds_too_much(folder: Path) -> None:
    lengths = {
        path: len(path.read_text(encoding="utf-8").splitlines())
        for path in folder.rglob("*.py")
        if "node_modules" not in path.parts and path.name not in TABLES
    }
    assert lengths
    assert {str(path.relative_to(ROOT)): count for path, count in lengths.items() if count > LINES_MAX} == {}


def test_packages_hold_nothing_but_their_docstring() -> None:
    """Nothing is re-exported: a name is imported from the module that defines it."""
    for path in SOURCE.rglob("__init__.py"):
        if path.parent != SOURCE:
            text = path.read_text(encoding="utf-8").strip()
            assert text.startswith('"""'), path
            assert text.endswith('"""'), path
            assert text.count('"""') == 2, path


def test_uv_builds_the_package_anew_after_a_change_of_any_file() -> None:
    """`uvx --from` a checkout keeps what it has built, and by default looks at pyproject.toml alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    looked_at = {path for key in project["tool"]["uv"]["cache-keys"] for path in ROOT.glob(key["file"])}
    files = {path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert files - looked_at == {SOURCE / "py.typed"}, "which is empty"
