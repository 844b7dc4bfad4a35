"""ODT, ODS and ODP: the content of OpenDocument files (ODF 1.3 part 3).

Deleted text (`text:tracked-changes`) and comments are left out. So is what styles or sections hide, which is
counted.
"""

from collections.abc import Iterable
from typing import BinaryIO, Final

from mailmcp.documents.archive import Archive
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.open_sheet import SheetReader
from mailmcp.documents.formats.open_text import TextReader
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_stream import Event, Start

_CONTENT = "content.xml"
_BODIES: Final = frozenset({"text", "presentation", "spreadsheet"})


def read(content: BinaryIO, out: Writer) -> None:
    """Write the body.

    Raises:
        UnreadableError: It is not a text, spreadsheet or presentation, is encrypted or is too large.
        StopReading: A limit is reached.
    """
    archive = Archive(content, out)
    if any(
        isinstance(event, Start) and event.name == "encryption-data"
        for event in archive.events("META-INF/manifest.xml")
    ):
        raise UnreadableError(Cause.ENCRYPTED)
    if _CONTENT not in archive:
        raise UnreadableError(Cause.MALFORMED)
    hidden = hidden_styles(archive.events("styles.xml")) | hidden_styles(archive.events(_CONTENT))
    events = archive.events(_CONTENT)
    if _find_body(events) == "spreadsheet":
        SheetReader(out, hidden).read(events)
    else:
        TextReader(out, hidden, archive).read(events)


def _find_body(events: Iterable[Event]) -> str:
    """Go to the body, and return the name of its first element."""
    in_body = False
    for event in events:
        if isinstance(event, Start):
            if in_body and event.name in _BODIES:
                return event.name
            in_body = event.name == "body"
    raise UnreadableError(Cause.MALFORMED)


def hidden_styles(events: Iterable[Event]) -> frozenset[str]:
    """Return the names of styles that hide text, tables or slides; reads up to the body."""
    hidden = set()
    current = ""
    for event in events:
        if not isinstance(event, Start):
            continue
        if event.name == "body":
            break
        if event.name == "style":
            current = event.attributes.get("name", "")
        elif event.name in {
            "text-properties",
            "table-properties",
            "section-properties",
            "drawing-page-properties",
        }:
            shown = event.attributes.get("display", "true"), event.attributes.get("visibility", "visible")
            if shown[0] in {"none", "false"} or shown[1] == "hidden":
                hidden.add(current)
    return frozenset(hidden)
