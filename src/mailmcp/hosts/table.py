"""The hosts: where their settings are, what an entry looks like, and the command of those that have one."""

import json
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import platformdirs

SERVER_NAME = "mailmcp"
"""What the entry is called, if nothing else is wanted."""


class HostError(Exception):
    """A host can't be changed. The message may name a file but never quotes it: it may hold secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """The command that a host starts."""

    command: str
    """An absolute path: hosts that are started from a desktop have a short PATH."""

    args: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A program that starts MCP servers.

    It has settings in plain JSON (`files`), or a command that edits them (`add`).
    """

    host_id: str
    name: str
    files: tuple[str, ...] = ()
    """One for each edition. `{app_data}` is the folder of applications' settings; * is the rest of a name."""

    key: str = "mcpServers"
    """Of the object that has the servers by their names."""

    extra: tuple[tuple[str, object], ...] = ()
    """What an entry has besides `command` and `args`."""

    add: Callable[[str, Launch], list[str]] | None = None
    """The host's own command that adds a server."""

    remove: Callable[[str], list[str]] | None = None

    def make_entry(self, launch: Launch) -> dict[str, object]:
        """Return the entry, as its JSON object."""
        return {"command": launch.command, "args": list(launch.args), **dict(self.extra)}

    def describe(self, name: str, launch: Launch) -> str:
        """Return the command, or the entry as a person would add it."""
        if self.add is not None:
            return shlex.join(self.add(name, launch))
        return json.dumps({self.key: {name: self.make_entry(launch)}}, indent=2, ensure_ascii=False)

    def find_program(self) -> str | None:
        """Return the path of the host's own command; None if it has none or isn't there."""
        return shutil.which(self.add("", Launch(command="", args=()))[0]) if self.add else None

    def find_files(self) -> list[Path]:
        """Return the settings of each edition that is there; the files themselves may be missing."""
        found = []
        for path in self.expected_files():
            folders = Path(path.anchor).glob(str(path.parent.relative_to(path.anchor)))
            found += [folder / path.name for folder in sorted(folders) if folder.is_dir()]
        return found

    def expected_files(self) -> list[Path]:
        """Return where settings are looked for."""
        app_data = platformdirs.user_config_path(roaming=True)
        return [Path(each.replace("{app_data}", str(app_data))).expanduser() for each in self.files]


def _claude(name: str, launch: Launch) -> list[str]:
    return ["claude", "mcp", "add", "--scope", "user", name, "--", launch.command, *launch.args]


def _code(name: str, launch: Launch) -> list[str]:
    entry = {"name": name, "command": launch.command, "args": list(launch.args)}
    return ["code", "--add-mcp", json.dumps(entry)]


def _codex(name: str, launch: Launch) -> list[str]:
    return ["codex", "mcp", "add", name, "--", launch.command, *launch.args]


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
        add=_claude,
        remove=lambda name: ["claude", "mcp", "remove", "--scope", "user", name],
    ),
    Host(host_id="vscode", name="VS Code", add=_code),
    Host(host_id="codex", name="Codex", add=_codex, remove=lambda name: ["codex", "mcp", "remove", name]),
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
)
