"""imap_get_attachment with mode=image: an image, or a page of a PDF, as a model can see it."""

from mailmcp.documents.extraction import Picture, UnreadableError
from mailmcp.documents.kind import DRAWABLE, UNREADABLE
from mailmcp.tools.attachment.errors import document_error
from mailmcp.tools.attachment.inside import FetchedFile
from mailmcp.tools.attachment.text import TOO_LARGE
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, InvalidInputError


async def draw_file(call: Call, file: FetchedFile, page: int) -> Picture:
    """Return a picture of an image, or of a page of a PDF or TIFF.

    Raises:
        InvalidInputError: It is something else, has no such page, or can't be read.
        ToolError: Reading took too long or failed.
    """
    content, kind = await file.decode()
    if kind is None or (kind not in DRAWABLE and kind not in UNREADABLE):
        raise InvalidInputError.of(
            "mode",
            BaseReason.INVALID_VALUE,
            "can't be image: it shows only PNG, JPEG, GIF, WebP, BMP, TIFF and PDF. Send text.",
            next_action=file.get("Get the text."),
        )
    if file.cut:
        raise InvalidInputError.of("mode", BaseReason.INVALID_VALUE, f"can't be image. {TOO_LARGE}")
    try:
        picture = await call.extractor.draw(content, kind, page=page, deadline=call.deadline)
    except UnreadableError as error:
        saving = call.preferences.save_folder is not None
        raise document_error(error, "mode", file.get_whole(saving=saving)) from error
    if not picture.octets:
        raise InvalidInputError.of(
            "page",
            BaseReason.OUT_OF_RANGE,
            f"must be 1 to {picture.pages}." if picture.pages > 1 else "must be 1: there is one page.",
            next_action=file.get("Show the last page.", mode="image", page=picture.pages),
        )
    return picture
