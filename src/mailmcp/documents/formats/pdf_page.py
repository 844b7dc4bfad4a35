"""Draws pages of PDF with pdfium, which has neither JavaScript nor XFA in the build that pypdfium2 ships."""

from typing import BinaryIO, Final

import pypdfium2
from pypdfium2.raw import FPDF_ERR_PASSWORD

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.image import encode, picture_facts

PAGE_SCALE_MAX: Final = 4.0
"""Pixels for each point of a page, 288 dpi: a small label gains nothing by more."""


def draw(content: BinaryIO, page: int) -> tuple[dict[str, object], bytes]:
    """Return the facts of a picture, and its octets unless there is no such page."""
    try:
        document = pypdfium2.PdfDocument(content.read())
    except pypdfium2.PdfiumError as error:
        if error.err_code == FPDF_ERR_PASSWORD:
            raise UnreadableError(Cause.ENCRYPTED) from error
        raise
    if page > len(document):
        return picture_facts(len(document)), b""
    drawn = document[page - 1]
    scale = min(limits.PICTURE_SIDE_MAX / max(drawn.get_size()), PAGE_SCALE_MAX)
    octets, size = encode(drawn.render(scale=scale, rev_byteorder=True).to_pil().convert("RGB"), as_png=True)
    return picture_facts(len(document), size), octets
