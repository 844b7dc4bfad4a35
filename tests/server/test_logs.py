import io
import logging
from collections.abc import Iterator

import pytest

from mailmcp.server.logs import configure_logging

CALL = {
    "tool": "imap_get_message",
    "account": "work",
    "mailbox": 'Projects/Grün "x"',
    "request_id": "r1",
    "trace_id": "",
    "span_id": "",
    "outcome": "ok",
    "duration_ms": 12,
    "imap_round_trips": 1,
    "bytes_received": 345,
}


@pytest.fixture(autouse=True)
def _restored_logging() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("mailmcp")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


def logged(level: str) -> list[str]:
    stream = io.StringIO()
    configure_logging(level, stream=stream)
    logging.getLogger("mailmcp").info("call", extra=CALL)
    logging.getLogger("imapclient.imapclient").info("> LOGIN someone secret")
    return stream.getvalue().splitlines()


def test_a_call_is_one_line_and_libraries_stay_silent() -> None:
    """IMAPClient's own lines hold the login."""
    (line,) = logged("info")
    assert line.endswith(
        "INFO mailmcp call tool=imap_get_message account=work "
        'mailbox="Projects/Gr\\u00fcn \\"x\\"" request_id=r1 outcome=ok duration_ms=12 '
        "imap_round_trips=1 bytes_received=345"
    )
    assert logged("warning") == []
    assert all("secret" not in line for line in logged("debug"))
