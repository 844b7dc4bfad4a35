"""`mailmcp check`: what it finds out of good servers and bad ones."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli.settings_files import write_settings
from mailmcp.cli.main import cli
from mailmcp.imap.account import Account, Password, Tls
from servers.dovecot import Dovecot, Login
from servers.embedded import Pymap
from servers.logins import plain_account
from servers.peer import PeerFactory
from servers.peer_actions import Bye, Close, Respond, Rule
from tools.stores import peer_account, pymap_store


def check(config: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", "--config", str(config), *arguments])


def result_of(config: Path) -> tuple[int, dict[str, Any]]:
    result = check(config, "--json")
    (verdict,) = json.loads(result.stdout)
    return result.exit_code, verdict


@pytest.fixture
def dovecot_account(dovecot: Dovecot, dovecot_user: Login) -> Account:
    plain = plain_account(dovecot.host, dovecot.tls_port, dovecot_user.user, dovecot_user.password)
    return replace(plain, tls=Tls.IMPLICIT, ca_file=dovecot.ca_file)


def test_an_account_that_works(dovecot_account: Account, tmp_path: Path) -> None:
    status, verdict = result_of(write_settings(tmp_path, dovecot_account))
    assert status == 0
    steps = verdict.pop("steps_ms")
    assert list(steps) == ["connect", "tls", "greeting", "login", "id", "list"]
    assert all(isinstance(ms, int) and ms >= 0 for ms in steps.values())
    capabilities = verdict.pop("capabilities")
    assert {"ESEARCH", "LIST-STATUS", "SPECIAL-USE"} <= set(capabilities)
    assert "PREVIEW" not in capabilities, "what is not used says nothing"
    assert verdict == {
        "account_id": "work",
        "host": dovecot_account.host,
        "port": dovecot_account.port,
        "tls": "implicit",
        "ok": True,
        "reachable": True,
        "logged_in": True,
        "mailboxes": 6,
        "error": None,
    }


def test_starttls_is_a_step_of_its_own(dovecot: Dovecot, dovecot_account: Account, tmp_path: Path) -> None:
    account = replace(dovecot_account, port=dovecot.plain_port, tls=Tls.STARTTLS)
    status, verdict = result_of(write_settings(tmp_path, account))
    assert status == 0
    assert list(verdict["steps_ms"]) == ["connect", "greeting", "starttls", "login", "id", "list"]


def test_the_table_shows_all_accounts_and_one_that_fails_fails_the_check(
    pymap_server: Pymap, peer: PeerFactory, tmp_path: Path
) -> None:
    works = pymap_store(pymap_server).account
    fails = replace(peer_account(peer()), account_id="home", credentials=Password(lambda: "wrong-password"))
    config = write_settings(tmp_path, works, fails)
    result = check(config)
    assert result.exit_code == 1
    shown = ("account", f"127.0.0.1:{works.port}", "plain text")
    assert [text for text in shown if text not in result.stdout] == []
    # Joined: the column is wrapped if a slow machine's milliseconds make the table wide.
    cells = [line.split("│")[2].strip() for line in result.stdout.splitlines() if line.startswith("│")]
    expected = ("logged in", "not logged in", "logged in 1 mailbox ", "mailboxes not listed")
    assert [state for state in expected if state not in " ".join(cells)] == []
    assert "\nhome: The server rejected the user name or password of account home" in result.stdout
    assert "wrong-password" not in result.output
    alone = check(config, "work")
    assert (alone.exit_code, "home" in alone.stdout) == (0, False)
    verdicts = json.loads(check(config, "--json").stdout)
    assert [(each["account_id"], each["ok"]) for each in verdicts] == [("work", True), ("home", False)]


def test_an_unknown_account_is_a_mistake(pymap_server: Pymap, tmp_path: Path) -> None:
    result = check(write_settings(tmp_path, pymap_store(pymap_server).account), "home")
    assert result.exit_code == 2
    assert "there is no such account. The accounts are: work" in result.stderr


def test_a_refused_login_is_told_from_an_unreachable_host(peer: PeerFactory, tmp_path: Path) -> None:
    account = replace(peer_account(peer()), credentials=Password(lambda: "wrong-password"))
    status, verdict = result_of(write_settings(tmp_path, account))
    assert (status, verdict["reachable"], verdict["logged_in"], verdict["ok"]) == (1, True, False, False)
    assert verdict["error"].startswith("The server rejected the user name or password of account work")


def test_nobody_listening(peer: PeerFactory, tmp_path: Path) -> None:
    server = peer()
    server.stop()
    status, verdict = result_of(write_settings(tmp_path, peer_account(server)))
    assert (status, verdict["reachable"], verdict["steps_ms"]) == (1, False, {})
    assert "refuses connections" in verdict["error"]


def test_a_certificate_that_is_not_trusted(dovecot_account: Account, tmp_path: Path) -> None:
    status, verdict = result_of(write_settings(tmp_path, replace(dovecot_account, ca_file=None)))
    assert (status, verdict["reachable"], verdict["ok"]) == (1, True, False)
    assert list(verdict["steps_ms"]) == ["connect"]
    assert "certificate was rejected" in verdict["error"]


@pytest.mark.parametrize(
    "options",
    [
        {"greeting": Bye("Too busy")},
        {"greeting": Respond(b"HTTP/1.1 400 Bad Request\r\n\r\n")},
        {"greeting": Close("before")},
        {"rules": [Rule(command="LOGIN", action=Close("within"))]},
        {"rules": [Rule(command="LIST", action=Respond(b"{tag} NO [SERVERBUG] Failed\r\n"))]},
        {"rules": [Rule(command="LIST", action=Respond(b"{tag} BAD What?\r\n"))]},
        {"rules": [Rule(command="LIST", action=Close("before"))]},
        {"rules": [Rule(command="LIST", action=Respond(b"* LIST (((((\r\n{tag} WHAT\r\n"))]},
    ],
    ids=["bye", "http", "closed", "login-cut", "list-no", "list-bad", "list-cut", "list-garbage"],
)
def test_a_server_that_fails_never_fails_the_command(
    peer: PeerFactory, tmp_path: Path, options: dict[str, Any]
) -> None:
    result = check(write_settings(tmp_path, peer_account(peer(**options))), "--json")
    assert result.exit_code == 1
    (verdict,) = json.loads(result.stdout)
    assert verdict["error"]
    assert verdict["ok"] is False


def test_warnings_go_to_stderr(pymap_server: Pymap, tmp_path: Path) -> None:
    config = write_settings(tmp_path, pymap_store(pymap_server).account)
    config.chmod(0o644)
    for options in ((), ("--json",)):
        result = check(config, *options)
        assert result.exit_code == 0
        assert result.stderr.startswith("warning: ")
        assert "warning" not in result.stdout


@pytest.mark.parametrize("columns", [80, 50])
def test_nothing_is_cut_where_the_table_is_too_wide(
    peer: PeerFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    account = replace(peer_account(peer()), account_id=f"a-long-name{'-and-longer' * 4}")
    table = check(write_settings(tmp_path, account)).stdout
    cells = [line.split("│")[1].strip() for line in table.splitlines() if line.startswith("│")]
    assert f"{account.account_id}127.0.0.1:{account.port}plain" in "".join(cells)
    assert "…" not in table
