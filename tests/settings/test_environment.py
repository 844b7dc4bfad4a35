import pytest

from mailmcp.settings.environment import (
    ACCOUNT_VARIABLES,
    ATTACHMENTS_VARIABLES,
    SEARCH_VARIABLES,
    SERVER_VARIABLES,
    account_values,
    drop_empty,
    from_text,
    table_values,
    unknown_variables,
)
from mailmcp.settings.model import AccountTable, AttachmentsTable, SearchTable, ServerTable


def test_every_variable_belongs_to_a_key() -> None:
    assert set(SERVER_VARIABLES) == set(ServerTable.model_fields) - {"http_token_env"}
    assert set(ATTACHMENTS_VARIABLES) == set(AttachmentsTable.model_fields)
    assert set(SEARCH_VARIABLES) == set(SearchTable.model_fields)
    assert set(ACCOUNT_VARIABLES) < set(AccountTable.model_fields)


def test_empty_variables_count_as_not_set() -> None:
    assert drop_empty({"A": "", "B": " "}) == {"B": " "}


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("port", "993", 993),
        ("port", "993.0", 993.0),
        ("port", " 993", " 993"),
        ("port", "-1", "-1"),
        ("port", "1_0", "1_0"),
        ("port", "9" * 5000, "9" * 5000),
        ("port", "\u0663", "\u0663"),
        ("call_timeout_s", "2.5", 2.5),
        ("call_timeout_s", "nan", "nan"),
        ("allow_plaintext", "true", True),
        ("allow_plaintext", "YES", True),
        ("allow_plaintext", "1", True),
        ("allow_plaintext", "False", False),
        ("allow_plaintext", "no", False),
        ("allow_plaintext", "0", False),
        ("allow_plaintext", "maybe", "maybe"),
        ("http_allowed_hosts", "a.example", ["a.example"]),
        ("http_allowed_hosts", "a.example:1, [::1]:*", ["a.example:1", "[::1]:*"]),
        ("http_allowed_hosts", "a.example, ,", ["a.example"]),
        ("names", "Ann Lee, A. Lee", ["Ann Lee", "A. Lee"]),
        ("addresses", "ann@example.com", ["ann@example.com"]),
        ("trusted_authserv_ids", "mx.example.com,mx2.example.com", ["mx.example.com", "mx2.example.com"]),
        ("save_folder", "~/a,b", "~/a,b"),
        ("http_token", "1234567890123456", "1234567890123456"),
        ("user", "1", "1"),
        ("password", "true", "true"),
    ],
)
def test_text_becomes_what_toml_would_hold_or_stays(key: str, text: str, value: object) -> None:
    read = from_text(key, text)
    assert read == value
    assert type(read) is type(value)


def test_the_server_table_of_the_environment() -> None:
    variables = {"MAILMCP_TEXT": "json", "MAILMCP_CALL_TIMEOUT_S": "5", "OTHER": "x"}
    assert table_values(SERVER_VARIABLES, variables) == {"text": "json", "call_timeout_s": 5}


def test_the_account_of_the_environment_is_called_default() -> None:
    assert account_values({"MAILMCP_HOST": "h", "MAILMCP_PORT": "1"}, lent=()) == {
        "account_id": "default",
        "host": "h",
        "port": 1,
    }


@pytest.mark.parametrize("variables", [{}, {"MAILMCP_TEXT": "json"}, {"MAILMCP_PASSWORD": "p"}])
def test_nothing_asks_for_an_account(variables: dict[str, str]) -> None:
    """A variable that an account of the file uses as its password_env does not ask for another."""
    assert account_values(variables, lent={"MAILMCP_PASSWORD"}) == {}


def test_unknown_variables_of_ours_are_told_without_their_value() -> None:
    variables = {
        "MAILMCP_PASWORD": "hunter2",
        "MAILMCP_\n": "hunter2",
        "MAILMCP_HOST": "h",
        "MAILMCP_CONFIG": "c",
        "MAILMCP_TEXT": "json",
        "MAILMCP_SAVE_FOLDER": "/s",
        "MAILMCP_TIME_ZONE": "UTC",
        "MAILMCP_WORK": "lent",
        "OTHER": "x",
    }
    first, second = unknown_variables(variables, lent={"MAILMCP_WORK"})
    assert first.startswith('"MAILMCP_\\n": is not a known variable')
    assert second == (
        "MAILMCP_PASWORD: is not a known variable and is ignored; did you mean MAILMCP_PASSWORD?"
    )
