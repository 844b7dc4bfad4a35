"""Builds both distributions, mailmcp and mcp-envelope, each as sdist and wheel."""

import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.release.commands import run

import mailmcp
import mcp_envelope

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The files of one distribution."""

    sdist: Path
    wheel: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Distributions:
    """What is uploaded to the package index."""

    mailmcp: Distribution
    envelope: Distribution

    @property
    def wheels(self) -> tuple[Path, Path]:
        """Both wheels; mcp-envelope is first, since the other needs it."""
        return self.envelope.wheel, self.mailmcp.wheel

    @property
    def files(self) -> tuple[Path, ...]:
        """All files."""
        return tuple(file for each in (self.envelope, self.mailmcp) for file in (each.sdist, each.wheel))


def build_distributions(folder: Path, *, registry_name: str | None = None) -> Distributions:
    """Build both distributions from the checkout.

    Args:
        folder: Where the files go. Files of the same names are replaced, others stay.
        registry_name: The server's name in the MCP registry, which looks for it in the README of the
            distribution. None if it isn't published there.
    """
    envelope = _build(ROOT / "src" / "mcp-envelope", folder, f"mcp_envelope-{mcp_envelope.__version__}")
    name = f"mailmcp-{mailmcp.__version__}"
    if registry_name is None:
        return Distributions(mailmcp=_build(ROOT, folder, name), envelope=envelope)
    with TemporaryDirectory() as scratch:
        # The sdist of the checkout is a copy without what git ignores.
        _hatchling(ROOT, "sdist", Path(scratch))
        with tarfile.open(Path(scratch, f"{name}.tar.gz")) as archive:
            archive.extractall(scratch, filter="data")
        copy = Path(scratch, name)
        (copy / "PKG-INFO").unlink()
        with (copy / "README.md").open("a", encoding="utf-8") as readme:
            readme.write(f"\n<!-- mcp-name: {registry_name} -->\n")
        return Distributions(mailmcp=_build(copy, folder, name), envelope=envelope)


def _build(project: Path, folder: Path, name: str) -> Distribution:
    _hatchling(project, "sdist", folder)
    _hatchling(project, "wheel", folder)
    return Distribution(sdist=folder / f"{name}.tar.gz", wheel=folder / f"{name}-py3-none-any.whl")


def _hatchling(project: Path, target: str, folder: Path) -> None:
    hatchling = (sys.executable, "-m", "hatchling")
    run(*hatchling, "build", "--target", target, "--directory", str(folder), cwd=project)
