"""Lists the files of a zip and reads one of them. Nothing is unpacked, so paths in names do no harm."""

import lzma
import stat
import zipfile
import zlib
from collections.abc import Sequence
from typing import BinaryIO, Final

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.listing import Names, is_text, read_bounded, write_entry, write_text
from mailmcp.documents.member_names import decode_names
from mailmcp.documents.writer import Writer

_ENCRYPTED: Final = 0x1
_UTF8: Final = 0x800
"""Flags (APPNOTE 4.4.4)."""

_CODE_PAGE: Final = "cp437"
"""In which zipfile reads all other names."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write a line for each file: its size and its name, and then the texts of small text files.

    Folders are left out. A text is written only if all texts fit: then nobody has to ask for each.

    Raises:
        StopReading: A limit is reached.
    """
    files = _files(content)
    names = Names()
    out.write_line(f"Files: {len(files)}")
    texts: list[tuple[str, zipfile.ZipInfo]] = []
    for written, file in files[: limits.ARCHIVE_ENTRIES_MAX]:
        name, remark = names.add(written), _remark(file)
        write_entry(out, name, file.file_size, remark)
        if is_text(name) and not remark:
            texts.append((name, file))
    if any(file.flag_bits & _ENCRYPTED for _, file in files):
        out.add_note("Encrypted files in it can't be read without the password, which the user may have.")
    if len(files) > limits.ARCHIVE_ENTRIES_MAX:
        out.stop(f"Only the first {limits.ARCHIVE_ENTRIES_MAX} files are listed.")
    if sum(file.file_size for _, file in texts) <= limits.ARCHIVE_TEXTS_OCTETS_MAX:
        _write_texts(content, texts, out)


def _write_texts(content: BinaryIO, texts: Sequence[tuple[str, zipfile.ZipInfo]], out: Writer) -> None:
    for name, file in texts:
        try:
            with zipfile.ZipFile(content) as archive, archive.open(file) as stream:
                octets = stream.read(limits.ARCHIVE_TEXTS_OCTETS_MAX)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError):
            continue  # it is listed, and whoever asks for it gets the reason
        write_text(out, name, octets)


def read_member(content: BinaryIO, name: str, out: Writer) -> bytes:
    """Return the content of the file that is listed under a name.

    Raises:
        UnreadableError: There is none, or it is encrypted, a link or too large.
        StopReading: Time is up.
    """
    names = Names()
    files = _files(content)[: limits.ARCHIVE_ENTRIES_MAX]
    file = next((each for written, each in files if names.add(written) == name), None)
    if file is None:
        raise UnreadableError(Cause.NO_MEMBER)
    if file.flag_bits & _ENCRYPTED:
        raise UnreadableError(Cause.ENCRYPTED)
    if _remark(file):
        raise UnreadableError(Cause.NOT_A_FILE)
    if file.file_size > limits.EXTRACT_OCTETS_MAX:
        raise UnreadableError(Cause.TOO_LARGE)
    with zipfile.ZipFile(content) as archive, archive.open(file) as stream:
        return read_bounded(stream, out)


def _files(content: BinaryIO) -> list[tuple[str, zipfile.ZipInfo]]:
    """Return the files with their names, which are in UTF-8 if the zip says so, else in any charset."""
    with zipfile.ZipFile(content) as archive:
        files = [each for each in archive.infolist() if not each.is_dir()]
    unknown = {
        number: each.orig_filename.encode(_CODE_PAGE)
        for number, each in enumerate(files)
        if not each.flag_bits & _UTF8
    }
    decoded = dict(zip(unknown, decode_names(list(unknown.values())), strict=True))
    return [(decoded.get(at, each.filename), each) for at, each in enumerate(files)]


def _remark(file: zipfile.ZipInfo) -> str:
    if file.flag_bits & _ENCRYPTED:
        return "encrypted"
    mode = stat.S_IFMT(file.external_attr >> 16)
    return "not a file" if mode not in {0, stat.S_IFREG} else ""
