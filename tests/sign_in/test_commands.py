"""login, logout and password as a user runs them, with a home of their own."""

import stat
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner, Result

from cli.served import Served, clean_environment
from mailmcp.cli.main import cli
from servers.authorization import CLIENT_ID, CLIENT_SECRET, USER, AuthorizationServer
from servers.dovecot import Dovecot
from servers.dovecot_config import PASSWORD
from sign_in.terminal import CTRL_C, NO_KEY_STORE, converse

Write = Callable[[str], Path]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals and modes of POSIX")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with no settings and no key store, and a browser whose user has consented before."""
    for name, value in (clean_environment(tmp_path) | NO_KEY_STORE).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("webbrowser.open", lambda url: httpx2.get(url, follow_redirects=True))
    return tmp_path


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, arguments, env=environment)


@pytest.fixture
def write(home: Path, mail_server: Dovecot, authorization: AuthorizationServer) -> Write:
    """Writes a settings file with one account; `{issuer}` stands for the authorization server's."""

    def write(keys: str) -> Path:
        path = home / "config" / "mailmcp" / "config.toml"
        path.parent.mkdir(parents=True)
        path.touch(mode=0o600)
        path.write_text(
            f"# my accounts\n[[accounts]]\naccount_id = 'work'  # the only one\nhost = '{mail_server.host}'\n"
            f"port = {mail_server.plain_port}\ntls = 'none'\nuser = '{USER}'\n"
            + keys.format(issuer=authorization.issuer)
        )
        return path

    return write


OAUTH = f"auth = 'oauth2'\nissuer = '{{issuer}}'\nclient_id = '{CLIENT_ID}'\n"


def stored(home: Path) -> Path:
    return home / ".local" / "share" / "mailmcp" / "secrets.json"


def test_a_person_signs_in_once_and_a_host_with_six_variables_reads_mail(
    write: Write, home: Path, authorization: AuthorizationServer
) -> None:
    path = write(OAUTH)
    done = run("login")
    assert done.exit_code == 0, done.stderr
    assert "Signed in to work" in done.stdout
    assert "mailmcp uses a file that only you can read instead" in done.stderr
    text = path.read_text()
    assert "# my accounts" in text
    assert "# the only one" in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(stored(home).stat().st_mode) == 0o600
    with Served(["serve", "--config", str(path)], folder=home) as host:
        host.introduce()
        assert not host.call("imap_list_mailboxes").get("isError")
    checked = run("check")
    assert checked.exit_code == 0, checked.stdout
    assert authorization.refreshes == 0, "the access token of the login is still good"
    secrets = stored(home).read_text()
    printed = done.stdout + done.stderr + checked.stdout + checked.stderr + host.stderr
    assert "fake-refresh" in secrets
    assert "fake-refresh" not in printed
    assert "eyJ" not in printed, "no access token either"


def test_a_code_is_entered_on_another_device(write: Write, home: Path) -> None:
    write(OAUTH)
    done = run("login", "work", "--device")
    assert done.exit_code == 0, done.stderr
    assert "/activate and enter the code FAKE-CODE (valid for 15 minutes)" in done.stdout
    assert stored(home).exists()


def test_signing_out_forgets(write: Write, home: Path) -> None:
    write(OAUTH)
    run("login")
    done = run("logout")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "Deleted the secret of work")
    assert stored(home).read_text() == "{}"
    checked = run("check")
    assert checked.exit_code == 1
    assert "The user must run: mailmcp login work" in checked.stdout


def test_an_application_needs_no_person(write: Write) -> None:
    write(f"{OAUTH}grant = 'application'\nclient_secret_env = 'FAKE_SECRET'\n")
    assert run("check", FAKE_SECRET=CLIENT_SECRET).exit_code == 0
    refused = run("check", FAKE_SECRET="wrong")
    assert refused.exit_code == 1
    assert "invalid_client" in refused.stdout
    login = run("login", FAKE_SECRET=CLIENT_SECRET)
    assert "doesn't need you to sign in" in login.stderr


def test_a_token_command_is_asked_again_if_its_token_is_refused(
    write: Write, home: Path, authorization: AuthorizationServer
) -> None:
    """The first token has expired, as one that the command's own cache still holds."""
    (home / "tokens").write_text(
        f"{authorization.access_token(lifetime_s=-60)}\n{authorization.access_token()}\n"
    )
    (home / "next.py").write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "first, rest = path.read_text().split('\\n', 1)\n"
        "path.write_text(rest)\n"
        "print(first)\n"
    )
    command = [sys.executable, str(home / "next.py"), str(home / "tokens")]
    write(f"auth = 'oauth2'\ntoken_command = {command}\n")
    assert run("check").exit_code == 0
    assert (home / "tokens").read_text() == ""


@pytest.mark.parametrize(
    ("keys", "command", "said"),
    [
        ("password = 'fake'\n", "login", 'Set auth = "oauth2", or run mailmcp password work'),
        (OAUTH, "password", "Run mailmcp login work"),
        (OAUTH, "logout", "nothing is stored for account work"),
        ("password = 'fake'\n", "password", "Remove it first"),
        ("auth = 'oauth2'\nprovider = 'google'\nclient_id = 'x'\n", "login", "set client_secret"),
    ],
)
def test_a_command_that_does_not_fit_the_account_says_which_one_does(
    write: Write, keys: str, command: str, said: str
) -> None:
    write(keys)
    done = run(command)
    assert done.exit_code == 1
    assert said in done.stderr


def test_a_user_who_declines_stores_nothing(
    write: Write, home: Path, authorization: AuthorizationServer
) -> None:
    authorization.consent = False
    path = write(OAUTH)
    before = path.read_text()
    done = run("login")
    assert done.exit_code == 1
    assert "the user said no" in done.stderr
    assert path.read_text() == before
    assert not stored(home).exists()


def test_a_password_is_asked_for_without_echo_and_then_works(write: Write, home: Path) -> None:
    path = write("")
    _, screen = converse([sys.executable, "-m", "mailmcp", "password"], home, [("Password", f"{PASSWORD}\r")])
    assert f"Password for {USER}:" in screen
    assert "Stored. To test it, run mailmcp check work" in screen
    assert PASSWORD not in screen
    assert PASSWORD not in path.read_text()
    with Served(["serve", "--config", str(path)], folder=home) as host:
        host.introduce()
        assert not host.call("imap_list_mailboxes").get("isError")


def test_an_interrupt_leaves_everything_as_it_was(write: Write, home: Path) -> None:
    path = write("")
    before = path.read_text()
    _, screen = converse([sys.executable, "-m", "mailmcp", "password"], home, [("Password", f"half{CTRL_C}")])
    assert "Aborted!" in screen
    assert path.read_text() == before
    assert not stored(home).exists()
