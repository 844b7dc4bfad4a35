"""The format of winmail.dat ([MS-OXTNEF]): attributes one after the other, some of which hold properties.

What a message in it says is up to `mailmcp.documents.formats.outlook_winmail`, but for meetings
(`mailmcp.mail.calendar.meeting`).
"""

import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from mailmcp.limits import MAPI_PROPERTIES_MAX
from mailmcp.mail.charset.decode import decode_text

STRING8: Final = 0x001E
UNICODE: Final = 0x001F
BINARY: Final = 0x0102
TIME: Final = 0x0040
OBJECT: Final = 0x000D
"""Property types ([MS-OXCDATA] 2.11.1)."""

Values: TypeAlias = dict[int, tuple[int, bytes]]
"""Properties by id, each with its type."""

_SIGNATURE: Final = 0x223E9F78
_HEADER: Final = struct.Struct("<IH")
_ATTRIBUTE: Final = struct.Struct("<BII")
_CHECKSUM: Final = struct.Struct("<H")
_MULTIPLE: Final = 0x1000
_FIXED_OCTETS: Final = dict.fromkeys((0x2, 0x3, 0x4, 0xA, 0xB), 4) | dict.fromkeys(
    (0x5, 0x6, 0x7, 0x14, 0x40), 8
) | {0x48: 16}  # fmt: skip
"""Octets of the property types of fixed length, with their padding (section 2.1.3.5)."""

_VARIABLE: Final = frozenset({STRING8, UNICODE, BINARY, OBJECT})
_NAMED_FROM: Final = 0x8000
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
_DAY: Final = 864_000_000_000
_ISO_8859_PAGES: Final = range(28591, 28606)


class MalformedTnefError(Exception):
    """The octets are not TNEF, or end within a property."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """The properties of a message, a recipient or an attachment."""

    find: Callable[[int], tuple[int, bytes] | None]
    """Returns the type and the octets of a property by its id."""

    code_page: int = 0
    """Of texts that aren't in UTF-16; 0 if it isn't known."""

    def text(self, *ids: int) -> str:
        """Return the first of some properties that isn't blank, as text; "" if all are."""
        for each in ids:
            found = self.find(each)
            if found is not None and found[0] in {STRING8, UNICODE, BINARY}:
                text = self._decode(*found).rstrip("\0")
                if text.strip():
                    return text
        return ""

    def octets(self, each: int) -> bytes:
        """Return a property as it is; b"" if there is none."""
        found = self.find(each)
        return b"" if found is None else found[1]

    def number(self, each: int) -> int:
        """Return an integer; 0 if there is none."""
        return int.from_bytes(self.octets(each)[:4], "little")

    def address(self, *ids: int) -> str:
        """Return the first address that means something outside of Exchange; "" if there is none."""
        return next((text for each in ids if "@" in (text := self.text(each))), "")

    def moment(self, *ids: int) -> datetime | None:
        """Return the first time that there is, in UTC."""
        for each in ids:
            found = self.find(each)
            if found is None or found[0] != TIME:
                continue
            ticks = int.from_bytes(found[1][:8], "little")
            if ticks >= _DAY:  # else there is none, whatever the file says
                with suppress(OverflowError):
                    return _EPOCH + timedelta(microseconds=ticks // 10)
        return None

    def _decode(self, kind: int, octets: bytes) -> str:
        if kind == UNICODE:
            return octets.decode("utf-16-le", "replace")
        page = self.code_page
        name = f"iso-8859-{page - 28590}" if page in _ISO_8859_PAGES else f"cp{page}" if page else ""
        return decode_text(octets.rstrip(b"\0"), name).text


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One attribute."""

    id: int
    data: bytes
    is_whole: bool
    """False if the file ends within it."""

    is_intact: bool
    """Whether the checksum is right."""


def read_attributes(octets: bytes) -> Iterator[Attribute]:
    """Yield the attributes (section 2.1.3.2).

    Raises:
        MalformedTnefError: It is another format.
    """
    if len(octets) < _HEADER.size or _HEADER.unpack_from(octets)[0] != _SIGNATURE:
        raise MalformedTnefError
    at = _HEADER.size
    while at + _ATTRIBUTE.size <= len(octets):
        _, id_, length = _ATTRIBUTE.unpack_from(octets, at)
        start = at + _ATTRIBUTE.size
        at = start + length + _CHECKSUM.size
        data = octets[start : start + length]
        is_whole = at <= len(octets)
        is_intact = is_whole and sum(data) & 0xFFFF == _CHECKSUM.unpack_from(octets, start + length)[0]
        yield Attribute(id=id_, data=data, is_whole=is_whole, is_intact=is_intact)


class PropertyReader:
    """Reads lists of properties (section 2.1.3.4)."""

    def __init__(self, octets: bytes, step: Callable[[], None] = lambda: None) -> None:
        """Read octets; `step` is called before each property."""
        self._octets = octets
        self._at = 0
        self._step = step
        self.names: dict[int, tuple[bytes, int]] = {}
        """Of named properties by id: the set, and the number in it."""

    def number(self) -> int:
        """Read an integer of four octets.

        Raises:
            MalformedTnefError: There are fewer, as in the other methods.
        """
        return int.from_bytes(self._take(4), "little")

    def values(self, found: Values | None = None) -> Values:
        """Read a list of properties by id; of several values of one property, the last.

        If the octets end within the list, those before are in `found`.
        """
        found = {} if found is None else found
        for _ in range(min(self.number(), MAPI_PROPERTIES_MAX)):
            self._step()
            kind, id_ = struct.unpack("<HH", self._take(4))
            if id_ >= _NAMED_FROM:
                self._read_name(id_)
            base = kind & ~_MULTIPLE
            is_counted = base in _VARIABLE or kind & _MULTIPLE
            for _ in range(min(self.number(), MAPI_PROPERTIES_MAX) if is_counted else 1):
                found[id_] = base, self._value(base)
        return found

    def _value(self, kind: int) -> bytes:
        if kind in _VARIABLE:
            length = self.number()
            value = self._take(length)
            self._take(-length % 4)
            return value
        if kind not in _FIXED_OCTETS:
            raise MalformedTnefError
        return self._take(_FIXED_OCTETS[kind])

    def _read_name(self, id_: int) -> None:
        name_set = self._take(16)
        if self.number() == 0:
            self.names[id_] = name_set, self.number()
        else:
            length = self.number()
            self._take(length + -length % 4)

    def _take(self, length: int) -> bytes:
        taken = self._octets[self._at : self._at + length]
        if len(taken) < length:
            raise MalformedTnefError
        self._at += length
        return taken
