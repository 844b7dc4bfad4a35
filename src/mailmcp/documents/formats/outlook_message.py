"""Reads messages that Outlook saved ([MS-OXMSG]): properties as streams of an OLE file, read with olefile.

python-oxmsg reads neither messages within messages nor compressed RTF; extract-msg is under the GPL.
"""

import struct
from dataclasses import replace
from functools import partial
from typing import BinaryIO, Final

import olefile

from mailmcp import limits
from mailmcp.documents.formats.mapi import TOO_DEEP, Message, Prop, list_files, write_message
from mailmcp.documents.listing import File
from mailmcp.documents.writer import Writer
from mailmcp.mail.tnef import BINARY, STRING8, UNICODE, Properties

_PROPERTIES: Final = "__properties_version1.0"
_RECIPIENT: Final = "__recip_version1.0_#"
_ATTACHMENT: Final = "__attach_version1.0_#"
_EMBEDDED: Final = f"__substg1.0_{Prop.ATTACH_DATA:04X}000D"
_ENTRY: Final = struct.Struct("<HHI8s")
_HEADER_OCTETS_OF_TOP: Final = 32
_HEADER_OCTETS_OF_EMBEDDED: Final = 24
_HEADER_OCTETS_OF_OTHERS: Final = 8

_Path = tuple[str, ...]


def read(content: BinaryIO, out: Writer) -> None:
    """Write the message, and a line for each of its files."""
    write_message(_OleFile(content, out).message((), _HEADER_OCTETS_OF_TOP), out)


def files(content: BinaryIO, out: Writer) -> list[File]:
    """Return its files."""
    return list_files(_OleFile(content, out).message((), _HEADER_OCTETS_OF_TOP))


class _OleFile:
    """An OLE file with the properties of a message and of what is in it."""

    def __init__(self, content: BinaryIO, out: Writer) -> None:
        self._ole = olefile.OleFileIO(content)
        self._out = out
        self._storages: dict[_Path, list[str]] = {}
        for *folder, name in self._ole.listdir(streams=False, storages=True):
            self._storages.setdefault(tuple(folder), []).append(name)

    def message(self, path: _Path, header_octets: int) -> Message:
        """Read a message, and those within it."""
        own = self._properties(path, header_octets, 0)
        code_page = own.number(Prop.INTERNET_CODE_PAGE) or own.number(Prop.CODE_PAGE)
        recipients: list[Properties] = []
        files: list[Properties] = []
        messages: list[Message] = []
        for folder in ((*path, name) for name in sorted(self._storages.get(path, []))):
            if folder[-1].startswith(_RECIPIENT):
                recipients.append(self._properties(folder, _HEADER_OCTETS_OF_OTHERS, code_page))
            elif not folder[-1].startswith(_ATTACHMENT):
                continue
            elif _EMBEDDED not in self._storages.get(folder, []):
                files.append(self._properties(folder, _HEADER_OCTETS_OF_OTHERS, code_page))
            elif len(folder) > 2 * limits.MAPI_DEPTH_MAX:  # two names for each message
                self._out.add_note(TOO_DEEP)
            else:
                messages.append(self.message((*folder, _EMBEDDED), _HEADER_OCTETS_OF_EMBEDDED))
        own = replace(own, code_page=code_page)
        return Message(properties=own, recipients=recipients, files=files, messages=messages)

    def _properties(self, path: _Path, header_octets: int, code_page: int) -> Properties:
        """Read the fixed properties of a storage (section 2.4); the others are streams, read when needed."""
        self._out.check_time()
        table = self._stream((*path, _PROPERTIES))[header_octets:]
        whole = len(table) // _ENTRY.size * _ENTRY.size
        fixed = {id_: (kind, value) for kind, id_, _, value in _ENTRY.iter_unpack(table[:whole])}
        return Properties(find=partial(self._find, path, fixed), code_page=code_page)

    def _find(self, path: _Path, fixed: dict[int, tuple[int, bytes]], id_: int) -> tuple[int, bytes] | None:
        for kind in (UNICODE, STRING8, BINARY):
            stream = (*path, f"__substg1.0_{id_:04X}{kind:04X}")
            if self._ole.exists(list(stream)):
                return kind, self._stream(stream)
        return fixed.get(id_)

    def _stream(self, path: _Path) -> bytes:
        self._out.check_time()
        octets: bytes = self._ole.openstream(list(path)).read()
        return octets
