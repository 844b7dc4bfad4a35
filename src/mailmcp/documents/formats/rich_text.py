"""Reads RTF (version 1.9.1) token by token.

Not with striprtf: it keeps hidden and deleted text, and takes cubic time on hostile files.
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

from mailmcp.documents.blocks import CELL_BREAK
from mailmcp.documents.writer import Writer

_TOKEN: Final = re.compile(
    rb"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})? ?|\\'(?P<octet>[0-9A-Fa-f]{2})"
    rb"|\\(?P<symbol>[\s\S])|(?P<brace>[{}])|(?P<plain>[^\\{}\r\n]{1,4096})|[\r\n]+|\\"
)
_DEPTH_MAX: Final = 1_000
"""More nesting than any real document has."""

_TOKENS_PER_TIME_CHECK: Final = 4_096
"""Tokens between two checks of the time."""


SKIPPED: Final = frozenset(
    {
        "fonttbl", "colortbl", "stylesheet", "info", "pict", "objdata", "fldinst", "nonshppict",
        "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf",
        "sp", "xe", "tc", "rxe", "txe", "filetbl", "pntxta", "pntxtb",
    }
)  # fmt: skip
"""Destinations without text of the document, or with the same text on every page."""

STARRED: Final = frozenset({"shpinst", "shptxt"})
"""Groups that old readers skip (``\\*``) but that have text: text boxes."""

CHARACTERS: Final[Mapping[str, str]] = {
    "tab": "\t",
    "cell": CELL_BREAK,
    "nestcell": CELL_BREAK,
    "emdash": "\u2014",
    "endash": "\u2013",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
}

CHARSETS: Final[Mapping[int, str]] = {
    0: "cp1252",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
"""Codecs of ``\\fcharset``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """State that lasts until the end of a group."""

    skipped: bool = False
    starred: bool = False
    hidden: bool = False
    fonts: bool = False
    """The group is the font table."""

    after: str = ""
    """Text to add after the group."""

    codec: str = ""
    unicode_skip: int = 1
    """Replacement characters for old readers after a ``\\u``."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write paragraphs and rows of tables."""
    _Reader(out).read(content.read())


def _tokens(content: bytes) -> Iterator[re.Match[bytes]]:
    """Split into tokens, skipping embedded octets (the control word `bin`)."""
    position = 0
    while token := _TOKEN.match(content, position):
        position = token.end()
        if token["word"] == b"bin":
            position += max(0, int(token["number"] or 0))
        else:
            yield token


class _Reader:
    """Writes tokens as lines."""

    def __init__(self, out: Writer) -> None:
        self._out = out
        self._group = _Group()
        self._around: list[_Group] = []
        self._codec = "cp1252"
        self._font_codecs: dict[int, str] = {}
        self._font = 0
        self._to_skip = 0
        self._octets = bytearray()
        self._pieces: list[str] = []
        self._in_table = False

    def read(self, content: bytes) -> None:
        for count, token in enumerate(_tokens(content)):
            if count % _TOKENS_PER_TIME_CHECK == 0:
                self._out.check_time()
            kind = token.lastgroup
            if kind == "plain":
                self._plain(token["plain"])
            elif kind == "octet":
                self._plain(bytes([int(token["octet"], 16)]))
            elif kind == "brace":
                self._brace(opens=token["brace"] == b"{")
            elif kind == "symbol":
                self._symbol(token["symbol"].decode("latin-1"))
            elif token["word"]:
                self._word(token["word"].decode("ascii"), int(token["number"]) if token["number"] else None)
        self._end_line()

    def _plain(self, octets: bytes) -> None:
        skipped = min(self._to_skip, len(octets))
        self._to_skip -= skipped
        if not self._group.skipped:
            self._octets += octets[skipped:]

    def _brace(self, *, opens: bool) -> None:
        self._decode()
        self._to_skip = 0
        if opens:
            if len(self._around) >= _DEPTH_MAX:
                self._out.stop("The document nests too deeply: only its beginning was read.")
            self._around.append(self._group)
            self._group = replace(self._group, starred=False, after="")
        elif self._around:
            if self._group.after:
                self._pieces.append(self._group.after)
            self._group = self._around.pop()

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._group = replace(self._group, starred=True)
        elif symbol in "\r\n":
            self._word("par", None)
        else:
            self._put({"~": "\u00a0", "_": "-", "-": ""}.get(symbol, symbol if symbol in "\\{}" else ""))

    def _word(self, word: str, number: int | None) -> None:
        self._decode()
        if word == "u":
            self._put(chr((number or 0) % 0x10000))
            self._to_skip = self._group.unicode_skip
        elif word in SKIPPED or (self._group.starred and word not in STARRED):
            self._group = replace(self._group, skipped=True, fonts=word == "fonttbl")
        elif word in {"par", "sect", "page", "row", "line"}:
            self._break(word)
        elif word in CHARACTERS:
            self._put(CHARACTERS[word])
        else:
            self._set(word, number)

    def _break(self, word: str) -> None:
        """End a line; in a cell, paragraphs are joined."""
        if self._group.skipped:
            return
        if self._in_table and word != "row":
            self._put(" ")
        else:
            self._end_line()

    def _set(self, word: str, number: int | None) -> None:
        """Apply a property of the text that follows."""
        if word in {"v", "deleted"}:
            self._group = replace(self._group, hidden=number != 0)
        elif word == "plain":
            self._group = replace(self._group, hidden=False, codec="")
        elif word == "uc":
            self._group = replace(self._group, unicode_skip=min(max(number or 0, 0), 8))
        elif word in {"intbl", "pard"}:
            self._in_table = word == "intbl"
        elif word == "footnote":
            self._put(" [")
            self._group = replace(self._group, after="] ")
        elif word in {"f", "fcharset", "ansicpg"}:
            self._encoding(word, number or 0)

    def _encoding(self, word: str, number: int) -> None:
        if word == "ansicpg":
            self._codec = _known(f"cp{number}") or self._codec
        elif word == "fcharset":
            codec = _known(CHARSETS.get(number, ""))
            if self._group.fonts and codec:
                self._font_codecs[self._font] = codec
        else:
            self._font = number
            self._group = replace(self._group, codec=self._font_codecs.get(number, ""))

    def _decode(self) -> None:
        """Decode the octets since the last control word."""
        if self._octets:
            text = self._octets.decode(self._group.codec or self._codec, "replace")
            self._octets.clear()
            self._put(text)

    def _put(self, text: str) -> None:
        if self._octets:
            self._decode()
        if self._group.skipped:
            return
        if self._group.hidden:
            self._out.count_hidden(text)
        else:
            self._pieces.append(text)

    def _end_line(self) -> None:
        self._decode()
        # Characters beyond the first plane come as surrogate pairs.
        text = "".join(self._pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._pieces.clear()
        line = text.strip().removesuffix(CELL_BREAK.strip()).strip()
        if line:
            self._out.write_line(line)


def _known(codec: str) -> str:
    """Return Python's name of a codec, or ""."""
    try:
        return codecs.lookup(codec).name if codec else ""
    except LookupError:
        return ""
