"""The files inside an archive or a message, under the names by which they can be asked for.

Names are a stranger's: they are cleaned, and those that would look alike get numbers.
"""

import codecs
import io
import re
import unicodedata
from typing import IO, Final

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.writer import Writer, section_title
from mailmcp.mail.charset.decode import decode_text
from mailmcp.mail.clean import clean_line, cut_start
from mailmcp.wording import counted

_CHUNK_OCTETS: Final = 262_144
_FILES_NAMED_MAX: Final = 100
"""Files that may be suggested to be read next."""

_TEXT_SUFFIXES: Final = (
    *(".txt", ".csv", ".tsv", ".md", ".log", ".xml", ".json", ".yaml", ".yml", ".ini", ".cfg", ".conf"),
    *(".toml", ".sql"),
)
_XML_CHARSET: Final = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")


class Names:
    """The names to list: on one line, without invisible characters, and each different.

    Of a long one the end is kept, which says what kind of file it is. Letters are composed (Unicode NFC),
    as in `compose`: macOS decomposes them, and nobody sees which is which.
    """

    def __init__(self) -> None:
        """Begin a list."""
        self._used: set[str] = set()
        self._latest: dict[str, int] = {}

    def add(self, name: str) -> str:
        """Return the name under which the next file is listed."""
        plain = cut_start(compose(clean_line(name).text), limits.FILENAME_CHARS_MAX) or "unnamed"
        shown, number = plain, self._latest.get(plain, 1)
        while shown in self._used:
            number += 1
            shown = f"{plain} ({number})"
        self._latest[plain] = number
        self._used.add(shown)
        return shown


def compose(name: str) -> str:
    """Return the one form of a name in which its letters are composed."""
    return unicodedata.normalize("NFC", name)


def write_entry(out: Writer, name: str, size_octets: int | None, remark: str = "") -> None:
    """Write the line of a file, and say how it is read; `remark` says why it can't be."""
    size = "size unknown" if size_octets is None else counted(size_octets, "octet")
    out.write_line(f"{size}{f', {remark}' if remark else ''}: {name}")
    if not remark and len(out.files) < _FILES_NAMED_MAX:
        out.files.append(name)


def is_text(name: str) -> bool:
    """Return whether a file is plain text by its name."""
    return name.lower().endswith(_TEXT_SUFFIXES)


def write_text(out: Writer, name: str, octets: bytes) -> None:
    """Write a small text file as a section, so that nobody has to ask for it."""
    if name in out.files:
        out.files.remove(name)
    is_wide = octets.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if octets.strip() and (is_wide or b"\0" not in octets):
        declared = _XML_CHARSET.match(octets)
        out.begin_section(section_title("File", name, hidden=False))
        out.write_line(decode_text(octets, declared[1].decode("ascii") if declared else "").text)


def read_bounded(stream: IO[bytes] | io.RawIOBase, out: Writer) -> bytes:
    """Read a file to its end, checking the time.

    Raises:
        UnreadableError: It is larger than a document may be.
        StopReading: Time is up.
    """
    content = bytearray()
    while chunk := stream.read(_CHUNK_OCTETS):
        content += chunk
        if len(content) > limits.EXTRACT_OCTETS_MAX:
            raise UnreadableError(Cause.TOO_LARGE)
        out.check_time()
    return bytes(content)
