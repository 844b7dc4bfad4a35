"""DOC, XLS and PPT: what people see in them, and none of what they don't."""

import struct
from datetime import date

import pytest

from documents import old_office
from documents.old_office import doc, plain, ppt, saved, shape, slide, xls
from documents.reading import read_with
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats import old_sheet, old_slides, old_word


def test_a_doc_is_read_as_paragraphs_headings_items_and_rows() -> None:
    found = read_with(
        old_word.read,
        doc(
            [
                plain("Grüße aus 東京 😀\r", 1),
                plain("One\x0bline\r"),
                plain("inner item\r", 0, old_office.ITEM),
                plain("A1\r", 0, old_office.CELL),
                plain("more\x07", 0, old_office.CELL),
                plain("\x07", 0, old_office.CELL),
                plain("\x07", 0, old_office.ROW_END),
                plain("B1\x07", 0, old_office.CELL),
                plain("B2\x07", 0, old_office.CELL),
                plain("\x07", 0, old_office.ROW_END),
                plain('See \x13 HYPERLINK "https://a.example/x" \x14here\x15 and \x13 PAGE \x147\x15.\r'),
            ],
            [plain("A note\r")],
            [plain("Head\r"), plain("Head\r")],
            [],
            [plain("Really?\r")],
        ),
    )
    assert found.text.splitlines() == [
        "# Grüße aus 東京 😀",
        "One",
        "line",
        "  - inner item",
        "A1 more |",
        "B1 | B2",
        "See here <https://a.example/x> and 7.",
        "A note",
        "Head",
        "[Comment] Really?",
    ]
    assert found.notes == []


@pytest.mark.parametrize("hides", [old_office.HIDDEN, old_office.DELETED, old_office.TINY])
def test_hidden_and_deleted_text_of_a_doc_is_counted_and_left_out(hides: bytes) -> None:
    runs = [("Pay ", b""), ("Mallory ", hides), ("Ann\r", b"")]
    found = read_with(old_word.read, doc([(runs, 0, b"")]))
    assert (found.text, found.notes) == ("Pay Ann", ["Removed 8 hidden characters."])


def test_a_doc_in_one_octet_a_character_is_read() -> None:
    assert read_with(old_word.read, doc([plain("Größe: 3 €\r")], compressed=True)).text == "Größe: 3 €"


def test_an_xls_shows_values_as_displayed_and_says_what_is_hidden() -> None:
    cells = {
        (0, 0): "Tea",
        (0, 1): 2.5,
        (0, 2): (date(2026, 3, 4), "YYYY-MM-DD"),
        (0, 3): (0.25, "0%"),
        (0, 4): True,
        (1, 0): "row",
        (2, 0): "Σ",
        (2, 5): "column",
    }
    book = xls({"Prices": cells, "Other": {(0, 0): "b"}})
    book.get_sheet(0).row(1).hidden = True
    book.get_sheet(0).col(5).hidden = True
    book.get_sheet(1).visibility = 1
    found = read_with(old_sheet.read, saved(book))
    assert found.text == "[Sheet Prices]\nTea | 2.5 | 2026-03-04 | 25% | TRUE\nΣ\n\n[Sheet Other (hidden)]\nb"
    assert found.notes == ["Removed 9 hidden characters."]


def test_a_ppt_is_read_as_slides_in_their_current_state() -> None:
    first = slide(shape(old_office.text("Plan", 0)), shape(old_office.text("One\rTwo")), notes_id=1)
    refers = slide(shape(old_office.record(0x0F9E, struct.pack("<I", 0))), hidden=True)
    bare = slide(shape(old_office.text("gone"), hidden=True), shape(old_office.text("left")))
    notes = slide(shape(old_office.text("Speak slowly", 2)), kind=0x03F0)
    content = ppt([first, refers, bare], outlines={1: old_office.text("Outline", 1)}, notes=[notes])
    found = read_with(old_slides.read, content)
    assert found.text.splitlines() == [
        *("[Slide 1]", "# Plan", "One", "Two", "Notes: Speak slowly", ""),
        *("[Slide 2 (hidden)]", "Outline", ""),
        *("[Slide 3]", "left"),
    ]
    assert found.notes == ["Removed 4 hidden characters."]


def _encrypted_xls() -> bytes:
    whole = saved(xls({"S": {(0, 0): "x"}}))
    # CODEPAGE becomes FILEPASS.
    place = whole.index(struct.pack("<HHH", 0x42, 2, 0x04B0))
    return whole[:place] + struct.pack("<HHH", 0x2F, 2, 0) + whole[place + 6 :]


@pytest.mark.parametrize(
    ("reader", "content", "cause"),
    [
        (old_word.read, doc([plain("x\r")], flags=0x0100), Cause.ENCRYPTED),
        (old_word.read, doc([plain("x\r")], version=0x65), Cause.UNSUPPORTED),
        (old_slides.read, ppt([], token=0xF3D1C4DF), Cause.ENCRYPTED),
        (old_sheet.read, _encrypted_xls(), Cause.ENCRYPTED),
    ],
    ids=["DOC with a password", "Word 95", "PPT with a password", "XLS with a password"],
)
def test_what_cannot_be_read_is_said(reader: object, content: bytes, cause: Cause) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_with(reader, content)  # type: ignore[arg-type]
    assert caught.value.cause is cause
