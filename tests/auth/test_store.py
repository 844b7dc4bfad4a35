import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import keyring.backends.fail
import pytest

from auth.key_stores import Forgetful, Locked, Memory
from mailmcp.auth.store import FileStore, KeyringStore, NoKeyStoreError, StoreError, UserStore

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")


@pytest.fixture(autouse=True)
def back_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """The key store of the system, and a home for the file."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    before = keyring.get_keyring()
    memory = Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mailmcp" / "secrets.json"


def test_secrets_are_kept_and_deleted_by_the_key_store(back_end: Memory, file: Path) -> None:
    store = UserStore()
    assert store.read("work") is None
    store.write("work", "fake")
    assert list(back_end.entries.values()) == ["fake"], "the probe is gone"
    writes = back_end.writes
    store.write("work", "fake")
    assert back_end.writes == writes, "an entry that is equal is not written: macOS would ask again"
    assert store.read("work") == "fake"
    assert store.room("work") == KeyringStore().room("work") < FileStore().room("work")
    store.delete("work")
    store.delete("work")
    assert store.read("work") is None
    assert not file.exists() or FileStore().read("work") is None


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Locked, "KeyringLocked"),
        (Forgetful, "did not return"),
        (keyring.backends.fail.Keyring, "has no key store"),
    ],
)
def test_a_key_store_that_does_not_work_is_left_for_the_file(kind: type[Memory], why: str) -> None:
    keyring.set_keyring(kind())
    store = UserStore()
    _, why_not = store.choose("work")
    assert why in why_not
    assert "fake-secret" not in why_not
    store.write("work", "fake")
    assert FileStore().read("work") == store.read("work") == "fake"
    keyring.set_keyring(Memory())
    store.write("work", "newer")
    assert FileStore().read("work") == store.read("work") == "newer", "where it is, it stays"


def test_a_key_store_that_is_locked_is_not_taken_for_an_empty_one() -> None:
    keyring.set_keyring(Locked())
    with pytest.raises(StoreError, match="Is it unlocked"):
        UserStore().read("work")
    keyring.set_keyring(keyring.backends.fail.Keyring())  # type: ignore[no-untyped-call]
    assert UserStore().read("work") is None
    UserStore().delete("work")
    with pytest.raises(NoKeyStoreError):
        KeyringStore().read("work")


@posix
def test_the_file_is_for_its_owner_alone(file: Path) -> None:
    store = FileStore()
    store.write("work", "fake")
    store.write("home", "fake too")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert (store.read("work"), store.read("home"), store.read("other")) == ("fake", "fake too", None)
    store.delete("work")
    assert store.read("work") is None
    assert sorted(each.name for each in file.parent.iterdir()) == ["secrets.json", "secrets.json.lock"]
    for mode in (0o640, 0o604):
        file.chmod(mode)
        with pytest.raises(StoreError, match="chmod 600"):
            store.read("home")


def test_a_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "mailmcp").write_text("a file, where the folder should be")
    with pytest.raises(StoreError, match="can't be written"):
        FileStore(tmp_path / "mailmcp" / "new" / "secrets.json").write("work", "fake")


@pytest.mark.parametrize("content", ["", "[]", '{"work": 5}'])
def test_a_damaged_file_is_not_overwritten(file: Path, content: str) -> None:
    file.parent.mkdir()
    file.touch(0o600)
    file.write_text(content)
    with pytest.raises(StoreError, match="damaged"):
        FileStore().write("work", "fake")
    assert file.read_text() == content
