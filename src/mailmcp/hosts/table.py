"""The hosts: where their settings are, and what an entry looks like."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from mailmcp.hosts.json_text import JSON
from mailmcp.hosts.syntax import Syntax
from mailmcp.hosts.toml_text import TOML
from mailmcp.hosts.yaml_text import YAML

System = Literal["darwin", "win32", "linux"]
"""As `sys.platform` names them."""

Entry = dict[str, object]

SERVER_NAME = "mailmcp"
"""What the entry is called, if nothing else is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """The command that a host starts."""

    command: str
    """An absolute path: hosts that are started from a desktop have a short PATH."""

    args: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A program that starts MCP servers."""

    host_id: str
    name: str
    files: Mapping[System, tuple[str, ...]]
    """One for each edition. They start with ~ or a variable of Windows; * stands for the rest of a name."""

    syntax: Syntax = JSON
    key: str = "mcpServers"
    """Of the mapping that has the servers by their names."""

    make_entry: Callable[[str, Launch], Entry]
    """Takes the name of the entry."""

    sign: str | None = None
    """A folder that shows that the host is there; by default the one of the file."""

    moved_by: tuple[str, str] | None = None
    """A variable, and the folder that it replaces."""


def _plain(_: str, launch: Launch) -> Entry:
    return {"command": launch.command, "args": list(launch.args)}


def _typed(name: str, launch: Launch) -> Entry:
    return {"type": "stdio", **_plain(name, launch)}


def _zed(name: str, launch: Launch) -> Entry:
    return {"source": "custom", **_plain(name, launch), "env": {}}


def _goose(name: str, launch: Launch) -> Entry:
    return {
        "name": name,
        "description": "Read mail over IMAP",
        "type": "stdio",
        "enabled": True,
        "cmd": launch.command,
        "args": list(launch.args),
        "timeout": 300,
    }


def _everywhere(*files: str) -> dict[System, tuple[str, ...]]:
    return {"darwin": files, "win32": files, "linux": files}


def _in_app_data(*files: str) -> dict[System, tuple[str, ...]]:
    """Place files of Electron applications."""
    return {
        "darwin": tuple(f"~/Library/Application Support/{each}" for each in files),
        "win32": tuple(f"%APPDATA%/{each}" for each in files),
        "linux": tuple(f"~/.config/{each}" for each in files),
    }


_CLAUDE = _in_app_data("Claude/claude_desktop_config.json")
_CLAUDE_MSIX = "%LOCALAPPDATA%/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json"
_CLINE = "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
_CLINE_CLI = "~/.cline/data/settings/cline_mcp_settings.json"

HOSTS = (
    Host(
        host_id="claude-desktop",
        name="Claude Desktop",
        # The MSIX edition, the usual one since 2026, has a private copy of %APPDATA%.
        files={**_CLAUDE, "win32": (_CLAUDE_MSIX, *_CLAUDE["win32"])},
        make_entry=_plain,
    ),
    Host(
        host_id="claude-code",
        name="Claude Code",
        files=_everywhere("~/.claude.json"),
        sign="~/.claude",
        moved_by=("CLAUDE_CONFIG_DIR", "~"),
        make_entry=_typed,
    ),
    Host(
        host_id="vscode",
        name="VS Code",
        files=_in_app_data("Code/User/mcp.json", "Code - Insiders/User/mcp.json"),
        key="servers",
        make_entry=_typed,
    ),
    Host(host_id="cursor", name="Cursor", files=_everywhere("~/.cursor/mcp.json"), make_entry=_plain),
    Host(
        host_id="windsurf",
        name="Windsurf",
        files=_everywhere("~/.codeium/windsurf/mcp_config.json"),
        make_entry=_plain,
    ),
    Host(
        host_id="zed",
        name="Zed",
        files={
            "darwin": ("~/.config/zed/settings.json",),
            "win32": ("%APPDATA%/Zed/settings.json",),
            "linux": ("~/.config/zed/settings.json",),
        },
        key="context_servers",
        make_entry=_zed,
    ),
    Host(
        host_id="codex",
        name="Codex",
        files=_everywhere("~/.codex/config.toml"),
        syntax=TOML,
        key="mcp_servers",
        moved_by=("CODEX_HOME", "~/.codex"),
        make_entry=_plain,
    ),
    Host(
        host_id="gemini", name="Gemini CLI", files=_everywhere("~/.gemini/settings.json"), make_entry=_plain
    ),
    Host(
        host_id="lm-studio",
        name="LM Studio",
        files=_everywhere("~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"),
        make_entry=_plain,
    ),
    Host(
        host_id="goose",
        name="Goose",
        files={
            "darwin": ("~/.config/goose/config.yaml",),
            "win32": ("%APPDATA%/Block/goose/config/config.yaml",),
            "linux": ("~/.config/goose/config.yaml",),
        },
        syntax=YAML,
        key="extensions",
        make_entry=_goose,
    ),
    Host(
        host_id="cline",
        name="Cline",
        files={
            system: (*files, _CLINE_CLI)
            for system, files in _in_app_data(f"Code/{_CLINE}", f"Cursor/{_CLINE}").items()
        },
        make_entry=_plain,
    ),
)
