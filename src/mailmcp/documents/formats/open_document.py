"""ODT, ODS and ODP: the content of OpenDocument files (ODF 1.3 part 3).

Deleted text (`text:tracked-changes`) and comments are left out. So is what styles or sections hide, which is
counted.
"""

from collections.abc import Iterable
from typing import BinaryIO, Final

from mailmcp.documents.archive import Archive
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats import open_sheet, open_text
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_elements import Element

_CONTENT = "content.xml"
_BODIES: Final = frozenset({"text", "presentation", "spreadsheet"})


def read(content: BinaryIO, out: Writer) -> None:
    """Write the body."""
    archive = Archive(content, out)
    if any(each.name == "encryption-data" for each in archive.elements("META-INF/manifest.xml")):
        raise UnreadableError(Cause.ENCRYPTED)
    shared, _ = _read_styles(archive.elements("styles.xml", {"style"}))
    own, body = _read_styles(archive.elements(_CONTENT, {"style"}))
    if body not in _BODIES:
        raise UnreadableError(Cause.MALFORMED)
    if body == "spreadsheet":
        open_sheet.SheetReader(out, shared | own).read(archive.elements(_CONTENT, open_sheet.WHOLE))
    else:
        open_text.TextReader(out, shared | own, archive).read(archive.elements(_CONTENT, open_text.WHOLE))


def _read_styles(elements: Iterable[Element]) -> tuple[frozenset[str], str]:
    """Return the names of styles that hide text, tables or slides, and of the first element in the body."""
    hidden: set[str] = set()
    in_body = False
    for each in elements:
        if in_body:
            return frozenset(hidden), each.name
        in_body = each.name == "body"
        if each.name == "style" and any(map(_hides, each.elements)):
            hidden.add(each.get("name"))
    return frozenset(hidden), ""


def _hides(properties: Element) -> bool:
    return properties.get("display") in {"none", "false"} or properties.get("visibility") == "hidden"
