"""Documents that the process for them can't read within its limits: what the caller is told to do."""

from typing import Any

import pytest

from documents.documents import docx, paragraph, zipped
from documents.pictures import image
from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.extractor import Extractor
from mcp_envelope import Code
from tools.desk import Desk
from tools.files import attached, refused, store_and_find
from tools.stores import Store


@pytest.fixture
def store(dovecot_mail: Store) -> Store:
    """One server: fetching is tested with the other modes."""
    return dovecot_mail


LETTER = ("a.docx", docx(paragraph("Text")), "application/octet-stream")
PHOTO = ("a.png", image(5, 5), "image/png")
ARCHIVE = ("a.zip", zipped({"a.txt": "Text"}), "application/zip")


@pytest.mark.parametrize(("code", "retryable"), [(Code.TIMEOUT, True), (Code.INTERNAL, False)])
@pytest.mark.parametrize(
    ("file", "sent"),
    [(LETTER, {}), (PHOTO, {"mode": "image"}), (ARCHIVE, {"member": "a.txt"})],
    ids=["text", "picture", "file inside"],
)
def test_a_document_beyond_the_limits_can_be_fetched_as_it_is(
    store: Store,
    desk: Desk,
    monkeypatch: pytest.MonkeyPatch,
    file: tuple[str, bytes, str],
    sent: dict[str, Any],
    code: Code,
    *,
    retryable: bool,
) -> None:
    message_id = store_and_find(store, desk, attached(file))
    if code is Code.TIMEOUT:
        monkeypatch.setattr(limits, "EXTRACT_TIMEOUT_S", 0.0)
        monkeypatch.setattr(limits, "EXTRACT_GRACE_S", 0.0)
        cause = Cause.TIMED_OUT
    else:
        desk.extractor = Extractor(memory_octets=1_000_000)
        cause = Cause.CRASHED
    error = refused(desk, message_id, **sent)
    assert (error.code, error.retryable, error.message) == (code, retryable, UnreadableError(cause).message)
    assert error.next_action is not None
    whole = desk.call(error.next_action.tool, dict(error.next_action.arguments))
    assert [each.octets for each in whole.outcome.embedded] == [file[1]]
