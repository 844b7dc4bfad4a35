"""Scales images with Pillow, turned as their EXIF says.

Of a TIFF it takes one page, of an animation the first frame.
"""

import warnings
from typing import BinaryIO, Final

from PIL import Image, ImageOps
from PIL.ExifTags import Base

from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.picture import encode, picture_facts, shrink

PICTURE_PIXELS_MAX: Final = 120_000_000
"""Of an image to scale: telephones take 108 million, and these need 480 MB in memory."""

_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
"""The other decoders of Pillow, some fifty, aren't tried."""

Image.MAX_IMAGE_PIXELS = PICTURE_PIXELS_MAX

_LOSSY: Final = frozenset({"JPEG", "MPO"})
_SIDEWAYS: Final = frozenset({5, 6, 7, 8})
"""EXIF orientations that exchange width and height. Pillow has turned a TIFF already."""


def draw(content: BinaryIO, page: int) -> tuple[dict[str, object], bytes]:
    """Return the facts of a picture, and its octets unless there is no such page."""
    try:
        with warnings.catch_warnings(action="error", category=Image.DecompressionBombWarning):
            return _draw(Image.open(content, formats=_FORMATS), page)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnreadableError(Cause.TOO_LARGE) from error


def _draw(image: Image.Image, page: int) -> tuple[dict[str, object], bytes]:
    pages = int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1
    if page > pages:
        return picture_facts(pages), b""
    notes = []
    as_png = image.format not in _LOSSY
    if pages > 1:
        image.seek(page - 1)
    elif as_png and getattr(image, "is_animated", False):
        notes.append("This is the first frame of an animation.")
    is_sideways = image.format != "TIFF" and image.getexif().get(Base.Orientation) in _SIDEWAYS
    source = image.size[::-1] if is_sideways else image.size
    octets, size = encode(ImageOps.exif_transpose(shrink(image)), as_png=as_png)
    return picture_facts(pages, size, source, *notes), octets
