"""Text documents and presentations in OpenDocument form."""

import pytest

from documents.documents import open_document, zipped
from documents.reading import read_with
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.open_document import read

_STYLES = (
    '<style:style style:name="gone"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="dp2"><style:drawing-page-properties presentation:visibility="hidden"/>'
    "</style:style>"
)


def _text(body: str, kind: str = "text") -> str:
    return read_with(read, open_document(kind, body, styles=_STYLES)).text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('<text:h text:outline-level="2">Über</text:h>', "## Über"),
        ('<text:h text:outline-level="77">Deep</text:h><text:h>Top</text:h>', "###### Deep\n# Top"),
        ('<text:p>a<text:s text:c="3"/>b<text:s/>c<text:s text:c="x"/>d</text:p>', "a   b c d"),
        ("<text:p>a<text:tab/>b<text:line-break/>c</text:p>", "a\tb\nc"),
        ("<text:tracked-changes><text:p>old</text:p></text:tracked-changes><text:p>new</text:p>", "new"),
        ("<text:p>a<office:annotation><text:p>remark</text:p></office:annotation>b</text:p>", "ab"),
        (
            "<text:p>a<text:note><text:note-citation>1</text:note-citation>"
            "<text:note-body><text:p>source</text:p></text:note-body></text:note></text:p>",
            "a [source]",
        ),
        (
            "<text:list><text:list-item><text:p>one</text:p><text:p>more</text:p><text:list><text:list-item>"
            "<text:p>in</text:p></text:list-item></text:list></text:list-item></text:list><text:p>out</text:p>",
            "- one\nmore\n  - in\nout",
        ),
        (
            "<table:table><table:table-row><table:table-cell><text:p>a</text:p><text:p>b</text:p></table:table-cell>"
            "<table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table>",
            "a b | c",
        ),
    ],
)
def test_blocks_and_characters(body: str, text: str) -> None:
    assert _text(body) == text


@pytest.mark.parametrize(
    "hidden",
    [
        '<text:p text:style-name="gone">unseen</text:p>',
        '<text:p><text:span text:style-name="gone">unseen</text:span></text:p>',
        '<text:section text:display="none"><text:p>unseen</text:p></text:section>',
        '<text:p><text:hidden-paragraph text:is-hidden="true">unseen</text:hidden-paragraph></text:p>',
        '<table:table><table:table-row table:visibility="collapse"><text:p>unseen</text:p>'
        "</table:table-row></table:table>",
    ],
)
def test_hidden_text_is_left_out_and_counted(hidden: str) -> None:
    reading = read_with(read, open_document("text", f"{hidden}<text:p>seen</text:p>", styles=_STYLES))
    assert reading.text == "seen"
    assert reading.notes == ["Removed 6 hidden characters."]


def test_slides_have_titles_and_notes_and_hidden_ones_are_named_so() -> None:
    body = (
        '<draw:page><draw:frame presentation:class="title">'
        "<draw:text-box><text:p>Plan</text:p></draw:text-box></draw:frame>"
        "<draw:frame><draw:text-box><text:p>first</text:p></draw:text-box></draw:frame>"
        "<presentation:notes><draw:frame><draw:text-box><text:p>say hello</text:p></draw:text-box>"
        "</draw:frame></presentation:notes></draw:page>"
        '<draw:page draw:style-name="dp2"><text:p>spare</text:p></draw:page>'
    )
    assert _text(body, "presentation") == (
        "[Slide 1]\n# Plan\nfirst\nNotes: say hello\n\n[Slide 2 (hidden)]\nspare"
    )


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
