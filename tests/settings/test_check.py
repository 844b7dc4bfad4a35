"""Each key, and keys with each other."""

import os
from pathlib import Path
from typing import Any

import pytest

from mailmcp.imap.account import Account, Tls
from mailmcp.settings.check import check_account, check_table, make_account, make_owner, make_sign_in
from mailmcp.settings.model import AccountTable, AttachmentsTable, ServerTable, Table
from mailmcp.settings.problems import Where
from mailmcp.settings.sources import EnvironmentSource, FileSource
from mailmcp.settings.toml_file import TomlFile
from mcp_envelope import Dialect
from servers.logins import password_of

ACCOUNT: dict[str, Any] = {
    "account_id": "work",
    "host": "imap.example.com",
    "user": "ann",
    "password": "hunter2",
}


@pytest.fixture
def source(tmp_path: Path) -> FileSource:
    return FileSource(TomlFile(path=tmp_path / "config.toml"), {"NAME": "of-the-variable"})


def check(raw: object, source: FileSource) -> dict[Where, str]:
    table, problems = check_account(raw, source)
    assert table or problems
    messages = dict(problems)
    assert len(messages) == len(problems), "one problem a key"
    assert "hunter2" not in repr(problems)
    return messages


def make(raw: object, source: FileSource) -> Account:
    table, problems = check_account(raw, source)
    assert not problems
    assert table
    return make_account(table, source, make_sign_in(table, source))


def test_a_minimal_account_gets_the_defaults(source: FileSource) -> None:
    account = make(ACCOUNT, source)
    assert account == Account(
        account_id="work",
        host="imap.example.com",
        port=993,
        user="ann",
        credentials=account.credentials,
    )
    assert password_of(account) == "hunter2"
    assert "hunter2" not in repr(account)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"tls": "starttls"}, {"tls": Tls.STARTTLS, "port": 143}),
        ({"tls": "none", "allow_plaintext": True}, {"tls": Tls.NONE, "port": 143}),
        ({"tls": "starttls", "port": 1143}, {"tls": Tls.STARTTLS, "port": 1143}),
        ({"ca_file": ""}, {"ca_file": None}),
        ({"max_sessions": 1}, {"max_sessions": 1}),
        (
            {"connect_timeout_s": 1, "command_timeout_s": 2.5},
            {"connect_timeout_s": 1, "command_timeout_s": 2.5},
        ),
    ],
)
def test_values_reach_the_account(
    source: FileSource, values: dict[str, object], expected: dict[str, object]
) -> None:
    account = make({**ACCOUNT, **values}, source)
    assert {key: getattr(account, key) for key in expected} == expected


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"password_env": "NAME"}, "<environment variable NAME>"),
        ({"password_command": ["pass", "show"]}, "<password command pass>"),
        ({"password": "hunter2"}, "<password in the settings>"),
    ],
)
def test_each_source_of_a_password_is_made(source: FileSource, given: dict[str, object], shown: str) -> None:
    raw = {key: value for key, value in ACCOUNT.items() if key != "password"} | given
    assert repr(make(raw, source).credentials.read) == shown


def test_a_password_file_is_found_beside_the_settings_at_login(source: FileSource) -> None:
    raw = {key: value for key, value in ACCOUNT.items() if key != "password"}
    account = make({**raw, "password_file": "secret"}, source)
    (source.folder / "secret").write_text("hunter2\n")
    assert password_of(account) == "hunter2"


@pytest.mark.parametrize("given", [[], ["password_env"], ["password_env", "password_file"]])
def test_exactly_one_source_of_a_password(source: FileSource, given: list[str]) -> None:
    raw = {**ACCOUNT, **dict.fromkeys(given, "NAME")}
    if not given:
        del raw["password"]
    choices = "set only one of password, password_env, password_file, password_command, secrets"
    missing = choices.removesuffix(", secrets").replace(
        "set only", "is missing; run mailmcp password work, or set"
    )
    expected = {("password",): missing}
    if given:
        expected = {(key,): f"can't be combined with password; {choices}" for key in given}
    assert check(raw, source) == expected


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("account_id", "hunter2 ", "must be 1 to 64 letters"),
        ("host", "hunter2:993", "must be a host name or an IP address, without scheme"),
        ("host", "hunter2..example.com", "between dots has 1 to 63 characters"),
        ("port", "hunter2", "must be a whole number from 1 to 65535"),
        ("user", "hunter2\r\n", "must be a non-empty string"),
        ("tls", "hunter2", 'must be one of "implicit", "starttls", "none"'),
        ("ca_file", "hunter2\0", "must be the path of a PEM file"),
        ("ca_file", "hunter2", "can't be read: No such file"),
        ("allow_plaintext", "hunter2", "must be true or false"),
        ("max_sessions", 11, "must be a whole number from 1 to 10"),
        ("connect_timeout_s", 0, "must be a number of seconds from 1 to 120"),
        ("command_timeout_s", 1e9, "must be a number of seconds from 1 to 600"),
        ("password", "hunter2\n", "must be a non-empty string"),
        ("password", 2, "must be a non-empty string"),
        ("pasword", "hunter2", "is not a known key; did you mean password?"),
        ("colour", "hunter2", "is not a known key; the known ones are account_id, host, port, "),
    ],
)
def test_a_wrong_value_is_answered_with_what_is_allowed(
    source: FileSource, key: str, value: object, told: str
) -> None:
    problems = check({**ACCOUNT, key: value}, source)
    assert list(problems) == [(key,)]
    assert told in problems[key,]


@pytest.mark.parametrize(
    ("key", "value"),
    [("password_env", "hunter2 x"), ("password_file", ""), ("password_command", ["hunter2\n", "\n", 3])],
)
def test_a_wrong_source_is_one_problem(source: FileSource, key: str, value: object) -> None:
    raw = {other: value for other, value in ACCOUNT.items() if other != "password"}
    assert list(check({**raw, key: value}, source)) == [(key,)]


@pytest.mark.parametrize("key", ["account_id", "host", "user"])
def test_a_missing_key_is_a_problem(source: FileSource, key: str) -> None:
    raw = {other: value for other, value in ACCOUNT.items() if other != key}
    problems = check(raw, source)
    assert list(problems) == [(key,)]
    assert problems[key,].startswith("is missing; it must be ")


def test_all_problems_of_an_account_are_found_at_once(source: FileSource) -> None:
    raw = {"account_id": "", "host": "a b", "port": 0, "tls": "none", "ca_file": "none", "x": 1}
    assert list(check(raw, source)) == [
        ("account_id",),
        ("host",),
        ("port",),
        ("user",),
        ("x",),
        ("password",),
        ("ca_file",),
    ]


@pytest.mark.parametrize("raw", [1, "hunter2", [], None])
def test_an_account_must_be_a_table(source: FileSource, raw: object) -> None:
    assert check(raw, source) == {(): "must be a table"}


def test_plain_text_is_for_loopback(source: FileSource) -> None:
    for host, wrong in (("127.0.0.1", []), ("192.168.0.1", [("tls",)])):
        raw = {**ACCOUNT, "host": host, "tls": "none"}
        assert list(check(raw, source)) == wrong
        assert not check({**raw, "allow_plaintext": True}, source)


def test_refused_plain_text_says_how_to_allow_it(source: FileSource) -> None:
    (told,) = check({**ACCOUNT, "tls": "none"}, source).values()
    assert "localhost, 127.0.0.0/8 and ::1" in told
    assert told.endswith("or if allow_plaintext is true")


def test_problems_of_the_environment_name_variables() -> None:
    source = EnvironmentSource({"MAILMCP_HOST": "192.0.2.1", "MAILMCP_USER": "ann", "MAILMCP_TLS": "none"})
    table, problems = check_account(source.accounts[0], source)
    assert table
    assert dict(problems) == {
        (
            "password",
        ): "is missing; run mailmcp password default, or set one of MAILMCP_PASSWORD, MAILMCP_PASSWORD_FILE",
        ("tls",): 'must be "implicit" or "starttls": "none" would send the password in plain text, which is '
        "allowed only to localhost, 127.0.0.0/8 and ::1, or if MAILMCP_ALLOW_PLAINTEXT is true",
    }


def test_a_ca_file_is_read_at_start(source: FileSource, ca_pem: Path) -> None:
    (source.folder / "ca.pem").write_bytes(ca_pem.read_bytes())
    assert make({**ACCOUNT, "ca_file": "ca.pem"}, source).ca_file == source.folder / "ca.pem"


@pytest.mark.parametrize("content", ["", "not PEM", "-----BEGIN CERTIFICATE-----\nMIIB\n"])
def test_a_ca_file_without_certificates_is_refused(source: FileSource, content: str) -> None:
    (source.folder / "ca.pem").write_text(content)
    problems = check({**ACCOUNT, "ca_file": "ca.pem"}, source)
    assert problems == {("ca_file",): "must be a PEM file that contains certificates"}


@pytest.mark.parametrize(
    ("model", "raw", "expected"),
    [
        (ServerTable, {"text": "json"}, {}),
        (ServerTable, {}, {}),
        (ServerTable, "hunter2", {(): "must be a table"}),
        (
            ServerTable,
            {"envelope": "x"},
            {("envelope",): "must be one of " + ", ".join(f'"{each}"' for each in Dialect)},
        ),
        (
            ServerTable,
            {"http_token": "hunter2"},
            {
                (
                    "http_token",
                ): "must be 16 to 1024 ASCII letters, digits and punctuation marks, without spaces"
            },
        ),
        (
            ServerTable,
            {"http_token": "hunter2" * 3, "http_token_env": "NAME"},
            {
                (
                    "http_token_env",
                ): "can't be combined with http_token; set only one of http_token, http_token_env"
            },
        ),
        (AttachmentsTable, [], {(): "must be a table"}),
    ],
)
def test_problems_of_a_table(
    source: FileSource, model: type[Table], raw: object, expected: dict[Where, str]
) -> None:
    assert dict(check_table(model, raw, source)[1]) == expected


@pytest.mark.parametrize(
    ("user", "addresses", "expected"),
    [
        ("ann", [], ()),
        ("ann@example.com", [], ("ann@example.com",)),
        ("ann@example.com", ["lee@example.org"], ("lee@example.org", "ann@example.com")),
        ("Ann@Example.com", ["ann@example.com"], ("ann@example.com",)),
        ("DOMAIN\\ann", ["ann@example.com"], ("ann@example.com",)),
        ("ann@example.com proxy", [], ()),
    ],
)
def test_a_login_that_is_an_address_is_the_owners(
    user: str, addresses: list[str], expected: tuple[str, ...]
) -> None:
    table = AccountTable(account_id="home", host="h", user=user, addresses=addresses)
    assert make_owner(table).addresses == expected


def test_a_save_folder_must_exist(source: FileSource, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    messages = [
        dict(check_table(AttachmentsTable, {"save_folder": folder}, source)[1])
        for folder in ("", str(tmp_path), str(tmp_path / "none"), str(tmp_path / "file"))
    ]
    assert messages[:2] == [{}, {}]
    for each in messages[2:]:
        assert each["save_folder",].startswith("must be an existing folder")


def test_a_save_folder_must_be_writable(
    source: FileSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests may run as root, who can write to all."""
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) == (tmp_path, os.R_OK))
    _, problems = check_table(AttachmentsTable, {"save_folder": str(tmp_path)}, source)
    assert dict(problems) == {("save_folder",): "must be a folder that mailmcp can write to"}
