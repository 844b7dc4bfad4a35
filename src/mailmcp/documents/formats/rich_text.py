"""RTF (version 1.9.1), read token by token.

Not by a library: the one at hand keeps hidden and deleted text, and takes quadratic
time on hostile files.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

from mailmcp.documents.flow import CELL_BREAK
from mailmcp.documents.formats.rich_text_words import CHARACTERS, CHARSETS, LEFT_OUT, STARRED
from mailmcp.documents.writer import Writer

_TOKEN: Final = re.compile(
    rb"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})? ?|\\'(?P<octet>[0-9A-Fa-f]{2})"
    rb"|\\(?P<symbol>[\s\S])|(?P<brace>[{}])|(?P<plain>[^\\{}\r\n]{1,4096})|[\r\n\\]+"
)
_DEPTH_MAX: Final = 1_000
"""Groups within groups; beyond, the document is no document."""

_TOKENS_A_LOOK: Final = 4_096
"""Tokens between two looks at the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """What holds to the end of a group."""

    left_out: bool = False
    starred: bool = False
    hidden: bool = False
    fonts: bool = False
    """It is the font table."""

    after: str = ""
    """Stands in the text after it."""

    codec: str = ""
    unicode_skip: int = 1
    """Characters after a ``\\u`` that are there for old readers."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write paragraphs, and rows of tables.

    Raises:
        StopReading: Enough was read.
    """
    _Reader(out).read(content.read())


def _tokens(content: bytes) -> Iterator[re.Match[bytes]]:
    """Cut into tokens, jumping over embedded octets (the word `bin`)."""
    position = 0
    while token := _TOKEN.match(content, position):
        position = token.end()
        if token["word"] == b"bin":
            position += max(0, int(token["number"] or 0))
        else:
            yield token


class _Reader:
    """Reads tokens to lines."""

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
            if count % _TOKENS_A_LOOK == 0:
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
        if not self._group.left_out:
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
        elif word in LEFT_OUT or (self._group.starred and word not in STARRED):
            self._group = replace(self._group, left_out=True, fonts=word == "fonttbl")
        elif word in {"par", "sect", "page", "row", "line"}:
            self._break(word)
        elif word in CHARACTERS:
            self._put(CHARACTERS[word])
        else:
            self._set(word, number)

    def _break(self, word: str) -> None:
        """End a line; within a cell the lines of its paragraphs are one."""
        if self._group.left_out:
            return
        if self._in_table and word != "row":
            self._put(" ")
        else:
            self._end_line()

    def _set(self, word: str, number: int | None) -> None:
        """Take a property of the text that follows."""
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
        """Put the octets since the last control word into the text."""
        if self._octets:
            text = self._octets.decode(self._group.codec or self._codec, "replace")
            self._octets.clear()
            self._put(text)

    def _put(self, text: str) -> None:
        if self._octets:
            self._decode()
        if self._group.left_out:
            return
        if self._group.hidden:
            self._out.hide(text)
        else:
            self._pieces.append(text)

    def _end_line(self) -> None:
        self._decode()
        # Characters beyond the first plane come as two halves.
        text = "".join(self._pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._pieces.clear()
        line = text.strip().removesuffix(CELL_BREAK.strip()).strip()
        if line:
            self._out.line(line)


def _known(codec: str) -> str:
    """Give the name of a codec that Python has, else ""."""
    try:
        return codecs.lookup(codec).name if codec else ""
    except LookupError:
        return ""
