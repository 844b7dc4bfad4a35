"""Outlook messages, whichever file they are in: their properties as text, and their attachments.

Property ids are those of [MS-OXPROPS]. Texts are in UTF-16, or in a code page that the message names.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Final

from mailmcp import limits
from mailmcp.documents.formats import rich_text
from mailmcp.documents.formats.compressed_rtf import decompress_rtf
from mailmcp.documents.listing import File, write_list, write_texts
from mailmcp.documents.writer import Writer
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import Address, parse_addresses
from mailmcp.mail.html.convert import html_to_text
from mailmcp.mail.people import fit_address
from mailmcp.mail.text.alternatives import find_plain_only
from mailmcp.mail.tnef import Properties

TOO_DEEP: Final = "Messages that are nested even deeper were not read."


class Prop(IntEnum):
    """The ids that are read."""

    SUBJECT = 0x0037
    SUBMIT_TIME = 0x0039
    FROM_NAME = 0x0042
    FROM_ADDRESS = 0x0065
    FROM_SMTP = 0x5D02
    SENDER_NAME = 0x0C1A
    SENDER_ADDRESS = 0x0C1F
    SENDER_SMTP = 0x5D01
    RECIPIENT_TYPE = 0x0C15
    DISPLAY_CC = 0x0E03
    DISPLAY_TO = 0x0E04
    DELIVERY_TIME = 0x0E06
    BODY = 0x1000
    RTF = 0x1009
    HTML = 0x1013
    NAME = 0x3001
    ADDRESS = 0x3003
    ATTACH_DATA = 0x3701
    ATTACH_SHORT_NAME = 0x3704
    ATTACH_NAME = 0x3707
    SMTP_ADDRESS = 0x39FE
    INTERNET_CODE_PAGE = 0x3FDE
    CODE_PAGE = 0x3FFD


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """An Outlook message."""

    properties: Properties
    recipients: Sequence[Properties] = ()
    files: Sequence[Properties] = ()
    messages: Sequence["Message"] = ()
    """Attached ones."""


def write_message(message: Message, out: Writer) -> None:
    """Write its header fields, a line for each file, its text, and as sections the messages within it.

    The files come first: the text may be long, or damaged. Small text files follow if all of them fit.

    Raises:
        StopReading: A limit is reached.
    """
    _write_fields(message, out)
    files = list_files(message)
    if files:
        out.write_line(f"Files: {len(files)}")
    write_list(files, out)
    _write_body(message.properties, out, "the message")
    for number, inner in enumerate(_messages_within(message), start=1):
        out.begin_section(f"Attached message {number}")
        _write_fields(inner, out)
        _write_body(inner.properties, out, f"attached message {number}")
    write_texts(files, out)


def list_files(message: Message) -> list[File]:
    """Return all files, those of messages within the message too."""
    return [
        File(
            name=each.text(Prop.ATTACH_NAME, Prop.ATTACH_SHORT_NAME, Prop.NAME),
            size_octets=len(each.octets(Prop.ATTACH_DATA)),
            read=partial(each.octets, Prop.ATTACH_DATA),
        )
        for around in (message, *_messages_within(message))
        for each in around.files
    ]


def _messages_within(message: Message) -> Iterator[Message]:
    for each in message.messages:
        yield each
        yield from _messages_within(each)


def _write_fields(message: Message, out: Writer) -> None:
    own = message.properties
    people: dict[int, list[str]] = {}
    for each in message.recipients:
        shown = _person(each, Prop.NAME, Prop.SMTP_ADDRESS, Prop.ADDRESS)
        people.setdefault(each.number(Prop.RECIPIENT_TYPE), []).append(shown)
    when = own.moment(Prop.SUBMIT_TIME, Prop.DELIVERY_TIME)
    author = _person(own, Prop.FROM_NAME, Prop.FROM_SMTP, Prop.FROM_ADDRESS)
    sender = _person(own, Prop.SENDER_NAME, Prop.SENDER_SMTP, Prop.SENDER_ADDRESS)
    fields = {
        "Subject": own.text(Prop.SUBJECT),
        "From": author or sender,
        "Sender": sender if author and sender != author else "",
        "To": ", ".join(people.get(1, [])) or _format(own.text(Prop.DISPLAY_TO), ""),
        "Cc": ", ".join(people.get(2, [])) or _format(own.text(Prop.DISPLAY_CC), ""),
        "Date": f"{when:%Y-%m-%dT%H:%M:%SZ}" if when else "",
    }
    for name, value in fields.items():
        if value:
            out.write_line(f"{name}: {' '.join(value.split())}")


def _person(properties: Properties, name: Prop, *addresses: Prop) -> str:
    """Write a person as `Name <address>`, without addresses that mean something only to Exchange."""
    shown = properties.text(name)
    address = properties.address(*addresses)
    return _format("" if shown == address else shown, address)


def _format(name: str, address: str) -> str:
    """Write names and addresses as those of the mail itself, so that nobody is added to them."""
    read = parse_addresses(address)
    if [each.address for each in read] != [address]:  # not one address
        name, address = f"{name} {address}", ""
    return fit_address(Address(name=clean_line(name).text, address=address), limits.HEADER_CHARS_MAX)


def _write_body(properties: Properties, out: Writer, where: str) -> None:
    """Write the text: the plain one, else what the HTML shows, else what the RTF shows."""
    plain, html = "\n".join(properties.text(Prop.BODY).splitlines()), properties.text(Prop.HTML)
    text, notes = plain, list[str]()
    if html:
        shown = html_to_text(html, full_links=True)
        if plain.strip():
            found = find_plain_only(plain, shown.text)
            notes = found.warnings(where=f"the plain text of {where}")
        else:
            text, notes = shown.text, shown.removed.warnings(where=where)
    for note in notes:  # before the text, which may be too long
        out.add_note(note)
    if text.strip():
        out.write_line(f"\n{text}")
    elif rtf := properties.octets(Prop.RTF):
        rtf = decompress_rtf(rtf)
        out.write_line("")
        rich_text.read(io.BytesIO(rtf), out)
