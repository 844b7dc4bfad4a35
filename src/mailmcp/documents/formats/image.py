"""Scales images with Pillow, turned as their EXIF says, and writes pictures as models take them.

That is with limits on the longer side and the octets, and without metadata. Of a TIFF it takes one page, of
an animation the first frame.
"""

import io
import warnings
from typing import BinaryIO, Final

from PIL import Image, ImageOps
from PIL.ExifTags import Base

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError

PICTURE_PIXELS_MAX: Final = 120_000_000
"""Of an image to scale: telephones take 108 million, and these need 480 MB in memory."""

_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
"""The other decoders of Pillow, some fifty, aren't tried."""

Image.MAX_IMAGE_PIXELS = PICTURE_PIXELS_MAX

_LOSSY: Final = frozenset({"JPEG", "MPO"})
_SIDEWAYS: Final = frozenset({5, 6, 7, 8})
"""EXIF orientations that exchange width and height. Pillow has turned a TIFF already."""

_JPEG_QUALITIES: Final = (85, 70, 50)
_WIDE_MODES: Final = frozenset({"I", "F", "I;16", "I;16B", "I;16L"})
"""More than 8 bits a pixel: Pillow's conversion would cut values off at 255."""


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
    octets, size = encode(ImageOps.exif_transpose(_shrink(image)), as_png=as_png)
    return picture_facts(pages, size, source, *notes), octets


def _shrink(image: Image.Image) -> Image.Image:
    """Return an image as grey, RGB or RGBA, with at most `PICTURE_SIDE_MAX` pixels on the longer side."""
    if image.mode in _WIDE_MODES:
        wide = image.convert("F")
        low, high = (float(each) for each in wide.getextrema() if not isinstance(each, tuple))
        scale = 255 / ((high - low) or 1)
        image = wide.point(lambda value: value * scale + -low * scale).convert("L")
    elif image.has_transparency_data:
        image = image.convert("RGBA")
    elif image.mode not in {"L", "RGB"}:
        image = image.convert("L" if image.mode == "1" else "RGB")
    image.thumbnail((limits.PICTURE_SIDE_MAX, limits.PICTURE_SIDE_MAX), reducing_gap=2.0)
    return image


def picture_facts(
    pages: int, size: tuple[int, int] = (0, 0), source: tuple[int, int] = (0, 0), *notes: str
) -> dict[str, object]:
    """Return what the server is told of a picture; its size is 0 if there is no such page."""
    return {
        "width": size[0],
        "height": size[1],
        "source_width": source[0],
        "source_height": source[1],
        "pages": pages,
        "notes": list(notes),
    }


def encode(image: Image.Image, *, as_png: bool) -> tuple[bytes, tuple[int, int]]:
    """Return a shrunken image, as PNG if requested and it fits, else as JPEG; and its width and height.

    What is transparent becomes white in a JPEG.
    """
    image.info = {}  # Pillow writes some of it
    if as_png:
        octets = _save(image, "PNG", optimize=True)
        if len(octets) <= limits.PICTURE_OCTETS_MAX:
            return octets, image.size
    if image.mode == "RGBA":
        ground = Image.new("RGBA", image.size, "white")
        ground.alpha_composite(image)
        image = ground.convert("RGB")
    while True:
        for quality in _JPEG_QUALITIES:
            octets = _save(image, "JPEG", quality=quality)
            if len(octets) <= limits.PICTURE_OCTETS_MAX:
                return octets, image.size
        image = image.reduce(2)


def _save(image: Image.Image, name: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, name, **options)
    return out.getvalue()
