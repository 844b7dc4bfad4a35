"""The entry goes in and out, and nothing else changes."""

import json
import re
import tomllib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hosts.samples import ANOTHER_LAUNCH, BROKEN, BY_ID, LAUNCH, SAMPLES, SECRET, WITHOUT_SERVERS
from mailmcp.hosts.edit import add_entry, find_entry, remove_entry
from mailmcp.hosts.json_text import JSON
from mailmcp.hosts.syntax import TextError
from mailmcp.hosts.table import Host, Launch

BREAKS = pytest.mark.parametrize("line", ["\n", "\r\n"], ids=["LF", "CRLF"])


def load(host: Host, text: str) -> Any:
    """Parse with the parsers of others; no string in the samples has a comment in it."""
    if host.syntax.name == "toml":
        return tomllib.loads(text)
    if host.syntax.name == "yaml":
        return yaml.safe_load(text) or {}
    plain = re.sub(r"/\*.*?\*/|(?<!:)//[^\r\n]*", "", text, flags=re.DOTALL)
    plain = re.sub(r",(\s*[}\]])", r"\1", plain)
    return json.loads(plain) if plain.strip() else {}


def add(host: Host, text: str, launch: Launch = LAUNCH) -> str:
    return add_entry(text, host.syntax, (host.key, "mailmcp"), host.make_entry("mailmcp", launch))


def is_subsequence(text: str, longer: str) -> bool:
    rest = iter(longer)
    return all(character in rest for character in text)


@BREAKS
@pytest.mark.parametrize("sample", SAMPLES | WITHOUT_SERVERS)
def test_the_entry_is_all_that_changes(sample: str, line: str) -> None:
    host_id, text = (SAMPLES | WITHOUT_SERVERS)[sample]
    host, text = BY_ID[host_id], text.replace("\n", line)
    new = add(host, text)
    wanted = load(host, text)
    wanted[host.key] = (wanted.get(host.key) or {}) | {"mailmcp": host.make_entry("mailmcp", LAUNCH)}
    assert load(host, new) == wanted
    assert add(host, new) == new, "a second time changes nothing"
    if "\n" in text:
        assert new.count("\r\n") == (new.count("\n") if line == "\r\n" else 0)
    assert is_subsequence(
        text.replace(" {}", "").replace("\n{}", "\n") if host_id == "goose" else text, new
    ), "only additions"


@BREAKS
@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_removed_leaves_no_trace(sample: str, line: str) -> None:
    host_id, text = SAMPLES[sample]
    host, text = BY_ID[host_id], text.replace("\n", line)
    assert remove_entry(add(host, text), host.syntax, (host.key, "mailmcp")) == text


@pytest.mark.parametrize("sample", WITHOUT_SERVERS)
def test_what_is_removed_is_gone_also_where_the_servers_were_new(sample: str) -> None:
    host_id, text = WITHOUT_SERVERS[sample]
    host = BY_ID[host_id]
    data = load(host, remove_entry(add(host, text), host.syntax, (host.key, "mailmcp")))
    assert data.pop(host.key, {}) == {}
    old = load(host, text)
    old.pop(host.key, None)
    assert data == old


@pytest.mark.parametrize("sample", BROKEN)
def test_what_can_not_be_understood_is_refused_without_being_quoted(sample: str) -> None:
    host_id, text = BROKEN[sample]
    with pytest.raises(TextError) as caught:
        add(BY_ID[host_id], text)
    chain: BaseException | None = caught.value
    while chain is not None:
        assert SECRET not in str(chain)
        chain = None if chain.__suppress_context__ else chain.__context__


@pytest.mark.parametrize(
    ("host_id", "text", "where"),
    [
        ("cursor", '{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: expected a comma or }"),
        ("cursor", '{\r\n  "a" 1\r\n}', "line 2, column 7: expected a colon"),
        ("zed", "[]", "is not a JSON object"),
        ("codex", "a = 1\nb 2\n", "line 2, column 3: this is not valid TOML"),
        ("goose", "a: 1\nb: [\n", "line 3, column 1: this is not valid YAML"),
        ("goose", "extensions: {a: {cmd: a}}\n", "line 1: can't add to a mapping in braces"),
        ("goose", "extensions: {}\nextensions: {}\n", 'line 2: "extensions" is there twice'),
    ],
)
def test_a_mistake_is_said_with_its_place(host_id: str, text: str, where: str) -> None:
    with pytest.raises(TextError, match=re.escape(where)):
        add(BY_ID[host_id], text)


OLD_ENTRIES = {
    "zed": """{
  "context_servers": {
    "mailmcp": {
      "enabled": false, // on holiday
      "command": "/old/mailmcp", // moved
      "args": ["serve"],
      "env": {"MAILMCP_HOST": "imap.example.com"}
    }
  }
}
""",
    "vscode": '{"servers": {"mailmcp": {"args": [], "command": "x", "env": {"A": "1"}}, "b": {"url": "b"}}}',
    "claude-desktop": '{"mcpServers": {"mailmcp": {\n  "env": {"A": "1"}\n}}}',
    "codex": """[mcp_servers.mailmcp] # mail
args = [ # none
]
command = '/old/#1/mailmcp' # moved

[mcp_servers.mailmcp.env]
MAILMCP_HOST = "imap.example.com"

[other]
x = 1
""",
    "goose": """extensions:
  mailmcp:
    args:
    - serve
    cmd: /old/mailmcp # moved
    enabled: false
    envs:
      MAILMCP_HOST: imap.example.com
  other:
    cmd: other
""",
}


@pytest.mark.parametrize("host_id", OLD_ENTRIES)
def test_an_old_entry_gets_the_new_command_and_keeps_what_the_user_has_added(host_id: str) -> None:
    host, text = BY_ID[host_id], OLD_ENTRIES[host_id]
    new = add(host, text, ANOTHER_LAUNCH)
    old, entry = load(host, text)[host.key]["mailmcp"], host.make_entry("mailmcp", ANOTHER_LAUNCH)
    command = "cmd" if host_id == "goose" else "command"
    wanted = entry | old | {key: entry[key] for key in (command, "args")}
    assert load(host, new)[host.key]["mailmcp"] == wanted
    for comment in ("// on holiday", "// moved", "# mail", "# moved"):
        assert (comment in new) == (comment in text)
    removed = remove_entry(new, host.syntax, (host.key, "mailmcp"))
    assert "mailmcp" not in removed
    others = {name: each for name, each in load(host, text)[host.key].items() if name != "mailmcp"}
    assert load(host, removed).get(host.key, {}) == others


@pytest.mark.parametrize(
    ("host_id", "text", "wanted"),
    [
        (
            "codex",
            '[mcp_servers."mailmcp"] # m\ncommand = "x"\n[a]',
            '[mcp_servers."mailmcp"] # m\nargs = ["serve"]\ncommand = "/home/ann/.local/bin/mailmcp"\n[a]',
        ),
        (
            "codex",
            "[mcp_servers.mailmcp]",
            '[mcp_servers.mailmcp]\nargs = ["serve"]\ncommand = "/home/ann/.local/bin/mailmcp"\n',
        ),
        (
            "cursor",
            '{"mcpServers": {"mailmcp": {"command": "x"}}}',
            '{"mcpServers": {"mailmcp": {"command": "/home/ann/.local/bin/mailmcp", "args": ["serve"]}}}',
        ),
    ],
)
def test_an_entry_gets_what_it_lacks(host_id: str, text: str, wanted: str) -> None:
    assert add(BY_ID[host_id], text) == wanted


def test_a_server_with_an_address_is_not_made_a_command() -> None:
    text = '{"servers": {"mailmcp": {"type": "http", "url": "http://127.0.0.1:8000/mcp"}}}'
    with pytest.raises(TextError, match="is a server with an address; use another --name"):
        add(BY_ID["vscode"], text)


def test_comments_next_to_a_removed_entry_stay() -> None:
    text = '{"servers": {\n  // above\n  "mailmcp": {}, // behind\n  // below\n  "b": {}\n}}'
    new = remove_entry(text, JSON, ("servers", "mailmcp"))
    assert new == '{"servers": {\n  // above // behind\n  // below\n  "b": {}\n}}'
    codex = BY_ID["codex"]
    text = '# top\n\n[mcp_servers.mailmcp]\n# inside\ncommand = "x"\n\n# of the next\n[a]\nb = 1\n'
    assert remove_entry(text, codex.syntax, ("mcp_servers", "mailmcp")) == (
        "# top\n\n# of the next\n[a]\nb = 1\n"
    )


def test_what_can_not_be_removed_line_by_line_is_refused() -> None:
    codex, goose = BY_ID["codex"], BY_ID["goose"]
    with pytest.raises(TextError, match="can't be edited automatically"):
        remove_entry(
            'mcp_servers = {mailmcp = {command = "x"}, a = {}}', codex.syntax, ("mcp_servers", "mailmcp")
        )
    with pytest.raises(TextError, match="can't remove from a mapping in braces"):
        remove_entry("extensions: {mailmcp: {cmd: x}}", goose.syntax, ("extensions", "mailmcp"))


def test_other_names_stand_beside_it() -> None:
    for host in BY_ID.values():
        text = add(host, "")
        both = add_entry(text, host.syntax, (host.key, "work-2"), host.make_entry("work-2", ANOTHER_LAUNCH))
        assert find_entry(both, host.syntax, (host.key, "mailmcp")) == host.make_entry("mailmcp", LAUNCH)
        assert remove_entry(both, host.syntax, (host.key, "work-2")) == text


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
LAUNCHES = st.builds(Launch, command=st.text(), args=st.lists(st.text(), max_size=3).map(tuple))


@given(
    data=st.dictionaries(st.text(), JSON_VALUES, max_size=3),
    servers=st.none()
    | st.dictionaries(st.text().filter(lambda name: name != "mailmcp"), JSON_VALUES, max_size=3),
    indent=st.sampled_from([None, 0, 1, 4, "\t"]),
    launch=LAUNCHES,
)
def test_any_json_keeps_its_data(
    data: dict[str, Any],
    servers: dict[str, Any] | None,
    indent: int | str | None,
    launch: Launch,
) -> None:
    data.pop("mcpServers", None)
    if servers is not None:
        data["mcpServers"] = servers
    text = json.dumps(data, indent=indent, ensure_ascii=indent is None)
    new = add(BY_ID["cursor"], text, launch)
    entry = {"command": launch.command, "args": list(launch.args)}
    assert json.loads(new) == {**data, "mcpServers": {**(servers or {}), "mailmcp": entry}}
    removed = remove_entry(new, JSON, ("mcpServers", "mailmcp"))
    assert json.loads(removed) == {**data, "mcpServers": servers or {}}
    if servers is not None:
        assert removed == text


@given(launch=LAUNCHES)
def test_any_command_is_read_as_it_was_meant_or_refused(launch: Launch) -> None:
    for host_id in ("codex", "goose"):
        host = BY_ID[host_id]
        try:
            new = add(host, SAMPLES[host_id][1], launch)
        except TextError:
            assert not (launch.command + "".join(launch.args)).isprintable()
        else:
            assert load(host, new)[host.key]["mailmcp"] == host.make_entry("mailmcp", launch)
