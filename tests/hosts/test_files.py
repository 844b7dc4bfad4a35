"""Files are changed whole or not at all, and can be had back."""

import json
import stat
from codecs import BOM_UTF8
from pathlib import Path

import pytest

from hosts.samples import BROKEN, BY_ID, LAUNCH, SAMPLES, SECRET, WITHOUT_SERVERS
from mailmcp.hosts.files import FileError, apply, has_entry, plan_install, plan_uninstall
from mailmcp.hosts.table import Host


def install(path: Path, host: Host) -> None:
    change = plan_install(path, host, "mailmcp", LAUNCH)
    assert change is not None
    apply(change)
    assert plan_install(path, host, "mailmcp", LAUNCH) is None, "a second time changes nothing"


def uninstall(path: Path, host: Host) -> None:
    change = plan_uninstall(path, host, "mailmcp")
    assert change is not None
    apply(change)
    assert plan_uninstall(path, host, "mailmcp") is None


@pytest.mark.parametrize("mark", [b"", BOM_UTF8], ids=["plain", "byte order mark"])
@pytest.mark.parametrize("line", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("sample", SAMPLES | WITHOUT_SERVERS)
def test_a_file_gets_back_the_octets_that_it_had(
    sample: str, line: bytes, mark: bytes, tmp_path: Path
) -> None:
    host_id, text = (SAMPLES | WITHOUT_SERVERS)[sample]
    host, path = BY_ID[host_id], tmp_path / "settings"
    octets = mark + text.encode().replace(b"\n", line)
    path.write_bytes(octets)
    path.chmod(0o640)
    install(path, host)
    assert has_entry(path, host, "mailmcp")
    assert path.read_bytes().startswith(mark)
    assert (tmp_path / "settings.before-mailmcp").read_bytes() == octets
    uninstall(path, host)
    assert path.read_bytes() == octets
    assert not has_entry(path, host, "mailmcp")
    names = ["settings", "settings.before-mailmcp"]
    assert sorted(each.name for each in tmp_path.iterdir()) == names
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {0o640}


@pytest.mark.parametrize("host", BY_ID.values(), ids=lambda host: host.host_id)
def test_a_file_that_was_not_there_is_made_and_goes_again(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "settings"
    install(path, host)
    assert [each.name for each in tmp_path.iterdir()] == ["settings"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    uninstall(path, host)
    assert not path.exists()


def test_what_was_changed_since_stays_changed(tmp_path: Path) -> None:
    host, path = BY_ID["cursor"], tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {}}')
    install(path, host)
    path.write_text(path.read_text().replace('"mcpServers"', '"mine": 1, "mcpServers"'))
    uninstall(path, host)
    assert path.read_text() == '{"mine": 1, "mcpServers": {}}'


def test_a_backup_with_an_entry_is_not_what_was_there(tmp_path: Path) -> None:
    host, path = BY_ID["cursor"], tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"mailmcp": {"command": "/old"}}}')
    install(path, host)
    uninstall(path, host)
    assert path.read_text() == '{"mcpServers": {}}'


@pytest.mark.parametrize("backup", [b"{", b"\xff", b'{"mcpServers": []}'], ids=repr)
def test_a_backup_of_something_else_is_no_obstacle(backup: bytes, tmp_path: Path) -> None:
    host, path = BY_ID["cursor"], tmp_path / "mcp.json"
    install(path, host)
    (tmp_path / "mcp.json.before-mailmcp").write_bytes(backup)
    uninstall(path, host)
    assert path.read_text() == '{\n  "mcpServers": {}\n}\n'


def test_a_link_stays_one(tmp_path: Path) -> None:
    host = BY_ID["zed"]
    folder = tmp_path / "dotfiles"
    folder.mkdir()
    real, link = folder / "zed.json", tmp_path / "settings.json"
    real.write_text("{}")
    link.symlink_to(Path("dotfiles", "zed.json"))
    install(link, host)
    assert link.is_symlink()
    assert has_entry(real, host, "mailmcp")
    assert (folder / "zed.json.before-mailmcp").read_text() == "{}"
    uninstall(link, host)
    assert link.is_symlink()
    assert real.read_text() == "{}"


def test_who_reads_meanwhile_sees_the_whole_old_file(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("{}")
    with path.open() as reader:
        install(path, BY_ID["cursor"])
        assert reader.read() == "{}"


def test_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    link = tmp_path / "mcp.json"
    for target in (tmp_path / "gone.json", link):
        link.symlink_to(target)
        with pytest.raises(FileError, match="is a link to a file that doesn't exist"):
            plan_install(link, BY_ID["cursor"], "mailmcp", LAUNCH)
        link.unlink()


def test_a_read_only_file_stays_as_it_is(tmp_path: Path) -> None:
    host, path = BY_ID["cursor"], tmp_path / "mcp.json"
    path.write_text("{}")
    path.chmod(0o444)
    change = plan_install(path, host, "mailmcp", LAUNCH)
    assert change is not None
    with pytest.raises(FileError, match="is read-only"):
        apply(change)
    assert path.read_text() == "{}"
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize("meanwhile", ['{"a": 1}', None], ids=repr)
def test_a_file_that_changed_since_it_was_read_is_left_alone(meanwhile: str | None, tmp_path: Path) -> None:
    host, path = BY_ID["claude-code"], tmp_path / ".claude.json"
    path.write_text("{}")
    change = plan_install(path, host, "mailmcp", LAUNCH)
    assert change is not None
    if meanwhile is None:
        path.unlink()
    else:
        path.write_text(meanwhile)
    with pytest.raises(FileError, match="was changed meanwhile"):
        apply(change)
    assert (path.read_text() if path.exists() else None) == meanwhile


@pytest.mark.parametrize("sample", BROKEN)
def test_a_broken_file_is_named_and_left_alone(sample: str, tmp_path: Path) -> None:
    host_id, text = BROKEN[sample]
    path = tmp_path / "settings"
    path.write_text(text)
    with pytest.raises(FileError, match="Nothing was changed") as caught:
        plan_install(path, BY_ID[host_id], "mailmcp", LAUNCH)
    assert str(path) in str(caught.value)
    assert SECRET not in str(caught.value)
    assert path.read_text() == text


def test_what_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes('{"a": "é"}'.encode("utf-16"))
    with pytest.raises(FileError, match=r"mcp\.json: is not UTF-8 text"):
        plan_install(path, BY_ID["cursor"], "mailmcp", LAUNCH)


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").mkdir()
    with pytest.raises(FileError, match=r"mcp\.json: can't be read: Is a directory"):
        plan_install(tmp_path / "mcp.json", BY_ID["cursor"], "mailmcp", LAUNCH)


def test_a_file_whose_folder_is_gone_is_named(tmp_path: Path) -> None:
    change = plan_install(tmp_path / "gone" / "mcp.json", BY_ID["cursor"], "mailmcp", LAUNCH)
    assert change is not None
    with pytest.raises(FileError, match="can't be written: No such file"):
        apply(change)


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_difference_shows_no_secret_of_others(sample: str, tmp_path: Path) -> None:
    host_id, text = SAMPLES[sample]
    host, path = BY_ID[host_id], tmp_path / "settings"
    path.write_text(text)
    added = plan_install(path, host, "mailmcp", LAUNCH)
    assert added is not None
    assert LAUNCH.command in "\n".join(added.diff())
    assert SECRET not in "\n".join(added.diff())
    apply(added)
    removed = plan_uninstall(path, host, "mailmcp")
    assert removed is not None
    assert SECRET not in "\n".join(removed.diff())


def test_the_line_above_that_gets_a_comma_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"key": SECRET}, indent=2))
    change = plan_install(path, BY_ID["cursor"], "mailmcp", LAUNCH)
    assert change is not None
    assert change.diff()[:3] == [
        '+  "mcpServers": {',
        '+    "mailmcp": {',
        f'+      "command": "{LAUNCH.command}",',
    ]
    assert SECRET not in str(change.diff()) + repr(change)


def test_a_file_on_one_line_is_shown_in_part(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"a": {"args": ["' + SECRET * 50 + '"]}}}')
    change = plan_install(path, BY_ID["cursor"], "mailmcp", LAUNCH)
    assert change is not None
    entry = json.dumps({"command": LAUNCH.command, "args": ["serve"]})
    assert change.diff() == [f'+, "mailmcp": {entry}']
