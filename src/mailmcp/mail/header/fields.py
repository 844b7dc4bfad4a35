"""Header blocks to names and values: unfolding, raw 8-bit text, encoded words.

Follows RFC 5322 sections 2.2 and 3.6, RFC 6532 (raw UTF-8) and RFC 2047, and accepts what real mail
has instead. For encoded words that means spaces inside, no space between, no end, characters
split over two words, unknown charsets and broken base64. Addresses and dates inside the values are
up to `mailmcp.mail.header.address` and `mailmcp.mail.header.dates`.
"""

import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.charset.decode import Decoded, decode_text
from mailmcp.mail.clean import blank_controls

HEADER_FIELD_OCTETS_MAX: Final = 262_144
"""Read of one header field: 5,000 recipients."""

HEADER_FIELDS_MAX: Final = 10_000
"""Fields read of one header; real mail has up to 200."""

HEADERS_CUT: Final = "header block is too long and was cut"
FIELD_CUT: Final = "header field is too long and was cut"
NOT_A_HEADER: Final = "line that is not a header"

BROKEN_ENCODED_WORD: Final = "broken encoded word"

# The text runs to the first "?=" but never into the next word, so the scan is linear. A word that was
# cut has no "?=": then it runs to the next word, or to the end, without a space.
_ENCODED_WORD: Final = re.compile(
    r"=\?(?P<charset>[^?\s*]{1,40})(?:\*[^?\s]{0,40})?\?(?P<encoding>[bBqQ])\?"
    r"(?:(?P<text>(?:(?!=\?[^=]|\?=).)*)\?=|(?P<cut>[^\s?]*+)\??(?=\s*+(?:=\?|\Z)))",
    re.DOTALL,
)
_BASE64_JUNK: Final = re.compile(rb"[^A-Za-z0-9+/]+")

_RETURN: Final = re.compile(rb"\x1b\([BJ](?=\x1b)")
"""How a word in ISO-2022-JP ends, if the one joined to it leaves ASCII again."""

_NAME: Final = re.compile(rb"[!-9;-~]{1,200}")
_SPACES: Final = re.compile(r"[ \t]+")
_FOLDING: Final = re.compile(r"[ \t\r\n]+")
_CONTROLS: Final = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
_BLANK_LINE: Final = re.compile(rb"(?:\A|\n)\r*\n")  # a CR before CRLF is junk that some gateways add
_BLANK_LINE_CR: Final = re.compile(rb"(?:\A|(?<!\r)\r)\r++(?!\n)")
_FIELD_AFTER_CR: Final = re.compile(rb"\r(?=[A-Za-z][A-Za-z0-9-]{0,60}:(?:[ \t\r]|\Z))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """One header field."""

    name: str
    """As sent: printable ASCII, any case."""

    value: str
    """Decoded, on one line, free of C0 and C1 control characters."""

    raw: str
    """As sent, on one line, with its encoded words: address syntax is parsed from this. Controls are U+2028,
    which is white space that no address may have."""

    cut: bool = False
    """Whether the field is longer than HEADER_FIELD_OCTETS_MAX, and this is only its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """The fields of one header block, in order; names compare without case."""

    fields: tuple[Header, ...] = ()
    defects: tuple[str, ...] = ()

    def get(self, name: str) -> str:
        """Return the value of the first field with that name; "" if there is none."""
        return next((field.value for field in self.named(name)), "")

    def get_all(self, name: str) -> tuple[str, ...]:
        """Return the values of all fields with that name, in order."""
        return tuple(field.value for field in self.named(name))

    def raw_all(self, name: str) -> tuple[str, ...]:
        """Return all values with that name, with their encoded words: for `address.parse_addresses`."""
        return tuple(field.raw for field in self.named(name))

    def is_cut(self, name: str) -> bool:
        """Return whether a field with that name is too long to be read to its end."""
        return any(field.cut for field in self.named(name))

    def items(self) -> tuple[tuple[str, str], ...]:
        """Return name and value of every field, in order."""
        return tuple((field.name, field.value) for field in self.fields)

    def named(self, name: str) -> list[Header]:
        """Return all fields with that name, in order."""
        wanted = name.lower()
        return [field for field in self.fields if field.name.lower() == wanted]


def parse_headers(octets: bytes) -> Headers:
    """Read a header block, whole or cut, with or without its final blank line.

    Lines end with CRLF or LF, or with CR in a block that has neither. Fields after a lone CR in a line
    come last, so that they never pass for those that the servers on the way have seen. At most
    HEADER_FIELD_OCTETS_MAX octets of a field are read, and HEADER_FIELDS_MAX fields of a block.
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
        cut = len(value) > HEADER_FIELD_OCTETS_MAX
        text = decode_text(value[:HEADER_FIELD_OCTETS_MAX], "")
        decoded = decode_encoded_words(_one_line(text.text))
        # No character vanishes, or one address would become another.
        raw = _CONTROLS.sub("\u2028", " ".join(_FOLDING.split(text.text)).strip(" "))
        fields.append(Header(name=name.decode("ascii"), value=_one_line(decoded.text), raw=raw, cut=cut))
        defects += (*text.defects, *decoded.defects, *([FIELD_CUT] if cut else []))
    return Headers(fields=tuple(fields), defects=tuple(dict.fromkeys(defects)))


def header_end(octets: bytes) -> int:
    """Return the offset after the empty line that ends the header block, or the length if there is none."""
    found, found_cr = _BLANK_LINE.search(octets), _BLANK_LINE_CR.search(octets)
    if found_cr and (not found or _is_cr_block(octets[: found_cr.start()])):
        return found_cr.start() + 2 if found_cr.start() else 1
    return found.end() if found else len(octets)


def decode_encoded_words(text: str) -> Decoded:
    """Decode all encoded words in `text`; the rest stays as it is.

    White space between two encoded words is dropped (RFC 2047 section 6.2). Neighbours in one
    charset are joined before decoding, since broken senders split characters between them.

    Returns:
        The text. Control characters that were encoded are still in it.
    """
    if "=?" not in text:
        return Decoded(text=text)
    pieces: list[str] = []
    defects: list[str] = []
    found = list(_ENCODED_WORD.finditer(text))
    for charset, octets, literal in _runs(text, found):
        if charset:
            decoded = decode_text(_RETURN.sub(b"", octets), charset)
            pieces.append(decoded.text)
            defects.extend(decoded.defects)
        pieces.append(literal)
    result = "".join(pieces)
    if not found or any(match["cut"] is not None for match in found):
        defects.append(BROKEN_ENCODED_WORD)
    return Decoded(text=result, defects=tuple(dict.fromkeys(defects)))


def _is_cr_block(block: bytes) -> bool:
    return b"\n" not in block and _FIELD_AFTER_CR.search(block) is not None


def _unfold(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield (name, unfolded value). A line without a colon comes as (line, b"")."""
    late: list[bytes] = []  # fields after a lone CR in a line
    if b"\n" not in block:
        lines = block.split(b"\r")
    else:
        lines = [line.rstrip(b"\r") for line in block.split(b"\n")]
        for number, line in enumerate(lines):
            if b"\r" in line:
                first, *behind = _FIELD_AFTER_CR.split(line.partition(b"\r\r")[0])
                lines[number] = first if behind else line
                late += behind
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


def _one_line(text: str) -> str:
    if text.isascii() and text.isprintable():  # most values
        return " ".join(text.split())
    return _SPACES.sub(" ", blank_controls(text)).strip(" ")


def _runs(text: str, found: Sequence[re.Match[str]]) -> Iterator[tuple[str, bytes, str]]:
    """Yield (charset, joined octets of neighbouring words, literal text after them)."""
    charset, octets, end = "", b"", 0
    for match in found:
        gap = text[end : match.start()]
        same = match["charset"].lower() == charset
        if not charset or gap.strip() or not same:
            yield charset, octets, gap if not charset or gap.strip() else ""
            charset, octets = match["charset"].lower(), b""
        octets += _decode_word(match["encoding"], match["text"] or match["cut"] or "")
        end = match.end()
    yield charset, octets, text[end:]


def _decode_word(encoding: str, text: str) -> bytes:
    octets = text.encode("utf-8", "replace")
    if encoding in "qQ":
        return binascii.a2b_qp(octets.replace(b"_", b" "), header=False)
    digits = _BASE64_JUNK.sub(b"", octets)
    if len(digits) % 4 == 1:  # one digit alone holds six bits: no octet
        digits = digits[:-1]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))
