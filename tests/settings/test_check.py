import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mailmcp.imap.account import Account, Tls
from mailmcp.settings.check import (
    Origin,
    check_account,
    check_document,
    check_table,
    given_values,
    raw_accounts,
    raw_server,
)
from mailmcp.settings.environment import ACCOUNT_VARIABLES
from mailmcp.settings.model import AccountTable, ServerTable
from mailmcp.settings.problems import Where, show_where

ACCOUNT: dict[str, Any] = {
    "account_id": "work",
    "host": "imap.example.com",
    "user": "ann",
    "password": "hunter2",
}


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    names = {key: key for key in AccountTable.model_fields}
    return Origin(
        folder=tmp_path,
        folder_name="the folder of the file",
        environ={"NAME": "of-the-variable"},
        names=names,
    )


def check(raw: object, origin: Origin) -> dict[Where, str]:
    account, problems = check_account(raw, origin)
    assert (account is None) is bool(problems)
    told = {problem.where: problem.message for problem in problems}
    assert len(told) == len(problems), "one problem a key"
    assert "hunter2" not in repr(told)
    return told


def make(raw: object, origin: Origin) -> Account:
    account, problems = check_account(raw, origin)
    assert not problems
    assert account
    return account


def test_a_minimal_account_gets_the_defaults(origin: Origin) -> None:
    account = make(ACCOUNT, origin)
    assert account == Account(
        account_id="work",
        host="imap.example.com",
        port=993,
        user="ann",
        read_password=account.read_password,
    )
    assert account.read_password() == "hunter2"
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
    origin: Origin, values: dict[str, object], expected: dict[str, object]
) -> None:
    account = make({**ACCOUNT, **values}, origin)
    assert {key: getattr(account, key) for key in expected} == expected


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ({"password_env": "NAME"}, "<environment variable NAME>"),
        ({"password_command": ["pass", "show"]}, "<password command pass>"),
        ({"password": "hunter2"}, "<password of the settings>"),
    ],
)
def test_each_source_of_a_password_is_made(origin: Origin, source: dict[str, object], shown: str) -> None:
    raw = {key: value for key, value in ACCOUNT.items() if key != "password"} | source
    assert repr(make(raw, origin).read_password) == shown


def test_a_password_file_is_found_beside_the_settings_at_login(origin: Origin) -> None:
    raw = {key: value for key, value in ACCOUNT.items() if key != "password"}
    account = make({**raw, "password_file": "secret"}, origin)
    (origin.folder / "secret").write_text("hunter2\n")
    assert account.read_password() == "hunter2"


@pytest.mark.parametrize("given", [[], ["password_env"], ["password_env", "password_file"]])
def test_exactly_one_source_of_a_password(origin: Origin, given: list[str]) -> None:
    raw = {**ACCOUNT, **dict.fromkeys(given, "NAME")}
    if not given:
        del raw["password"]
    choices = "give exactly one of password, password_env, password_file, password_command"
    expected = {("password",): f"is missing; {choices}"}
    if given:
        expected = {(key,): f"cannot stand beside password; {choices}" for key in given}
    assert check(raw, origin) == expected


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("account_id", "hunter2 ", "must be 1 to 64 letters"),
        ("host", "hunter2:993", "must be a host name or an IP address alone"),
        ("host", "hunter2..example.com", "between the dots of a name has 1 to 63 characters"),
        ("port", "hunter2", "must be a whole number from 1 to 65535"),
        ("user", "hunter2\r\n", "must be a string that is not empty"),
        ("tls", "hunter2", 'must be one of "implicit", "starttls", "none"'),
        ("ca_file", "hunter2\0", "must be the path of a PEM file"),
        ("ca_file", "hunter2", "this one cannot be read: No such file"),
        ("allow_plaintext", "hunter2", "must be true or false"),
        ("max_sessions", 11, "must be a whole number from 1 to 10"),
        ("connect_timeout_s", 0, "must be a number of seconds from 1 to 120"),
        ("command_timeout_s", 1e9, "must be a number of seconds from 1 to 600"),
        ("password", "hunter2\n", "must be a string that is not empty"),
        ("password", 2, "must be a string that is not empty"),
        ("pasword", "hunter2", "is not a known key; did you mean password?"),
        ("colour", "hunter2", "is not a known key; known are account_id, host, port, "),
    ],
)
def test_a_wrong_value_is_told_by_what_is_allowed(origin: Origin, key: str, value: object, told: str) -> None:
    problems = check({**ACCOUNT, key: value}, origin)
    assert list(problems) == [(key,)]
    assert told in problems[key,]


@pytest.mark.parametrize(
    ("key", "value"),
    [("password_env", "hunter2 x"), ("password_file", ""), ("password_command", ["hunter2\n", "\n", 3])],
)
def test_a_wrong_source_is_one_problem(origin: Origin, key: str, value: object) -> None:
    raw = {other: value for other, value in ACCOUNT.items() if other != "password"}
    assert list(check({**raw, key: value}, origin)) == [(key,)]


@pytest.mark.parametrize("key", ["account_id", "host", "user"])
def test_a_missing_key_is_told(origin: Origin, key: str) -> None:
    raw = {other: value for other, value in ACCOUNT.items() if other != key}
    problems = check(raw, origin)
    assert list(problems) == [(key,)]
    assert problems[key,].startswith("is missing; it must be ")


def test_all_problems_of_an_account_are_told_at_once(origin: Origin) -> None:
    raw = {"account_id": "", "host": "a b", "port": 0, "tls": "none", "ca_file": "none", "x": 1}
    assert list(check(raw, origin)) == [
        ("account_id",),
        ("host",),
        ("port",),
        ("user",),
        ("x",),
        ("password",),
        ("ca_file",),
    ]


@pytest.mark.parametrize("raw", [1, "hunter2", [], None])
def test_an_account_must_be_a_table(origin: Origin, raw: object) -> None:
    assert check(raw, origin) == {(): "must be a table"}


def test_plain_text_is_for_loopback(origin: Origin) -> None:
    for host, wrong in (("127.0.0.1", []), ("192.168.0.1", [("tls",)])):
        raw = {**ACCOUNT, "host": host, "tls": "none"}
        assert list(check(raw, origin)) == wrong
        assert not check({**raw, "allow_plaintext": True}, origin)


def test_refused_plain_text_says_how_to_allow_it(origin: Origin) -> None:
    (told,) = check({**ACCOUNT, "tls": "none"}, origin).values()
    assert "localhost, 127.0.0.0/8 or ::1" in told
    assert told.endswith("or allow_plaintext must be true")


def test_the_environment_is_told_of_its_own_names(origin: Origin) -> None:
    of_environment = replace(origin, environ={}, names=ACCOUNT_VARIABLES)
    raw = {"account_id": "default", "host": "192.0.2.1", "user": "ann", "tls": "none"}
    assert check(raw, of_environment) == {
        ("password",): "is missing; give exactly one of MAILMCP_PASSWORD, MAILMCP_PASSWORD_FILE",
        ("tls",): "would send the password in plain text; without TLS the host must be loopback "
        "(localhost, 127.0.0.0/8 or ::1), or MAILMCP_ALLOW_PLAINTEXT must be true",
    }


def test_a_ca_file_is_read_at_start(origin: Origin, ca_pem: Path) -> None:
    (origin.folder / "ca.pem").write_bytes(ca_pem.read_bytes())
    assert make({**ACCOUNT, "ca_file": "ca.pem"}, origin).ca_file == origin.folder / "ca.pem"


@pytest.mark.parametrize("content", ["", "not PEM", "-----BEGIN CERTIFICATE-----\nMIIB\n"])
def test_a_ca_file_without_certificates_is_refused(origin: Origin, content: str) -> None:
    (origin.folder / "ca.pem").write_text(content)
    problems = check({**ACCOUNT, "ca_file": "ca.pem"}, origin)
    assert problems == {("ca_file",): "must be a PEM file that holds certificates"}


def test_a_table_is_checked_and_made() -> None:
    assert check_table(ServerTable, {"text": "json"}) == (ServerTable(text="json"), [])
    table, (problem,) = check_table(ServerTable, "hunter2")
    assert table is None
    assert (problem.where, problem.message) == ((), "must be a table")


def test_an_empty_document_is_right(origin: Origin) -> None:
    file = check_document({}, origin)
    assert (file.server, file.accounts, file.problems) == (ServerTable(), (), ())


def test_accounts_keep_the_order_of_the_document(origin: Origin) -> None:
    accounts = [{**ACCOUNT, "account_id": each} for each in "cab"]
    file = check_document({"accounts": accounts, "server": {"text": "json"}}, origin)
    assert not file.problems
    assert [account.account_id for account in file.accounts] == ["c", "a", "b"]
    assert file.server.text == "json"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"server": 1}, {"server": "must be a table"}),
        ({"server": {"envelope": "x"}}, {
            "server.envelope": 'must be one of "summary", "response-v2", "discriminated"',
        }),
        ({"server": {"http_token": "hunter2"}}, {
            "server.http_token": "must be 16 to 1024 letters, digits and signs of ASCII, without spaces",
        }),
        ({"server": {"http_token": "hunter2" * 3, "http_token_env": "NAME"}}, {
            "server.http_token_env": "cannot stand beside http_token; give one of them, or none",
        }),
        ({"http_token": 1}, {"http_token": "is not a known key here; it belongs in the table [server]"}),
        ({"accounts": {"host": "h"}}, {"accounts": "must be an array of tables: write [[accounts]]"}),
        ({"accounts": [1]}, {"accounts[1]": "must be a table"}),
        ({"acounts": []}, {"acounts": "is not a known key here; did you mean accounts?"}),
        ({"mail": 1}, {"mail": "is not a known key here; known are server, attachments, search, accounts"}),
        (
            {"time_zone": "UTC"},
            {"time_zone": "is not a known key here; it belongs in the table [search]"},
        ),
        ({"attachments": [], "search": 1}, {"attachments": "must be a table", "search": "must be a table"}),
        ({"log_level": 1}, {"log_level": "is not a known key here; it belongs in the table [server]"}),
        ({"host": 1}, {"host": "is not a known key here; it belongs in a table [[accounts]]"}),
        ({"accounts": [ACCOUNT, {**ACCOUNT, "port": 0}]}, {
            "accounts[2].port": "must be a whole number from 1 to 65535",
            "accounts[2].account_id": "is the same as that of accounts[1]; each must be unique",
        }),
        ({"accounts": [ACCOUNT, {**ACCOUNT, "account_id": "Work"}]}, {}),
    ],
)  # fmt: skip
def test_problems_of_a_document(origin: Origin, data: dict[str, object], told: dict[str, str]) -> None:
    problems = check_document(data, origin).problems
    assert {show_where(problem.where): problem.message for problem in problems} == told


def test_raw_tables_bear_any_shape() -> None:
    data = {"accounts": [1, {"host": "h"}, {}, {"host": 2}]}
    assert given_values(data, "host") == [(1, "h"), (3, 2)]
    assert raw_accounts({"accounts": 1}) == []
    assert raw_server({"server": 1}) == raw_server({}) == {}
    assert raw_server({"server": {"text": 1}}) == {"text": 1}
    assert given_values(json.loads('{"accounts": {}}'), "host") == []
