"""Where settings come from, which one wins, and every mistake by its name."""

from pathlib import Path

import pytest
import trustme

from mailmcp.imap.account import Account, BearerToken, Password, Tls
from mailmcp.model.owner import Owner
from mailmcp.settings.check import make_client, secret_key
from servers.logins import password_of
from settings.loading import ACCOUNT, BARE, ENVIRON, SECRET, Faults, Load, Write

SERVER = '[server]\nlog_level = "error"\n'


@pytest.mark.parametrize(
    ("text", "environ", "level"),
    [
        ("", {}, "info"),
        (SERVER, {"MAILMCP_LOG_LEVEL": ""}, "error"),
        (SERVER, {"MAILMCP_LOG_LEVEL": "warning"}, "warning"),
    ],
)
def test_environment_then_file_then_default(
    load: Load, write: Write, text: str, environ: dict[str, str], level: str
) -> None:
    write(text + ACCOUNT)
    assert load(environ).server.log_level == level


def test_one_account_by_environment_alone(load: Load, tmp_path: Path) -> None:
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
    (tmp_path / "secret").write_text(SECRET + "\n")
    by_file = {"MAILMCP_HOST": "h", "MAILMCP_USER": "ann", "MAILMCP_PASSWORD_FILE": "~/secret"}
    assert password_of(load(by_file).accounts[0]) == SECRET


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ('tls = "starttls"', {"tls": Tls.STARTTLS, "port": 143}),
        ('tls = "none"\nallow_plaintext = true', {"tls": Tls.NONE, "port": 143}),
        ('ca_file = ""\nmax_sessions = 1\nport = 1143', {"ca_file": None, "max_sessions": 1, "port": 1143}),
        (
            'sent_mailbox = "Out"\narchive_mailbox = "Old mail"',
            {"special_uses": {"Out": "\\Sent", "Old mail": "\\Archive"}},
        ),
        ("connect_timeout_s = 1\ncommand_timeout_s = 2.5", {"command_timeout_s": 2.5}),
    ],
)
def test_keys_reach_the_account(load: Load, write: Write, keys: str, expected: dict[str, object]) -> None:
    write(ACCOUNT + keys)
    (account,) = load().accounts
    assert {key: getattr(account, key) for key in expected} == expected


def test_relative_paths_start_at_the_file(load: Load, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(BARE + 'ca_file = "ca.pem"\npassword_file = "secret"\n')
    trustme.CA().cert_pem.write_to_path(path.parent / "ca.pem")
    (path.parent / "secret").write_text(SECRET)
    monkeypatch.chdir("/")
    (account,) = load().accounts
    assert account.ca_file == path.parent / "ca.pem"
    assert password_of(account) == SECRET


def test_how_an_account_signs_in(load: Load, write: Write) -> None:
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


def test_preferences_come_from_the_file_and_the_environment(load: Load, write: Write, tmp_path: Path) -> None:
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


def test_the_command_line_names_the_file_before_the_environment(
    load: Load, faults: Faults, write: Write, tmp_path: Path
) -> None:
    default = write(ACCOUNT)
    named, other = tmp_path / "named.toml", tmp_path / "other.toml"
    for path in (named, other):
        path.write_text(ACCOUNT)
    for environ, config, source in [
        ({}, None, default),
        ({"MAILMCP_CONFIG": "~/other.toml"}, None, other),
        ({"MAILMCP_CONFIG": str(other)}, named, named),
    ]:
        assert load(environ, config=config).source == source
    missing = tmp_path / "missing.toml"
    told = f"{missing}: can't be read: No such file or directory"
    assert faults(ENVIRON, config=missing) == [told]
    by_variable = faults({**ENVIRON, "MAILMCP_CONFIG": str(missing)})
    assert by_variable == [f"{told} (MAILMCP_CONFIG names this file)"]


def test_without_an_account_the_error_names_the_ways_to_add_one(faults: Faults, write: Write) -> None:
    (fault,) = faults({"MAILMCP_HOST": ""})
    path = write("[server]")
    assert faults() == [fault]
    ways = ("mailmcp setup", "MAILMCP_HOST", "MAILMCP_USER", "MAILMCP_PASSWORD", "[[accounts]]", str(path))
    assert [each for each in ways if each not in fault] == []


def test_every_mistake_of_every_source_is_reported_at_once(faults: Faults, write: Write) -> None:
    path = write(
        f'[server]\ntext = "hunter2"\n[search]\nzone = 1\n[serve]\n{ACCOUNT}port = 0\nprot = 1\n'
        "[[accounts]]\n"
    )
    found = faults(
        {"MAILMCP_LOG_LEVEL": SECRET, "MAILMCP_PORT": SECRET, "MAILMCP_USER": "ann"},
    )
    told = [fault.partition(", ")[0].partition("; the known ones are ")[0] for fault in found]
    assert sorted(told) == sorted(
        [
            f"{path}: serve: is not a table of the settings; did you mean [server]?",
            f"{path}: server.text: must be 'markdown' or 'json'",
            f"{path}: search.zone: is not a known key; did you mean time_zone?",
            f"{path}: accounts[1].port: must be greater than or equal to 1",
            f"{path}: accounts[1].prot: is not a known key; did you mean port?",
            f"{path}: accounts[2].account_id: is missing",
            f"{path}: accounts[2].host: is missing",
            f"{path}: accounts[2].user: is missing",
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
        (ACCOUNT + 'tls = "none"\n', "accounts[1].tls", "127.0.0.0/8 and ::1, or if allow_plaintext"),
        (ACCOUNT + 'ca_file = "none.pem"\n', "accounts[1].ca_file", "none.pem can't be read: No such file"),
        (ACCOUNT + 'ca_file = "config.toml"\n', "accounts[1].ca_file", "a PEM file that contains"),
        ('[attachments]\nsave_folder = "/none"\n' + ACCOUNT, "attachments.save_folder", "an existing folder"),
        ("server = 1\n" + ACCOUNT, "server", "must be a table"),
        ("accounts = 1\n", "accounts", "must be an array of tables; write [[accounts]]"),
        ("accounts = [1]\n", "accounts[1]", "must be a table"),
    ],
)
def test_what_can_not_be_combined_or_used(
    faults: Faults, write: Write, text: str, key: str, told: str
) -> None:
    path = write(text)
    (fault,) = faults()
    assert fault.startswith(f"{path}: {key}: ")
    assert told in fault


def test_problems_of_the_environment_name_variables(faults: Faults) -> None:
    assert faults({**ENVIRON, "MAILMCP_PASSWORD_FILE": "x", "MAILMCP_TLS": "none"}) == [
        "MAILMCP_PASSWORD_FILE: can't be combined with MAILMCP_PASSWORD; set only one of them",
        'MAILMCP_TLS: must be "implicit" or "starttls": "none" would send the password in plain text, which '
        "is allowed only to localhost, 127.0.0.0/8 and ::1, or if MAILMCP_ALLOW_PLAINTEXT is true",
    ]


@pytest.mark.parametrize(
    ("octets", "told"),
    [
        (b"password = hunter2", ": Invalid value (at line 1, column 12). A string needs quotes"),
        (b"a = 1\na = 'hunter2'\n", ": Cannot overwrite a value"),
        (b"\xff", ": is not UTF-8 text"),
        (b"a = " + b"[" * 100_000, ": "),
    ],
)
def test_a_file_that_is_not_toml_hides_no_other_mistake(
    faults: Faults, write: Write, octets: bytes, told: str
) -> None:
    path = write("")
    path.write_bytes(octets)
    of_file, of_variable = faults({"MAILMCP_TEXT": "x"})
    assert of_file.startswith(f"{path}: ")
    assert told in of_file
    assert of_variable.startswith("MAILMCP_TEXT: ")


def test_unknown_variables_are_warned_of_without_their_value(load: Load) -> None:
    environ = {"MAILMCP_PASWORD": SECRET, "MAILMCP_\n": SECRET, "MAILMCP_TIME_ZONE": "UTC", "OTHER": "x"}
    first, second = load({**ENVIRON, **environ}).warnings
    assert first.startswith('"MAILMCP_\\n": is not a known variable and is ignored; ')
    assert second == "MAILMCP_PASWORD: is not a known variable and is ignored; did you mean MAILMCP_PASSWORD?"


@pytest.mark.parametrize(
    ("mode", "text", "keys"),
    [
        (0o600, ACCOUNT, ""),
        (0o640, ACCOUNT, "password"),
        (0o644, BARE + 'password_file = "x"\n', ""),
        (0o604, f'[server]\nhttp_token = "{SECRET * 3}"\n{ACCOUNT}', "http_token, password"),
    ],
)
def test_a_secret_in_a_file_that_others_may_read_is_a_warning(
    load: Load, write: Write, mode: int, text: str, keys: str
) -> None:
    path = write(text)
    path.chmod(mode)
    told = f"{path}: contains {keys}, and other users of this machine can read it; run chmod 600 on it"
    assert load().warnings == ((told,) if keys else ())
