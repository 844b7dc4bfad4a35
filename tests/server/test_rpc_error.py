"""Failures of requests that have no result for them: codes by revision, and all that is known in `data`."""

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from mailmcp.reasons import Reason
from mailmcp.server.resources import rpc_error
from mcp_envelope import (
    AuthFailedError,
    Code,
    ConflictError,
    DeadlineError,
    InternalError,
    InvalidInputError,
    NextAction,
    NotFoundError,
    ToolError,
)

URI = "imap://home/mailbox"

ERRORS: list[tuple[ToolError, int, int]] = [
    (InvalidInputError.of("uri", Reason.MALFORMED_ID, "is none."), -32602, -32602),
    (NotFoundError("It is gone.", reason=Reason.MESSAGE_GONE), -32002, -32602),
    (AuthFailedError("Refused.", reason=Reason.CREDENTIALS_REJECTED), -32600, -32600),
    (ConflictError("It was rebuilt.", reason=Reason.UIDVALIDITY_CHANGED), -32600, -32600),
    (DeadlineError("Too late.", reason=Reason.COMMAND), -32603, -32603),
    (InternalError("Lost.", reason=Reason.CONNECTION_LOST, retryable=True), -32603, -32603),
]


def test_every_code_has_a_row() -> None:
    assert {error.code for error, _, _ in ERRORS} == set(Code)


@pytest.mark.parametrize(("error", "legacy", "modern"), ERRORS, ids=lambda each: getattr(each, "code", None))
def test_a_code_is_what_the_revision_assigns(error: ToolError, legacy: int, modern: int) -> None:
    for revisions, expected in ((HANDSHAKE_PROTOCOL_VERSIONS, legacy), (MODERN_PROTOCOL_VERSIONS, modern)):
        for revision in revisions:
            written = rpc_error(error, request_id="r", uri=URI, revision=revision).error
            assert written.code == expected
            assert written.message == error.message


def test_data_has_every_known_field() -> None:
    error = NotFoundError(
        "It is gone.",
        reason=Reason.MESSAGE_GONE,
        details={"message_id": "imap:home:INBOX:1:2"},
        next_action=NextAction(instruction="Search.", tool="imap_search_messages"),
    )
    written = rpc_error(error, request_id="r", uri=URI).error
    assert written.message == "It is gone. Search. (imap_search_messages)"
    assert written.data == {
        "code": "not_found",
        "reason": "message_gone",
        "retryable": False,
        "message_id": "imap:home:INBOX:1:2",
        "next_action": {"instruction": "Search.", "tool": "imap_search_messages", "arguments": {}},
        "request_id": "r",
        "uri": URI,
    }


def test_errors_without_a_uri_have_no_resource_code() -> None:
    written = rpc_error(
        NotFoundError("No.", reason=Reason.ACCOUNT_UNKNOWN), request_id="r", revision="2025-11-25"
    ).error
    assert written.code == -32602
    assert "uri" not in written.data
