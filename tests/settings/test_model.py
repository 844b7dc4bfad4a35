"""Which values a key takes, one by one."""

from typing import Any

import pytest
from pydantic import ValidationError

from mailmcp.imap.account import Account, Password, Tls
from mailmcp.settings.model import TABLES, AccountTable, SearchTable, ServerTable, Table, is_sendable

ACCOUNT: dict[str, Any] = {"account_id": "work", "host": "imap.example.com", "user": "ann"}

GOOD: list[tuple[type[Table], str, list[object]]] = [
    (ServerTable, "call_timeout_s", [1, 600.0]),
    (ServerTable, "http_allowed_hosts", [["a_b:1", "10.0.0.5:8443", "[::1]:*", "[2001:db8::1]", "x:*"]]),
    (AccountTable, "account_id", ["A-z_0", "x" * 64]),
    (AccountTable, "host", ["localhost", "192.0.2.1", "2001:db8::1", "fe80::1%eth0", "imap.example.com."]),
    (AccountTable, "host", ["müller.example", f"{'x' * 63}.example.com"]),
    (AccountTable, "user", ["DOMAIN\\ann smith", "änn@example.com"]),
    (AccountTable, "password_env", ["_WORK_9"]),
    (AccountTable, "password_command", [["op", "", "a b"]]),
    (AccountTable, "names", [[], ["Ann Lee", "李安", "Lindqvist, Mara"]]),
    (AccountTable, "addresses", [["ann@example.com", "änn+x@example.com"]]),
    (AccountTable, "trusted_authserv_ids", [None, ["mx.example.com", "google.com"]]),
    (TABLES["attachments"], "save_folder", ["", "/srv/mail", "~", "~/attachments"]),
    (SearchTable, "time_zone", ["UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+3"]),
]

BAD: list[tuple[type[Table], str, list[object]]] = [
    (ServerTable, "envelope", ["response-v9", "", 1]),
    (ServerTable, "call_timeout_s", [0.5, 601, float("nan"), float("inf")]),
    (ServerTable, "http_token", ["", "a" * 15, "a" * 1025, "a" * 16 + "\n", "a" * 16 + " b", "ä" * 16]),
    (ServerTable, "http_allowed_hosts", [["*"], ["https://a"], ["a/mcp"], ["a:"], ["*.a"], ["::1"], [1]]),
    (ServerTable, "unknown", [1]),
    (AccountTable, "account_id", ["", "a b", "work\n", "ä", "x" * 65]),
    (AccountTable, "host", ["", "imaps://a.example", "a.example:993", "[::1]", "ann@a.example", " a", "a\r"]),
    (AccountTable, "host", ["a\0", "a\x1b", "x" * 254, "a..b", ".a", f"{'x' * 64}.a", f"{'ü' * 60}.a", 1]),
    (AccountTable, "port", [0, 65536, "993x", 9.5]),
    (AccountTable, "user", ["", "a\r", "a\n", "a\0"]),
    (AccountTable, "ca_file", ["a\0", ["a"]]),
    (AccountTable, "max_sessions", [0, 11]),
    (AccountTable, "connect_timeout_s", [0.9, 121]),
    (AccountTable, "password", ["", "a\r", "a\nb", "a\0", 1234]),
    (AccountTable, "password_env", ["", "A B", "9A", "$A"]),
    (AccountTable, "password_file", ["", "a\n"]),
    (AccountTable, "password_command", [[], [""], "pass show mail", ["pass", 1], ["pass", "a\0"]]),
    (AccountTable, "issuer", ["http://id.example.com", "id.example.com"]),
    (AccountTable, "names", [[""], [" "], ["Ann\nLee"], ["x" * 321], ["x"] * 51]),
    (AccountTable, "addresses", [["ann"], ["Ann <ann@example.com>"], ["ann@example.com\n"], ["a@b@c"]]),
    (AccountTable, "trusted_authserv_ids", [[""], ["mx example"]]),
    # A relative folder would start wherever the host starts mailmcp.
    (TABLES["attachments"], "save_folder", ["attachments", "./a", "~ann/a", "/a\0", "/a\n"]),
    (SearchTable, "time_zone", ["", "CEST!", "America", "../UTC", "/etc/localtime", "x" * 5_000, "a\0b"]),
]


def validate(model: type[Table], key: str, value: object) -> Table:
    return model.model_validate({**(ACCOUNT if model is AccountTable else {}), key: value})


@pytest.mark.parametrize(("model", "key", "values"), GOOD)
def test_good_values(model: type[Table], key: str, values: list[object]) -> None:
    for value in values:
        assert getattr(validate(model, key, value), key) == value


@pytest.mark.parametrize(("model", "key", "values"), BAD)
def test_bad_values(model: type[Table], key: str, values: list[object]) -> None:
    for value in values:
        with pytest.raises(ValidationError) as caught:
            validate(model, key, value)
        assert {error["loc"][0] for error in caught.value.errors()} == {key}, value


@pytest.mark.parametrize(
    ("model", "key", "text", "value"),
    [
        (ServerTable, "http_allowed_hosts", "a.example:1, [::1]:*,", ["a.example:1", "[::1]:*"]),
        (AccountTable, "names", "Lindqvist, Mara", ["Lindqvist, Mara"]),
        (AccountTable, "names", "Lindqvist, Mara; M. L.", ["Lindqvist, Mara", "M. L."]),
        (AccountTable, "addresses", "a@b.example,c@d.example;", ["a@b.example", "c@d.example"]),
        (AccountTable, "trusted_authserv_ids", "mx.example", ["mx.example"]),
        (AccountTable, "user", "a,b;c", "a,b;c"),
        (AccountTable, "port", "993", 993),
        (AccountTable, "allow_plaintext", "yes", True),
    ],
)
def test_variables_are_text(model: type[Table], key: str, text: str, value: object) -> None:
    assert getattr(validate(model, key, text), key) == value


def test_account_defaults_are_those_of_the_imap_layer() -> None:
    table = AccountTable.model_validate(ACCOUNT)
    account = Account(**ACCOUNT, port=993, credentials=Password(str))
    assert table.tls is account.tls is Tls.IMPLICIT
    for key in ("max_sessions", "connect_timeout_s", "command_timeout_s"):
        assert getattr(table, key) == getattr(account, key)


def test_every_key_describes_what_it_allows() -> None:
    models: list[type[Table]] = [*TABLES.values(), AccountTable]
    for model in models:
        lacking = [key for key, field in model.model_fields.items() if not field.description]
        assert not lacking, "errors are made from the description: add one"


def test_secrets_show_in_no_form_of_a_table() -> None:
    secret = "hunter2-hunter2-hunter2"
    for table in (
        AccountTable.model_validate({**ACCOUNT, "password": secret, "client_secret": secret}),
        ServerTable.model_validate({"http_token": secret}),
    ):
        assert secret not in f"{table!r} {table} {table.model_dump()} {table.model_dump_json()}"


@pytest.mark.parametrize("text", ["a\r", "\n", "\0", "\udcff"])
def test_characters_that_imap_can_not_carry(text: str) -> None:
    assert not is_sendable(text)
    assert is_sendable("a b\tä\U0001f511")
