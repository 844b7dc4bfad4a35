"""Makes what a release consists of: distributions, and a bundle for desktop hosts.

The bundle (MCPB, of type `uv`) holds our wheels; the host's uv installs them, with what they depend on, when
it first starts the bundle. `scripts/package` runs this.
"""

import json
import shutil
import subprocess
import sys
import venv
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import click
from scripts import demo_session

import mailmcp
import mcp_envelope
from mailmcp.tools.registry import load_tools

ROOT = Path(__file__).parents[1]
BUNDLE = Path(__file__).with_name("bundle")
"""What the bundle and the registry's entry are made of; versions, tools and names of files are filled in."""

MCPB = "@anthropic-ai/mcpb@2.1.2"


def build_distributions(folder: Path) -> tuple[Path, Path]:
    """Build sdist and wheel of mcp-envelope and of mailmcp, and return the two wheels in that order."""
    hatchling = (sys.executable, "-m", "hatchling", "build", "--directory", str(folder))
    for project in (ROOT / "src" / "mcp-envelope", ROOT):
        for target in ("sdist", "wheel"):
            run(*hatchling, "--target", target, cwd=project)
    return (
        folder / f"mcp_envelope-{mcp_envelope.__version__}-py3-none-any.whl",
        folder / f"mailmcp-{mailmcp.__version__}-py3-none-any.whl",
    )


def make_manifest() -> dict[str, Any]:
    """Return manifest.json.

    A field without a default would reach the server as the literal `${user_config.NAME}` if left blank.
    """
    manifest: dict[str, Any] = json.loads((BUNDLE / "manifest.json").read_text(encoding="utf-8"))
    tools = [{"name": tool.name, "description": tool.title} for tool in load_tools()]
    return manifest | {"version": mailmcp.__version__, "tools": tools}


def write_bundle(folder: Path, wheels: tuple[Path, Path]) -> None:
    """Write the files of the bundle into a new folder."""
    shutil.copytree(BUNDLE, folder, ignore=shutil.ignore_patterns("*.json", "*.template"))
    (folder / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy(wheel, folder / "wheels")
    envelope, own = (wheel.name for wheel in wheels)
    template = (BUNDLE / "pyproject.template").read_text(encoding="utf-8")
    project = template.format(version=mailmcp.__version__, mailmcp=own, envelope=envelope)
    (folder / "pyproject.toml").write_text(project, encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(make_manifest(), indent=2) + "\n", encoding="utf-8")


def registry_entry(owner: str) -> dict[str, Any]:
    """Return server.json, which points to mailmcp in the package index.

    Raises:
        ValueError: The README, which the registry reads in the package index, doesn't name the owner.
    """
    name = f"io.github.{owner}/mailmcp"
    if f"<!-- mcp-name: {name} -->" not in (ROOT / "README.md").read_text(encoding="utf-8"):
        raise ValueError(f"add the line <!-- mcp-name: {name} --> to README.md first")
    entry: dict[str, Any] = json.loads((BUNDLE / "server.json").read_text(encoding="utf-8"))
    entry["packages"][0]["version"] = mailmcp.__version__
    return entry | {"name": name, "version": mailmcp.__version__}


def install(folder: Path, *arguments: str) -> Path:
    """Make a virtual environment, have pip install into it, and return the path of `mailmcp` there."""
    venv.create(folder, symlinks=True)
    python = str(folder / "bin" / "python")
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", *arguments)
    return folder / "bin" / "mailmcp"


def run(*command: str, cwd: Path | None = None) -> None:
    """Run a command, whose output goes to ours, and raise an error if it fails."""
    subprocess.run(command, cwd=cwd, check=True)  # noqa: S603 - our own commands, and no shell


@click.command()
@click.option("--owner", help="The GitHub user or organization that publishes mailmcp in the MCP registry.")
def main(owner: str | None) -> None:
    """Build the distributions, the bundle and the registry's entry in dist/, and try what can be tried."""
    try:
        entry = registry_entry(owner) if owner else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--owner") from error
    out = ROOT / "dist"
    wheels = build_distributions(out)
    run(sys.executable, "-m", "twine", "check", "--strict", *map(str, wheels))
    with TemporaryDirectory() as scratch:
        envelope, own = map(str, wheels)
        command = install(Path(scratch, "environment"), envelope, f"{own}[demo]")
        anyio.run(partial(demo_session.run, click.echo, command=command))
        write_bundle(Path(scratch, "mailmcp"), wheels)
        node = str(out / "node")
        run("npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--prefix", node, MCPB)
        mcpb = f"{node}/node_modules/.bin/mcpb"
        run(mcpb, "validate", str(Path(scratch, "mailmcp", "manifest.json")))
        run(mcpb, "pack", str(Path(scratch, "mailmcp")), str(out / f"mailmcp-{mailmcp.__version__}.mcpb"))
    if entry is not None:
        (out / "server.json").write_text(json.dumps(entry, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(prog_name="scripts/package")
