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
from functools import partial
from typing import BinaryIO, Final

from typing_extensions import override

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.listing import File, read_bounded, write_list
from mailmcp.documents.writer import Writer
from mailmcp.mail.charset.decode import decode_text

_TAR_MAGIC: Final = b"ustar"
_TAR_MAGIC_AT: Final = 257
_TEXT_HEAD_OCTETS: Final = 8_192
_CHAR_OCTETS_MAX: Final = 4


def read(content: BinaryIO, out: Writer) -> None:
    """Write a line for each file: its size and its name. A single compressed text is written itself."""
    if not _is_tar(content):
        stream = _Bounded(content, out)
        head = stream.read(_TEXT_HEAD_OCTETS)
        if b"\0" not in head:
            rest = stream.read(limits.EXTRACTED_CHARS_MAX * _CHAR_OCTETS_MAX)
            out.write_line(decode_text(head + rest, "").text)
            return
    write_list(files(content, out), out)


def files(content: BinaryIO, out: Writer) -> Iterator[File]:
    """Yield the files, without folders, while the archive is read; or the one that is compressed."""
    if not _is_tar(content):
        yield File(name="content", size_octets=None, read=partial(read_bounded, _Bounded(content, out), out))
        return
    stream = _Bounded(content, out)
    with tarfile.open(fileobj=stream, mode="r|", encoding="utf-8", errors="replace") as archive:
        for each in archive:
            if not each.isdir():
                yield File(
                    name=each.name,
                    size_octets=each.size,
                    read=partial(_read, archive, each, out),
                    refused=None if each.isreg() else Cause.NOT_A_FILE,
                )


def _read(archive: tarfile.TarFile, file: tarfile.TarInfo, out: Writer) -> bytes:
    opened = archive.extractfile(file)
    assert opened is not None  # noqa: S101 - it is a file
    return read_bounded(opened, out)


class _Bounded(io.RawIOBase):
    """What is within the compression, as long as it isn't too much and doesn't take too long."""

    def __init__(self, content: BinaryIO, out: Writer) -> None:
        self._stream = _decompressed(content)
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


def _is_tar(content: BinaryIO) -> bool:
    head = _decompressed(content).read(_TAR_MAGIC_AT + len(_TAR_MAGIC))
    return head[_TAR_MAGIC_AT:] == _TAR_MAGIC


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
