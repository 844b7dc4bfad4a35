"""OpenDocument files: which body they have, and whether it may be read."""

import pytest

from documents.documents import open_document, zipped
from documents.reading import read_with
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.open_document import read


def test_each_body_has_its_reader() -> None:
    text = read_with(read, open_document("text", "<text:p>Grüße 東京</text:p>"))
    assert (text.text, text.sections) == ("Grüße 東京", [])
    sheet = read_with(read, open_document("spreadsheet", "<table:table table:name='S'/>"))
    assert sheet.sections == [("Sheet S", 0)]
    assert read_with(read, open_document("presentation", "<draw:page/>")).sections == [("Slide 1", 0)]


def test_styles_of_both_files_hide() -> None:
    style = '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
    body = '<text:p>a<text:span text:style-name="T1">unseen</text:span></text:p>'
    reading = read_with(read, open_document("text", body, styles=style))
    assert (reading.text, reading.notes) == ("a", ["Removed 6 hidden characters."])


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (open_document("text", "", manifest="<m><encryption-data/></m>"), Cause.ENCRYPTED),
        (open_document("drawing", ""), Cause.MALFORMED),
        (zipped({"mimetype": "x"}), Cause.MALFORMED),
        (zipped({"content.xml": "<a/>"}), Cause.MALFORMED),
    ],
)
def test_what_is_refused(content: bytes, cause: Cause) -> None:
    with pytest.raises(UnreadableError) as refused:
        read_with(read, content)
    assert refused.value.cause is cause
