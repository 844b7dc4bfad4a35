"""DOCX as a reader of the finished document sees it."""

from documents.documents import docx, paragraph
from documents.reading import read_with
from mailmcp.documents.formats.word import read


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


def test_headings_are_known_by_their_styles() -> None:
    styles = (
        "<w:style w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style>"
        "<w:style w:styleId='L'><w:name w:val='List'/>"
        "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>"
    )
    body = paragraph("Terms", "<w:pStyle w:val='berschrift2'/>") + paragraph("first", "<w:pStyle w:val='L'/>")
    assert read_with(read, docx(body, parts={"styles": styles})).text == "## Terms\n- first"


def test_links_are_told_where_they_lead() -> None:
    body = "<w:p><w:hyperlink r:id='L1'><w:r><w:t>Pay here</w:t></w:r></w:hyperlink></w:p>"
    document = docx(body, links=[("L1", "hyperlink", "https://example.org/pay")])
    assert read_with(read, document).text == "Pay here <https://example.org/pay>"
