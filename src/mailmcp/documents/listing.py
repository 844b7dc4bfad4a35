"""The files inside an archive or a message, under the names by which they can be asked for.

Names are a stranger's: they are cleaned, and those that would look alike get numbers.
"""

import codecs
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
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

_REMARKS: Final = {Cause.ENCRYPTED: ", encrypted", Cause.NOT_A_FILE: ", not a file", None: ""}
_TEXT_SUFFIXES: Final = (
    *(".txt", ".csv", ".tsv", ".md", ".log", ".xml", ".json", ".yaml", ".yml", ".ini", ".cfg", ".conf"),
    *(".toml", ".sql"),
)
_XML_CHARSET: Final = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file in an archive or in a message."""

    name: str
    """As its sender wrote it."""

    size_octets: int | None
    """None if nothing says it."""

    read: Callable[[], bytes]
    """Returns the content; raises what parsers raise. For a stream, only until the next file comes."""

    refused: Cause | None = None
    """Why it can't be read."""


def write_list(files: Iterable[File], out: Writer) -> None:
    """Write a line for each file: its size and its name. Those that can be read are noted as the next step.

    Raises:
        StopReading: There are more than `ARCHIVE_ENTRIES_MAX`.
    """
    for number, (name, file) in enumerate(_listed(files)):
        if number == limits.ARCHIVE_ENTRIES_MAX:
            out.stop(f"Only the first {limits.ARCHIVE_ENTRIES_MAX} files are listed.")
        size = "size unknown" if file.size_octets is None else counted(file.size_octets, "octet")
        out.write_line(f"{size}{_REMARKS[file.refused]}: {name}")
        if file.refused is Cause.ENCRYPTED:
            out.add_note("Encrypted files in it can't be read without the password, which the user may have.")
        if file.refused is None and len(out.files) < _FILES_NAMED_MAX:
            out.files.append(name)


def write_texts(files: Iterable[File], out: Writer) -> None:
    """Write small text files as sections, if all of them fit: then nobody has to ask for each."""
    texts = [
        (name, file)
        for name, file in _listed(files)
        if file.refused is None and name.lower().endswith(_TEXT_SUFFIXES)
    ]
    if sum(file.size_octets or 0 for _, file in texts) > limits.ARCHIVE_TEXTS_OCTETS_MAX:
        return
    for name, file in texts:
        octets = b""
        with suppress(Exception):  # it is listed, and whoever asks for it gets the reason
            octets = file.read()
        if name in out.files:
            out.files.remove(name)
        is_wide = octets.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        if octets.strip() and (is_wide or b"\0" not in octets):
            declared = _XML_CHARSET.match(octets)
            out.begin_section(section_title("File", name, hidden=False))
            out.write_line(decode_text(octets, declared[1].decode("ascii") if declared else "").text)


def read_file(files: Iterable[File], name: str) -> bytes:
    """Return the content of the file that is listed under a name.

    Raises:
        UnreadableError: There is none, or it is encrypted, a link or too large.
        StopReading: Time is up.
    """
    # Composed: macOS doesn't compose the letters of names, and nobody sees which is which.
    wanted = unicodedata.normalize("NFC", name)
    for listed, file in _listed(files):
        if listed == wanted:
            if file.refused is not None:
                raise UnreadableError(file.refused)
            return file.read()
    raise UnreadableError(Cause.NO_MEMBER)


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


def _listed(files: Iterable[File]) -> Iterator[tuple[str, File]]:
    """Yield files with the names under which they are listed: on one line, and each different.

    Of a long name the end is kept, which says what kind of file it is.
    """
    used: set[str] = set()
    latest: dict[str, int] = {}
    for file in files:
        cleaned = unicodedata.normalize("NFC", clean_line(file.name).text)
        plain = cut_start(cleaned, limits.FILENAME_CHARS_MAX) or "unnamed"
        shown, number = plain, latest.get(plain, 1)
        while shown in used:
            number += 1
            shown = f"{plain} ({number})"
        latest[plain] = number
        used.add(shown)
        yield shown, file
