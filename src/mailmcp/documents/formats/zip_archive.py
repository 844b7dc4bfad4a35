"""Lists the files of a zip and reads one of them. Nothing is unpacked, so paths in names do no harm."""

import stat
import zipfile
from typing import BinaryIO, Final

from mailmcp import limits
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.listing import Names, read_bounded, write_entry
from mailmcp.documents.writer import Writer

_ENCRYPTED: Final = 0x1
"""The flag (APPNOTE 4.4.4)."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write a line for each file: its size and its name. Folders are left out.

    Raises:
        StopReading: A limit is reached.
    """
    files = _files(content)
    names = Names()
    out.write_line(f"Files: {len(files)}")
    for file in files[: limits.ARCHIVE_ENTRIES_MAX]:
        write_entry(out, names.add(file.filename), file.file_size, _remark(file))
    if any(file.flag_bits & _ENCRYPTED for file in files):
        out.add_note("Encrypted files in it can't be read without the password, which the user may have.")
    if len(files) > limits.ARCHIVE_ENTRIES_MAX:
        out.stop(f"Only the first {limits.ARCHIVE_ENTRIES_MAX} files are listed.")


def read_member(content: BinaryIO, name: str, out: Writer) -> bytes:
    """Return the content of the file that is listed under a name.

    Raises:
        UnreadableError: There is none, or it is encrypted, a link or too large.
        StopReading: Time is up.
    """
    names = Names()
    files = _files(content)[: limits.ARCHIVE_ENTRIES_MAX]
    file = next((each for each in files if names.add(each.filename) == name), None)
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


def _files(content: BinaryIO) -> list[zipfile.ZipInfo]:
    with zipfile.ZipFile(content) as archive:
        return [each for each in archive.infolist() if not each.is_dir()]


def _remark(file: zipfile.ZipInfo) -> str:
    if file.flag_bits & _ENCRYPTED:
        return "encrypted"
    mode = stat.S_IFMT(file.external_attr >> 16)
    return "not a file" if mode not in {0, stat.S_IFREG} else ""
