"""Text of S/MIME messages that are signed in one piece with it (RFC 8551 section 3.5.2).

Walks the few elements of a CMS SignedData (RFC 5652 section 5) down to the content, in the
definite and indefinite lengths of BER, one level deep. Signatures are not checked; certificates
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

_SIGNED_DATA: Final = bytes.fromhex("2a864886f70d010702")

_INTEGER: Final = 0x02
_OCTETS: Final = 0x04
_OID: Final = 0x06
_OCTETS_IN_PIECES: Final = 0x24
_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_EXPLICIT_0: Final = 0xA0

_FILE_EXTENSION: Final = ".p7m"
_LEVELS_MAX: Final = 4  # of signatures around one file: each who signs adds one
_ENTITY: Final = re.compile(rb"\s*(?:content-[a-z-]{1,40}|mime-version)[ \t]*:", re.IGNORECASE)
_ARMOUR: Final = re.compile(rb"-----[^-\r\n]{1,40}-----")

_LONG_LENGTH: Final = 0x80
_LENGTH_OCTETS_MAX: Final = 4
_DEPTH_MAX: Final = 8


class _MalformedError(Exception):
    """The octets are not BER, or not SignedData."""


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
    if not octets.startswith(bytes([_SEQUENCE])):
        text = b"".join(_ARMOUR.sub(b"", octets).split())
        try:
            octets = b64decode(text[: len(text) // 4 * 4], validate=True)
        except ValueError:
            return b""
    try:
        return _content(octets)
    except _MalformedError:
        return b""


def _content(octets: bytes) -> bytes:
    at, _ = _enter(octets, 0, _SEQUENCE)
    start, end = _enter(octets, at, _OID)
    if octets[start:end] != _SIGNED_DATA:
        raise _MalformedError
    at, _ = _enter(octets, end, _EXPLICIT_0)
    at, _ = _enter(octets, at, _SEQUENCE)
    at = _skip(octets, at, _INTEGER)
    at = _skip(octets, at, _SET)
    at, _ = _enter(octets, at, _SEQUENCE)
    at = _skip(octets, at, _OID)
    at, _ = _enter(octets, at, _EXPLICIT_0)
    return b"".join(_pieces(octets, at, 0))


def _pieces(octets: bytes, at: int, depth: int) -> list[bytes]:
    """Return an octet string, which may consist of others."""
    tag, start, end = _element(octets, at)
    if tag == _OCTETS and end is not None:
        return [octets[start:end]]
    if tag != _OCTETS_IN_PIECES or depth >= _DEPTH_MAX:
        raise _MalformedError
    found: list[bytes] = []
    stop = len(octets) if end is None else min(end, len(octets))
    while start < stop and octets[start : start + 2] != b"\0\0":
        try:
            found += _pieces(octets, start, depth + 1)
            start = _end(octets, start, 0)
        except _MalformedError:  # it was cut here
            break
    return found


def _enter(octets: bytes, at: int, tag: int) -> tuple[int, int]:
    """Return where the content of the element at `at` begins and ends."""
    found, start, end = _element(octets, at)
    if found != tag:
        raise _MalformedError
    return start, len(octets) if end is None else end


def _skip(octets: bytes, at: int, tag: int) -> int:
    if octets[at : at + 1] != bytes([tag]):
        raise _MalformedError
    return _end(octets, at, 0)


def _end(octets: bytes, at: int, depth: int) -> int:
    """Return the end of an element. One of indefinite length ends after two zeros."""
    _, start, end = _element(octets, at)
    if end is not None:
        return end
    if depth >= _DEPTH_MAX:
        raise _MalformedError
    while octets[start : start + 2] != b"\0\0":
        start = _end(octets, start, depth + 1)
    return start + 2


def _element(octets: bytes, at: int) -> tuple[int, int, int | None]:
    """Return the tag, and where the content begins and ends (None: indefinite)."""
    head = octets[at : at + 2]
    if len(head) < 2:  # tag and length
        raise _MalformedError
    tag, length = head
    start = at + 2
    if length == _LONG_LENGTH:
        return tag, start, None
    if length > _LONG_LENGTH:
        count = length - _LONG_LENGTH
        digits = octets[start : start + count]
        if count > _LENGTH_OCTETS_MAX or len(digits) < count:
            raise _MalformedError
        start += count
        length = int.from_bytes(digits)
    return tag, start, start + length
