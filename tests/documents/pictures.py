"""Images made with Pillow."""

import io
from collections.abc import Sequence

from PIL import Image


def image(
    width: int,
    height: int,
    color: str | int | tuple[int, ...] = "red",
    *,
    kind: str = "PNG",
    mode: str = "RGB",
    orientation: int = 0,
    frames: Sequence[str] = (),
) -> bytes:
    """Make an image: of one colour, but the left half is blue if it has an EXIF orientation.

    Args:
        width: In pixels.
        height: In pixels.
        color: As Pillow takes it.
        kind: Pillow's name of the format.
        mode: Pillow's mode of the pixels.
        orientation: Of EXIF, which then names a camera as well.
        frames: Colours of more frames.
    """
    picture = Image.new(mode, (width, height), color)
    more = [Image.new(mode, (width, height), each) for each in frames]
    options: dict[str, object] = {"save_all": True, "append_images": more} if more else {}
    if orientation:
        picture.paste("blue", (0, 0, width // 2, height))
        exif = Image.Exif()
        exif[0x0112] = orientation
        exif[0x0110] = "A camera"
        options["exif"] = exif
    out = io.BytesIO()
    picture.save(out, kind, **options)
    return out.getvalue()


def opened(octets: bytes) -> Image.Image:
    """Read a picture."""
    return Image.open(io.BytesIO(octets))
