"""Logging to stderr, one line for each record. stdout belongs to the protocol."""

import json
import logging
import sys

from typing_extensions import override

CALL_FIELDS = (
    "tool",
    "principal",
    "account",
    "mailbox",
    "request_id",
    "trace_id",
    "span_id",
    "outcome",
    "duration_ms",
    "imap_round_trips",
    "bytes_received",
)
"""Fields of a call in its log line, in this order."""


class TextFormatter(logging.Formatter):
    """Formats `time level logger message key=value …`; values with spaces or quotes become JSON strings."""

    @override
    def formatMessage(self, record: logging.LogRecord) -> str:
        found = {name: record.__dict__.get(name, "") for name in CALL_FIELDS}
        pairs = [f"{name}={_plain(value)}" for name, value in found.items() if value != ""]
        return " ".join([super().formatMessage(record), *pairs])


def _plain(value: object) -> str:
    text = str(value)
    return text if text.isascii() and text.isprintable() and not set(' "=') & set(text) else json.dumps(text)


def configure_logging(level: str) -> None:
    """Log to stderr from `level` (such as `info`) on.

    Libraries log from warnings on: IMAPClient's debug lines hold subjects and, for some logins, passwords.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(TextFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("mailmcp").setLevel(level.upper())
