"""Files are changed whole or not at all, and become again what they were."""

import json
import stat
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path

import pytest

from mailmcp.hosts.files import apply, plan_install, plan_uninstall
from mailmcp.hosts.table import HOSTS, HostError, Launch

LAUNCH = Launch(command="/home/ann/.local/bin/mailmcp", args=("serve",))
SECRET = "sk-of-another-server"
(CURSOR,) = (host for host in HOSTS if host.host_id == "cursor")

SAMPLES = {
    "empty": "",
    "on one line": '{"mcpServers": {"a": {"command": "/a", "env": {"KEY": "sk-of-another-server"}}}}',
    "without servers": '{\n    "theme": "dark",\n    "keys": ["é", 1.50, 1e3, null]\n}',
    "tabs, others": '{\n\t"mcpServers": {\n\t\t"a": {"url": "https://example.com"}\n\t},\n\t"x": 1\n}\n',
    "escapes": '{"path": "C:\\\\mail", "text": "\\u00e9\\n"}\n',
}
BROKEN = {
    "comment": '{\n  // mine\n  "a": "sk-of-another-server"\n}',
    "a list": '["sk-of-another-server"]',
    "a key twice": '{"a": 1, "a": "sk-of-another-server"}',
    "servers are a list": '{"mcpServers": ["sk-of-another-server"]}',
    "the entry is a text": '{"mcpServers": {"mailmcp": "sk-of-another-server"}}',
    "a server with an address": '{"mcpServers": {"mailmcp": {"url": "sk-of-another-server"}}}',
    "a number that JSON can't write": '{"a": 1e999, "b": "sk-of-another-server"}',
    "a lone surrogate": '{"a": "\\ud800", "b": "sk-of-another-server"}',
    "nested too deeply": "[" * 100_000,
}


def install(path: Path) -> None:
    change = plan_install(path, CURSOR, "mailmcp", LAUNCH)
    assert change is not None
    assert SECRET not in repr(change)
    apply(change)
    assert plan_install(path, CURSOR, "mailmcp", LAUNCH) is None, "a second time changes nothing"


def uninstall(path: Path) -> None:
    change = plan_uninstall(path, CURSOR, "mailmcp")
    assert change is not None
    apply(change)
    assert plan_uninstall(path, CURSOR, "mailmcp") is None


@pytest.mark.parametrize(
    ("mark", "line"), [(b"", b"\n"), (BOM_UTF8, b"\r\n")], ids=["as on Unix", "as on Windows"]
)
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_file_gets_back_the_octets_that_it_had(
    sample: str, line: bytes, mark: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "mcp.json"
    octets = mark + SAMPLES[sample].encode().replace(b"\n", line)
    path.write_bytes(octets)
    path.chmod(0o664)
    install(path)
    written = path.read_bytes()
    assert written.startswith(mark)
    others = json.loads(written)
    assert others["mcpServers"].pop("mailmcp") == {"command": LAUNCH.command, "args": ["serve"]}
    before = json.loads(SAMPLES[sample] or "{}")
    assert others in (before, before | {"mcpServers": {}})
    uninstall(path)
    assert path.read_bytes() == octets
    # The backup of uninstalling has the entry; that of installing is still what was there first.
    assert (tmp_path / "mcp.json.before-mailmcp").read_bytes() == octets
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o664}


def test_no_backup_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    for text in ('{"first": 1}', '{"second": 2}', '{"first": 1}'):
        path.write_text(text)
        install(path)
        uninstall(path)
        assert path.read_text() == text
    kept = [each.read_text() for each in tmp_path.iterdir()]
    assert {'{"first": 1}', '{"second": 2}'} <= set(kept)


def test_what_was_changed_since_stays_changed(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{\n\t"mcpServers": {}\n}')
    install(path)
    path.write_text(path.read_text().replace('"mcpServers"', '"mine": 1, "mcpServers"'))
    uninstall(path)
    assert path.read_text() == '{\n\t"mine": 1,\n\t"mcpServers": {}\n}\n'


def test_an_entry_keeps_its_other_keys(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"mailmcp": {"command": "/old", "env": {"A": "b"}}}}')
    install(path)
    entry = json.loads(path.read_text())["mcpServers"]["mailmcp"]
    assert entry == {"command": LAUNCH.command, "args": ["serve"], "env": {"A": "b"}}
    uninstall(path)
    assert not path.exists(), "nothing else was in it"


def test_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "zed.json", tmp_path / "settings.json"
    real.write_text("{}")
    link.symlink_to("zed.json")
    install(link)
    assert link.is_symlink()
    assert "mailmcp" in real.read_text()


@pytest.mark.parametrize("sample", BROKEN)
def test_what_can_not_be_rewritten_is_refused_and_not_quoted(sample: str, tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(BROKEN[sample])
    with pytest.raises(HostError) as caught:
        plan_install(path, CURSOR, "mailmcp", LAUNCH)
    assert str(path) in str(caught.value)
    assert SECRET not in str(caught.value)
    assert path.read_text() == BROKEN[sample]


@pytest.mark.parametrize(
    ("meanwhile", "fault"),
    [
        (lambda path: path.chmod(0o444), "is read-only"),
        (lambda path: path.write_text("{} "), "was changed meanwhile"),
        (lambda path: path.unlink(), "was changed meanwhile"),
    ],
    ids=["read-only", "changed", "gone"],
)
def test_a_file_that_must_not_be_written_is_left_alone(
    meanwhile: Callable[[Path], object], fault: str, tmp_path: Path
) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    change = plan_install(path, CURSOR, "mailmcp", LAUNCH)
    assert change is not None
    meanwhile(path)
    with pytest.raises(HostError, match=fault):
        apply(change)
    assert [each.name for each in tmp_path.iterdir()] in (["mcp.json"], [])
