"""Makes the bundle that desktop hosts install by a click: MCPB, of type `uv`.

It holds our wheels; the host's uv installs them, with what they depend on, when it first starts the
bundle. The manifest follows version 0.4, the first with that type.
"""

import json
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from scripts.release.commands import run
from scripts.release.distributions import Distributions

import mailmcp
from mailmcp.tools.registry import TOOLS

MCPB = "@anthropic-ai/mcpb@2.1.2"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of the form that a host shows. All may be left blank, for those with a settings file."""

    variable: str
    title: str
    description: str
    is_secret: bool = False


FIELDS = {
    "host": Field(
        variable="MAILMCP_HOST",
        title="IMAP server",
        description="The mail server, such as imap.example.com. Leave all blank if you have a settings file.",
    ),
    "user": Field(
        variable="MAILMCP_USER",
        title="User name",
        description="Your login name, usually your mail address.",
    ),
    "password": Field(
        variable="MAILMCP_PASSWORD",
        title="Password",
        description="Your password. Many providers require an app password: create one on their website.",
        is_secret=True,
    ),
}


def make_manifest() -> dict[str, Any]:
    """Return manifest.json.

    A field without a default would reach the server as the literal `${user_config.NAME}` if left blank.
    """
    return {
        "manifest_version": "0.4",
        "name": "mailmcp",
        "display_name": "Mail over IMAP",
        "version": mailmcp.__version__,
        "description": "Lets the assistant search and read your mail, and changes nothing on the server.",
        "author": {"name": "The mailmcp authors"},
        "license": "MIT",
        "keywords": ["imap", "email"],
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "mailmcp", "serve"],
                "env": {field.variable: f"${{user_config.{name}}}" for name, field in FIELDS.items()},
            },
        },
        "tools": [{"name": tool.name, "description": tool.title} for tool in TOOLS],
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": ">=3.11"},
        },
        "user_config": {
            name: {
                "type": "string",
                "title": field.title,
                "description": field.description,
                "sensitive": field.is_secret,
                "required": False,
                "default": "",
            }
            for name, field in FIELDS.items()
        },
    }


def write_bundle(folder: Path, distributions: Distributions) -> None:
    """Write the files of the bundle into a new folder."""
    wheels = folder / "wheels"
    wheels.mkdir(parents=True)
    for wheel in distributions.wheels:
        shutil.copy(wheel, wheels)
    project = PYPROJECT.format(
        version=mailmcp.__version__,
        mailmcp=distributions.mailmcp.wheel.name,
        envelope=distributions.envelope.wheel.name,
    )
    (folder / "pyproject.toml").write_text(project, encoding="utf-8")
    (folder / "server.py").write_text(ENTRY_POINT, encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(make_manifest(), indent=2) + "\n", encoding="utf-8")


def pack(folder: Path, bundle: Path, *, node: Path) -> None:
    """Have MCPB's own tool, which npm installs into `node`, validate and pack a folder."""
    run("npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--prefix", str(node), MCPB)
    mcpb = str(node / "node_modules" / ".bin" / "mcpb")
    run(mcpb, "validate", str(folder / "manifest.json"))
    run(mcpb, "pack", str(folder), str(bundle))


def fill_in(
    manifest: Mapping[str, Any], folder: Path, values: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and the variables that a host starts an unpacked bundle with.

    Args:
        manifest: What manifest.json says.
        folder: Where the bundle is.
        values: What the user fills in, by field. The others are left blank.
    """
    known = {"__dirname": str(folder)}
    for name, field in manifest["user_config"].items():
        known[f"user_config.{name}"] = values.get(name, field["default"])

    def replace(template: str) -> str:
        return re.sub(r"\$\{([^}]*)\}", lambda placeholder: known[placeholder[1]], template)

    config = manifest["server"]["mcp_config"]
    arguments = [replace(argument) for argument in config["args"]]
    return arguments, {name: replace(value) for name, value in config["env"].items()}


async def start_as_host(bundle: Path, scratch: Path, values: Mapping[str, str]) -> Sequence[str]:
    """Unpack a bundle, start it as a host does, and return the names of its tools.

    The SDK's client passes on hardly any of our environment, as hosts do; to this come only the index
    and the certificates that uv needs on this machine. The home folder is new, so uv has no cache.

    Args:
        bundle: The packed bundle.
        scratch: An empty folder.
        values: What the user fills in, by field. The others are left blank.
    """
    folder, home = scratch / "bundle", scratch / "home"
    home.mkdir()
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    arguments, account = fill_in(manifest, folder, values)
    machine = {name: os.environ[name] for name in os.environ if name.startswith(("UV_", "SSL_CERT_"))}
    parameters = StdioServerParameters(
        command=str(Path(sys.executable).with_name("uv")),
        args=arguments,
        env={**machine, "HOME": str(home), **account},
        cwd=scratch,
    )
    async with Client(parameters) as client:
        return [tool.name for tool in (await client.list_tools()).tools]
