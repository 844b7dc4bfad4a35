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
from mailmcp.tools.registry import TOOLS

ROOT = Path(__file__).parents[1]
MCPB = "@anthropic-ai/mcpb@2.1.2"
MANIFEST_VERSION = "0.4"
"""The first with servers of type `uv`."""

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
DESCRIPTION = "Search and read mail over IMAP: conversations, attachments. Changes nothing on the server."

FIELDS = {
    "host": ("IMAP server", "Such as imap.example.com. Leave all fields blank if you have a settings file."),
    "user": ("User name", "Your login name, usually your mail address."),
    "password": ("Password", "Many providers require an app password: create one on their website."),
}
"""The form that a host shows, with titles and descriptions."""

ENTRY_POINT = """\
\"\"\"Starts mailmcp, for hosts that run the entry point instead of the command.\"\"\"

from mailmcp.__main__ import main

main()
"""

PYPROJECT = """\
[project]
name = "mailmcp-bundle"
version = "{version}"
requires-python = ">=3.11"
dependencies = ["mailmcp", "mcp-envelope"]

[tool.uv]
package = false

[tool.uv.sources]
mailmcp = {{ path = "wheels/{mailmcp}" }}
mcp-envelope = {{ path = "wheels/{envelope}" }}
"""


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
    variables = {f"MAILMCP_{name.upper()}": f"${{user_config.{name}}}" for name in FIELDS}
    arguments = ["run", "--directory", "${__dirname}", "mailmcp", "serve"]
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": "mailmcp",
        "display_name": "Mail over IMAP",
        "version": mailmcp.__version__,
        "description": DESCRIPTION,
        "author": {"name": "The mailmcp authors"},
        "license": "MIT",
        "keywords": ["imap", "email"],
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {"command": "uv", "args": arguments, "env": variables},
        },
        "tools": [{"name": tool.name, "description": tool.title} for tool in TOOLS],
        "compatibility": {"platforms": ["darwin", "win32", "linux"], "runtimes": {"python": ">=3.11"}},
        "user_config": {
            name: {
                "type": "string",
                "title": title,
                "description": description,
                "sensitive": name == "password",
                "required": False,
                "default": "",
            }
            for name, (title, description) in FIELDS.items()
        },
    }


def write_bundle(folder: Path, wheels: tuple[Path, Path]) -> None:
    """Write the files of the bundle into a new folder."""
    (folder / "wheels").mkdir(parents=True)
    for wheel in wheels:
        shutil.copy(wheel, folder / "wheels")
    envelope, own = (wheel.name for wheel in wheels)
    project = PYPROJECT.format(version=mailmcp.__version__, mailmcp=own, envelope=envelope)
    (folder / "pyproject.toml").write_text(project, encoding="utf-8")
    (folder / "server.py").write_text(ENTRY_POINT, encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(make_manifest(), indent=2) + "\n", encoding="utf-8")


def registry_entry(owner: str) -> dict[str, Any]:
    """Return server.json, which points to mailmcp in the package index.

    Raises:
        ValueError: The README, which the registry reads in the package index, doesn't name the owner.
    """
    name = f"io.github.{owner}/mailmcp"
    if f"<!-- mcp-name: {name} -->" not in (ROOT / "README.md").read_text(encoding="utf-8"):
        raise ValueError(f"add the line <!-- mcp-name: {name} --> to README.md first")
    variables = [
        {
            "name": f"MAILMCP_{field.upper()}",
            "description": description,
            "isRequired": False,
            "isSecret": field == "password",
        }
        for field, (_, description) in FIELDS.items()
    ]
    package = {
        "registryType": "pypi",
        "identifier": "mailmcp",
        "version": mailmcp.__version__,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "serve"}],
        "environmentVariables": variables,
    }
    return {
        "$schema": SCHEMA,
        "name": name,
        "title": "Mail over IMAP",
        "description": DESCRIPTION,
        "version": mailmcp.__version__,
        "packages": [package],
    }


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
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path, resolve_path=True),
    default=ROOT / "dist",
    help="Where the files go. Default: dist in the checkout.",
)
@click.option("--owner", help="The GitHub user or organization that publishes mailmcp in the MCP registry.")
def main(out: Path, owner: str | None) -> None:
    """Build the distributions, the bundle and the registry's entry, and try what can be tried."""
    try:
        entry = registry_entry(owner) if owner else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--owner") from error
    wheels = build_distributions(out)
    run(sys.executable, "-m", "twine", "check", "--strict", *map(str, wheels))
    with TemporaryDirectory() as scratch:
        envelope, own = map(str, wheels)
        command = install(Path(scratch, "environment"), envelope, f"{own}[demo]")
        anyio.run(partial(demo_session.run, click.echo, command=command))
        write_bundle(Path(scratch, "mailmcp"), wheels)
        node = str(out / "node")
        run("npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--prefix", node, MCPB)
        mcpb = str(out / "node" / "node_modules" / ".bin" / "mcpb")
        run(mcpb, "validate", str(Path(scratch, "mailmcp", "manifest.json")))
        run(mcpb, "pack", str(Path(scratch, "mailmcp")), str(out / f"mailmcp-{mailmcp.__version__}.mcpb"))
    if entry is not None:
        (out / "server.json").write_text(json.dumps(entry, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(prog_name="scripts/package")
