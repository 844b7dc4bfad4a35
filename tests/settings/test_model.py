"""Which values a key takes, where that isn't pydantic's own type or bound."""

from typing import Any

import pytest
from pydantic import ValidationError

from mailmcp.settings.model import AccountTable, AttachmentsTable, SearchTable, ServerTable, Table

ACCOUNT: dict[str, Any] = {"account_id": "work", "host": "imap.example.com", "user": "ann"}

CASES: list[tuple[type[Table], str, list[object], list[object]]] = [
    (
        ServerTable,
        "http_allowed_hosts",
        [["a_b:1", "10.0.0.5:8443", "[::1]:*", "x:*"]],
        [["*"], ["https://a"], ["a/mcp"], ["*.a"], ["::1"], [1]],
    ),
    (ServerTable, "call_timeout_s", [1], [0.5, 601, float("nan")]),
    (ServerTable, "http_token", [], ["", "a" * 15, "a" * 1025, "a" * 16 + "\n", "ä" * 16]),
    (AccountTable, "account_id", ["a-B_1"], ["", "a b", "work\n", "x" * 65]),
    (
        AccountTable,
        "host",
        ["192.0.2.1", "fe80::1%eth0", "imap.example.com.", "müller.example"],
        ["", "imaps://a.example", "a.example:993", "[::1]", "ann@a.example", "a\r", "a..b", "x" * 254],
    ),
    (AccountTable, "user", ["DOMAIN\\ann smith", "änn@example.com"], ["", "a\r", "a\n", "a\0", "a\udcff"]),
    (AccountTable, "max_sessions", [1], [0, 11]),
    (AccountTable, "password", [], ["", "a\nb", 1234]),
    (AccountTable, "password_command", [["op", "", "a b"]], [[], [""], "", "pass '", ["pass", "a\0"]]),
    (AccountTable, "issuer", ["https://id.example.com"], ["http://id.example.com", "id.example.com"]),
    (AccountTable, "names", [["Ann Lee", "李安"]], [[""], ["Ann\nLee"]]),
    (AccountTable, "addresses", [["a@b.example"]], [["ann"], ["Ann <ann@example.com>"], ["a@b@c"]]),
    (AccountTable, "trusted_authserv_ids", [None, ["mx.example.com"]], [["a b"], ["a;b"]]),
    (
        AttachmentsTable,
        "save_folder",
        ["", "/tmp", "~"],  # noqa: S108 - it is there
        # A relative folder would start wherever the host starts mailmcp.
        ["attachments", "./a", "~ann/a", "/a\0", "/dev/null"],
    ),
    (
        SearchTable,
        "time_zone",
        ["UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+3"],
        ["", "America", "../UTC", "/etc/localtime", "x" * 5_000, "a\0b"],
    ),
]


def validate(model: type[Table], key: str, value: object) -> object:
    return getattr(model.model_validate({**(ACCOUNT if model is AccountTable else {}), key: value}), key)


@pytest.mark.parametrize(("model", "key", "good", "bad"), CASES)
def test_values(model: type[Table], key: str, good: list[object], bad: list[object]) -> None:
    for value in good:
        assert validate(model, key, value) == value
    for value in bad:
        with pytest.raises(ValidationError) as caught:
            validate(model, key, value)
        assert {error["loc"][0] for error in caught.value.errors()} == {key}, value


@pytest.mark.parametrize(
    ("model", "key", "text", "value"),
    [
        (ServerTable, "http_allowed_hosts", "a.example:1, [::1]:*,", ["a.example:1", "[::1]:*"]),
        (AccountTable, "names", "Lindqvist, Mara; M. L.", ["Lindqvist, Mara", "M. L."]),
        (AccountTable, "addresses", "a@b.example,c@d.example;", ["a@b.example", "c@d.example"]),
        (AccountTable, "password_command", "pass show 'my mail'", ["pass", "show", "my mail"]),
        (AccountTable, "allow_plaintext", "yes", True),
    ],
)
def test_variables_are_text(model: type[Table], key: str, text: str, value: object) -> None:
    assert validate(model, key, text) == value


def test_secrets_show_in_no_form_of_a_table() -> None:
    secret = "hunter2-hunter2-hunter2"
    account = AccountTable.model_validate({**ACCOUNT, "password": secret, "client_secret": secret})
    for table in (account, ServerTable.model_validate({"http_token": secret})):
        assert secret not in f"{table!r} {table} {table.model_dump()} {table.model_dump_json()}"
