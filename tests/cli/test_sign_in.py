"""login, logout and password where something is in the way: which account, the key store, the settings."""

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from click.testing import CliRunner, Result

from auth.key_stores import Locked, Memory
from mailmcp.cli.main import cli

HOST = "host = 'imap.example.org'\nuser = 'ann'\n"
PASSWORD = f"[[accounts]]\naccount_id = 'work'\n{HOST}"
OTHER = f"[[accounts]]\naccount_id = 'home'\n{HOST}"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config" / "mailmcp" / "config.toml"


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    return tmp_path / ".local" / "share" / "mailmcp" / "secrets.json"


@pytest.fixture(autouse=True)
def key_store() -> Iterator[Memory]:
    """The key store of the system."""
    before, memory = keyring.get_keyring(), Memory()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)


def run(config: Path, settings: str, command: str, *, typed: str = "") -> Result:
    config.parent.mkdir(parents=True, exist_ok=True)
    config.touch(mode=0o600)
    config.write_text(settings)
    return CliRunner().invoke(cli, command.split(), input=typed)


@pytest.mark.parametrize(
    ("settings", "command", "status", "said"),
    [
        ("accounts = 5\n", "logout", 2, "mailmcp: the settings have errors:\n  "),
        (PASSWORD + OTHER, "password", 2, "Error: Name the account. The accounts are: work, home\n"),
        (PASSWORD + OTHER, "logout wrok", 2, "there is no such account. The accounts are: work, home\n"),
    ],
)
def test_it_must_be_clear_which_account_is_meant(
    config: Path, settings: str, command: str, status: int, said: str
) -> None:
    done = run(config, settings, command)
    assert (done.exit_code, done.stdout) == (status, "")
    assert said in done.stderr


def test_the_key_store_of_the_system_is_used_without_a_word(config: Path, key_store: Memory) -> None:
    done = run(config, PASSWORD + OTHER, "password home", typed="fake\n")
    assert done.stderr == "Password for ann: \n"
    assert done.stdout == "Stored. To test it, run mailmcp check home\n"
    assert list(key_store.entries.values()) == ["fake"]
    again = run(config, config.read_text(), "password home", typed="another\n")
    assert again.stdout == "Stored. To test it, run mailmcp check home\n"
    assert list(key_store.entries.values()) == ["another"]
    ended = run(config, config.read_text(), "logout home")
    assert (ended.exit_code, ended.output) == (0, "Deleted the secret of home\n")
    assert key_store.entries == {}


def test_a_key_store_that_is_locked_is_left_alone(config: Path, secrets: Path) -> None:
    keyring.set_keyring(Locked())
    done = run(config, PASSWORD, "logout")
    assert done.exit_code == 1
    assert done.stderr.endswith(
        "mailmcp: The system's key store can't be used (KeyringLocked). Is it unlocked?\n"
    )
    stored = run(config, PASSWORD, "password", typed="fake\n")
    assert "KeyringLocked" in stored.stderr
    assert "uses a file that only you can read instead" in stored.stderr
    assert "fake" in secrets.read_text()


def test_a_password_that_imap_cannot_carry_is_refused(config: Path, key_store: Memory) -> None:
    done = run(config, PASSWORD, "password", typed="fa\0ke\n")
    assert (done.exit_code, key_store.entries) == (1, {})
    assert done.stderr.endswith("mailmcp: a password can't contain line breaks or NULs\n")


def test_signing_out_says_who_still_knows_the_sign_in(config: Path, key_store: Memory) -> None:
    key_store.set_password("mailmcp", "work ann@imap.example.org", '{"refresh_token": "fake"}')
    oauth = "auth = 'oauth2'\nissuer = 'https://id.example.org'\nclient_id = 'x'\n"
    done = run(config, PASSWORD + oauth, "logout")
    assert (done.exit_code, done.output) == (
        0,
        "Deleted the secret of work\n"
        "To end the sign-in at the provider too, remove mailmcp's access on its page.\n",
    )
    assert key_store.entries == {}
