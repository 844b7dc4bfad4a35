"""Settings of hosts as they look on people's machines, with the traps of each."""

from mailmcp.hosts.table import HOSTS, Host, Launch

LAUNCH = Launch(command="/home/ann/.local/bin/mailmcp", args=("serve",))
ANOTHER_LAUNCH = Launch(command="/opt/tools/uvx", args=("mailmcp", "serve", "--config", "/etc/mail box.toml"))

SECRET = "fake-key-of-another-server"

BY_ID: dict[str, Host] = {host.host_id: host for host in HOSTS}

CLAUDE_DESKTOP = """{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ann"]
    },
    "github": {
      "command": "docker",
      "args": [
        "run"
      ],
      "env": {
        "TOKEN": "fake-key-of-another-server"
      }
    }
  },
  "globalShortcut": "Alt+Space"
}
"""

CLAUDE_CODE = """{
  "numStartups": 41,
  "tipsHistory": {
    "shift-enter": 12
  },
  "projects": {
    "/home/ann/src": {
      "allowedTools": [],
      "mcpServers": {}
    }
  },
  "mcpServers": {},
  "oauthAccount": {
    "emailAddress": "ann@example.com"
  }
}"""

VS_CODE = """{
\t// Servers for every workspace, {not "this"} one
\t"inputs": [
\t\t{ "type": "promptString", "id": "key", "description": "Key", "password": true, },
\t],
\t"servers": {
\t\t/* from the gallery: "servers": {} */
\t\t"docs": {
\t\t\t"type": "http",
\t\t\t"url": "https://docs.example.com/mcp" // no comma follows
\t\t} // the last one
\t},
}
"""

CURSOR = '{"mcpServers": {"a": {"url": "http://127.0.0.1:3000/sse"}, "b \\u00e9 \\" }": {"command": "b"}}}'

WINDSURF = """{
    "mcpServers": {
        "one": {"command": "one"}, "two": {"command": "two"}
    }
}
"""

ZED = """// Zed settings
//
// For information on how to configure Zed, see the Zed
// documentation: https://zed.dev/docs/configuring-zed
{
  "ui_font_size": 16,
  "theme": {
    "mode": "system",
    "light": "One Light", // by day
  },
  "context_servers": {
    // off for now
    "other": {
      "enabled": false,
      "source": "custom",
      "command": "other",
      "args": [],
    },
  },
}
"""

GEMINI = """{
  "selectedAuthType": "oauth-personal",
  "mcpServers": {
  },
  "theme": "GitHub"
}
"""

CODEX = '''model = "gpt-5"   # the usual
notes = """
[mcp_servers.mailmcp]
command = "this is text"
"""

[mcp_servers.docs]
command = "npx"
args = [
  "-y",
  "docs-mcp", # pinned
]
env = { API_KEY = "fake-key-of-another-server" }

# trusted
[projects."/home/ann/src"]
trust_level = "trusted"
'''

GOOSE = """GOOSE_PROVIDER: anthropic
extensions:   # mine
  # built in
  developer:
    bundled: true
    display_name: Developer
    enabled: true
    name: developer
    timeout: 300
    type: builtin
  fetch:
    args:
    - mcp-server-fetch
    cmd: uvx
    enabled: true
    envs:
      TOKEN: fake-key-of-another-server
    name: fetch
    type: stdio
# the model
GOOSE_MODEL: claude-sonnet
"""

SAMPLES: dict[str, tuple[str, str]] = {
    "claude-desktop": ("claude-desktop", CLAUDE_DESKTOP),
    "claude-code": ("claude-code", CLAUDE_CODE),
    "vscode": ("vscode", VS_CODE),
    "cursor, on one line": ("cursor", CURSOR),
    "windsurf, two on a line": ("windsurf", WINDSURF),
    "zed": ("zed", ZED),
    "codex": ("codex", CODEX),
    "gemini": ("gemini", GEMINI.replace("{\n  }", "{}")),
    "lm-studio, no server": ("lm-studio", '{\n  "mcpServers": {}\n}\n'),
    "goose": ("goose", GOOSE),
    "goose, no extension": ("goose", "GOOSE_MODE: auto\nextensions: {}  # none\nGOOSE_MODEL: x\n"),
    "goose, other indentation": ("goose", "extensions:\n    a:\n        cmd: a\n        type: stdio\n"),
    "cline": (
        "cline",
        '{\n  "mcpServers": {\n    "a": {\n      "command": "a",\n      "autoApprove": []\n    }\n  }\n}',
    ),
    "codex, a table below": ("codex", '[mcp_servers.a]\ncommand = "a"\n\n[mcp_servers.a.env]\nX = "1"\n\n\n'),
}
"""By name: the host and a file that is restored without the help of a backup."""

WITHOUT_SERVERS: dict[str, tuple[str, str]] = {
    "claude-desktop, other keys": ("claude-desktop", '{\n  "scale": 1.5\n}\n'),
    "claude-desktop, an empty object": ("claude-desktop", "{}"),
    "gemini, an object over two lines": ("gemini", GEMINI),
    "vscode, only comments": ("vscode", "// nothing yet"),
    "zed, comments inside": ("zed", "{\n  // nothing yet\n}\n"),
    "codex, other keys": ("codex", 'model = "gpt-5"'),
    "goose, other keys": ("goose", "GOOSE_MODE: auto"),
    "goose, empty braces": ("goose", "# mine\n{}\n"),
    "goose, nothing after the colon": ("goose", "extensions:\nGOOSE_MODE: auto\n"),
    **{f"{host.host_id}, empty": (host.host_id, "") for host in HOSTS},
    **{f"{host.host_id}, blank": (host.host_id, "\n\n") for host in HOSTS},
}
"""Files that need the backup to be restored: afterwards nobody can tell whether there was an empty object."""

BROKEN: dict[str, tuple[str, str]] = {
    "a bracket is missing": (
        "claude-desktop",
        '{"mcpServers": {"a": {"env": {"K": "fake-key-of-another-server"}}',
    ),
    "a comma is missing": ("cursor", '{"a": "fake-key-of-another-server" "b": 1}'),
    "a word": ("cursor", "fake-key-of-another-server"),
    "a comma alone": ("cursor", "{,}"),
    "an open string": ("zed", '{"a": "fake-key-of-another-server'),
    "an open comment": ("zed", "{} /* fake-key-of-another-server"),
    "an escape": ("zed", '{"a": "\\qfake-key-of-another-server"}'),
    "single quotes": ("vscode", "{'servers': {}}"),
    "two values": ("vscode", "{} {}"),
    "a list": ("claude-code", "[]"),
    "servers are a list": ("claude-code", '{"mcpServers": []}'),
    "servers are null": ("claude-code", '{"mcpServers": null}'),
    "the entry is a string": ("claude-code", '{"mcpServers": {"mailmcp": "x"}}'),
    "servers are there twice": ("windsurf", '{"mcpServers": {}, "mcpServers": {}}'),
    "nested too deeply": ("lm-studio", "[" * 100_000),
    "TOML, an open string": ("codex", 'key = "fake-key-of-another-server'),
    "TOML, servers are a string": ("codex", 'mcp_servers = "x"'),
    "TOML, an inline table": ("codex", 'mcp_servers = {docs = {command = "docs"}}\n'),
    "TOML, nested too deeply": ("codex", "a = " + "[" * 100_000),
    "TOML, a dotted key": ("codex", 'mcp_servers.mailmcp.command = "x"'),
    "YAML, nested too deeply": ("goose", "[" * 100_000),
    "YAML, a tab": ("goose", "a:\n\tb: fake-key-of-another-server\n"),
    "YAML, two documents": ("goose", "a: 1\n---\nb: 2\n"),
    "YAML, a list": ("goose", "- a\n"),
    "YAML, braces": ("goose", "extensions: {a: {cmd: a}}\n"),
    "YAML, an unknown tag": ("goose", "a: !secret fake-key-of-another-server\n"),
    "YAML, twice": ("goose", "extensions: {}\nextensions: {}\n"),
    "YAML, null in words": ("goose", "extensions: null\n"),
}
"""Files that are refused."""
