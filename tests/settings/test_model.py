from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from mailmcp.imap.account import Account, Password, Tls
from mailmcp.settings.model import (
    AccountTable,
    AttachmentsTable,
    SearchTable,
    ServerTable,
    is_http_token,
    is_sendable,
)

ACCOUNT: dict[str, Any] = {"account_id": "work", "host": "imap.example.com", "user": "ann"}


def test_account_defaults_are_those_of_the_imap_layer() -> None:
    table = AccountTable.model_validate(ACCOUNT)
    account = Account(**ACCOUNT, port=993, credentials=Password(str))
    assert table.tls is account.tls is Tls.IMPLICIT
    for key in ("max_sessions", "connect_timeout_s", "command_timeout_s"):
        assert getattr(table, key) == getattr(account, key)
    assert (table.port, table.ca_file, table.allow_plaintext) == (None, "", False)


def test_every_key_describes_what_it_allows() -> None:
    """Errors are made from it."""
    for model in (ServerTable, AttachmentsTable, SearchTable, AccountTable):
        for key, field in model.model_fields.items():
            assert field.description, key


def test_alternatives_are_keys() -> None:
    for model in (ServerTable, AccountTable):
        assert set(model.alternatives) <= set(model.model_fields)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("envelope", "summary"),
        ("text", "json"),
        ("log_level", "debug"),
        ("log_level", "error"),
        ("log_format", "json"),
        ("call_timeout_s", 1),
        ("call_timeout_s", 600.0),
        ("http_token", SecretStr("a" * 16)),
        ("http_token_env", "_TOKEN_9"),
        (
            "http_allowed_hosts",
            ["mail.example.com", "a_b:1", "10.0.0.5:8443", "[::1]:*", "[2001:db8::1]", "x:*"],
        ),
    ],
)
def test_good_server_values(key: str, value: object) -> None:
    assert getattr(ServerTable.model_validate({key: value}), key) == value


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("envelope", "response-v9"),
        ("envelope", ""),
        ("envelope", 1),
        ("text", "Markdown"),
        ("text", []),
        ("log_level", "trace"),
        ("log_level", 10),
        ("log_format", {}),
        ("call_timeout_s", 0),
        ("call_timeout_s", 0.5),
        ("call_timeout_s", 601),
        ("call_timeout_s", "60"),
        ("call_timeout_s", True),
        ("call_timeout_s", float("nan")),
        ("call_timeout_s", float("inf")),
        ("http_token", ""),
        ("http_token", "a" * 15),
        ("http_token", 1234567890123456),
        ("http_token_env", "9A"),
        ("http_allowed_hosts", "mail.example.com"),
        ("http_allowed_hosts", [""]),
        ("http_allowed_hosts", ["*"]),
        ("http_allowed_hosts", ["https://mail.example.com"]),
        ("http_allowed_hosts", ["mail.example.com/mcp"]),
        ("http_allowed_hosts", ["mail.example.com:"]),
        ("http_allowed_hosts", ["*.example.com"]),
        ("http_allowed_hosts", ["::1"]),
        ("http_allowed_hosts", ["a b"]),
        ("http_allowed_hosts", ["a\n"]),
        ("http_allowed_hosts", [1]),
        ("unknown", 1),
    ],
)
def test_bad_server_values(key: str, value: object) -> None:
    with pytest.raises(ValidationError):
        ServerTable.model_validate({key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("account_id", "A-z_0"),
        ("account_id", "x" * 64),
        ("host", "localhost"),
        ("host", "192.0.2.1"),
        ("host", "2001:db8::1"),
        ("host", "fe80::1%eth0"),
        ("host", "xn--mller-kva.example"),
        ("host", "müller.example"),
        ("host", "imap.example.com."),
        ("host", f"{'x' * 63}.example.com"),
        ("port", 1),
        ("port", 65535),
        ("user", "DOMAIN\\ann smith"),
        ("user", "änn@example.com"),
        ("tls", "none"),
        ("ca_file", "~/ca.pem"),
        ("allow_plaintext", True),
        ("max_sessions", 10),
        ("connect_timeout_s", 120),
        ("command_timeout_s", 600.0),
        ("password_env", "_WORK_9"),
        ("password_file", "x"),
        ("password_command", ["op", "", "a b"]),
        ("names", []),
        ("names", ["Ann Lee", "李安", "Lee, Ann"]),
        ("addresses", ["ann@example.com", "änn+x@example.com"]),
        ("trusted_authserv_ids", ["mx.example.com", "google.com"]),
    ],
)
def test_good_account_values(key: str, value: object) -> None:
    assert getattr(AccountTable.model_validate({**ACCOUNT, key: value}), key) == value


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("account_id", ""),
        ("account_id", "a b"),
        ("account_id", "work\n"),
        ("account_id", "ä"),
        ("account_id", "x" * 65),
        ("host", ""),
        ("host", "imaps://imap.example.com"),
        ("host", "imap.example.com:993"),
        ("host", "[::1]"),
        ("host", "ann@imap.example.com"),
        ("host", " imap.example.com"),
        ("host", "imap.example.com\r"),
        ("host", "imap\0"),
        ("host", "imap\x1b"),
        ("host", "x" * 254),
        ("host", "imap..example.com"),
        ("host", ".example.com"),
        ("host", f"{'x' * 64}.example.com"),
        ("host", f"{'ü' * 60}.example.com"),
        ("host", 1),
        ("port", 0),
        ("port", 65536),
        ("port", "993"),
        ("port", 993.0),
        ("port", True),
        ("user", ""),
        ("user", "a\r"),
        ("user", "a\n"),
        ("user", "a\0"),
        ("tls", "ssl"),
        ("tls", False),
        ("ca_file", "a\0"),
        ("ca_file", ["a"]),
        ("allow_plaintext", "true"),
        ("allow_plaintext", 1),
        ("max_sessions", 0),
        ("max_sessions", 11),
        ("connect_timeout_s", 0.9),
        ("connect_timeout_s", 121),
        ("command_timeout_s", -1),
        ("command_timeout_s", 601),
        ("password", ""),
        ("password", "a\r"),
        ("password", "a\nb"),
        ("password", "a\0"),
        ("password", 1234),
        ("password_env", ""),
        ("password_env", "A B"),
        ("password_env", "9A"),
        ("password_env", "$A"),
        ("password_file", ""),
        ("password_file", "a\n"),
        ("password_command", []),
        ("password_command", [""]),
        ("password_command", "pass show mail"),
        ("password_command", ["pass", 1]),
        ("password_command", ["pass", "a\0"]),
        ("names", "Ann"),
        ("names", [""]),
        ("names", [" "]),
        ("names", ["Ann\nLee"]),
        ("names", ["x" * 321]),
        ("names", ["x"] * 51),
        ("addresses", ["ann"]),
        ("addresses", ["Ann <ann@example.com>"]),
        ("addresses", ["ann@example.com\n"]),
        ("addresses", ["a@b@c"]),
        ("addresses", ["ann@example.com"] * 51),
        ("trusted_authserv_ids", [""]),
        ("trusted_authserv_ids", ["mx example"]),
        ("trusted_authserv_ids", ["mx;example"]),
        ("trusted_authserv_ids", "mx.example.com"),
        ("unknown", 1),
    ],
)
def test_bad_account_values(key: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        AccountTable.model_validate({**ACCOUNT, key: value})
    assert {error["loc"][0] for error in caught.value.errors()} == {key}


@pytest.mark.parametrize("key", ["account_id", "host", "user"])
def test_required_account_keys(key: str) -> None:
    with pytest.raises(ValidationError):
        AccountTable.model_validate({other: value for other, value in ACCOUNT.items() if other != key})


def test_a_password_shows_in_no_form_of_the_table() -> None:
    table = AccountTable.model_validate({**ACCOUNT, "password": "hunter2"})
    assert table.password == SecretStr("hunter2")
    shown = [repr(table), str(table), repr(table.model_dump()), table.model_dump_json()]
    assert "hunter2" not in "".join(shown)


def test_a_token_shows_in_no_form_of_the_table() -> None:
    table = ServerTable.model_validate({"http_token": "hunter2-hunter2-hunter2"})
    shown = [repr(table), str(table), repr(table.model_dump()), table.model_dump_json()]
    assert "hunter2" not in "".join(shown)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("a" * 16, True),
        ("a" * 1024, True),
        ("!~AZaz09-._~+/==", True),
        ("a" * 15, False),
        ("a" * 1025, False),
        ("a" * 16 + "\n", False),
        ("a" * 16 + " b", False),
        ("ä" * 16, False),
        ("", False),
    ],
)
def test_is_http_token(text: str, good: bool) -> None:  # noqa: FBT001 - a column of the table
    assert is_http_token(text) is good


def test_tables_do_not_change() -> None:
    with pytest.raises(ValidationError):
        ServerTable().text = "json"


@pytest.mark.parametrize(
    ("text", "sendable"),
    [
        ("a b\t", True),
        ("ä\U0001f511", True),
        ("a\r", False),
        ("\n", False),
        ("\0", False),
        ("\udcff", False),
    ],
)
def test_is_sendable(text: str, sendable: bool) -> None:  # noqa: FBT001 - a column of the table
    assert is_sendable(text) is sendable


@pytest.mark.parametrize("folder", ["", "/srv/mail", "~", "~/attachments"])
def test_good_save_folders(folder: str) -> None:
    assert AttachmentsTable.model_validate({"save_folder": folder}).save_folder == folder


@pytest.mark.parametrize("folder", ["attachments", "./a", "~ann/a", "/a\0", "/a\n", 1, None])
def test_bad_save_folders(folder: object) -> None:
    """A relative one would start wherever the host starts mailmcp."""
    with pytest.raises(ValidationError):
        AttachmentsTable.model_validate({"save_folder": folder})


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+3"])
def test_good_time_zones(zone: str) -> None:
    assert SearchTable.model_validate({"time_zone": zone}).time_zone == zone


@pytest.mark.parametrize(
    "zone", ["", "CEST!", "America", "../UTC", "/etc/localtime", "x" * 5_000, "a\0b", "\udcff", "+02:00", 2]
)
def test_bad_time_zones(zone: object) -> None:
    with pytest.raises(ValidationError):
        SearchTable.model_validate({"time_zone": zone})
