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
    assert done.stdout == (f'{config}: secrets = "keyring"\nStored. To test it, run mailmcp check home\n')
    assert list(key_store.entries.values()) == ["fake"]
    again = run(config, config.read_text(), "password home", typed="another\n")
    assert again.stdout == "Stored. To test it, run mailmcp check home\n", "the settings name it already"
    assert list(key_store.entries.values()) == ["another"]
    ended = run(config, config.read_text(), "logout home")
    assert (ended.exit_code, ended.output) == (0, "Deleted the secret of home\n")
    assert key_store.entries == {}


def test_settings_in_variables_are_changed_by_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAILMCP_HOST", "imap.example.org")
    monkeypatch.setenv("MAILMCP_USER", "ann")
    done = CliRunner().invoke(cli, ["password"], input="fake\n")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Set MAILMCP_SECRETS=keyring where mailmcp is started.\n")


INLINE = "accounts = [{ account_id = 'work', host = 'imap.example.org', user = 'ann' }]\n"


def test_settings_that_only_a_person_can_edit_are_left_to_them(config: Path, key_store: Memory) -> None:
    done = run(config, INLINE, "password", typed="fake\n")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.endswith(
        f"mailmcp: the secret is stored, but the settings don't say where. {config}: can't be edited "
        'automatically. Add to account work: secrets = "keyring"\n'
    )
    assert config.read_text() == INLINE
    assert list(key_store.entries.values()) == ["fake"]


@pytest.mark.parametrize("command", ["password", "logout"])
def test_a_key_store_that_is_locked_is_not_replaced_by_a_file(
    config: Path, secrets: Path, command: str
) -> None:
    keyring.set_keyring(Locked())
    done = run(config, f"{PASSWORD}secrets = 'keyring'\n", command, typed="fake\n")
    assert done.exit_code == 1
    assert done.stderr.endswith(
        "mailmcp: The system's key store can't be used (KeyringLocked). Is it unlocked?\n"
    )
    assert not secrets.exists()


def test_a_password_that_imap_cannot_carry_is_refused(config: Path, key_store: Memory) -> None:
    done = run(config, PASSWORD, "password", typed="fa\0ke\n")
    assert (done.exit_code, key_store.entries) == (1, {})
    assert done.stderr.endswith("mailmcp: a password can't contain line breaks or NULs\n")


def test_signing_out_says_who_still_knows_the_sign_in(config: Path, key_store: Memory) -> None:
    key_store.set_password("mailmcp", "work ann@imap.example.org", '{"refresh_token": "fake"}')
    oauth = "auth = 'oauth2'\nissuer = 'https://id.example.org'\nclient_id = 'x'\n"
    done = run(config, f"{PASSWORD}{oauth}secrets = 'keyring'\n", "logout")
    assert (done.exit_code, done.output) == (
        0,
        "Deleted the secret of work\n"
        "To end the sign-in at the provider too, remove mailmcp's access on its page.\n",
    )
    assert key_store.entries == {}
