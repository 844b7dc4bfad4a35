"""The source of a message, or a piece of it, as text in which nothing is invisible.

`mailmcp.mail.clean` removes what nobody would see; the source must show it, as the code point:
`<U+200B>`. Joiners and variation selectors are shown everywhere, in emoji too.
"""

import re
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.clean import INVISIBLE

_INCOMPLETE: Final = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")
"""A character whose end is missing (RFC 3629 section 4)."""

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROLS_MAX_SHARE: Final = 0.1
"""Text has hardly any control characters, and each is shown as eight characters."""

_INVISIBLE: Final = re.compile(f"[{INVISIBLE}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A piece of source as text."""

    text: str
    """With newlines for line ends, and `<U+…>` for what is invisible."""

    octets_read: int
    """How many octets of the piece the text shows; the next piece starts there."""

    shown: int
    """How many invisible characters were made visible."""


def read_source(octets: bytes, *, more: bool) -> SourceText | None:
    """Read a piece of source as UTF-8.

    Args:
        octets: The piece; starts at the start of a character.
        more: Whether the message goes on after it. Then the text ends with a whole line, if
            that leaves half of the piece, else with a whole character.

    Returns:
        None if it is not text: not UTF-8, or more than one character in ten is a control character.
    """
    kept = _up_to_whole_line(octets) if more else octets
    if octets and not kept:
        return None
    try:
        decoded = kept.decode()
    except UnicodeDecodeError:
        return None
    if len(_CONTROL.findall(decoded)) > len(decoded) * _CONTROLS_MAX_SHARE:
        return None
    text, shown = _INVISIBLE.subn(
        lambda match: f"<U+{ord(match.group()):04X}>", decoded.replace("\r\n", "\n")
    )
    return SourceText(text=text, octets_read=len(kept), shown=shown)


def _up_to_whole_line(octets: bytes) -> bytes:
    line_end = octets.rfind(b"\n") + 1
    if line_end * 2 >= len(octets):
        return octets[:line_end]
    cut = _INCOMPLETE.search(octets, max(0, len(octets) - 3))
    whole = octets[: cut.start()] if cut else octets
    # Between CR and LF neither half would be a line end.
    return whole[:-1] if whole.endswith(b"\r") and len(whole) > 1 else whole
