"""Which values a key takes."""

from typing import Any

import pytest
from pydantic import ValidationError

from mailmcp.settings.model import TABLES, AccountTable, SearchTable, ServerTable, Table

ACCOUNT: dict[str, Any] = {"account_id": "work", "host": "imap.example.com", "user": "ann"}

GOOD: list[tuple[type[Table], str, list[object]]] = [
    (ServerTable, "http_allowed_hosts", [["a_b:1", "10.0.0.5:8443", "[::1]:*", "x:*"]]),
    (AccountTable, "host", ["192.0.2.1", "fe80::1%eth0", "imap.example.com.", "müller.example"]),
    (AccountTable, "user", ["DOMAIN\\ann smith", "änn@example.com"]),
    (AccountTable, "password_command", [["op", "", "a b"]]),
    (AccountTable, "names", [["Ann Lee", "李安", "Lindqvist, Mara"]]),
    (AccountTable, "trusted_authserv_ids", [None, ["mx.example.com"]]),
    (TABLES["attachments"], "save_folder", ["", "/tmp", "~"]),  # noqa: S108 - it is there
    (SearchTable, "time_zone", ["UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+3"]),
]

BAD: list[tuple[type[Table], str, list[object]]] = [
    (ServerTable, "envelope", ["response-v9", ""]),
    (ServerTable, "call_timeout_s", [0.5, 601, float("nan")]),
    (ServerTable, "http_token", ["", "a" * 15, "a" * 1025, "a" * 16 + "\n", "ä" * 16]),
    (ServerTable, "http_allowed_hosts", [["*"], ["https://a"], ["a/mcp"], ["*.a"], ["::1"], [1]]),
    (AccountTable, "account_id", ["", "a b", "work\n", "x" * 65]),
    (AccountTable, "host", ["", "imaps://a.example", "a.example:993", "[::1]", "ann@a.example", "a\r"]),
    (AccountTable, "host", ["a\0", "x" * 254, "a..b", f"{'x' * 64}.a", 1]),
    (AccountTable, "port", [0, 65536, 9.5]),
    (AccountTable, "user", ["", "a\r", "a\n", "a\0", "a\udcff"]),
    (AccountTable, "max_sessions", [0, 11]),
    (AccountTable, "password", ["", "a\nb", 1234]),
    (AccountTable, "password_command", [[], [""], "", "pass '", ["pass", 1], ["pass", "a\0"]]),
    (AccountTable, "issuer", ["http://id.example.com", "id.example.com"]),
    (AccountTable, "names", [[""], ["Ann\nLee"], ["x" * 321], ["x"] * 51]),
    (AccountTable, "addresses", [["ann"], ["Ann <ann@example.com>"], ["a@b@c"]]),
    # A relative folder would start wherever the host starts mailmcp.
    (TABLES["attachments"], "save_folder", ["attachments", "./a", "~ann/a", "/a\0", "/dev/null"]),
    (SearchTable, "time_zone", ["", "America", "../UTC", "/etc/localtime", "x" * 5_000, "a\0b"]),
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
        (AccountTable, "names", "Lindqvist, Mara; M. L.", ["Lindqvist, Mara", "M. L."]),
        (AccountTable, "addresses", "a@b.example,c@d.example;", ["a@b.example", "c@d.example"]),
        (AccountTable, "port", "993", 993),
        (AccountTable, "password_command", "pass show 'my mail'", ["pass", "show", "my mail"]),
        (AccountTable, "allow_plaintext", "yes", True),
    ],
)
def test_variables_are_text(model: type[Table], key: str, text: str, value: object) -> None:
    assert getattr(validate(model, key, text), key) == value


def test_secrets_show_in_no_form_of_a_table() -> None:
    secret = "hunter2-hunter2-hunter2"
    for table in (
        AccountTable.model_validate({**ACCOUNT, "password": secret, "client_secret": secret}),
        ServerTable.model_validate({"http_token": secret}),
    ):
        assert secret not in f"{table!r} {table} {table.model_dump()} {table.model_dump_json()}"
