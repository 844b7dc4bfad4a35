"""`mailmcp setup` as people and scripts run it, with a real mail server and a home of their own."""

import json
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli.conftest import ServeTo
from mailmcp.cli.main import cli
from servers.authorization import CLIENT_ID, USER, AuthorizationServer
from servers.dovecot import Dovecot
from servers.dovecot_config import PASSWORD
from sign_in.test_commands import read_mail

ADDRESS = "ann@contoso.example"

Setup = Callable[..., Result]


@pytest.fixture
def script() -> Setup:
    """Runs setup as a script does, without a terminal."""

    def script(*arguments: str, typed: str = "") -> Result:
        return CliRunner().invoke(cli, ["setup", *arguments], input=typed)

    return script


@pytest.fixture
def person(script: Setup, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """Runs setup at a terminal; a person types the lines."""
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _self: True, raising=False)

    def person(*arguments: str, lines: list[str]) -> Result:
        return script(*arguments, typed="".join(f"{line}\n" for line in lines))

    return person


@pytest.fixture
def at_server(mail_server: Dovecot) -> list[str]:
    """The options that name the tests' mail server."""
    return ["--host", mail_server.host, "--port", str(mail_server.plain_port), "--tls", "none"]


def account(config: Path) -> dict[str, Any]:
    """Return the last account of the settings."""
    last: dict[str, Any] = tomllib.loads(config.read_text())["accounts"][-1]
    return last


def test_a_person_answers_the_questions_and_reads_mail(
    person: Setup, mail_server: Dovecot, home: Path, config: Path, serve_to: ServeTo
) -> None:
    (home / ".cursor").mkdir()
    (home / ".codeium" / "windsurf").mkdir(parents=True)
    answers = [
        *("no address", ADDRESS, "imap://x", "127.0.0.1", "ssl", "", ""),
        *("two words", "work", PASSWORD, "y", "n"),
    ]
    options = ["--port", str(mail_server.tls_port), "--ca-file", str(mail_server.ca_file)]
    done = person(*options, lines=answers)
    assert done.exit_code == 0, done.output
    for told in (
        "Error: must be an address, such as ann@example.com",
        "IMAP server of contoso.example, or its provider (such as Google or Outlook)",
        "TLS (implicit, starttls, none) [implicit]",
        "Error: must be a host name or an IP address",
        "Error: 'ssl' is not one of 'implicit', 'starttls', 'none'.",
        "Login name [ann@contoso.example]",
        "Error: must be 1 to 64 letters",
        "Signed in; ",
        f"Account work is set up in {config}.",
    ):
        assert told in done.output
    assert account(config) == {
        "account_id": "work",
        "host": "127.0.0.1",
        "port": mail_server.tls_port,
        "ca_file": str(mail_server.ca_file),
        "user": ADDRESS,
    }
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert stat.S_IMODE(config.parent.stat().st_mode) == 0o700
    assert PASSWORD not in done.output + config.read_text()
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["mailmcp"]
    assert entry["args"][-1] == "serve"
    assert not (home / ".codeium" / "windsurf" / "mcp_config.json").exists()
    serve_to(read_mail)


@pytest.mark.parametrize(("lines", "saved"), [(["", PASSWORD], True), (["n"], False), ([], False)], ids=str)
def test_an_account_that_fails_its_test_is_not_saved(
    person: Setup, at_server: list[str], config: Path, secrets: Path, lines: list[str], *, saved: bool
) -> None:
    done = person("--email", ADDRESS, "--user", "ann", *at_server, lines=["", "wrong", *lines])
    assert "rejected the user name or password" in done.output
    assert (done.exit_code == 0) == saved, done.output
    assert (config.exists(), secrets.exists()) == (saved, saved)


def test_a_script_extends_settings_loses_nothing_and_saves_nothing_that_fails_its_test(
    script: Setup, at_server: list[str], home: Path, config: Path, secrets: Path
) -> None:
    (home / ".cursor").mkdir()
    before = "[[accounts]]  # one\naccount_id = 'home'\nhost = 'mail.example'\nuser = 'ann'  # me"
    config.parent.mkdir(parents=True)
    config.write_text(before)
    options = ["--email", ADDRESS, "--account-id", "work", "--password-stdin", "--yes", *at_server]
    done = script(*options, typed=PASSWORD)
    assert done.exit_code == 0, done.output
    assert config.read_text().startswith(f"{before}\n\n[[accounts]]\n")
    assert account(config)["account_id"] == "work"
    assert not list((home / ".cursor").iterdir()), "nobody was asked"
    taken = script("--email", "ann@other.example", "--account-id", "home", "--yes", *at_server)
    assert "must be another id: this one is taken" in taken.stderr
    kept = config.read_text(), secrets.read_text()
    options = ["--email", ADDRESS, "--user", "ann", "--account-id", "new", "--password-stdin", "--yes"]
    failed = script(*options, *at_server, typed="wrong\n")
    assert failed.exit_code == 1
    assert "--no-test saves an account without testing it" in failed.stderr
    assert (config.read_text(), secrets.read_text()) == kept


@pytest.mark.parametrize("is_accepted", [True, False])
def test_a_person_signs_in_by_oauth(
    script: Setup,
    at_server: list[str],
    authorization: AuthorizationServer,
    config: Path,
    secrets: Path,
    serve_to: ServeTo,
    *,
    is_accepted: bool,
) -> None:
    authorization.consent = is_accepted
    options = ["--email", ADDRESS, "--user", USER, "--issuer", authorization.issuer, "--client-id", CLIENT_ID]
    done = script(*options, "--account-id", "work", "--device", *at_server)
    if not is_accepted:
        assert (done.exit_code, config.exists(), secrets.exists()) == (1, False, False)
        assert "access_denied" in done.stderr
        return
    assert done.exit_code == 0, done.output
    assert (account(config)["auth"], account(config)["issuer"]) == ("oauth2", authorization.issuer)
    assert "fake-refresh" in secrets.read_text()
    assert "fake-refresh" not in done.output
    assert "eyJ" not in done.output, "no access token either"
    serve_to(read_mail)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "can't be written"),
        ("accounts = [{account_id = 'home', host = 'h', user = 'u'}]\n", "no account can be appended"),
    ],
)
def test_a_file_that_takes_no_account_keeps_no_secret(
    script: Setup,
    at_server: list[str],
    home: Path,
    config: Path,
    secrets: Path,
    content: str | None,
    fault: str,
) -> None:
    if content is None:
        (home / "config").write_text("a file, where the folder should be")
    else:
        config.parent.mkdir(parents=True)
        config.write_text(content)
    done = script("--email", ADDRESS, "--password-stdin", "--yes", *at_server, typed=PASSWORD)
    assert done.exit_code == 2
    assert fault in done.stderr
    assert PASSWORD not in secrets.read_text()
    assert content is None or config.read_text() == content


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ([], "--email"),
        (["--email", ADDRESS, "--yes"], "--host"),
        (["--email", "ann@gmail.com"], "--account-id"),
        (["--email", "ann@gmail.com", "--yes"], "--password-stdin"),
        (["--email", "ann@outlook.com", "--yes"], "--client-id"),
        (["--email", "ann@proton.me", "--yes"], "--ca-file"),
        (["--email", "a@gmail.com", "--yes", "--auth", "oauth2", "--client-id", "x"], "--client-secret"),
        (["--email", "ann"], "must be an address"),
        (["--email", "ann@gmail.com", "--account-id", "two words"], "letters"),
        (["--email", ADDRESS, "--host", "imap://x", "--tls", "none", "--yes"], "host: must be a host name"),
        (["--email", ADDRESS, "--host", "mail.example", "--tls", "none", "--yes"], "in plain text"),
    ],
)
def test_a_script_hears_which_option_is_missing_or_wrong_before_anything_is_sent(
    script: Setup, config: Path, arguments: list[str], missing: str
) -> None:
    done = script(*arguments)
    assert done.exit_code in {1, 2}
    told = f"{missing} is required if there is no terminal to ask on" if missing[0] == "-" else missing
    assert told in done.stderr.replace("\n", " ")
    assert not config.exists()


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (["ann@gmail.com"], {"account_id": "gmail", "host": "imap.gmail.com", "user": "ann@gmail.com"}),
        (["ann@Yahoo.co.uk"], {"account_id": "yahoo", "host": "imap.mail.yahoo.com"}),
        ([ADDRESS, "--host", "Google"], {"account_id": "contoso", "host": "imap.gmail.com", "user": ADDRESS}),
        ([ADDRESS, "--host", "mx.a.example", "--tls", "starttls"], {"tls": "starttls"}),
    ],
)
def test_known_providers_need_no_network(
    script: Setup, config: Path, arguments: list[str], keys: dict[str, str]
) -> None:
    options = ["--yes", "--auth", "password", "--password-stdin", "--no-test"]
    done = script("--email", *arguments, *options, typed="fake\n")
    assert done.exit_code == 0, done.output
    assert account(config) == account(config) | keys
