"""The hosts: where their settings are, what an entry looks like, and the command of those that have one."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import platformdirs

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
    """A program that starts MCP servers.

    It has settings in plain JSON (`files`), or a command that edits them (`add`), or it wants an entry that
    the user adds by hand.
    """

    host_id: str
    name: str
    files: tuple[str, ...] = ()
    """One for each edition. `{app_data}` is the folder of applications' settings; * is the rest of a name."""

    key: str = "mcpServers"
    """Of the object that has the servers by their names."""

    extra: tuple[tuple[str, object], ...] = ()
    """What an entry has besides `command` and `args`."""

    program: str = ""
    """The host's own command; empty for none."""

    add: Callable[[str, Launch], list[str]] | None = None
    remove: Callable[[str], list[str]] | None = None
    """None if the host's command can't remove a server."""

    by_hand: Callable[[str, Launch], str] | None = None

    def make_entry(self, launch: Launch) -> dict[str, object]:
        """Return the entry, as its JSON object."""
        return {"command": launch.command, "args": list(launch.args), **dict(self.extra)}

    def is_here(self) -> bool:
        """Return whether the host is on this machine, as far as that shows."""
        return bool(self.find_files() or (self.program and shutil.which(self.program)))

    def find_files(self) -> list[Path]:
        """Return the settings of each edition that is there; the files themselves may be missing."""
        return [path for each in self.expected_files() for path in _matches(each) if path.parent.is_dir()]

    def expected_files(self) -> list[Path]:
        """Return where settings are looked for."""
        app_data = platformdirs.user_config_path(roaming=True)
        return [Path(each.replace("{app_data}", str(app_data))).expanduser() for each in self.files]


def _matches(path: Path) -> list[Path]:
    """Fill in a `*` in the name of a folder."""
    folder = path.parent.relative_to(path.anchor)
    return [each / path.name for each in sorted(Path(path.anchor).glob(str(folder)))]


def _claude(name: str, launch: Launch) -> list[str]:
    return ["claude", "mcp", "add", "--scope", "user", name, "--", launch.command, *launch.args]


def _code(name: str, launch: Launch) -> list[str]:
    return [
        "code",
        "--add-mcp",
        json.dumps({"name": name, "command": launch.command, "args": list(launch.args)}),
    ]


def _codex(name: str, launch: Launch) -> list[str]:
    return ["codex", "mcp", "add", name, "--", launch.command, *launch.args]


def _goose(name: str, launch: Launch) -> str:
    """Write YAML, in which every JSON value is valid."""
    entry = {
        "name": name,
        "type": "stdio",
        "enabled": True,
        "cmd": launch.command,
        "args": list(launch.args),
        "timeout": 300,
    }
    lines = [f"    {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
    return "\n".join(["extensions:", f"  {name}:", *lines])


_CLINE = "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

HOSTS = (
    Host(
        host_id="claude-desktop",
        name="Claude Desktop",
        files=(
            "{app_data}/Claude/claude_desktop_config.json",
            # The MSIX edition, the usual one on Windows since 2026, has a private copy of %APPDATA%.
            "~/AppData/Local/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json",
        ),
    ),
    Host(
        host_id="claude-code",
        name="Claude Code",
        program="claude",
        add=_claude,
        remove=lambda name: ["claude", "mcp", "remove", "--scope", "user", name],
    ),
    Host(host_id="vscode", name="VS Code", program="code", add=_code),
    Host(
        host_id="codex",
        name="Codex",
        program="codex",
        add=_codex,
        remove=lambda name: ["codex", "mcp", "remove", name],
    ),
    Host(host_id="cursor", name="Cursor", files=("~/.cursor/mcp.json",)),
    Host(host_id="windsurf", name="Windsurf", files=("~/.codeium/windsurf/mcp_config.json",)),
    Host(host_id="gemini", name="Gemini CLI", files=("~/.gemini/settings.json",)),
    Host(
        host_id="lm-studio",
        name="LM Studio",
        files=("~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"),
    ),
    Host(
        host_id="zed",
        name="Zed",
        files=("~/.config/zed/settings.json", "{app_data}/Zed/settings.json"),
        key="context_servers",
        extra=(("source", "custom"), ("env", {})),
    ),
    Host(
        host_id="cline",
        name="Cline",
        files=(
            f"{{app_data}}/Code/{_CLINE}",
            f"{{app_data}}/Cursor/{_CLINE}",
            "~/.cline/data/settings/cline_mcp_settings.json",
        ),
    ),
    Host(host_id="goose", name="Goose", by_hand=_goose),
)
