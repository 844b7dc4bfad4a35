from pathlib import Path

import keyring
import keyring.backends.fail
import pytest

from auth.key_stores import Forgetful, Locked, Memory
from mailmcp.auth import store
from mailmcp.auth.store import StoreError


def test_secrets_are_kept_and_deleted_by_the_key_store(secrets_file: Path) -> None:
    memory = Memory()
    keyring.set_keyring(memory)
    assert store.read("work") is None
    assert store.write("work", "fake") == ""
    assert list(memory.entries.values()) == ["fake"]
    store.write("work", "fake")
    assert memory.writes == 1, "an entry that is equal is not written: macOS would ask again"
    assert store.read("work") == "fake"
    store.delete("work")
    store.delete("work")
    assert store.read("work") is None
    assert not secrets_file.exists()
    assert "too long" in store.write("work", "x" * 2_000)
    assert secrets_file.exists()


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Locked, "KeyringLocked"),
        (Forgetful, "did not return"),
        (keyring.backends.fail.Keyring, "has no key store"),
    ],
)
def test_a_key_store_that_does_not_work_is_left_for_the_file(
    kind: type[Memory], why: str, secrets_file: Path
) -> None:
    keyring.set_keyring(kind())
    why_not = store.write("work", "fake")
    assert why in why_not
    assert "fake-secret" not in why_not
    assert "fake" in secrets_file.read_text()
    memory = Memory()
    keyring.set_keyring(memory)
    assert store.write("work", "newer") == ""
    assert (store.read("work"), memory.entries) == ("newer", {}), "where it is, it stays"


def test_the_file_is_for_its_owner_alone(secrets_file: Path) -> None:
    store.write("work", "fake")
    store.write("home", "fake too")
    assert secrets_file.stat().st_mode & 0o777 == 0o600
    assert secrets_file.parent.stat().st_mode & 0o777 == 0o700
    store.delete("work")
    assert (store.read("work"), store.read("home")) == (None, "fake too")


def test_a_folder_that_can_not_be_made_is_named(secrets_file: Path) -> None:
    secrets_file.parent.parent.mkdir()
    secrets_file.parent.write_text("a file, where the folder should be")
    with pytest.raises(StoreError, match="can't be"):
        store.write("work", "fake")


@pytest.mark.parametrize("content", ["", '{"work": 5}'])
def test_a_damaged_file_is_not_overwritten(secrets_file: Path, content: str) -> None:
    secrets_file.parent.mkdir(parents=True)
    secrets_file.touch(0o600)
    secrets_file.write_text(content)
    with pytest.raises(StoreError, match="damaged"):
        store.write("work", "fake")
    assert secrets_file.read_text() == content
