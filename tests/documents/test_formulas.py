"""Formulas and alternative texts of pictures, in each format that has them."""

import pytest

from documents.documents import docx, open_document, pptx
from documents.reading import read_with
from mailmcp.documents.formats import open_document as odf
from mailmcp.documents.formats import slides, word

M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def _run(text: str, properties: str = "") -> str:
    return f"<m:r>{properties}<m:t>{text}</m:t></m:r>"


def _fraction(above: str, below: str) -> str:
    return f"<m:f><m:fPr/><m:num>{above}</m:num><m:den>{below}</m:den></m:f>"


OFFICE = [
    (_fraction(_run("3"), _run("4")), "3/4"),
    (_fraction(_run("a+b"), _run("2")), "(a+b)/2"),
    (f"<m:sSup><m:e>{_run('x')}</m:e><m:sup>{_run('2')}</m:sup></m:sSup>{_run('=9')}", "x^2=9"),
    (f"<m:sSub><m:e>{_run('x')}</m:e><m:sub>{_run('i-1')}</m:sub></m:sSub>", "x_(i-1)"),
    (f"<m:rad><m:deg/><m:e>{_run('2')}</m:e></m:rad>", "√2"),
    (f"<m:d><m:e>{_run('n')}</m:e><m:e>{_run('k')}</m:e></m:d>", "(n, k)"),
    (f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:e>{_run('x')}</m:e></m:nary>", "∑x"),
]


@pytest.mark.parametrize(("formula", "written"), OFFICE)
def test_formulas_of_office_are_on_one_line(formula: str, written: str) -> None:
    math = f"<m:oMath {M}>{formula}</m:oMath>"
    text = f"<w:p><w:r><w:t>so </w:t></w:r>{math}<w:r><w:t> cups</w:t></w:r></w:p>"
    assert read_with(word.read, docx(text)).text == f"so {written} cups"
    box = f"<p:sp><p:txBody><a:p><a:r><a:t>so </a:t></a:r>{math}</a:p></p:txBody></p:sp>"
    assert read_with(slides.read, pptx([box])).text == f"[Slide 1]\nso {written}"


def test_what_is_hidden_or_deleted_in_a_formula_is_left_out() -> None:
    hidden = _run("secret", "<w:rPr><w:vanish/></w:rPr>")
    deleted = f"<w:del>{_run('old')}</w:del>"
    body = f"<w:p><m:oMath {M}>{_run('a')}{hidden}{deleted}{_run('b')}</m:oMath></w:p>"
    found = read_with(word.read, docx(body))
    assert (found.text, found.notes) == ("ab", ["Removed 6 hidden characters."])


MATHML = [
    ("<mfrac><mn>3</mn><mn>4</mn></mfrac>", "3/4"),
    ("<mrow><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msqrt><mi>y</mi></msqrt></mrow>", "x^2+√y"),
    ("<semantics><mi>z</mi><annotation encoding='StarMath 5.0'>z</annotation></semantics>", "z"),
]


@pytest.mark.parametrize(("formula", "written"), MATHML)
def test_formulas_of_opendocument_are_on_one_line(formula: str, written: str) -> None:
    math = f'<math xmlns="http://www.w3.org/1998/Math/MathML">{formula}</math>'
    body = '<text:p>so <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> cups</text:p>'
    found = read_with(odf.read, open_document("text", body, objects={"Object 1": math}))
    assert found.text == f"so {written} cups"
    chart = read_with(odf.read, open_document("text", body, objects={"Object 1": "<chart>x</chart>"}))
    assert chart.text == "so  cups"


def test_alternative_texts_of_pictures_are_shown() -> None:
    described = '<wp:docPr xmlns:wp="wp" id="1" name="P" descr="A red\n cat"/>'
    drawing = f"<w:drawing>{described}</w:drawing>"
    body = f"<w:p><w:r><w:t>See </w:t>{drawing}</w:r></w:p>"
    assert read_with(word.read, docx(body)).text == "See [picture: A red cat]"
    hidden = body.replace("<w:r>", "<w:r><w:rPr><w:vanish/></w:rPr>")
    assert read_with(word.read, docx(hidden)).text == ""

    picture = '<p:pic><p:nvPicPr><p:cNvPr id="1" name="P" descr="A red cat"{}/></p:nvPicPr></p:pic>'
    assert read_with(slides.read, pptx([picture.format("")])).text == "[Slide 1]\n[picture: A red cat]"
    assert read_with(slides.read, pptx([picture.format(' hidden="1"')])).text == "[Slide 1]"

    frame = "<draw:frame><draw:image/><svg:desc>A red cat</svg:desc></draw:frame>"
    assert read_with(odf.read, open_document("text", f"<text:p>See {frame}</text:p>")).text == (
        "See [picture: A red cat]"
    )
    slide = open_document("presentation", f"<draw:page>{frame.replace('desc', 'title')}</draw:page>")
    assert read_with(odf.read, slide).text == "[Slide 1]\n[picture: A red cat]"
    title = open_document("text", "<text:p>On <text:title>Plans</text:title></text:p>")
    assert read_with(odf.read, title).text == "On Plans"
