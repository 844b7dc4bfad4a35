"""Lists the files of a zip and reads one of them. Nothing is unpacked, so paths in names do no harm."""

import stat
import zipfile
from functools import partial
from typing import BinaryIO, Final

from mailmcp.documents.extraction import Cause
from mailmcp.documents.listing import File, read_bounded, write_list, write_texts
from mailmcp.documents.member_names import decode_names
from mailmcp.documents.writer import Writer

_ENCRYPTED: Final = 0x1
_UTF8: Final = 0x800
"""Flags (APPNOTE 4.4.4)."""

_CODE_PAGE: Final = "cp437"
"""In which zipfile reads all other names."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write a line for each file, and then the texts of small text files."""
    found = files(content, out)
    out.write_line(f"Files: {len(found)}")
    write_list(found, out)
    write_texts(found, out)


def files(content: BinaryIO, out: Writer) -> list[File]:
    """Return the files, without folders. Names are in UTF-8 if the zip says so, else in any charset."""
    archive = zipfile.ZipFile(content)
    entries = [each for each in archive.infolist() if not each.is_dir()]
    unknown = {
        number: each.orig_filename.encode(_CODE_PAGE)
        for number, each in enumerate(entries)
        if not each.flag_bits & _UTF8
    }
    decoded = dict(zip(unknown, decode_names(list(unknown.values())), strict=True))
    return [
        File(
            name=decoded.get(at, each.filename),
            size_octets=each.file_size,
            read=partial(_read, archive, each, out),
            refused=_refusal(each),
        )
        for at, each in enumerate(entries)
    ]


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, out: Writer) -> bytes:
    with archive.open(entry) as stream:
        return read_bounded(stream, out)


def _refusal(entry: zipfile.ZipInfo) -> Cause | None:
    if entry.flag_bits & _ENCRYPTED:
        return Cause.ENCRYPTED
    mode = stat.S_IFMT(entry.external_attr >> 16)
    return None if mode in {0, stat.S_IFREG} else Cause.NOT_A_FILE
