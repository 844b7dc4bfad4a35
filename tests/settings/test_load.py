"""Where settings come from, which one wins, and every mistake by its name."""

from pathlib import Path

import pytest
import trustme

from mailmcp.imap.account import Account, BearerToken, Password, Tls, Writes
from mailmcp.model.owner import Owner
from mailmcp.settings.check import make_client
from mailmcp.settings.passwords import secret_key
from servers.logins import password_of
from settings.loading import ACCOUNT, BARE, ENVIRON, SECRET, Write, faults, load


def test_environment_then_file_then_default_and_blank_ones_do_not_count(write: Write) -> None:
    write('[server]\nlog_level = "error"\n' + ACCOUNT)
    assert load({"MAILMCP_LOG_LEVEL": ""}).server.log_level == "error"
    settings = load({"MAILMCP_LOG_LEVEL": "warning"})
    assert (settings.server.log_level, settings.server.text) == ("warning", "markdown")


def test_one_account_by_environment_alone(write: Write) -> None:
    blank = dict.fromkeys(["MAILMCP_CONFIG", "MAILMCP_TEXT", "MAILMCP_PORT", "MAILMCP_OTHER"], "")
    settings = load({**blank, **ENVIRON, "MAILMCP_NAMES": "Lindqvist, Mara"})
    (account,) = settings.accounts
    assert account == Account(
        account_id="default", host="imap.example.com", port=993, user="ann", credentials=account.credentials
    )
    assert password_of(account) == SECRET
    assert SECRET not in repr(settings)
    assert (settings.source, settings.warnings) == (None, ())
    assert settings.preferences.owner_of("default").names == ("Lindqvist, Mara",)
    write(SECRET).rename(Path("~/secret").expanduser())
    by_file = {"MAILMCP_HOST": "h", "MAILMCP_USER": "ann", "MAILMCP_PASSWORD_FILE": "~/secret"}
    assert password_of(load(by_file).accounts[0]) == SECRET


def test_keys_reach_the_account_and_relative_paths_start_at_the_file(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = 'tls = "starttls"\nmax_sessions = 1\nsent_mailbox = "Out"\narchive_mailbox = "Old"\n'
    path = write(BARE + keys + 'ca_file = "ca.pem"\npassword_file = "secret"\ncommand_timeout_s = 2.5\n')
    trustme.CA().cert_pem.write_to_path(path.parent / "ca.pem")
    (path.parent / "secret").write_text(SECRET)
    monkeypatch.chdir("/")
    (account,) = load().accounts
    assert (account.tls, account.port, account.max_sessions) == (Tls.STARTTLS, 143, 1)
    assert (account.ca_file, account.command_timeout_s) == (path.parent / "ca.pem", 2.5)
    assert account.special_uses == {"Out": "\\Sent", "Old": "\\Archive"}
    assert password_of(account) == SECRET
    write(ACCOUNT + 'tls = "none"\nallow_plaintext = true\nca_file = ""\nport = 1143\n')
    assert (load().accounts[0].ca_file, load().accounts[0].port) == (None, 1143)


def test_what_may_be_changed(write: Write, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "journal").mkdir()
    write(ACCOUNT)
    settings = load()
    assert (settings.accounts[0].writes, settings.accounts[0].protected_mailboxes) == (
        Writes.OFF,
        frozenset(),
    )
    assert settings.preferences.attach_folder is None
    assert settings.preferences.journal_folder is None
    write(
        '[server]\njournal_folder = "~/journal"\n[attachments]\nattach_folder = "~/files"\n'
        f'{ACCOUNT}writes = "organize"\nprotected_mailboxes = ["Taxes, 2024", "\\\\Sent"]\n'
        "writes_per_call = 20\nwrites_per_hour = 30\n"
    )
    settings = load({**ENVIRON, "MAILMCP_WRITES": "all", "MAILMCP_PROTECTED_MAILBOXES": "a, b; c"})
    of_file, of_variables = settings.accounts
    assert (of_file.writes, of_file.writes_per_call, of_file.writes_per_hour) == (Writes.ORGANIZE, 20, 30)
    assert of_file.protected_mailboxes == {"Taxes, 2024", "\\Sent"}
    assert of_variables.writes is Writes.ALL
    assert of_variables.protected_mailboxes == {"a, b", "c"}
    preferences = settings.preferences
    assert (preferences.attach_folder, preferences.journal_folder) == (
        tmp_path / "files",
        tmp_path / "journal",
    )


def test_how_an_account_signs_in(write: Write) -> None:
    oauth = 'auth = "oauth2"\nprovider = "microsoft"\nclient_id = "x"\nclient_secret = "hunter2"\n'
    write(BARE + oauth + 'sasl = "oauthbearer"\ntenant = "contoso.example"\nscope = "mine"\n')
    settings = load()
    (account,), table = settings.accounts, settings.tables["work"]
    assert isinstance(account.credentials, BearerToken)
    assert account.credentials.mechanism == "OAUTHBEARER"
    client = make_client(table)
    assert (client.client_id, client.client_secret, client.provider.scope) == ("x", SECRET, "mine")
    assert "/contoso.example/" in client.provider.token_endpoint
    write(BARE + 'auth = "oauth2"\ntoken_command = ["echo", "token"]\n')
    (account,) = load({"PATH": "/usr/bin:/bin"}).accounts
    assert isinstance(account.credentials, BearerToken)
    assert account.credentials.read("refused") == "token"
    write(BARE)
    assert isinstance(load().accounts[0].credentials, Password), "what mailmcp password stored"
    assert secret_key(load().tables["work"]) != secret_key(table), "a password is never sent as a token"


def test_preferences_come_from_the_file_and_the_environment(write: Write, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    account = ACCOUNT.replace('"ann"', '"Ann@Example.com"') + 'addresses = ["ann@example.org"]\n'
    path = write(f'[attachments]\nsave_folder = "~/one"\n[search]\ntime_zone = "Asia/Tokyo"\n{account}')
    of_file = load().preferences
    assert (of_file.save_folder, str(of_file.zone)) == (tmp_path / "one", "Asia/Tokyo")
    settings = load({**ENVIRON, "MAILMCP_SAVE_FOLDER": "~/two", "MAILMCP_TIME_ZONE": "UTC"})
    both = settings.preferences
    assert (both.save_folder, str(both.zone)) == (tmp_path / "two", "UTC")
    assert both.owner_of("default") == Owner(mail_server="imap.example.com")
    assert both.owner_of("work").addresses == ("ann@example.org", "Ann@Example.com"), "the login is one"
    assert ([each.account_id for each in settings.accounts], settings.source) == (["work", "default"], path)


def test_the_command_line_names_the_file_before_the_environment(write: Write, tmp_path: Path) -> None:
    default = write(ACCOUNT)
    named, other = tmp_path / "named.toml", tmp_path / "other.toml"
    for path in (named, other):
        path.write_text(ACCOUNT)
    assert load().source == default
    assert load({"MAILMCP_CONFIG": "~/other.toml"}).source == other
    assert load({"MAILMCP_CONFIG": str(other)}, named).source == named
    missing = tmp_path / "missing.toml"
    told = [f"{missing}: can't be read: No such file or directory"]
    assert faults(ENVIRON, missing) == faults({**ENVIRON, "MAILMCP_CONFIG": str(missing)}) == told


def test_every_mistake_of_every_source_is_reported_at_once(write: Write) -> None:
    path = write(
        f'[server]\ntext = "hunter2"\n[search]\nzone = 1\n[serve]\n{ACCOUNT}port = 0\nprot = 1\n'
        'names = ["a", ""]\n[[accounts]]\nuser = ""\n'
    )
    found = faults({"MAILMCP_LOG_LEVEL": SECRET, "MAILMCP_PORT": SECRET, "MAILMCP_USER": "ann"})
    told = [fault.partition(", ")[0].partition("; the known ones are ")[0] for fault in found]
    assert sorted(told) == sorted(
        [
            f"{path}: serve: is not a table of the settings; did you mean [server]?",
            f"{path}: server.text: must be 'markdown' or 'json'",
            f"{path}: search.zone: is not a known key; did you mean time_zone?",
            f"{path}: accounts[1].port: must be greater than or equal to 1",
            f"{path}: accounts[1].names: must be names",
            f"{path}: accounts[1].prot: is not a known key; did you mean port?",
            *(f"{path}: accounts[2].{key}: is missing" for key in ("account_id", "host")),
            f"{path}: accounts[2].user: must not be empty",
            "MAILMCP_LOG_LEVEL: must be 'debug'",
            "MAILMCP_HOST: is missing",
            "MAILMCP_PORT: must be a valid integer",
        ]
    )


OAUTH = BARE + 'auth = "oauth2"\n'


@pytest.mark.parametrize(
    ("text", "key", "told"),
    [
        (ACCOUNT + ACCOUNT, "accounts[2].account_id", "is used twice; choose another id"),
        (ACCOUNT + 'writes = "yes"\n', "accounts[1].writes", "'off', 'drafts', 'organize' or 'all'"),
        (ACCOUNT + "writes = true\n", "accounts[1].writes", "'off', 'drafts', 'organize' or 'all'"),
        (ACCOUNT + 'protected_mailboxes = [""]\n', "accounts[1].protected_mailboxes", "must not be empty"),
        (ACCOUNT + "writes_per_call = 0\n", "accounts[1].writes_per_call", "greater than or equal to 1"),
        (ACCOUNT + "writes_per_hour = 1000000\n", "accounts[1].writes_per_hour", "equal to 100000"),
        ('[server]\njournal_folder = "x"\n' + ACCOUNT, "server.journal_folder", 'or "" for the usual place'),
        ('[attachments]\nattach_folder = "/no"\n' + ACCOUNT, "attachments.attach_folder", "can read"),
        (ACCOUNT + 'password_file = "A"\n', "accounts[1].password_file", "can't be combined with password;"),
        (BARE + 'client_id = "x"\n', "accounts[1].client_id", 'needs auth = "oauth2"'),
        (OAUTH + 'password = "hunter2"\ntoken_command = ["x"]\n', "accounts[1].password", 'auth = "oauth2"'),
        (OAUTH + 'provider = "google"\n', "accounts[1].client_id", "register a client at the"),
        (OAUTH + 'client_id = "x"\n', "accounts[1].provider", "set one of provider, issuer"),
        (
            OAUTH + 'client_id = "x"\nprovider = "google"\nissuer = "https://a.example"\n',
            "accounts[1].provider",
            "can't be combined with issuer",
        ),
        (ACCOUNT + 'ca_file = "none.pem"\n', "accounts[1].ca_file", "none.pem can't be read: No such file"),
        (ACCOUNT + 'ca_file = "config.toml"\n', "accounts[1].ca_file", "a PEM file that contains"),
        ("server = 1\n" + ACCOUNT, "server", "must be a table"),
        ("accounts = 1\n", "accounts", "must be an array of tables; write [[accounts]]"),
        ("accounts = [1]\n", "accounts", "must be an array of tables; write [[accounts]]"),
    ],
)
def test_what_can_not_be_combined_or_used(write: Write, text: str, key: str, told: str) -> None:
    path = write(text)
    (fault,) = faults()
    assert fault.startswith(f"{path}: {key}: ")
    assert told in fault


def test_problems_of_the_environment_name_variables_and_without_an_account_the_ways_to_add_one(
    write: Write,
) -> None:
    assert faults({**ENVIRON, "MAILMCP_PASSWORD_FILE": "x", "MAILMCP_TLS": "none"}) == [
        "MAILMCP_PASSWORD_FILE: can't be combined with MAILMCP_PASSWORD; set only one of them",
        'MAILMCP_TLS: must be "implicit" or "starttls": "none" would send the password in plain text, which '
        "is allowed only to localhost, 127.0.0.0/8 and ::1, or if MAILMCP_ALLOW_PLAINTEXT is true",
    ]
    path = write("[server]")
    (fault,) = faults({"MAILMCP_HOST": ""})
    ways = ("mailmcp setup", "MAILMCP_HOST", "MAILMCP_USER", "MAILMCP_PASSWORD", "[[accounts]]", str(path))
    assert [each for each in ways if each not in fault] == []


@pytest.mark.parametrize(
    ("octets", "told"),
    [
        (b"password = hunter2", ": Invalid value (at line 1, column 12). A string needs quotes"),
        (b"\xff", ": is not UTF-8 text"),
        (b"a = " + b"[" * 100_000, ": "),
    ],
)
def test_a_file_that_is_not_toml_hides_no_other_mistake(write: Write, octets: bytes, told: str) -> None:
    path = write("")
    path.write_bytes(octets)
    of_file, of_variable = faults({"MAILMCP_TEXT": "x"})
    assert of_file.startswith(f"{path}: ")
    assert told in of_file
    assert of_variable.startswith("MAILMCP_TEXT: ")


@pytest.mark.parametrize(
    ("mode", "text", "keys"),
    [
        (0o600, ACCOUNT, ""),
        (0o640, ACCOUNT, "password"),
        (0o644, BARE + 'password_file = "x"\n', ""),
        (0o604, f'[server]\nhttp_token = "{SECRET * 3}"\n{ACCOUNT}', "http_token, password"),
    ],
)
def test_readable_secrets_and_unknown_variables_are_warnings_without_a_value(
    write: Write, mode: int, text: str, keys: str
) -> None:
    path = write(text)
    path.chmod(mode)
    *first, second, third = load({"MAILMCP_PASWORD": SECRET, "MAILMCP_\n": SECRET, "OTHER": "x"}).warnings
    told = f"{path}: contains {keys}, and other users of this machine can read it; run chmod 600 on it"
    assert first == ([told] if keys else [])
    assert second.startswith('"MAILMCP_\\n": is not a known variable and is ignored; ')
    assert third == "MAILMCP_PASWORD: is not a known variable and is ignored; did you mean MAILMCP_PASSWORD?"
