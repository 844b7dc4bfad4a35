"""Calls that must succeed and calls that must not, for the tests that make them in every dialect.

`{id}` stands for the id of a message that is there, `{cursor}` for the cursor of a first page of one.
"""

from typing import Any, NamedTuple

SEARCH = "imap_search_messages"
GET = "imap_get_message"
RAW = "imap_get_message_raw"
ATTACHMENT = "imap_get_attachment"
MAILBOXES = "imap_list_mailboxes"
ACCOUNTS = "imap_list_accounts"

SECRET = "Xq9-never-echoed"
"""Stands in values that are wrong: no reply may repeat it."""


class Bad(NamedTuple):
    """A call that cannot be right, with the arguments that are wrong and the reason of the first."""

    tool: str
    arguments: dict[str, Any]
    fields: tuple[str, ...]
    reason: str


GOOD: list[tuple[str, dict[str, Any]]] = [
    (ACCOUNTS, {}),
    (MAILBOXES, {}),
    (MAILBOXES, {"account_id": "work"}),
    (MAILBOXES, {"include_counts": True}),
    (MAILBOXES, {"include_counts": "true", "account_id": None, "cursor": ""}),
    (SEARCH, {}),
    (SEARCH, {"limit": 1}),
    (SEARCH, {"limit": "2", "unread_only": "false"}),
    (SEARCH, {"limit": 2.0, "last_days": None}),
    (SEARCH, {"mailbox": "inbox"}),
    (SEARCH, {"mailbox": "*"}),
    (
        SEARCH,
        {"mailbox": "*", "account_id": "*", "sort": "oldest", "snippet_max_chars": 50, "query": "Letter"},
    ),
    (SEARCH, {"mailboxes": ["INBOX"], "since": "2026-11-01T00:00:00+01:00", "before": "2999-01-01"}),
    (SEARCH, {"mailbox": ["INBOX"], "has_attachment": "false", "larger_than": "1"}),
    (SEARCH, {"exclude": "nowhere", "cc": "", "any_address": "ann", "sort": "largest"}),
    (SEARCH, {"query": 'Letter "Ann"'}),
    (SEARCH, {"query": "null"}),
    (SEARCH, {"query": 2026}),
    (SEARCH, {"from": "ann@example.com", "subject": "Letter"}),
    (SEARCH, {"subject": "Grüße", "to": "nobody"}),
    (SEARCH, {"start_date": "2026-11-02", "end_date": "2026-11-02"}),
    (SEARCH, {"last_days": 365, "snippet_max_chars": 50}),
    (SEARCH, {"cursor": "{cursor}"}),
    (SEARCH, {"cursor": "{cursor}", "limit": 2, "mailbox": "INBOX"}),
    (GET, {"message_id": "{id}"}),
    (GET, {"message_id": "{id}", "body_mode": "html", "include_headers": True}),
    (GET, {"message_id": "{id}", "attachment_mode": "extract_text", "body_max_chars": "100"}),
    (GET, {"message_id": "{id}", "attachment_mode": "none", "include_headers": "TRUE"}),
    (ATTACHMENT, {"message_id": "{id}", "part_id": "1"}),
    (ATTACHMENT, {"message_id": "{id}", "part_id": 1, "mode": "text", "text_max_chars": "100"}),
    (ATTACHMENT, {"message_id": "{id}", "part_id": "1", "text_offset": 2, "mode": None}),
    (ATTACHMENT, {"message_id": "{id}", "part_id": "1", "mode": "content"}),
    (ATTACHMENT, {"message_id": "{id}", "part_id": "1", "page": "1", "member": None}),
    (RAW, {"message_id": "{id}"}),
    (RAW, {"message_id": "{id}", "offset": "5", "max_bytes": 100.0}),
    (RAW, {"message_id": "{id}", "offset": None, "max_bytes": ""}),
]

_BREAK, _NUL = f"{SECRET}\r\nA1 LOGOUT", f"{SECRET}\0"

BAD: list[Bad] = [
    *(Bad(tool, {"extra": SECRET}, ("extra",), "unknown_param") for tool in (ACCOUNTS, MAILBOXES, SEARCH)),
    *(
        Bad(tool, {SECRET + " \n": 1}, ("arguments",), "unknown_param")
        for tool in (ACCOUNTS, MAILBOXES, SEARCH)
    ),
    Bad(SEARCH, {"form": SECRET}, ("form",), "unknown_param"),
    Bad(SEARCH, {"from_": SECRET}, ("from_",), "unknown_param"),
    Bad(SEARCH, {"folder": SECRET, "max": 5}, ("folder", "max"), "unknown_param"),
    Bad(GET, {"message_id": "{id}", "uid": 5}, ("uid",), "unknown_param"),
    Bad(MAILBOXES, {"account": SECRET}, ("account",), "unknown_param"),
    Bad(ATTACHMENT, {"message_id": "{id}"}, ("part_id",), "missing_param"),
    Bad(ATTACHMENT, {"message_id": SECRET, "part_id": "1"}, ("message_id",), "malformed_id"),
    Bad(
        ATTACHMENT, {"message_id": "{id}", "part_id": "1", "filename": SECRET}, ("filename",), "unknown_param"
    ),
    *(
        Bad(ATTACHMENT, {"message_id": "{id}", "part_id": value}, ("part_id",), "invalid_value")
        for value in ("", SECRET, "0", "1.", "TEXT", "1]", "-1", "1.0")
    ),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": [SECRET]}, ("part_id",), "invalid_type"),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": "1", "mode": SECRET}, ("mode",), "invalid_value"),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": "1", "mode": "save"}, ("mode",), "switched_off"),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": "1", "page": 2}, ("page",), "exclusive_params"),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": "1", "member": SECRET}, ("member",), "invalid_value"),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": "1", "mode": "image"}, ("mode",), "invalid_value"),
    Bad(ATTACHMENT, {"message_id": "{id}", "part_id": _BREAK}, ("part_id",), "forbidden_character"),
    *(
        Bad(ATTACHMENT, {"message_id": "{id}", "part_id": "1", name: value}, (name,), "out_of_range")
        for name, value in (
            ("page", 0),
            ("text_offset", 99),
            ("text_max_chars", 99),
            ("text_max_chars", 50_001),
        )
    ),
    Bad(RAW, {"message_id": "{id}", "max_chars": SECRET}, ("max_chars",), "unknown_param"),
    Bad(RAW, {"offset": 5}, ("message_id",), "missing_param"),
    *(
        Bad(RAW, {"message_id": "{id}", "offset": value}, ("offset",), "invalid_type")
        for value in (SECRET, 1.5)
    ),
    *(
        Bad(RAW, {"message_id": "{id}", "offset": value}, ("offset",), "out_of_range")
        for value in (-1, 1_000_000, 2**32, 10**17)
    ),
    *(
        Bad(RAW, {"message_id": "{id}", "max_bytes": value}, ("max_bytes",), "out_of_range")
        for value in (-1, 99, 100_001)
    ),
    Bad(RAW, {"message_id": SECRET}, ("message_id",), "malformed_id"),
    Bad(GET, {}, ("message_id",), "missing_param"),
    Bad(GET, {"message_id": None}, ("message_id",), "missing_param"),
    Bad(GET, {"body_mode": "text"}, ("message_id",), "missing_param"),
    *(Bad(SEARCH, {"limit": value}, ("limit",), "invalid_type") for value in (SECRET, [1], {"a": 1}, 1.5)),
    *(Bad(SEARCH, {"last_days": value}, ("last_days",), "invalid_type") for value in ("7d", [7])),
    *(Bad(SEARCH, {"unread_only": value}, ("unread_only",), "invalid_type") for value in (7, SECRET)),
    *(Bad(SEARCH, {"query": value}, ("query",), "invalid_type") for value in ([SECRET], {"a": SECRET}, True)),
    Bad(SEARCH, {"mailbox": {"a": SECRET}}, ("mailbox",), "invalid_type"),
    Bad(SEARCH, {"mailboxes": [[SECRET]]}, ("mailboxes",), "invalid_type"),
    Bad(SEARCH, {"mailboxes": ["*", SECRET]}, ("mailboxes",), "invalid_value"),
    Bad(SEARCH, {"mailboxes": [_BREAK]}, ("mailboxes",), "forbidden_character"),
    Bad(SEARCH, {"mailbox": SECRET, "mailboxes": [SECRET]}, ("mailboxes",), "exclusive_params"),
    Bad(SEARCH, {"since": SECRET}, ("since",), "invalid_value"),
    Bad(SEARCH, {"before": "2026-11-02T10:00:00"}, ("before",), "invalid_value"),
    Bad(SEARCH, {"since": "2026-11-02", "before": "2026-11-02"}, ("before",), "out_of_range"),
    Bad(SEARCH, {"larger_than": 10, "smaller_than": 5}, ("smaller_than",), "out_of_range"),
    Bad(SEARCH, {"sort": SECRET}, ("sort",), "invalid_value"),
    Bad(SEARCH, {"query": f"a OR {SECRET}", "from": f"{SECRET} | x"}, ("query", "from"), "invalid_value"),
    Bad(SEARCH, {"keyword": f"{SECRET} x"}, ("keyword",), "invalid_value"),
    Bad(SEARCH, {"gmail_query": SECRET}, ("gmail_query",), "invalid_value"),
    Bad(MAILBOXES, {"include_counts": "si"}, ("include_counts",), "invalid_type"),
    Bad(GET, {"message_id": ["{id}"]}, ("message_id",), "invalid_type"),
    Bad(GET, {"message_id": "{id}", "include_headers": 2}, ("include_headers",), "invalid_type"),
    *(Bad(SEARCH, {"limit": value}, ("limit",), "out_of_range") for value in (-1, 101, "1000")),
    *(Bad(SEARCH, {"last_days": value}, ("last_days",), "out_of_range") for value in (-1, 366)),
    *(
        Bad(SEARCH, {"snippet_max_chars": value}, ("snippet_max_chars",), "out_of_range")
        for value in (49, 501, -5)
    ),
    Bad(GET, {"message_id": "{id}", "body_max_chars": 99}, ("body_max_chars",), "out_of_range"),
    Bad(GET, {"message_id": "{id}", "body_max_chars": 10**9}, ("body_max_chars",), "out_of_range"),
    Bad(SEARCH, {"query": "x" * 5_000}, ("query",), "out_of_range"),
    Bad(SEARCH, {"start_date": "2026-11-03", "end_date": "2026-11-02"}, ("before",), "out_of_range"),
    *(
        Bad(SEARCH, {"start_date": value}, ("since",), "invalid_value")
        for value in (SECRET, "2026-13-01", "2026-02-30", "01.02.2026", "20260102", "2026-1-2")
    ),
    Bad(GET, {"message_id": "{id}", "body_mode": SECRET}, ("body_mode",), "invalid_value"),
    Bad(GET, {"message_id": "{id}", "attachment_mode": "all"}, ("attachment_mode",), "invalid_value"),
    Bad(SEARCH, {"last_days": 7, "start_date": "2026-11-01"}, ("last_days",), "exclusive_params"),
    Bad(SEARCH, {"last_days": 7, "end_date": "2026-11-01"}, ("last_days",), "exclusive_params"),
    *(
        Bad(SEARCH, {name: value}, (name,), "forbidden_character")
        for name in ("query", "from", "mailbox", "account_id")
        for value in (_BREAK, _NUL)
    ),
    Bad(GET, {"message_id": f"imap:work:IN\r\nBOX:1:{SECRET}"}, ("message_id",), "forbidden_character"),
    *(
        Bad(GET, {"message_id": value}, ("message_id",), "malformed_id")
        for value in (
            "",
            "17",
            SECRET,
            "imap:work:INBOX:1",
            "imap:work:INBOX:0:1",
            "imap:work:INBOX:1:99999999999",
        )
    ),
    *(
        Bad(tool, {"cursor": value}, ("cursor",), "cursor_malformed")
        for tool in (SEARCH, MAILBOXES)
        for value in (SECRET, "s2.work.INBOX", "m1.work.1.INBOX.00000000")
    ),
    Bad(MAILBOXES, {"cursor": "{cursor}"}, ("cursor",), "cursor_malformed"),
    Bad(SEARCH, {"cursor": "{cursor}x"}, ("cursor",), "cursor_malformed"),
    Bad(SEARCH, {"cursor": "{cursor}", "query": SECRET}, ("query",), "cursor_mismatch"),
    Bad(
        SEARCH,
        {"cursor": "{cursor}", "mailbox": "Other", "unread_only": True},
        ("unread_only", "mailbox"),
        "cursor_mismatch",
    ),
    Bad(
        SEARCH,
        {"limit": -1, "start_date": SECRET, "subject": _BREAK, "form": 1},
        ("subject", "since", "limit", "form"),
        "forbidden_character",
    ),
]
