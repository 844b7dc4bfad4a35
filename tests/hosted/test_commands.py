"""Settings and commands for many users, and how the server ends."""

from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from click.testing import CliRunner, Result

from cli.conftest import own_process
from hosted.conftest import SECRETS
from hosted.organisation import MASTER_PASSWORD, Organisation, serve, write_settings
from mailmcp.cli.main import cli
from servers.dovecot import Dovecot
from servers.dovecot_config import PASSWORD
from servers.http_process import connected, search
from servers.peer import PeerFactory
from servers.peer_actions import Rule, Stall
from servers.peer_mailbox import make_messages
from settings.loading import load

__all__ = ["own_process"]

OAUTH = """
[http.oauth]
issuer = "https://id.example.com"
url = "https://mail.example.com/mcp"
sign_in = "{sign_in}"
"""
ACCOUNT = '[[accounts]]\naccount_id = "work"\nhost = "imap.example.com"\nuser = "{user}"\n'
ANN, BOB = SECRETS
STORED = OAUTH.format(sign_in="stored")


def run(path: Path, *arguments: str, typed: str = "") -> Result:
    command, *rest = arguments
    return CliRunner().invoke(cli, [command, "--config", str(path), *rest], input=typed)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[http]\nport = 1\n" + ACCOUNT, "http: can only have the table [http.oauth]"),
        (STORED + "scope = 1\n" + ACCOUNT, "http.oauth.scope: is not a known key; did you mean scopes?"),
        (STORED + 'scopes = ["a b"]\n' + ACCOUNT, "http.oauth.scopes: must be"),
        (STORED.replace("https://id", "http://id") + ACCOUNT, "http.oauth.issuer: must be an https address"),
        (STORED.replace("stored", "other") + ACCOUNT, "http.oauth.sign_in: must be"),
        (STORED, "write exactly one account, whose user contains {user}"),
        (STORED + ACCOUNT + ACCOUNT.replace("work", "home"), "write exactly one account"),
        (STORED + ACCOUNT.replace("{user}", "ann"), "write exactly one account"),
        (STORED + ACCOUNT.replace("work", "w" * 56), "account_id: must have at most 55 characters"),
        (STORED + ACCOUNT + 'password = "hunter2"\n', 'password: needs sign_in = "master"'),
        (
            STORED + 'valkey_url = "valkey://:hunter2/x@host"\n' + ACCOUNT,
            "valkey_url: must be a URL such",
        ),
        (STORED + ACCOUNT + 'auth = "oauth2"\ntoken_command = ["x"]\n', "auth: can't be combined with"),
        (STORED + ACCOUNT + f'[server]\nhttp_token = "{"x" * 16}"\n', "server.http_token: can't be combined"),
        (STORED + ACCOUNT + '[attachments]\nsave_folder = "/tmp"\n', "attachments.save_folder: can't be"),
        (STORED + ACCOUNT + '[attachments]\nattach_folder = "/tmp"\n', "attachments.attach_folder: can't be"),
        (STORED + 'check = "introspection"\n' + ACCOUNT, "http.oauth.client_secret: is missing"),
        (OAUTH.format(sign_in="exchange") + ACCOUNT, "http.oauth.client_id: is missing"),
        (OAUTH.format(sign_in="master") + ACCOUNT, "http.oauth.master_user: is missing"),
    ],
)
def test_settings_that_cannot_work_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    result = run(path, "serve", "--transport", "http")
    assert result.exit_code == 2
    assert said in result.stderr
    assert "hunter2" not in result.output


def test_a_secret_that_others_can_read_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(OAUTH.format(sign_in="exchange") + 'client_id = "x"\nclient_secret = "y"\n' + ACCOUNT)
    path.chmod(0o644)
    assert "contains client_secret, and other users" in load(config=path).warnings[0]


def test_many_users_are_not_served_over_stdio(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(STORED + ACCOUNT)
    result = run(path, "serve")
    assert (result.exit_code, "add --transport http" in result.stderr) == (1, True)


def test_an_administrator_stores_tests_and_deletes_the_password_of_one_user(
    organisation: Organisation, mail_server: Dovecot, tmp_path: Path
) -> None:
    path = write_settings(organisation, mail_server, tmp_path, sign_in="stored")
    for command in ("password", "check", "logout"):
        assert "name one with --user" in run(path, command).stderr
    assert "mailmcp password --user ann@example.com" in run(path, "check", "--user", ANN).stdout
    stored = run(path, "password", "--user", ANN, typed=f"{PASSWORD}\n")
    assert (stored.exit_code, "Stored. To test it, run mailmcp check --user ann@" in stored.stdout) == (
        0,
        True,
    )
    assert "Signed in; 6 mailboxes." in run(path, "check", "--user", ANN).stdout
    assert run(path, "check", "--user", BOB).exit_code == 1
    assert run(path, "logout", "--user", ANN).exit_code == 0
    assert run(path, "check", "--user", ANN).exit_code == 1


def test_the_master_users_password_may_be_stored_and_opens_each_mailbox(
    organisation: Organisation, mail_server: Dovecot, tmp_path: Path
) -> None:
    path = write_settings(organisation, mail_server, tmp_path, sign_in="master", master_user="boss")
    assert run(path, "password", "work", typed=f"{MASTER_PASSWORD}\n").exit_code == 0
    for user in SECRETS:
        assert "Signed in; 6 mailboxes." in run(path, "check", "--user", user).stdout
    assert '--user needs sign_in = "stored"' in run(path, "password", "--user", ANN).stderr


def test_calls_in_flight_end_before_the_server_does(
    organisation: Organisation, peer: PeerFactory, tmp_path: Path
) -> None:
    """A replica that is replaced must not cut off its users' calls: a drip takes longer than a second."""
    slow = peer(
        messages=make_messages(3), rules=[Rule(command="UID SEARCH", action=Stall(octets=1, interval_s=0.05))]
    )
    slow.settings.user = ""

    async def drain() -> None:
        token = organisation.issue(ANN)
        async with connected(process.url, "auto", token) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(search, client)
            await to_thread.run_sync(slow.wait_for, "UID SEARCH")
            process.process.terminate()

    options = {"sign_in": "master", "master_user": "x"}
    with serve(organisation, slow, tmp_path, account='password = "fake-password"\n', **options) as process:
        anyio.run(drain)
        assert process.stop() == ""
    assert "outcome=ok" in process.log
