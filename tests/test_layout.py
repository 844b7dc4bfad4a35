"""Rules for every package, and the files that a build depends on."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "mailmcp"


def test_packages_contain_only_a_docstring() -> None:
    """Nothing is re-exported: names are imported from the module that defines them."""
    for path in SOURCE.rglob("__init__.py"):
        if path.parent != SOURCE:
            text = path.read_text(encoding="utf-8").strip()
            assert text.startswith('"""'), path
            assert text.endswith('"""'), path
            assert text.count('"""') == 2, path


def test_uv_rebuilds_the_package_after_a_change_of_any_file() -> None:
    """`uvx --from` a checkout caches the build, and by default checks only pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    watched = {path for key in project["tool"]["uv"]["cache-keys"] for path in ROOT.glob(key["file"])}
    files = {path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert files - watched == {SOURCE / "py.typed"}, "py.typed is empty"
