"""login, logout, password and check as a user runs them, with a home of their own."""

import stat
from collections.abc import Callable
from pathlib import Path

import keyring
import pytest
from click.testing import CliRunner, Result
from mcp import Client

from auth.key_stores import Locked, Memory
from cli.conftest import ServeTo
from mailmcp.cli.main import cli
from servers.authorization import CLIENT_ID, USER, AuthorizationServer
from servers.dovecot import Dovecot
from servers.dovecot_config import PASSWORD

Write = Callable[..., Path]

OAUTH = f"auth = 'oauth2'\nissuer = '{{issuer}}'\nclient_id = '{CLIENT_ID}'\n"
OTHER = "[[accounts]]\naccount_id = 'home'\nhost = 'imap.example.org'\nuser = 'ann'\n"


def run(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(cli, arguments, input=typed)


async def read_mail(client: Client) -> None:
    """Do what a host does; fails if the server can't sign in."""
    assert not (await client.call_tool("imap_list_mailboxes", {"account_id": "work"})).is_error


@pytest.fixture
def write(config: Path, mail_server: Dovecot, authorization: AuthorizationServer) -> Write:
    """Writes a settings file with one account; `{issuer}` stands for the authorization server's."""

    def write(keys: str, others: str = "") -> Path:
        config.parent.mkdir(parents=True, exist_ok=True)
        config.touch(mode=0o600)
        config.write_text(
            f"# my accounts\n[[accounts]]\naccount_id = 'work'\nhost = '{mail_server.host}'\n"
            f"port = {mail_server.plain_port}\ntls = 'none'\nuser = '{USER}'\n"
            + keys.format(issuer=authorization.issuer)
            + others
        )
        return config

    return write


@pytest.mark.parametrize("options", [[], ["work", "--device"]])
def test_a_person_signs_in_once_a_host_reads_mail_and_signing_out_forgets(
    write: Write, secrets: Path, serve_to: ServeTo, options: list[str]
) -> None:
    path = write(OAUTH)
    before = path.read_text()
    done = run("login", *options)
    assert done.exit_code == 0, done.stderr
    assert "Signed in to work" in done.stdout
    assert ("enter the code FAKE-CODE (valid for 15 minutes)" in done.stdout) == bool(options)
    assert "mailmcp uses a file that only you can read instead" in done.stderr
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    served = serve_to(read_mail)
    checked = run("check")
    assert checked.exit_code == 0, checked.stdout
    printed = done.output + checked.output + served.output
    assert "fake-refresh" in secrets.read_text()
    assert "fake-refresh" not in printed
    assert "eyJ" not in printed, "no access token either"
    ended = run("logout")
    assert ended.stdout == (
        "Deleted the secret of work\n"
        "To end the sign-in at the provider too, remove mailmcp's access on its page.\n"
    )
    assert (secrets.read_text(), path.read_text()) == ("{}", before)
    assert "The user must run: mailmcp login work" in run("check").stdout


def test_a_user_who_declines_or_a_sign_in_that_does_not_last_stores_nothing(
    write: Write, secrets: Path, authorization: AuthorizationServer
) -> None:
    authorization.consent = False
    write(OAUTH)
    done = run("login")
    assert done.exit_code == 1
    assert "the user said no" in done.stderr
    authorization.consent = True
    authorization.answers["/token"] = (200, '{"access_token": "fake", "token_type": "Bearer"}')
    assert "sent no refresh token, so the sign-in would not last" in run("login").stderr
    assert not secrets.exists()


def test_a_token_command_is_asked_again_if_its_token_is_refused(
    write: Write, home: Path, authorization: AuthorizationServer
) -> None:
    """The first token has expired, as one that the command's own cache still holds."""
    (home / "tokens").write_text(
        f"{authorization.access_token(lifetime_s=-60)}\n{authorization.access_token()}\n"
    )
    program = "head -n 1 tokens; tail -n +2 tokens > rest; mv rest tokens"
    write(f"auth = 'oauth2'\ntoken_command = ['sh', '-c', 'cd {home}; {program}']\n")
    assert run("check").exit_code == 0
    assert (home / "tokens").read_text() == ""


def test_a_password_is_stored_and_then_works(write: Write, serve_to: ServeTo) -> None:
    key_store = Memory()
    keyring.set_keyring(key_store)
    path = write("", OTHER)
    done = run("password", "work", typed=f"{PASSWORD}\n")
    assert done.stdout == "Stored. To test it, run mailmcp check work\n"
    assert PASSWORD not in done.output + path.read_text()
    assert list(key_store.entries.values()) == [PASSWORD]
    serve_to(read_mail)
    assert run("logout", "work").stdout == "Deleted the secret of work\n"
    assert key_store.entries == {}
    refused = run("password", "work", typed="fa\0ke\n")
    assert refused.stderr.endswith("mailmcp: a password can't contain line breaks or NULs\n")
    assert run("password", "work").exit_code == 1, "an interrupt"
    assert key_store.entries == {}


def test_a_key_store_that_is_locked_is_left_alone(write: Write, secrets: Path) -> None:
    keyring.set_keyring(Locked())
    write("")
    told = "The system's key store can't be used (KeyringLocked). Is it unlocked?"
    assert run("logout").stderr.endswith(f"mailmcp: {told}\n")
    stored = run("password", typed="fake\n")
    assert f"{told} mailmcp uses a file that only you can read instead." in stored.stderr
    assert "fake" in secrets.read_text()


@pytest.mark.parametrize(
    ("keys", "command", "said"),
    [
        ("password = 'fake'\n", "login", 'Set auth = "oauth2", or run mailmcp password work'),
        ("auth = 'oauth2'\ntoken_command = ['x']\n", "login", "doesn't need you to sign in"),
        (OAUTH, "password", "Run mailmcp login work"),
        (OAUTH, "logout", "nothing is stored for account work"),
        ("password = 'fake'\n", "password", "Remove it first"),
        ("auth = 'oauth2'\nprovider = 'google'\nclient_id = 'x'\n", "login", "set client_secret"),
        ("speed = 1\n", "logout", "the settings have errors:\n  "),
        (OTHER, "logout", "Name the account. The accounts are: work, home\n"),
        (OTHER, "logout wrok", "there is no such account. The accounts are: work, home\n"),
    ],
)
def test_a_command_that_does_not_fit_the_account_says_which_one_does(
    write: Write, keys: str, command: str, said: str
) -> None:
    write(keys)
    done = run(*command.split())
    assert done.exit_code in {1, 2}
    assert said in done.stderr
    assert done.stdout == ""
