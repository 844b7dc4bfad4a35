"""ODT, ODS and ODP: the content of OpenDocument files (ODF 1.3 part 3).

Deleted text stands apart in `text:tracked-changes` and is left out, and so are
comments, and what styles or sections hide, which is counted.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import BinaryIO

from mailmcp.documents.archive import Archive
from mailmcp.documents.extraction import Cause
from mailmcp.documents.formats.open_sheet import SheetReader
from mailmcp.documents.formats.open_styles import hidden_styles
from mailmcp.documents.formats.open_text import TextReader
from mailmcp.documents.refusal import Refusal
from mailmcp.documents.writer import Writer
from mailmcp.documents.xml_stream import Event, Start

_CONTENT = "content.xml"
_BODIES: Mapping[str, Callable[[Writer, frozenset[str]], "TextReader | SheetReader"]] = {
    "text": TextReader,
    "presentation": TextReader,
    "spreadsheet": SheetReader,
}


def read(content: BinaryIO, out: Writer) -> None:
    """Write the body, by what it says it is.

    Raises:
        Refusal: It is no OpenDocument file that is known here, encrypted or too large.
        StopReading: Enough was read.
    """
    archive = Archive(content, out)
    if any(
        isinstance(event, Start) and event.name == "encryption-data"
        for event in archive.events("META-INF/manifest.xml")
    ):
        raise Refusal(Cause.ENCRYPTED)
    if _CONTENT not in archive:
        raise Refusal(Cause.MALFORMED)
    hidden = hidden_styles(archive.events("styles.xml")) | hidden_styles(archive.events(_CONTENT))
    events = archive.events(_CONTENT)
    _body(events)(out, hidden).read(events)


def _body(events: Iterable[Event]) -> Callable[[Writer, frozenset[str]], "TextReader | SheetReader"]:
    """Go to the body, and tell by its first element what reads it."""
    in_body = False
    for event in events:
        if isinstance(event, Start):
            if in_body and event.name in _BODIES:
                return _BODIES[event.name]
            in_body = event.name == "body"
    raise Refusal(Cause.MALFORMED)
