"""PPTX as slides."""

from documents.documents import pptx, shape
from documents.reading import read_with
from mailmcp.documents.formats.slides import read


def test_slides_have_titles_items_tables_and_notes() -> None:
    bullet = '<a:pPr lvl="1"><a:buChar char="-"/></a:pPr>'
    table = "".join(f"<a:tc><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:tc>" for text in ("x", "é"))
    first = (
        shape("Plan", "title") + shape("first") + shape("second", properties=bullet) + shape("9", "sldNum")
    )
    second = f"<p:graphicFrame><a:tbl><a:tr>{table}</a:tr></a:tbl></p:graphicFrame>"
    document = pptx([first, second], notes=shape("say hello") + shape("slowly") + shape("1", "sldNum"))
    reading = read_with(read, document)
    assert reading.text == (
        "[Slide 1]\n# Plan\nfirst\n  - second\nNotes: say hello\nslowly\n\n[Slide 2]\nx | é"
    )
    assert reading.sections == [("Slide 1", 0), ("Slide 2", reading.text.index("[Slide 2]"))]


def test_hidden_slides_are_named_so_and_hidden_shapes_left_out() -> None:
    group = f'<p:grpSp><p:nvGrpSpPr><p:cNvPr hidden="1"/></p:nvGrpSpPr>{shape("unseen")}</p:grpSp>'
    reading = read_with(read, pptx([shape("seen") + group], attributes='show="0"'))
    assert reading.text == "[Slide 1 (hidden)]\nseen"
    assert reading.notes == ["Removed 6 hidden characters."]


def test_line_breaks_odd_levels_and_what_is_told_twice() -> None:
    paragraph = '<a:p><a:pPr lvl="77"/><a:r><a:t>a</a:t></a:r><a:br/><a:r><a:t>b</a:t></a:r></a:p>'
    slide = f"<p:sp>{paragraph}</p:sp><mc:Fallback xmlns:mc='m'><p:sp>{paragraph}</p:sp></mc:Fallback>"
    assert read_with(read, pptx([slide])).text == "[Slide 1]\n                - a\nb"


def test_a_slide_that_is_not_there_is_empty() -> None:
    assert read_with(read, pptx([""])).text == "[Slide 1]"
