"""Header blocks to names and values: unfolding, raw 8-bit text, encoded words.

Follows RFC 5322 section 2.2 and 3.6, RFC 6532 (raw UTF-8) and RFC 2047, and
takes what real mail has instead. Addresses and dates inside the values are for
`mailmcp.mail.header.address` and `mailmcp.mail.header.dates`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mailmcp.limits import HEADER_FIELD_OCTETS_MAX, HEADER_FIELDS_MAX
from mailmcp.mail.charset.decode import decode_text
from mailmcp.mail.clean import blank_controls
from mailmcp.mail.header.encoded_word import decode_encoded_words

HEADERS_CUT: Final = "header block is too long and was cut"
FIELD_CUT: Final = "header field is too long and was cut"
NOT_A_HEADER: Final = "line that is not a header"

_NAME: Final = re.compile(rb"[!-9;-~]{1,200}")
_SPACES: Final = re.compile(r"[ \t]+")
_BLANK_LINE: Final = re.compile(rb"(?:\A|\n)\r*\n")  # a CR before CRLF is junk that some gateways add
_BLANK_LINE_CR: Final = re.compile(rb"(?:\A|(?<!\r)\r)\r++(?!\n)")
_FIELD_BEHIND_CR: Final = re.compile(rb"\r(?=[A-Za-z][A-Za-z0-9-]{0,60}:(?:[ \t\r]|\Z))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """One header field."""

    name: str
    """As sent: printable ASCII, any case."""

    value: str
    """Decoded, on one line, free of C0 and C1 control characters."""

    raw: str
    """As `value` but with encoded words left as they are: what address syntax is parsed from."""

    cut: bool = False
    """Whether the field is longer than HEADER_FIELD_OCTETS_MAX, and this is its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """The fields of one header block, in order; names compare without case."""

    fields: tuple[Header, ...] = ()
    defects: tuple[str, ...] = ()

    def get(self, name: str) -> str:
        """Give the value of the first field of that name; "" when there is none."""
        return next((field.value for field in self._named(name)), "")

    def get_all(self, name: str) -> tuple[str, ...]:
        """Give the values of all fields of that name, in order."""
        return tuple(field.value for field in self._named(name))

    def raw(self, name: str) -> str:
        """Give the first value with its encoded words left in; "" when there is none."""
        return next((field.raw for field in self._named(name)), "")

    def raw_all(self, name: str) -> tuple[str, ...]:
        """Give all values with their encoded words left in: for `address.parse_addresses`."""
        return tuple(field.raw for field in self._named(name))

    def is_cut(self, name: str) -> bool:
        """Return whether a field of that name is too long to be read to its end."""
        return any(field.cut for field in self._named(name))

    def items(self) -> tuple[tuple[str, str], ...]:
        """Give (name, value) of every field, in order."""
        return tuple((field.name, field.value) for field in self.fields)

    def _named(self, name: str) -> Iterator[Header]:
        wanted = name.lower()
        return (field for field in self.fields if field.name.lower() == wanted)


def parse_headers(octets: bytes) -> Headers:
    """Read a header block, whole or cut, with or without its final blank line.

    Lines end with CRLF or LF; with CR in a block that has neither. Fields behind a lone CR in a line
    come last, so that they never pass for those that the servers on the way have seen. Of a field
    HEADER_FIELD_OCTETS_MAX octets are read, and of a block HEADER_FIELDS_MAX fields.
    """
    defects: list[str] = []
    fields: list[Header] = []
    for name, value in _unfold(octets[: header_end(octets)]):
        if _NAME.fullmatch(name) is None:
            if not name.startswith((b"From ", b">From ")):  # the mbox line that begins a message
                defects.append(NOT_A_HEADER)
            continue
        if len(fields) == HEADER_FIELDS_MAX:
            defects.append(HEADERS_CUT)
            break
        field, found = _make_header(name, value)
        fields.append(field)
        defects.extend(found)
    return Headers(fields=tuple(fields), defects=tuple(dict.fromkeys(defects)))


def header_end(octets: bytes) -> int:
    """Find where the header block ends: the offset after its empty line, or the length if there is none."""
    found, found_cr = _BLANK_LINE.search(octets), _BLANK_LINE_CR.search(octets)
    if found_cr and (not found or _is_cr_block(octets[: found_cr.start()])):
        return found_cr.start() + 2 if found_cr.start() else 1
    return found.end() if found else len(octets)


def _is_cr_block(block: bytes) -> bool:
    return b"\n" not in block and _FIELD_BEHIND_CR.search(block) is not None


def _unfold(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield (name, unfolded value); a line without a colon comes as (line, b"")."""
    lines, late = _lines(block)
    name, value = b"", [b""]
    for line in (*lines, *late):
        if line.startswith((b" ", b"\t")):
            value.append(line)
            continue
        if name:
            yield name, b"".join(value)
        before, colon, after = line.partition(b":")
        name, value = (before.rstrip(b" \t"), [after]) if colon else (line, [b""])
    if name:
        yield name, b"".join(value)


def _lines(block: bytes) -> tuple[list[bytes], list[bytes]]:
    """Split a block into lines, and the fields that stand behind a lone CR in one of them."""
    if b"\n" not in block:
        return block.split(b"\r"), []
    lines = [line.rstrip(b"\r") for line in block.split(b"\n")]
    late: list[bytes] = []
    for number, line in enumerate(lines):
        if b"\r" in line:
            first, *behind = _FIELD_BEHIND_CR.split(line.partition(b"\r\r")[0])
            lines[number] = first if behind else line
            late += behind
    return lines, late


def _make_header(name: bytes, value: bytes) -> tuple[Header, tuple[str, ...]]:
    cut = len(value) > HEADER_FIELD_OCTETS_MAX
    text = decode_text(value[:HEADER_FIELD_OCTETS_MAX], "")
    raw = _one_line(text.text)
    decoded = decode_encoded_words(raw)
    header = Header(name=name.decode("ascii"), value=_one_line(decoded.text), raw=raw, cut=cut)
    return header, (*text.defects, *decoded.defects, *([FIELD_CUT] if cut else []))


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", blank_controls(text)).strip()
