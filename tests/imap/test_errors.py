"""Errors of the libraries below have one name each; see test_faults_*.py for them on the wire."""

import imaplib
import socket
import ssl

import pytest

from mailmcp.imap.client import ByeError, ProtocolViolationError
from mailmcp.imap.command import RefusedError
from mailmcp.imap.errors import (
    Stage,
    deadline_error,
    translate_errors,
)
from mailmcp.reasons import Reason
from mcp_envelope import DeadlineError, InternalError, NotFoundError


@pytest.mark.parametrize(
    ("error", "reason", "retryable"),
    [
        (ConnectionResetError(), Reason.CONNECTION_LOST, True),
        (BrokenPipeError(), Reason.CONNECTION_LOST, True),
        (OSError("no route to host"), Reason.CONNECTION_LOST, True),
        (imaplib.IMAP4.abort("socket error: EOF"), Reason.CONNECTION_LOST, True),
        (imaplib.IMAP4.abort("an unexpected error happened"), Reason.CONNECTION_LOST, True),
        (ssl.SSLEOFError(), Reason.CONNECTION_LOST, True),
        (ssl.SSLZeroReturnError(), Reason.CONNECTION_LOST, True),
        (ConnectionRefusedError(), Reason.CONNECTION_REFUSED, True),
        (socket.gaierror(), Reason.CONNECTION_REFUSED, True),
        (ssl.SSLError(), Reason.TLS_FAILED, False),
        (ProtocolViolationError("junk"), Reason.PROTOCOL_VIOLATION, False),
        (imaplib.IMAP4.error(b"* NO Hello"), Reason.PROTOCOL_VIOLATION, False),
        (ByeError("Full"), Reason.CONNECTION_LOST, True),
        (ByeError("Too many connections"), Reason.CONNECTION_LIMIT, True),
        (RefusedError("NOOP", "NO", "Busy"), Reason.SERVER_REFUSED, True),
        (RefusedError("NOOP", "BAD", "What"), Reason.SERVER_REFUSED, False),
    ],
)
def test_each_error_has_a_name(error: Exception, reason: Reason, *, retryable: bool) -> None:
    with pytest.raises(InternalError, match="account main") as caught, translate_errors("main"):
        raise error
    assert (caught.value.reason, caught.value.retryable) == (reason, retryable)
    assert caught.value.__cause__ is error
    assert caught.value.details["account_id"] == "main"


@pytest.mark.parametrize("stage", Stage)
def test_a_timeout_is_named_by_its_stage(stage: Stage) -> None:
    with pytest.raises(DeadlineError) as caught, translate_errors("main", stage):
        raise TimeoutError
    assert caught.value.reason == stage.value
    assert caught.value.message == deadline_error("main", stage).message


@pytest.mark.parametrize("error", [NotFoundError("no", reason=Reason.PART_MISSING), LookupError("a bug")])
def test_what_has_a_name_keeps_it_and_bugs_stay_bugs(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, translate_errors("main"):
        raise error
    assert caught.value is error
