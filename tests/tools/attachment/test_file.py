"""A file appears whole or not at all, under a name of its own, in its folder, over nothing."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mailmcp.reasons import Reason
from mailmcp.tools.attachment import file
from mailmcp.tools.attachment.file import save_file
from mailmcp.tools.attachment.name import safe_filename
from mcp_envelope import InternalError

NAMES = st.text(max_size=300) | st.text("./\\:~-. \0\u202eax", max_size=300)


def refuse_links(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def use_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "_HAS_DIR_FD", False)


def use_no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", refuse_links)


def use_what_there_is(_: pytest.MonkeyPatch) -> None:
    """As on this system."""


@pytest.fixture(params=[use_what_there_is, use_paths, use_no_links])
def _system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems that know open folders or paths alone, and file systems without hard links."""
    change: Callable[[pytest.MonkeyPatch], None] = request.param
    change(monkeypatch)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.usefixtures("_system")
def test_a_file_is_saved_for_its_owner_alone(tmp_path: Path) -> None:
    saved = save_file(tmp_path, "a.txt", [b"one ", b"", b"two"])
    assert saved.path == tmp_path / "a.txt"
    assert (saved.size_octets, saved.sha256) == (7, hashlib.sha256(b"one two").hexdigest())
    assert content(tmp_path) == {"a.txt": b"one two"}
    assert stat.S_IMODE(saved.path.stat().st_mode) == 0o600


@pytest.mark.usefixtures("_system")
def test_a_taken_name_gets_a_number(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"mine")
    (tmp_path / "a (2).txt").mkdir()
    names = [save_file(tmp_path, "a.txt", [str(number).encode()]).path.name for number in range(2)]
    assert names == ["a (3).txt", "a (4).txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"mine"
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.usefixtures("_system")
@pytest.mark.parametrize("target", ["outside.txt", "nowhere/at/all"])
def test_a_symbolic_link_of_that_name_is_not_followed(tmp_path: Path, target: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "outside.txt").write_bytes(b"outside")
    (folder / "a.txt").symlink_to(tmp_path / target)
    assert save_file(folder, "a.txt", [b"new"]).path.name == "a (2).txt"
    assert (tmp_path / "outside.txt").read_bytes() == b"outside"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.usefixtures("_system")
def test_a_failed_save_leaves_nothing_behind(tmp_path: Path) -> None:
    def octets() -> Iterator[bytes]:
        yield b"half"
        assert len(list(tmp_path.iterdir())) == 1
        raise KeyError("broken off")

    with pytest.raises(KeyError, match="broken off"):
        save_file(tmp_path, "a.txt", octets())
    assert content(tmp_path) == {}


def test_a_file_has_a_temporary_name_until_it_is_complete(tmp_path: Path) -> None:
    def octets() -> Iterator[bytes]:
        yield b"half"
        (partial,) = tmp_path.iterdir()
        assert partial.name.startswith(".mailmcp-")
        assert stat.S_IMODE(partial.stat().st_mode) == 0o600
        yield b" and half"

    save_file(tmp_path, "a.txt", octets())
    assert content(tmp_path) == {"a.txt": b"half and half"}


@pytest.mark.usefixtures("_system")
def test_a_missing_folder_is_an_error_the_user_can_fix(tmp_path: Path) -> None:
    with pytest.raises(InternalError) as caught:
        save_file(tmp_path / "gone", "a.txt", [b"x"])
    assert caught.value.reason is Reason.SAVE_FAILED
    assert "No such file or directory" in caught.value.message
    assert "save_folder" in caught.value.message
    assert str(tmp_path) not in caught.value.message


def test_a_full_disk_is_an_error_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InternalError, match="No space left on device"):
        save_file(tmp_path, "a.txt", [b"x"])
    assert content(tmp_path) == {}


def test_a_name_reserved_for_a_failed_save_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    use_no_links(monkeypatch)
    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(InternalError, match="Input/output error"):
        save_file(tmp_path, "a.txt", [b"x"])
    assert content(tmp_path) == {}


def test_a_save_fails_when_all_numbered_names_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mailmcp.limits.SAVED_NAMES_TRIED", 3)
    for _ in range(3):
        save_file(tmp_path, "a.txt", [b"x"])
    with pytest.raises(InternalError) as caught:
        save_file(tmp_path, "a.txt", [b"x"])
    assert caught.value.reason is Reason.SAVE_FAILED
    assert "must delete some" in caught.value.message
    assert len(content(tmp_path)) == 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filename=NAMES)
def test_no_name_whatsoever_leaves_the_folder_or_overwrites(
    tmp_path_factory: pytest.TempPathFactory, filename: str
) -> None:
    """The folder stands in another, which must stay as it is; each file is new."""
    outer = tmp_path_factory.getbasetemp() / "property"
    folder = outer / "folder"
    folder.mkdir(parents=True, exist_ok=True)
    before = content(folder)
    name = safe_filename(filename, content_type="application/pdf", part_id="2")
    octets = f"{len(before)}".encode()
    saved = save_file(folder, name, [octets])
    after = content(folder)
    assert saved.path.parent == folder
    assert after == before | {saved.path.name: octets}
    assert saved.path.name not in before
    assert [path.name for path in outer.iterdir()] == ["folder"]
    if len(after) > 40:
        for path in folder.iterdir():
            path.unlink()


def test_arguments_of_calls_for_paths_are_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows no call may be given an open folder."""
    use_paths(monkeypatch)
    seen: list[dict[str, Any]] = []
    real = os.link

    def link(source: Path, target: Path, **options: Any) -> None:
        seen.append(options)
        real(source, target, **options)

    monkeypatch.setattr(os, "link", link)
    save_file(tmp_path, "a.txt", [b"x"])
    assert seen == [{}]
