"""What holds for every package, and what a build depends on."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "mailmcp"


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
