"""How a scripted peer answers UID FETCH: the items of one message (RFC 3501 section 7.4.2)."""

import re
from email import message_from_bytes
from email.message import Message
from zlib import crc32

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
        "X-GM-MSGID": f"{crc32(message.octets)}",
        "X-GM-THRID": "NIL",
    }
    if name in values:
        return f"{name} {values[name]}".encode()
    if name == "BODYSTRUCTURE":
        return b"BODYSTRUCTURE " + (
            message.structure or _format_structure(message_from_bytes(message.octets))
        )
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
    numbers = section.removesuffix(".MIME").split(".")
    if not all(number.isdecimal() for number in numbers):
        raise BadCommandError(f"Unknown section {section}")
    return _part(message, [int(number) for number in numbers], mime=section.endswith(".MIME"))


def _part(message: PeerMessage, numbers: list[int], *, mime: bool) -> bytes:
    part: Message = message_from_bytes(message.octets)
    for depth, number in enumerate(numbers):
        parts = _parts(part)
        if not parts and number == 1 and depth == len(numbers) - 1:
            break  # part 1 of what has no parts is its own text
        if not 0 < number <= len(parts):
            return b""
        part = parts[number - 1]
    if mime:
        return "".join(f"{name}: {value}\r\n" for name, value in part.raw_items()).encode() + b"\r\n"
    return _octets(part)


def _format_structure(part: Message) -> bytes:
    """Write a BODYSTRUCTURE with its extension data."""
    subtype = format_string(part.get_content_subtype().upper())
    parameters = _format_parameters(part.get_params(failobj=[])[1:])
    if parts := _parts(part):
        inner = b"".join(_format_structure(child) for child in parts)
        return b"(%b %b %b NIL NIL NIL)" % (inner, subtype, parameters)
    octets = _octets(part)
    fields = [
        format_string(part.get_content_maintype().upper()),
        subtype,
        parameters,
        _format_optional(part["Content-ID"]),
        _format_optional(part["Content-Description"]),
        format_string(part.get("Content-Transfer-Encoding", "7BIT").strip().upper()),
        b"%d" % len(octets),
    ]
    if part.get_content_maintype() == "text":
        fields.append(b"%d" % octets.count(b"\n"))
    elif part.get_content_type() == "message/rfc822":
        envelope = b"(%b)" % b" ".join([b"NIL"] * 10)
        fields += [envelope, _format_structure(message_from_bytes(octets)), b"%d" % octets.count(b"\n")]
    fields += [b"NIL", _format_disposition(part), b"NIL", b"NIL"]
    return b"(%b)" % b" ".join(fields)


def _format_parameters(parameters: list[tuple[str, str]]) -> bytes:
    pairs = [format_string(name.upper()) + b" " + format_string(value) for name, value in parameters]
    return b"(%b)" % b" ".join(pairs) if pairs else b"NIL"


def _format_disposition(part: Message) -> bytes:
    disposition = part.get_content_disposition()
    if disposition is None:
        return b"NIL"
    parameters = part.get_params(failobj=[], header="Content-Disposition")[1:]
    return b"(%b %b)" % (format_string(disposition.upper()), _format_parameters(parameters))


def _format_optional(value: str | None) -> bytes:
    return b"NIL" if value is None else format_string(value)


def _parts(part: Message) -> list[Message]:
    """List the parts of a multipart; a message within a message counts as one part."""
    payload = part.get_payload()
    if part.get_content_maintype() != "multipart" or not isinstance(payload, list):
        return []
    return [child for child in payload if isinstance(child, Message)]


def _octets(part: Message) -> bytes:
    payload = part.get_payload()
    if isinstance(payload, str):
        return payload.encode("ascii", "surrogateescape")
    if isinstance(payload, list):
        return b"".join(bytes(child) for child in payload if isinstance(child, Message))
    return b""
