"""Text of S/MIME messages that are signed in one piece with it (RFC 8551 section 3.5.2).

Walks the few elements of a CMS SignedData (RFC 5652 section 5) down to the content, in the
definite and indefinite lengths of BER. Signatures are not checked; certificates
are not looked at.
"""

import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import TextParts, choose_text_parts
from mailmcp.mail.mime.structure import PKCS7_TYPES, Part
from mailmcp.mail.mime.transfer import decode_transfer

_WAY: Final = (
    (b"\x30", True),  # ContentInfo
    (bytes.fromhex("06092a864886f70d010702"), False),  # that it is signed data
    (b"\xa0", True),
    (b"\x30", True),  # SignedData
    (b"\x02", False),  # version
    (b"\x31", False),  # digest algorithms
    (b"\x30", True),  # EncapsulatedContentInfo
    (b"\x06", False),  # type of the content
    (b"\xa0", True),
)
"""How the elements on the way to the content begin, and whether it is in them (RFC 5652 sections 3 and 5)."""

_OCTETS: Final = b"\x04"
_OCTETS_IN_PIECES: Final = b"\x24"
_NO_LENGTH: Final = b"\x80"
_END: Final = b"\0\0"
"""Of an element without a length."""

_FILE_EXTENSION: Final = ".p7m"
_LEVELS_MAX: Final = 4  # of signatures around one file: each who signs adds one
_ENTITY: Final = re.compile(rb"\s*(?:content-[a-z-]{1,40}|mime-version)[ \t]*:", re.IGNORECASE)
_ARMOUR: Final = re.compile(rb"-----[^-\r\n]{1,40}-----")


def open_signed(text_parts: TextParts, octets: Mapping[str, bytes]) -> tuple[TextParts, Mapping[str, bytes]]:
    """Replace each part that is signed data with the text parts inside it.

    Args:
        text_parts: From `choose_text_parts`.
        octets: Content by part id, still transfer-encoded, each possibly cut.

    Returns:
        The parts and their content. The ids of the parts inside are valid in this mapping only: no
        server knows them. Signed data that is missing or can't be opened is left as it is.
    """
    wrapped = [part for part in text_parts.all if part.is_opaque_signed and part.part_id in octets]
    if not wrapped:
        return text_parts, octets
    inside: dict[str, TextParts] = {}
    content = dict(octets)
    for part in wrapped:
        found, pieces = _open(part, octets[part.part_id])
        if found.all:
            inside[part.part_id] = found
            content |= pieces
    plain = _in_place(text_parts.plain, {name: found.plain for name, found in inside.items()})
    html = _in_place(text_parts.html, {name: found.html for name, found in inside.items()})
    return TextParts(plain=plain, html=html), content


def _open(part: Part, octets: bytes) -> tuple[TextParts, dict[str, bytes]]:
    entity = signed_content(decode_transfer(octets, part.encoding).octets)
    if not part.is_declared_signed and not is_entity(entity):
        return TextParts(), {}
    # The MIME entity has no message header of its own; its parts may be cut.
    tree = parse_message(entity, complete=False).tree
    found = choose_text_parts(tree.structure.root if entity else None)
    spans = tree.spans
    pieces = {
        f"{part.part_id}.{each.part_id}": entity[spans[each.part_id].start : spans[each.part_id].end]
        for each in found.all
    }
    return TextParts(plain=_renamed(part, found.plain), html=_renamed(part, found.html)), pieces


def _renamed(part: Part, inside: Sequence[Part]) -> tuple[Part, ...]:
    """Number the parts inside below `part`. Signed data in signed data is not opened."""
    return tuple(
        replace(each, part_id=f"{part.part_id}.{each.part_id}")
        for each in inside
        if not each.is_opaque_signed
    )


def _in_place(parts: Sequence[Part], inside: Mapping[str, tuple[Part, ...]]) -> tuple[Part, ...]:
    return tuple(each for part in parts for each in inside.get(part.part_id, (part,)))


def is_entity(content: bytes) -> bool:
    """Return whether the content of signed data is a MIME entity; files are signed, too."""
    return _ENTITY.match(content) is not None


def without_signatures(filename: str, content_type: str, content: bytes) -> tuple[str, bytes]:
    """Return the name and the content of a file within the signed data that a part is (RFC 8551 section 3.9).

    Args:
        filename: "a.xml.p7m" holds "a.xml".
        content_type: Of the part, which says little.
        content: Transfer encoding already removed; may be cut.

    Returns:
        The same name and content if it isn't signed data.
    """
    for _ in range(_LEVELS_MAX):
        is_named = filename.lower().endswith(_FILE_EXTENSION)
        if not is_named and content_type not in PKCS7_TYPES:
            break
        inner = signed_content(content)
        if not inner:
            break
        filename, content, content_type = filename[: -len(_FILE_EXTENSION)] if is_named else "", inner, ""
    return filename, content


def signed_content(octets: bytes) -> bytes:
    """Return the content of signed data.

    Args:
        octets: A CMS ContentInfo, transfer encoding already removed; may be cut. Also in base64 with or
            without armour, as programs write files.

    Returns:
        The content, a MIME entity, as far as it is there; b"" if none can be found.
    """
    if not octets.startswith(_WAY[0][0]):
        text = b"".join(_ARMOUR.sub(b"", octets).split())
        try:
            octets = b64decode(text[: len(text) // 4 * 4], validate=True)
        except ValueError:
            return b""
    at = 0
    for beginning, is_entered in _WAY:
        if not octets.startswith(beginning, at):
            return b""
        start, end = _element(octets, at)
        if not is_entered and octets.startswith(_NO_LENGTH, at + 1):
            while end > start and not octets.startswith(_END, start):
                _, start = _element(octets, start)
            end = start + len(_END)
        at = start if is_entered else end
    start, end = _element(octets, at)
    if octets.startswith(_OCTETS, at):
        return octets[start:end]
    pieces: list[bytes] = []
    while octets.startswith(_OCTETS_IN_PIECES, at) and octets.startswith(_OCTETS, start):
        piece, after = _element(octets, start)
        pieces.append(octets[piece:after])
        start = after
    return b"".join(pieces)


def _element(octets: bytes, at: int) -> tuple[int, int]:
    """Return where the content of an element begins and ends: at the end of all, if it has no length."""
    start = at + 2
    if octets.startswith(_NO_LENGTH, at + 1):
        return start, len(octets)
    length = int.from_bytes(octets[at + 1 : start])
    if length > 0x80:  # it is the number of the octets that have the length
        digits = octets[start : start + length - 0x80]
        length, start = int.from_bytes(digits), start + len(digits)
    return start, start + length
