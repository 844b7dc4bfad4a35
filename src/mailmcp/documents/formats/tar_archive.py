"""Reads tar archives, compressed or not, and single files that are compressed.

The archive is read as a stream of at most `ARCHIVE_OCTETS_MAX`, since nothing says in advance how large it
becomes. Nothing is unpacked, and links aren't followed.
"""

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Final

from typing_extensions import override

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.listing import Names, read_bounded, write_entry
from mailmcp.documents.member_names import decode_names
from mailmcp.documents.writer import Writer
from mailmcp.mail.charset.decode import decode_text

_TAR_MAGIC: Final = b"ustar"
_TAR_MAGIC_AT: Final = 257
_TEXT_HEAD_OCTETS: Final = 8_192
_CHAR_OCTETS_MAX: Final = 4


def read(content: BinaryIO, out: Writer) -> None:
    """Write a line for each file: its size and its name. A single compressed text is written itself.

    Raises:
        UnreadableError: It is too large when unpacked.
        StopReading: A limit is reached.
    """
    stream, single_name = _open(content, out)
    if single_name is None:
        names = Names()
        with tarfile.open(fileobj=stream, mode="r|", encoding="utf-8", errors="surrogateescape") as archive:
            for number, file in enumerate(_files(archive)):
                if number == limits.ARCHIVE_ENTRIES_MAX:
                    out.stop(f"Only the first {limits.ARCHIVE_ENTRIES_MAX} files are listed.")
                write_entry(out, names.add(_name_of(file)), file.size, "" if file.isreg() else "not a file")
        return
    head = stream.read(_TEXT_HEAD_OCTETS)
    if b"\0" in head:
        write_entry(out, Names().add(single_name), None)
    else:
        rest = stream.read(limits.EXTRACTED_CHARS_MAX * _CHAR_OCTETS_MAX)
        out.write_line(decode_text(head + rest, "").text)


def read_member(content: BinaryIO, name: str, out: Writer) -> bytes:
    """Return the content of the file that is listed under a name.

    Raises:
        UnreadableError: There is none, or it is a link or too large.
        StopReading: Time is up.
    """
    stream, single_name = _open(content, out)
    if single_name is not None:
        if Names().add(single_name) != name:
            raise UnreadableError(Cause.NO_MEMBER)
        return read_bounded(stream, out)
    names = Names()
    with tarfile.open(fileobj=stream, mode="r|", encoding="utf-8", errors="surrogateescape") as archive:
        for file in islice(_files(archive), limits.ARCHIVE_ENTRIES_MAX):
            if names.add(_name_of(file)) == name:
                if not file.isreg():
                    raise UnreadableError(Cause.NOT_A_FILE)
                opened = archive.extractfile(file)
                assert opened is not None  # noqa: S101 - it is a file
                return read_bounded(opened, out)
    raise UnreadableError(Cause.NO_MEMBER)


def _files(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for each in archive:
        if not each.isdir():
            yield each


def _name_of(file: tarfile.TarInfo) -> str:
    """Return the name of a file, in UTF-8 or in another charset."""
    [name] = decode_names([file.name.encode("utf-8", "surrogateescape")])
    return name


class _Bounded(io.RawIOBase):
    """What a stream has, as long as it isn't too much and doesn't take too long."""

    def __init__(self, stream: io.BufferedIOBase | BinaryIO, out: Writer) -> None:
        self._stream = stream
        self._out = out
        self._left = limits.ARCHIVE_OCTETS_MAX

    @override
    def readable(self) -> bool:
        return True

    @override
    def read(self, size: int = -1, /) -> bytes:
        self._out.check_time()
        chunk = self._stream.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(chunk)
        if self._left < 0:
            raise UnreadableError(Cause.TOO_LARGE)
        return chunk


def _open(content: BinaryIO, out: Writer) -> tuple[_Bounded, str | None]:
    """Open what is within the compression; with its name if it is single, None for a tar archive."""
    head = _decompressed(content).read(_TAR_MAGIC_AT + len(_TAR_MAGIC))
    name = None if head[_TAR_MAGIC_AT:] == _TAR_MAGIC else _single_name(content)
    return _Bounded(_decompressed(content), out), name


def _decompressed(content: BinaryIO) -> io.BufferedIOBase | BinaryIO:
    content.seek(0)
    magic = content.read(3)
    content.seek(0)
    match magic:
        case b"\x1f\x8b\x08":
            return gzip.GzipFile(fileobj=content)
        case b"BZh":
            return bz2.BZ2File(content)
        case b"\xfd7z":
            return lzma.LZMAFile(content)
        case _:
            return content


def _single_name(content: BinaryIO) -> str:
    """Return the name that gzip keeps of the file (RFC 1952 section 2.3); others keep none."""
    content.seek(0)
    head = content.read(_TEXT_HEAD_OCTETS)
    flags = head[3]
    has_name = head.startswith(b"\x1f\x8b") and flags & 0x08 and not flags & 0x04
    return decode_names([head[10:].partition(b"\0")[0]])[0] if has_name else "content"
