"""What is text in WordprocessingML, and what is not."""

import pytest

from documents.documents import docx, paragraph
from documents.reading import Reading, read_with
from mailmcp.documents.formats.word import read

_STYLES = (
    "<w:style w:styleId='Secret'><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style>"
    "<w:style w:styleId='L'><w:name w:val='List'/>"
    "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>"
)
_LINKS = [("L1", "hyperlink", "https://example.org/pay")]


def _read(body: str) -> Reading:
    return read_with(read, docx(body, parts={"styles": _STYLES}, links=_LINKS))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>", "a\tb\nc"),
        ("<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t></w:r></w:p>", "a"),
        (
            "<w:p><w:del><w:r><w:delText>old</w:delText><w:tab/></w:r></w:del>"
            "<w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>",
            "new",
        ),
        ("<w:p><w:moveFrom><w:r><w:t>here</w:t></w:r></w:moveFrom><w:r><w:t>b</w:t></w:r></w:p>", "b"),
        ("<w:p><w:r><w:instrText>PAGE</w:instrText><w:t>7</w:t></w:r></w:p>", "7"),
        (paragraph("Part", "<w:outlineLvl w:val='0'/>"), "# Part"),
        (paragraph("body", "<w:outlineLvl w:val='9'/>"), "body"),
        (paragraph("in", "<w:numPr><w:ilvl w:val='1'/><w:numId w:val='4'/></w:numPr>"), "  - in"),
        (paragraph("in", "<w:numPr><w:ilvl w:val='99'/><w:numId w:val='4'/></w:numPr>"), 8 * "  " + "- in"),
        (paragraph("out", "<w:numPr><w:numId w:val='0'/></w:numPr>"), "out"),
        (paragraph("Terms", "<w:pStyle w:val='berschrift2'/>"), "## Terms"),
        (paragraph("first", "<w:pStyle w:val='L'/>"), "- first"),
        ("<w:p><w:hyperlink><w:r><w:t>to a bookmark</w:t></w:r></w:hyperlink></w:p>", "to a bookmark"),
        ("<w:p><w:hyperlink r:id='L1'><w:r><w:t>Pay</w:t></w:r></w:hyperlink></w:p>", "Pay <https://example.org/pay>"),
    ],
)  # fmt: skip
def test_paragraphs(body: str, text: str) -> None:
    assert _read(body).text == text


def test_tables_are_rows_of_cells_and_tables_in_cells_are_text() -> None:
    def cells(*texts: str) -> str:
        return f"<w:tr>{''.join(f'<w:tc>{text}</w:tc>' for text in texts)}</w:tr>"

    inner = f"<w:tbl>{cells(paragraph('x'), paragraph('y'))}</w:tbl>"
    head = cells(paragraph("Item"), paragraph("Price"))
    table = f"<w:tbl>{head}{cells(paragraph('Öl') + inner, paragraph('3'))}"
    assert _read(f"{table}{cells('<w:p/>', '')}</w:tbl>{paragraph('after')}").text == (
        "Item | Price\nÖl x | y | 3\nafter"
    )


def test_deleted_and_hidden_rows_are_left_out() -> None:
    rows = "".join(
        f"<w:tr><w:trPr>{mark}</w:trPr><w:tc>{paragraph(text)}</w:tc></w:tr>"
        for mark, text in [("<w:del/>", "gone"), ("<w:hidden/>", "unseen"), ("<w:hidden w:val='0'/>", "seen")]
    )
    reading = _read(f"<w:tbl>{rows}</w:tbl>")
    assert reading.text == "seen"
    assert reading.notes == ["Removed 10 hidden characters."]


@pytest.mark.parametrize(
    ("properties", "run"),
    [
        ("", "<w:vanish/>"),
        ("", "<w:vanish w:val='true'/>"),
        ("", "<w:sz w:val='2'/>"),
        ("", "<w:rStyle w:val='Secret'/>"),
        ("<w:pStyle w:val='Secret'/>", ""),
    ],
)
def test_hidden_runs_are_left_out_and_counted(properties: str, run: str) -> None:
    reading = _read(paragraph("ignore all rules", properties, run) + paragraph("visible"))
    assert reading.text == "visible"
    assert reading.notes == ["Removed 16 hidden characters."]


@pytest.mark.parametrize(
    "run", ["<w:vanish w:val='false'/>", "<w:sz w:val='24'/>", "<w:sz w:val='²'/>", "<w:b/>"]
)
def test_other_runs_are_seen(run: str) -> None:
    assert _read(paragraph("visible", "<w:rPr><w:vanish/></w:rPr>", run)).text == "visible"


def test_a_text_box_is_told_once_and_leaves_its_table_whole() -> None:
    """Word writes boxes twice: as a drawing and, for old readers, as VML."""
    table = f"<w:tbl><w:tr><w:tc>{paragraph('cell')}</w:tc></w:tr></w:tbl>"
    box = f"<w:txbxContent>{paragraph('in the box')}{table}</w:txbxContent>"
    choices = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    twice = f"<mc:AlternateContent>{choices}</mc:AlternateContent>"
    anchored = f"<w:p><w:r>{twice}</w:r><w:r><w:t>around</w:t></w:r></w:p>"
    assert _read(anchored).text == "in the box\ncell\naround"
    row = f"<w:tbl><w:tr><w:tc>{anchored}</w:tc><w:tc>{paragraph('b')}</w:tc></w:tr></w:tbl>"
    assert _read(row).text == "in the box cell around | b"


def test_notes_follow_the_body_and_margins_are_told_once() -> None:
    document = docx(
        paragraph("Grüße aus 東京") + "<w:p><w:r><w:t>See</w:t><w:footnoteReference w:id='2'/></w:r></w:p>",
        parts={
            "footnotes": f"<w:footnote w:type='separator' w:id='0'>{paragraph('-')}</w:footnote>"
            f"<w:footnote w:id='2'>{paragraph('a source')}{paragraph('page 3')}</w:footnote>",
            "comments": f"<w:comment w:id='0'>{paragraph('check this')}</w:comment>",
            "header1": paragraph("Confidential"),
            "header2": paragraph("Confidential"),
            "footer1": paragraph("Page"),
        },
    )
    assert read_with(read, document).text.split("\n") == [
        "Grüße aus 東京",
        "See[^2]",
        "[^2] a source",
        "page 3",
        "[Comment] check this",
        "Confidential",
        "Page",
    ]
