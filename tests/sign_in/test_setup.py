"""`mailmcp setup` as people and scripts run it: real processes, a real mail server, a home of their own."""

import json
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.served import Served, clean_environment
from servers.authorization import CLIENT_ID, USER, AuthorizationServer
from servers.dovecot import Dovecot
from servers.dovecot_config import PASSWORD
from servers.embedded import Pymap
from servers.name_server import NameServer
from sign_in.terminal import CTRL_C, NO_KEY_STORE, TIMEOUT_S, converse

ADDRESS = "ann@contoso.example"
SETUP = [sys.executable, "-m", "mailmcp", "setup"]
ASKING = (
    "import sys, dns.resolver\n"
    "from mailmcp.cli.setup import command\n"
    "resolver = dns.resolver.Resolver(configure=False)\n"
    "resolver.nameservers, resolver.port = ['127.0.0.1'], int(sys.argv.pop(1))\n"
    "command(obj=resolver)\n"
)
"""Asks the tests' name server, whose port is the first argument."""

BROWSER = "import sys, urllib.request; urllib.request.urlopen(sys.argv[1]).read()"
"""Follows redirects, as a browser does whose user has consented before."""

Script = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals and modes of POSIX")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def config(home: Path) -> Path:
    """Where the settings belong; there are none yet."""
    return home / "config" / "mailmcp" / "config.toml"


@pytest.fixture
def script(home: Path) -> Script:
    """Runs setup as a script does, without a terminal."""
    browser = home / "browser.py"
    browser.write_text(BROWSER)

    def script(*arguments: str, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {"BROWSER": f"{sys.executable} {browser} %s"} | NO_KEY_STORE | environment
        return subprocess.run(
            [*SETUP, *arguments],
            input=typed,
            env=clean_environment(home) | variables,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    return script


@pytest.fixture
def at_server(mail_server: Dovecot) -> list[str]:
    """The options that name the tests' mail server."""
    return ["--host", mail_server.host, "--port", str(mail_server.plain_port), "--tls", "none"]


@pytest.fixture
def name_server(mail_server: Dovecot) -> Iterator[NameServer]:
    record = f"0 1 {mail_server.tls_port} 127.0.0.1."
    with NameServer({("_imaps._tcp.contoso.example", "SRV"): [record]}) as server:
        yield server


def stored(home: Path) -> Path:
    return home / ".local" / "share" / "mailmcp" / "secrets.json"


def account(config: Path) -> Mapping[str, Any]:
    """Return the last account of the settings."""
    settings = tomllib.loads(config.read_text())
    last: Mapping[str, Any] = settings["accounts"][-1]
    return last


def reads_mail(config: Path, home: Path) -> bool:
    with Served(["serve", "--config", str(config)], folder=home) as host:
        host.introduce()
        return not host.call("imap_list_mailboxes").get("isError")


MINE = "# mine\n[server]\nlog_level = 'info'\n"

CONVERSATION = [
    ("Your address", f"{ADDRESS}\r"),
    ("Only the name contoso.example is sent", "\r"),
    ("Use this server?", "\r"),
    ("Login name", "\r"),
    ("A short name", "work\r"),
    (f"Password for {ADDRESS}", f"{PASSWORD}\r"),
]


def asking(name_server: NameServer, mail_server: Dovecot) -> list[str]:
    return [sys.executable, "-c", ASKING, str(name_server.port), "--ca-file", str(mail_server.ca_file)]


def test_a_person_answers_the_questions_and_reads_mail(
    name_server: NameServer, mail_server: Dovecot, home: Path, config: Path
) -> None:
    status, screen = converse(asking(name_server, mail_server), home, CONVERSATION)
    assert status == 0, screen
    assert "This server is outside of contoso.example" in screen
    assert "Signed in; " in screen
    assert "mailmcp install --list" in screen
    assert account(config) == {
        "account_id": "work",
        "host": "127.0.0.1",
        "port": mail_server.tls_port,
        "ca_file": str(mail_server.ca_file),
        "user": ADDRESS,
        "secrets": "file",
    }
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert stat.S_IMODE(config.parent.stat().st_mode) == 0o700
    assert PASSWORD not in screen
    assert PASSWORD not in config.read_text()
    assert [name for name, _ in name_server.questions] == ["_imaps._tcp.contoso.example"]
    assert reads_mail(config, home)


def test_the_hosts_that_are_there_are_offered(
    name_server: NameServer, mail_server: Dovecot, home: Path, config: Path
) -> None:
    (home / ".cursor").mkdir()
    (home / ".codeium" / "windsurf").mkdir(parents=True)
    answers = [*CONVERSATION, ("Add mailmcp to Cursor?", "y\r"), ("Add mailmcp to Windsurf?", "n\r")]
    status, screen = converse(asking(name_server, mail_server), home, answers)
    assert status == 0, screen
    assert config.is_file()
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["mailmcp"]
    assert entry["args"][-1] == "serve"
    assert not (home / ".codeium" / "windsurf" / "mcp_config.json").exists()
    assert "mailmcp install --list" not in screen


def test_a_script_names_the_hosts(script: Script, at_server: list[str], home: Path) -> None:
    (home / ".cursor").mkdir()
    done = script(
        *("--email", ADDRESS, *at_server, "--user", USER, "--account-id", "work", "--yes"),
        *("--password-stdin", "--install", "cursor"),
        typed=f"{PASSWORD}\n",
    )
    assert done.returncode == 0, done.stderr
    assert "mailmcp" in json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]


@pytest.mark.parametrize(
    ("answered", "existing"),
    [*((count, MINE) for count in range(len(CONVERSATION))), (len(CONVERSATION) - 1, "")],
)
def test_an_interrupt_at_any_question_leaves_nothing_half_done(
    name_server: NameServer, mail_server: Dovecot, home: Path, config: Path, answered: int, existing: str
) -> None:
    if existing:
        config.parent.mkdir(parents=True)
        config.write_text(existing)
    question = CONVERSATION[answered][0]
    answers = [*CONVERSATION[:answered], (question, f"half{CTRL_C}")]
    status, screen = converse(asking(name_server, mail_server), home, answers)
    assert status == 1
    assert "Aborted!" in screen
    assert (config.read_text() if config.exists() else "") == existing
    assert not stored(home).exists()


def test_a_server_that_is_not_right_is_asked_for(
    name_server: NameServer, mail_server: Dovecot, home: Path, config: Path
) -> None:
    answers = [
        ("Your address", "no address\r"),
        ("must be an address", f"{ADDRESS}\r"),
        ("Only the name", "\r"),
        ("Use this server?", "n\r"),
        ("IMAP server", "imap://x\r"),
        ("must be a host name", "127.0.0.1\r"),
        ("TLS", "none\r"),
        ("Port", "0\r"),
        ("from 1 to 65535", f"{mail_server.plain_port}\r"),
        ("Login name", "bob\r"),
        ("A short name", "two words\r"),
        ("letters", "\r"),
        ("Password for bob", "wrong\r"),
        ("Try again, save anyway, or stop?", "\r"),
        ("Password for bob", f"{PASSWORD}\r"),
    ]
    command = [sys.executable, "-c", ASKING, str(name_server.port)]
    status, screen = converse(command, home, answers)
    assert status == 0, screen
    assert "rejected the user name or password" in screen
    port = mail_server.plain_port
    assert account(config) == {
        "account_id": "contoso",
        "host": "127.0.0.1",
        "port": port,
        "tls": "none",
        "user": "bob",
        "secrets": "file",
    }


@pytest.mark.parametrize(("choice", "saved"), [("save", True), ("stop", False)])
def test_an_account_that_fails_its_test_is_saved_only_on_request(
    script: Script, at_server: list[str], home: Path, config: Path, choice: str, *, saved: bool
) -> None:
    del script
    answers = [("A short name", "\r"), ("Password", "wrong\r"), ("Try again", f"{choice}\r")]
    command = [*SETUP, "--email", ADDRESS, "--user", "ann", *at_server]
    status, screen = converse(command, home, answers)
    assert (status == 0) == saved, screen
    assert (config.exists(), stored(home).exists()) == (saved, saved)


def test_without_consent_dns_is_not_asked(name_server: NameServer, home: Path) -> None:
    command = [sys.executable, "-c", ASKING, str(name_server.port), "--email", ADDRESS]
    status, _ = converse(command, home, [("Only the name", "n\r"), ("IMAP server", CTRL_C)])
    assert status == 1
    assert name_server.questions == []


def test_a_script_extends_settings_and_loses_nothing(
    script: Script, at_server: list[str], config: Path
) -> None:
    before = "# my accounts\n[[accounts]]  # one\naccount_id = 'home'\nhost = 'mail.example'\nuser = 'ann'\n"
    config.parent.mkdir(parents=True)
    config.write_text(before + "secrets = 'file' # end without a line break")
    config.chmod(0o640)
    done = script(
        *("--email", ADDRESS, "--account-id", "work", "--password-stdin", "--yes"), *at_server, typed=PASSWORD
    )
    assert done.returncode == 0, done.stderr
    text = config.read_text()
    assert text.startswith(before + "secrets = 'file' # end without a line break\n\n[[accounts]]\n")
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
    assert account(config)["account_id"] == "work"
    assert PASSWORD not in done.stdout + done.stderr + text
    again = script("--email", ADDRESS, "--password-stdin", "--yes", *at_server, typed=PASSWORD)
    assert again.returncode == 1
    assert "is set up already, as account work" in again.stderr
    assert config.read_text() == text


def test_the_mailboxes_of_the_account_are_counted(script: Script, pymap_server: Pymap) -> None:
    server = ("--host", "127.0.0.1", "--port", str(pymap_server.port), "--tls", "none")
    done = script(
        *("--email", ADDRESS, "--user", pymap_server.user, "--password-stdin", "--yes"),
        *server,
        typed=pymap_server.password,
    )
    assert "Signed in; 1 mailbox.\n" in done.stdout


def test_a_script_saves_nothing_that_fails_its_test(
    script: Script, at_server: list[str], home: Path, config: Path
) -> None:
    done = script("--email", ADDRESS, "--password-stdin", "--yes", *at_server, typed="wrong\n")
    assert done.returncode == 1
    assert "rejected the user name or password" in done.stdout
    assert "--no-test saves an account without testing it" in done.stderr
    assert (config.exists(), stored(home).exists()) == (False, False)


@pytest.mark.parametrize("device", [[], ["--device"]], ids=["browser", "device"])
def test_a_person_signs_in_by_oauth(
    script: Script,
    at_server: list[str],
    authorization: AuthorizationServer,
    home: Path,
    config: Path,
    device: list[str],
) -> None:
    options = ["--email", ADDRESS, "--user", USER, "--issuer", authorization.issuer, "--client-id", CLIENT_ID]
    done = script(*options, "--yes", *device, *at_server)
    assert done.returncode == 0, done.stdout + done.stderr
    assert account(config)["auth"] == "oauth2"
    assert account(config)["issuer"] == authorization.issuer
    assert "fake-refresh" in stored(home).read_text()
    assert "fake-refresh" not in done.stdout + done.stderr
    assert "eyJ" not in done.stdout + done.stderr, "no access token either"
    assert reads_mail(config, home)


def test_a_user_who_declines_leaves_nothing(
    script: Script, at_server: list[str], authorization: AuthorizationServer, home: Path, config: Path
) -> None:
    authorization.consent = False
    done = script(
        *("--email", ADDRESS, "--issuer", authorization.issuer, "--client-id", CLIENT_ID, "--yes"), *at_server
    )
    assert done.returncode == 1
    assert "the user said no" in done.stderr
    assert (config.exists(), stored(home).exists()) == (False, False)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "can't be written"),
        ("accounts = [{account_id = 'home', host = 'h', user = 'u'}]\n", "no account can be appended"),
    ],
)
def test_a_file_that_takes_no_account_keeps_no_secret(
    script: Script, at_server: list[str], home: Path, config: Path, content: str | None, fault: str
) -> None:
    if content is None:
        (home / "config").write_text("a file, where the folder should be")
    else:
        config.parent.mkdir(parents=True)
        config.write_text(content)
    done = script("--email", ADDRESS, "--password-stdin", "--yes", *at_server, typed=PASSWORD)
    assert done.returncode == 1
    assert fault in done.stderr
    assert "Nothing was saved" in done.stderr
    assert stored(home).read_text() == "{}"
    assert content is None or config.read_text() == content


@pytest.mark.parametrize("content", ["[[accounts\n", "accounts = 3\n"])
def test_settings_that_are_wrong_are_refused_before_any_question(
    script: Script, config: Path, content: str
) -> None:
    config.parent.mkdir(parents=True)
    config.write_text(content)
    done = script()
    assert done.returncode == 2
    assert "the settings have errors" in done.stderr
    assert config.read_text() == content


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ([], "--email"),
        (["--email", ADDRESS], "--host"),
        (["--email", ADDRESS, "--yes"], "--host"),
        (["--email", "ann@gmail.com"], "--yes"),
        (["--email", "ann@gmail.com", "--yes"], "--password-stdin"),
        (["--email", "ann@outlook.com", "--yes"], "--client-id"),
        (["--email", "ann@proton.me", "--yes"], "--ca-file"),
        (
            ["--email", "ann@gmail.com", "--yes", "--auth", "oauth2", "--client-id", "x"],
            "--client-secret-env",
        ),
    ],
)
def test_a_script_hears_which_option_is_missing(
    script: Script, config: Path, arguments: list[str], missing: str
) -> None:
    done = script(*arguments)
    assert done.returncode == 2
    assert f"{missing} is required if there is no terminal to ask on" in done.stderr
    assert not config.exists()


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--email", "ann"], "must be an address"),
        (["--email", "ann@gmail.com", "--account-id", "two words"], "letters"),
        (["--email", ADDRESS, "--host", "imap://x"], "host: must be a host name"),
        (["--email", ADDRESS, "--host", "mail.example", "--tls", "none"], "in plain text"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_sent(
    script: Script, config: Path, arguments: list[str], fault: str
) -> None:
    done = script(*arguments, "--yes", "--password-stdin", typed="fake\n")
    assert done.returncode in {1, 2}
    assert fault in done.stderr.replace("\n", " ")
    assert not config.exists()


@pytest.mark.parametrize(
    ("email", "keys"),
    [
        ("ann@gmail.com", {"account_id": "gmail", "host": "imap.gmail.com", "user": "ann@gmail.com"}),
        (
            "ann@Yahoo.co.uk",
            {"account_id": "yahoo", "host": "imap.mail.yahoo.com", "user": "ann@Yahoo.co.uk"},
        ),
    ],
)
def test_known_providers_need_no_network(
    script: Script, config: Path, email: str, keys: Mapping[str, str]
) -> None:
    done = script("--email", email, "--yes", "--password-stdin", "--no-test", typed="fake\n")
    assert done.returncode == 0, done.stderr
    assert account(config) == {**keys, "secrets": "file"}


@pytest.mark.parametrize(
    ("target", "returncode"), [("mail.contoso.example.", 0), ("mail.contoso.example.evil.example.", 1)]
)
def test_a_script_takes_no_server_of_another_domain_from_dns(
    home: Path, config: Path, target: str, returncode: int
) -> None:
    with NameServer({("_imaps._tcp.contoso.example", "SRV"): [f"0 1 993 {target}"]}) as server:
        options = ["--email", ADDRESS, "--look-up", "--yes", "--password-stdin", "--no-test"]
        done = subprocess.run(
            [sys.executable, "-c", ASKING, str(server.port), *options],
            input="fake\n",
            env=clean_environment(home) | NO_KEY_STORE,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    assert done.returncode == returncode, done.stderr
    assert config.exists() == (returncode == 0)
    if returncode:
        assert "add --host mail.contoso.example.evil.example" in done.stderr
