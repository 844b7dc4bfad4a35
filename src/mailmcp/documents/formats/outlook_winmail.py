"""Reads the message in winmail.dat ([MS-OXTNEF]); `mailmcp.mail.tnef` knows its syntax.

tnefparse is under the LGPL.
"""

from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final

from mailmcp import limits
from mailmcp.documents.formats.mapi import TOO_DEEP, Message, Prop, list_files, write_message
from mailmcp.documents.listing import File
from mailmcp.documents.writer import Writer
from mailmcp.mail.tnef import (
    BINARY,
    OBJECT,
    STRING8,
    Properties,
    PropertyReader,
    Values,
    read_attributes,
)

_RECIPIENTS: Final = 0x00069004
_MESSAGE_PROPERTIES: Final = 0x00069003
_ATTACHMENT_BEGINS: Final = 0x00069002
_ATTACHMENT_PROPERTIES: Final = 0x00069005
_CODE_PAGE: Final = 0x00069007
_TEXTS: Final = {0x00018004: Prop.SUBJECT, 0x0002800C: Prop.BODY}
_ATTACHMENT_VALUES: Final = {
    0x00018010: (Prop.ATTACH_SHORT_NAME, STRING8),
    0x0006800F: (Prop.ATTACH_DATA, BINARY),
}
"""Attributes (section 2.1.3), and the properties that say the same."""

_MESSAGE_INTERFACE: Final = bytes.fromhex("0703020000000000c000000000000046")
"""Before a message within the message."""


def read(content: BinaryIO, out: Writer) -> None:
    """Write the message, and a line for each of its files."""
    write_message(_read_message(content.read(), out, 1), out)


def files(content: BinaryIO, out: Writer) -> list[File]:
    """Return its files."""
    return list_files(_read_message(content.read(), out, 1))


def _read_message(octets: bytes, out: Writer, depth: int) -> Message:
    own: Values = {}
    recipients: list[Values] = []
    attachments: list[Values] = []
    code_page = 0
    for attribute, data in _attributes(octets, out):
        if attribute == _CODE_PAGE:
            code_page = int.from_bytes(data[:4], "little")
        elif attribute == _MESSAGE_PROPERTIES:
            own.update(PropertyReader(data, out.check_time).values())
        elif attribute == _RECIPIENTS:
            table = PropertyReader(data, out.check_time)
            recipients = [table.values() for _ in range(min(table.number(), limits.MAPI_PROPERTIES_MAX))]
        elif attribute in _TEXTS:
            own.setdefault(_TEXTS[attribute], (STRING8, data))
        elif attribute == _ATTACHMENT_BEGINS:
            attachments.append({})
        elif attachments and attribute in _ATTACHMENT_VALUES:
            prop, kind = _ATTACHMENT_VALUES[attribute]
            attachments[-1].setdefault(prop, (kind, data))
        elif attachments and attribute == _ATTACHMENT_PROPERTIES:
            attachments[-1].update(PropertyReader(data, out.check_time).values())
    code_page = code_page or Properties(find=own.get).number(Prop.CODE_PAGE)
    files, messages = _split(attachments, code_page, out, depth)
    return Message(
        properties=Properties(find=own.get, code_page=code_page),
        recipients=[Properties(find=each.get, code_page=code_page) for each in recipients],
        files=files,
        messages=messages,
    )


def _split(
    attachments: Sequence[Values], code_page: int, out: Writer, depth: int
) -> tuple[list[Properties], list[Message]]:
    """Return the attachments that are files, and those that are messages; one too deep inside is a file."""
    files: list[Properties] = []
    messages: list[Message] = []
    for each in attachments:
        kind, content = each.get(Prop.ATTACH_DATA, (BINARY, b""))
        if kind == OBJECT:
            each[Prop.ATTACH_DATA] = (BINARY, content[16:])
        is_message = kind == OBJECT and content.startswith(_MESSAGE_INTERFACE)
        if is_message and depth <= limits.MAPI_DEPTH_MAX:
            messages.append(_read_message(content[16:], out, depth + 1))
            continue
        if is_message:
            out.add_note(TOO_DEEP)
        files.append(Properties(find=each.get, code_page=code_page))
    return files, messages


def _attributes(octets: bytes, out: Writer) -> Iterator[tuple[int, bytes]]:
    """Yield the ids and the data of the attributes, with notes about what is wrong with them."""
    for each in read_attributes(octets):
        out.check_time()
        if not each.is_whole:
            out.add_note("The file is incomplete: its end is missing.")
        elif not each.is_intact:
            out.add_note("A checksum in the file is wrong: it may be damaged.")
        yield each.id, each.data
