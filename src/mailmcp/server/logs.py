"""Logging to stderr, one line for each record, as text or JSON. stdout belongs to the protocol."""

import json
import logging
import sys
from typing import TextIO

from typing_extensions import override

CALL_FIELDS = (
    "tool",
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
        pairs = [f"{name}={_plain(value)}" for name, value in _fields(record).items() if value != ""]
        return " ".join([super().formatMessage(record), *pairs])


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object on one line."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {"time": self.formatTime(record), "level": record.levelname}
        line |= {"logger": record.name, "message": record.getMessage(), **_fields(record)}
        if record.exc_info:
            line["exc_info"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    return {name: record.__dict__[name] for name in CALL_FIELDS if name in record.__dict__}


def _plain(value: object) -> str:
    text = str(value)
    return text if text.isascii() and text.isprintable() and not set(' "=') & set(text) else json.dumps(text)


def configure_logging(level: str, *, as_json: bool, stream: TextIO | None = None) -> None:
    """Log to `stream`, stderr by default, from `level` (such as `info`) on.

    Libraries log from warnings on: IMAPClient's debug lines hold subjects and, for some logins, passwords.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    text_format = "%(asctime)s %(levelname)s %(name)s %(message)s"
    handler.setFormatter(JsonFormatter() if as_json else TextFormatter(text_format))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("mailmcp").setLevel(level.upper())
