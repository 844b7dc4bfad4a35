"""`mailmcp check`: what it reports of good servers and bad ones."""

from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner, Result

from cli.settings_files import write_settings
from mailmcp.cli.main import cli
from mailmcp.imap.account import Password, Tls
from servers.dovecot import Dovecot, Login
from servers.embedded import Pymap
from servers.logins import plain_account
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from tools.stores import peer_account, pymap_store


def check(config: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", "--config", str(config), *arguments])


def test_an_account_that_works_and_one_whose_certificate_is_not_trusted(
    dovecot: Dovecot, dovecot_user: Login, tmp_path: Path
) -> None:
    plain = plain_account(dovecot.host, dovecot.tls_port, dovecot_user.user, dovecot_user.password)
    account = replace(plain, tls=Tls.IMPLICIT, ca_file=dovecot.ca_file)
    result = check(write_settings(tmp_path, account))
    assert result.exit_code == 0
    assert f"work: {account.host}:{account.port}, TLS implicit\n  Signed in; 6 mailboxes.\n" in result.stdout
    result = check(write_settings(tmp_path, replace(account, ca_file=None)))
    assert result.exit_code == 1
    assert "certificate was rejected" in result.stdout


def test_one_account_that_fails_fails_the_check(
    pymap_server: Pymap, peer: PeerFactory, tmp_path: Path
) -> None:
    works = pymap_store(pymap_server).account
    fails = replace(peer_account(peer()), account_id="home", credentials=Password(lambda: "wrong-password"))
    garbage = Rule(command="LIST", action=Respond(b"* LIST (((((\r\n{tag} NO Denied\r\n"))
    breaks = replace(peer_account(peer(rules=[garbage])), account_id="broken")
    config = write_settings(tmp_path, works, fails, breaks)
    config.chmod(0o644)
    result = check(config)
    assert result.exit_code == 1
    assert f"work: 127.0.0.1:{works.port}, plain text\n  Signed in; 1 mailbox.\n" in result.stdout
    assert "\n  The server rejected the user name or password of account home" in result.stdout
    assert isinstance(result.exception, SystemExit), "the server's mistake isn't ours"
    assert "\nbroken: " in result.stdout
    assert result.stdout.count("Signed in") == 1
    assert "wrong-password" not in result.output
    assert result.stderr.startswith("warning: ")
    alone = check(config, "work")
    assert (alone.exit_code, "home" in alone.stdout) == (0, False)
    unknown = check(config, "other")
    assert unknown.exit_code == 2
    assert "there is no such account. The accounts are: work, home, broken" in unknown.stderr
