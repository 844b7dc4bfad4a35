"""Documents that are made to hurt cost their own text, one issue, and nothing else."""

from collections.abc import Callable

import pytest

from documents.documents import docx, paragraph, xlsx
from documents.pdf_file import pdf
from mailmcp.documents.extractor import Extractor
from tools.desk import Desk
from tools.files import attached, get, refused, store_and_find
from tools.stores import Store

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MEMORY_OCTETS = 180_000_000
"""Too little for a million strings, and enough for anything ordinary."""


def zip_bomb() -> bytes:
    return docx("<w:p>" + " " * 300_000_000)


def looping_pdf() -> bytes:
    return pdf(["x"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")


def many_strings() -> bytes:
    return xlsx({"S": ""}, strings=f"<si><t>{'a' * 200}</t></si>" * 800_000)


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "content_type", "make", "said"),
    [
        ("bomb.docx", "application/msword", zip_bomb, "too large"),
        ("loop.pdf", "application/pdf", looping_pdf, "damaged"),
        ("greedy.xlsx", XLSX, many_strings, "memory"),
    ],
    ids=["zip bomb", "looping PDF", "killed by its memory limit"],
)
def test_a_hostile_document_costs_one_issue_and_the_next_call_works(
    store: Store, desk: Desk, name: str, content_type: str, make: Callable[[], bytes], said: str
) -> None:
    desk.extractor = Extractor(memory_octets=MEMORY_OCTETS)
    letter = attached(
        (name, make(), content_type),
        ("fine.pdf", pdf(["Fine"]), "application/pdf"),
        ("fine.docx", docx(paragraph("Fine too")), content_type),
    )
    message_id = store_and_find(store, desk, letter)

    alone = refused(desk, message_id).message
    assert said in alone
    assert get(desk, message_id, "3").data["text"] == "[Page 1]\nFine"

    beside = desk.get(message_id, attachment_mode="extract_text")
    assert beside.data["status"] == "partial"
    assert [each["message"] for each in beside.data["issues"]] == [f"Part 2: {alone.removeprefix('mode: ')}"]
    assert "Fine too" in beside.text
