"""How a scripted peer answers UID FETCH: the items of one message (RFC 3501 section 7.4.2)."""

import re
from zlib import crc32

from pymap.mime import MessageContent

from mailmcp.demo.message import EmbeddedMessage
from servers.peer_mailbox import PeerMessage
from servers.peer_syntax import MONTHS, BadCommandError, format_string

_BODY = re.compile(r"BODY\.PEEK\[(?P<section>[^\]]*)\](?:<(?P<first>\d+)\.(?P<count>\d+)>)?", re.IGNORECASE)
_HEADER_FIELDS = re.compile(r"HEADER\.FIELDS \((?P<names>[^)]*)\)", re.IGNORECASE)
_FIELD = re.compile(rb"^([^\s:]+)[ \t]*:.*\r\n(?:[ \t].*\r\n)*", re.MULTILINE)


def format_fetch(number: int, message: PeerMessage, items: list[str]) -> bytes:
    """Write the FETCH response of one message, its UID first.

    Args:
        number: Its message sequence number.
        message: The message.
        items: What was asked for, as it was written.

    Raises:
        BadCommandError: An item is unknown, or would mark it as seen.
    """
    wanted = [item for item in items if item.upper() != "UID"]
    if message.ends_early and "BODYSTRUCTURE" in wanted:
        wanted = wanted[: wanted.index("BODYSTRUCTURE") + 1]
    row = b" ".join([b"UID %d" % message.uid, *(_format_item(message, item) for item in wanted)])
    if message.ends_early and wanted[-1:] == ["BODYSTRUCTURE"]:
        return b"* %d FETCH (%b\r\n" % (number, row)
    return b"* %d FETCH (%b)\r\n" % (number, row)


def _format_item(message: PeerMessage, item: str) -> bytes:
    when, name = message.received, item.upper()
    values = {
        "FLAGS": f"({' '.join(message.flags)})",
        "INTERNALDATE": f'"{when:%d}-{MONTHS[when.month - 1]}-{when:%Y %H:%M:%S %z}"',
        "RFC822.SIZE": f"{len(message.octets)}",
        "EMAILID": f"(M{crc32(message.octets)})",
        "X-GM-MSGID": f"{crc32(message.octets)}",
        "X-GM-LABELS": f"({' '.join(format_string(each).decode() for each in message.labels)})",
        "X-GM-THRID": "NIL",
    }
    if name in values:
        return f"{name} {values[name]}".encode()
    if name == "BODYSTRUCTURE":
        parsed = EmbeddedMessage.make_body_structure(MessageContent.parse(message.octets))
        return b"BODYSTRUCTURE " + (message.structure or bytes(parsed.extended))
    return _format_body(message, item)


def _format_body(message: PeerMessage, item: str) -> bytes:
    body = _BODY.fullmatch(item)
    if body is None:
        raise BadCommandError(f"Unknown item {item}")
    octets = _section(message, body["section"])
    origin = ""
    if body["first"] is not None:
        first = int(body["first"])
        octets = octets[first : first + int(body["count"])]
        origin = f"<{first}>"
    return b"BODY[%b]%b {%d}\r\n%b" % (body["section"].encode(), origin.encode(), len(octets), octets)


def _section(message: PeerMessage, section: str) -> bytes:
    """Return a section (RFC 3501 section 6.4.5), empty if there is no such part."""
    match section.upper():
        case "":
            return message.octets
        case "HEADER":
            return message.header
        case "TEXT":
            return message.body
        case _:
            return _fields_or_part(message, section)


def _fields_or_part(message: PeerMessage, section: str) -> bytes:
    if fields := _HEADER_FIELDS.fullmatch(section):
        names = {name.strip('"').lower().encode() for name in fields["names"].split()}
        found = [field[0] for field in _FIELD.finditer(message.header) if field[1].lower() in names]
        return b"".join(found) + b"\r\n"
    numbers = [int(number) for number in section.removesuffix(".MIME").split(".")]
    return _part(message, numbers, mime=section.endswith(".MIME"))


def _part(message: PeerMessage, numbers: list[int], *, mime: bool) -> bytes:
    part = MessageContent.parse(message.octets)
    for depth, number in enumerate(numbers):
        parts = part.body.nested if part.body.content_type.maintype == "multipart" else []
        if not parts and number == 1 and depth == len(numbers) - 1:
            break  # part 1 of what has no parts is its own text
        if not 0 < number <= len(parts):
            return b""
        part = parts[number - 1]
    return bytes(part.header if mime else part.body)
