"""Writes server.json, the entry of the MCP registry, which points to mailmcp in the package index."""

import re
from typing import Any

from scripts.release.bundle import FIELDS

import mailmcp

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
DESCRIPTION = "Search and read mail over IMAP: conversations, attachments. Changes nothing on the server."
OWNER = re.compile(r"(?=.{1,39}\Z)[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


def registry_name(owner: str) -> str:
    """Return mailmcp's name in the registry, for a user or an organization of GitHub.

    Raises:
        ValueError: GitHub has no such names.
    """
    if not OWNER.fullmatch(owner):
        raise ValueError(
            "the owner must be the name of a GitHub user or organization: letters, digits, hyphens"
        )
    return f"io.github.{owner}/mailmcp"


def registry_entry(name: str) -> dict[str, Any]:
    """Return server.json; the registry limits the description to 100 characters."""
    return {
        "$schema": SCHEMA,
        "name": name,
        "title": "Mail over IMAP",
        "description": DESCRIPTION,
        "version": mailmcp.__version__,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": "mailmcp",
                "version": mailmcp.__version__,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [{"type": "positional", "value": "serve"}],
                "environmentVariables": [
                    {
                        "name": field.variable,
                        "description": field.description,
                        "isRequired": False,
                        "isSecret": field.is_secret,
                    }
                    for field in FIELDS.values()
                ],
            }
        ],
    }
