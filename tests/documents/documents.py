"""Documents made by hand: zips of XML, and PDF objects, as small as they can be."""

import io
import zipfile
from collections.abc import Mapping, Sequence

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_NAMES = " ".join(
    f'xmlns:{name}="{_ODF}{name}:1.0"' for name in ("office", "text", "table", "style", "presentation")
)
_ODF_NAMES = f'{_NAMES} xmlns:draw="{_ODF}drawing:1.0" xmlns:svg="svg" xmlns:xlink="xlink"'


def zipped(entries: Mapping[str, str | bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Pack entries in their order, all from 1980: the same entries are the same octets."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return packed.getvalue()


def relations(*targets: tuple[str, str, str]) -> str:
    """Write a part of relations: id, kind and target of each; what begins with http is outside."""
    rows = "".join(
        f'<Relationship Id="{id_}" Type="{_R}/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if target.startswith("http") else "/>")
        for id_, kind, target in targets
    )
    return f'<Relationships xmlns="x">{rows}</Relationships>'


def docx(
    body: str,
    *,
    parts: Mapping[str, str] | None = None,
    links: Sequence[tuple[str, str, str]] = (),
) -> bytes:
    """Make a DOCX around the XML of its body; `parts` by kind, as `footnotes`, hold XML of their own."""
    named = {kind: f"word/{kind}.xml" for kind in parts or {}}
    rows = [(f"rId{kind}", kind.rstrip("123456789"), f"{kind}.xml") for kind in named]
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations(("rId1", "officeDocument", "word/document.xml")),
            "word/document.xml": f'<w:document xmlns:w="{_W}" xmlns:r="{_R}" xmlns:mc="mc">'
            f"<w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relations(*rows, *links),
            **{
                named[kind]: f'<w:{kind} xmlns:w="{_W}">{xml}</w:{kind}>'
                for kind, xml in (parts or {}).items()
            },
        }
    )


def paragraph(text: str, properties: str = "", run: str = "") -> str:
    """Write a paragraph of one run."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def xlsx(sheets: Mapping[str, str], *, strings: str = "", styles: str = "", workbook: str = "") -> bytes:
    """Make an XLSX of sheets by name, each the XML within `worksheet`."""
    rows = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
        for number, name in enumerate(sheets, start=1)
    )
    targets = [
        (f"rId{number}", "worksheet", f"/xl/sheets/s{number}.xml") for number in range(1, len(sheets) + 1)
    ]
    return zipped(
        {
            "_rels/.rels": relations(("rId1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{_S}" xmlns:r="{_R}">{workbook}'
            f"<sheets>{rows}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(
                *targets, ("rIdA", "sharedStrings", "strings.xml"), ("rIdB", "styles", "styles.xml")
            ),
            "xl/strings.xml": f'<sst xmlns="{_S}">{strings}</sst>',
            "xl/styles.xml": f'<styleSheet xmlns="{_S}">{styles}</styleSheet>',
            **{
                f"xl/sheets/s{number}.xml": f'<worksheet xmlns="{_S}">{xml}</worksheet>'
                for number, xml in enumerate(sheets.values(), start=1)
            },
        }
    )


def pptx(slides: Sequence[str], *, notes: str = "", attributes: str = "") -> bytes:
    """Make a PPTX of slides, each the XML within `spTree`; the first one gets the notes."""
    numbers = range(1, len(slides) + 1)
    names = f'xmlns:p="{_P}" xmlns:a="{_A}" xmlns:r="{_R}"'
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in numbers)
    return zipped(
        {
            "_rels/.rels": relations(("rId1", "officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f"<p:presentation {names}><p:sldIdLst>{ids}</p:sldIdLst>"
            "</p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(
                *((f"rId{number}", "slide", f"slides/slide{number}.xml") for number in numbers)
            ),
            **{
                f"ppt/slides/slide{number}.xml": (
                    f"<p:sld {names} {attributes}><p:spTree>{xml}</p:spTree></p:sld>"
                )
                for number, xml in enumerate(slides, start=1)
            },
            "ppt/slides/_rels/slide1.xml.rels": relations(("rId1", "notesSlide", "../notesSlides/n.xml")),
            "ppt/notesSlides/n.xml": f"<p:notes {names}><p:spTree>{notes}</p:spTree></p:notes>",
        }
    )


def shape(text: str, placeholder: str = "body", *, hidden: str = "0", properties: str = "") -> str:
    """Write a shape with one paragraph."""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x" hidden="{hidden}"/>'
        f'<p:nvPr><p:ph type="{placeholder}"/></p:nvPr>'
        f"</p:nvSpPr><p:txBody><a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def open_document(
    kind: str,
    body: str,
    *,
    styles: str = "",
    manifest: str = "<manifest/>",
    objects: Mapping[str, str] | None = None,
) -> bytes:
    """Make an ODF file: `kind` is `text`, `spreadsheet` or `presentation`; `objects` are documents within."""
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": manifest,
            "content.xml": f"<office:document-content {_ODF_NAMES}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}></office:body>"
            "</office:document-content>",
            **{f"{name}/content.xml": xml for name, xml in (objects or {}).items()},
        },
        method=zipfile.ZIP_STORED,
    )
