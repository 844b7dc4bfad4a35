"""Reads winmail.dat ([MS-OXTNEF]): attributes one after the other, some of which hold properties.

tnefparse is under the LGPL.
"""

import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import BinaryIO, Final

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.formats.mapi import (
    BINARY,
    STRING8,
    TIME,
    TOO_DEEP,
    UNICODE,
    Attachment,
    Message,
    Prop,
    Properties,
    find_file,
    write_message,
)
from mailmcp.documents.writer import Writer

_Values = dict[int, tuple[int, bytes]]

_SIGNATURE: Final = 0x223E9F78
_HEADER: Final = struct.Struct("<IH")
_ATTRIBUTE: Final = struct.Struct("<BII")
_CHECKSUM: Final = struct.Struct("<H")

_RECIPIENTS: Final = 0x00069004
_MESSAGE_PROPERTIES: Final = 0x00069003
_ATTACHMENT_BEGINS: Final = 0x00069002
_ATTACHMENT_PROPERTIES: Final = 0x00069005
_CODE_PAGE: Final = 0x00069007
_DATE_SENT: Final = 0x00038005
_TEXTS: Final = {0x00018004: Prop.SUBJECT, 0x0002800C: Prop.BODY}
_ATTACHMENT_VALUES: Final = {
    0x00018010: (Prop.ATTACH_SHORT_NAME, STRING8),
    0x0006800F: (Prop.ATTACH_DATA, BINARY),
}
"""Attributes (section 2.1.3), and the properties that say the same."""

_OBJECT: Final = 0x000D
_MULTIPLE: Final = 0x1000
_FIXED_OCTETS: Final = {
    0x2: 4,
    0x3: 4,
    0x4: 4,
    0x5: 8,
    0x6: 8,
    0x7: 8,
    0xA: 4,
    0xB: 4,
    0x14: 8,
    0x40: 8,
    0x48: 16,
}
"""Octets of the property types of fixed length, with their padding (section 2.1.3.5)."""

_VARIABLE: Final = frozenset({STRING8, UNICODE, BINARY, _OBJECT})
_NAMED_FROM: Final = 0x8000
_MESSAGE_INTERFACE: Final = bytes.fromhex("0703020000000000c000000000000046")
"""Before a message within the message."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write the message, and a line for each of its files.

    Raises:
        UnreadableError: It is damaged.
        StopReading: A limit is reached.
    """
    write_message(_read_message(content.read(), out, 1), out)


def read_member(content: BinaryIO, name: str, out: Writer) -> bytes:
    """Return the content of the file that is listed under a name.

    Raises:
        UnreadableError: There is none.
        StopReading: Time is up.
    """
    return find_file(_read_message(content.read(), out, 1), name)


def _read_message(octets: bytes, out: Writer, depth: int) -> Message:
    own: _Values = {}
    recipients: list[_Values] = []
    attachments: list[_Values] = []
    code_page = 0
    for attribute, data in _attributes(octets, out):
        if attribute == _CODE_PAGE:
            code_page = int.from_bytes(data[:4], "little")
        elif attribute == _MESSAGE_PROPERTIES:
            own.update(_Reader(data, out).values())
        elif attribute == _RECIPIENTS:
            table = _Reader(data, out)
            recipients = [table.values() for _ in range(min(table.number(), limits.MAPI_PROPERTIES_MAX))]
        elif attribute in _TEXTS:
            own.setdefault(_TEXTS[attribute], (STRING8, data))
        elif attribute == _DATE_SENT:
            own.setdefault(Prop.SUBMIT_TIME, (TIME, _file_time(data)))
        elif attribute == _ATTACHMENT_BEGINS:
            attachments.append({})
        elif attachments and attribute in _ATTACHMENT_VALUES:
            prop, kind = _ATTACHMENT_VALUES[attribute]
            attachments[-1].setdefault(prop, (kind, data))
        elif attachments and attribute == _ATTACHMENT_PROPERTIES:
            attachments[-1].update(_Reader(data, out).values())
    code_page = code_page or Properties(find=own.get).number(Prop.CODE_PAGE)
    return Message(
        properties=Properties(find=own.get, code_page=code_page),
        recipients=[Properties(find=each.get, code_page=code_page) for each in recipients],
        attachments=[_attachment(each, code_page, out, depth) for each in attachments],
    )


def _attachment(values: _Values, code_page: int, out: Writer, depth: int) -> Attachment:
    kind, data = values.get(Prop.ATTACH_DATA, (BINARY, b""))
    inside = None
    if kind == _OBJECT:
        interface, data = data[:16], data[16:]
        values[Prop.ATTACH_DATA] = (BINARY, data)
        if interface == _MESSAGE_INTERFACE:
            if depth <= limits.MAPI_DEPTH_MAX:
                inside = _read_message(data, out, depth + 1)
            else:
                out.add_note(TOO_DEEP)
    return Attachment(properties=Properties(find=values.get, code_page=code_page), message=inside)


def _attributes(octets: bytes, out: Writer) -> Iterator[tuple[int, bytes]]:
    """Yield the ids and the data of the attributes (section 2.1.3.2)."""
    if len(octets) < _HEADER.size or _HEADER.unpack_from(octets)[0] != _SIGNATURE:
        raise UnreadableError(Cause.MALFORMED)
    at = _HEADER.size
    while at + _ATTRIBUTE.size <= len(octets):
        out.check_time()
        _, attribute, length = _ATTRIBUTE.unpack_from(octets, at)
        start = at + _ATTRIBUTE.size
        at = start + length + _CHECKSUM.size
        data = octets[start : start + length]
        if at > len(octets):
            out.add_note("The file is incomplete: its end is missing.")
        elif sum(data) & 0xFFFF != _CHECKSUM.unpack_from(octets, start + length)[0]:
            out.add_note("A checksum in the file is wrong: it may be damaged.")
        yield attribute, data


class _Reader:
    """Reads lists of properties (section 2.1.3.4)."""

    def __init__(self, octets: bytes, out: Writer) -> None:
        self._octets = octets
        self._at = 0
        self._out = out

    def number(self) -> int:
        """Read an integer of four octets."""
        return int.from_bytes(self._take(4), "little")

    def values(self) -> _Values:
        """Read a list of properties by id; of several values of one property, the last."""
        found: _Values = {}
        for _ in range(min(self.number(), limits.MAPI_PROPERTIES_MAX)):
            self._out.check_time()
            kind, id_ = struct.unpack("<HH", self._take(4))
            if id_ >= _NAMED_FROM:
                self._skip_name()
            base = kind & ~_MULTIPLE
            is_counted = base in _VARIABLE or kind & _MULTIPLE
            for _ in range(min(self.number(), limits.MAPI_PROPERTIES_MAX) if is_counted else 1):
                found[id_] = base, self._value(base)
        return found

    def _value(self, kind: int) -> bytes:
        if kind in _VARIABLE:
            length = self.number()
            value = self._take(length)
            self._take(-length % 4)
            return value
        if kind not in _FIXED_OCTETS:
            raise UnreadableError(Cause.MALFORMED)
        return self._take(_FIXED_OCTETS[kind])

    def _skip_name(self) -> None:
        self._take(16)
        if self.number() == 0:
            self._take(4)
        else:
            length = self.number()
            self._take(length + -length % 4)

    def _take(self, length: int) -> bytes:
        taken = self._octets[self._at : self._at + length]
        if len(taken) < length:
            raise UnreadableError(Cause.MALFORMED)
        self._at += length
        return taken


def _file_time(data: bytes) -> bytes:
    """Turn a date of seven numbers (section 2.1.3.3.5) into a time of properties; b"" if there is none."""
    try:
        year, month, day, hour, minute, second = struct.unpack_from("<6H", data)
        when = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except (struct.error, ValueError):
        return b""
    return struct.pack("<Q", int((when - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000)
