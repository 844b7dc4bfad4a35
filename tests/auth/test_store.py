import os
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest

from auth.key_stores import Forgetful, Locked, Memory
from mailmcp.auth.store import FileStore, KeyringStore, StoreError, choose_store, open_store

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")


@pytest.fixture
def back_end() -> Iterator[Memory]:
    before = keyring.get_keyring()
    memory = Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


def test_secrets_are_kept_and_deleted_by_the_key_store(back_end: Memory) -> None:
    store = KeyringStore()
    assert store.read("work") is None
    store.write("work", "fake")
    store.write("work", "fake")
    assert back_end.writes == 1, "an entry that is equal is not written: macOS would ask again"
    assert store.read("work") == "fake"
    store.delete("work")
    store.delete("work")
    assert store.read("work") is None


def test_a_key_store_that_works_is_chosen_and_left_empty(back_end: Memory) -> None:
    store, why_not = choose_store()
    assert store.name == "keyring"
    assert not why_not
    assert not back_end.entries


@pytest.mark.parametrize(("kind", "why"), [(Locked, "KeyringLocked"), (Forgetful, "did not return")])
@pytest.mark.usefixtures("back_end")
def test_a_key_store_that_does_not_work_is_left_for_the_file(kind: type[Memory], why: str) -> None:
    keyring.set_keyring(kind())
    store, why_not = choose_store()
    assert store.name == "file"
    assert why in why_not
    assert "fake-secret" not in why_not


@pytest.mark.usefixtures("back_end")
def test_no_key_store_at_all_leaves_the_file() -> None:
    import keyring.backends.fail  # noqa: PLC0415 - what a machine without one has

    keyring.set_keyring(keyring.backends.fail.Keyring())  # type: ignore[no-untyped-call]
    assert choose_store()[0].name == "file"
    with pytest.raises(StoreError, match="has no key store"):
        open_store("keyring").read("work")


@posix
def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "secrets.json"
    store = FileStore(path)
    store.write("work", "fake")
    store.write("home", "fake too")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert (store.read("work"), store.read("home"), store.read("other")) == ("fake", "fake too", None)
    store.delete("work")
    assert store.read("work") is None
    assert sorted(each.name for each in path.parent.iterdir()) == ["secrets.json", "secrets.json.lock"]


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "secrets.json"
    FileStore(path).write("work", "fake")
    path.chmod(mode)
    with pytest.raises(StoreError, match="chmod 600"):
        FileStore(path).read("work")


@posix
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write anywhere")
def test_a_folder_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="can't be written"):
        FileStore(tmp_path / "secrets.json").write("work", "fake")


@pytest.mark.parametrize("content", ["", "[]", '{"work": 5}'])
def test_a_damaged_file_is_not_overwritten(tmp_path: Path, content: str) -> None:
    path = tmp_path / "secrets.json"
    path.touch(0o600)
    path.write_text(content)
    with pytest.raises(StoreError, match="damaged"):
        FileStore(path).write("work", "fake")
    assert path.read_text() == content
