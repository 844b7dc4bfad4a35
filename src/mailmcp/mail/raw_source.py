"""The source of a message, or a piece of it, as text in which nothing is invisible.

Where `mailmcp.mail.clean` takes out what nobody would see, the source must show it: as the code
point, `<U+200B>`. Joiners and variation selectors are shown everywhere, in emoji too.
"""

import re
from dataclasses import dataclass
from typing import Final

_INCOMPLETE: Final = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")
"""The start of a character whose rest lies beyond the end (RFC 3629 section 4)."""

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROLS_MAX_SHARE: Final = 0.1
"""Text has hardly any control characters; and each is shown as eight characters."""

_UNSEEN: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls but tab and newline
    "\u00ad\u034f\u061c\u180b-\u180f"  # soft hyphen, grapheme joiner, letter mark, Mongolian selectors
    "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # fillers and blanks
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    "]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A piece of source as text."""

    text: str
    """Line ends are newlines; what is invisible is written `<U+…>`."""

    octets_read: int
    """Octets of the piece that the text shows, from its first one on; the next piece starts there."""

    shown: int
    """Invisible characters that were made visible, from 0."""


def read_source(octets: bytes, *, more: bool) -> SourceText | None:
    """Read a piece of source as UTF-8.

    Args:
        octets: The piece, from the start of a character on.
        more: Whether the message goes on behind it. Then the text ends with a whole line, if
            that leaves half of the piece, else with a whole character.

    Returns:
        None if it is not text: not UTF-8, or one character in ten is a control character.
    """
    kept = _whole_end(octets) if more else octets
    if octets and not kept:
        return None
    try:
        decoded = kept.decode()
    except UnicodeDecodeError:
        return None
    if len(_CONTROL.findall(decoded)) > len(decoded) * _CONTROLS_MAX_SHARE:
        return None
    text, shown = _UNSEEN.subn(lambda match: f"<U+{ord(match.group()):04X}>", decoded.replace("\r\n", "\n"))
    return SourceText(text=text, octets_read=len(kept), shown=shown)


def _whole_end(octets: bytes) -> bytes:
    line_end = octets.rfind(b"\n") + 1
    if line_end * 2 >= len(octets):
        return octets[:line_end]
    cut = _INCOMPLETE.search(octets, max(0, len(octets) - 3))
    whole = octets[: cut.start()] if cut else octets
    # Between CR and LF neither half would be a line end.
    return whole[:-1] if whole.endswith(b"\r") and len(whole) > 1 else whole
