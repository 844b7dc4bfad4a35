"""The text a message is searched in: headers and text parts, decoded.

RFC 9051 section 6.4.4 lets TEXT and BODY look at decoded text, as all servers
people use do. Never raises: what cannot be decoded is searched as it stands.
"""

from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message


def read_search_text(octets: bytes) -> str:
    """Give all header values and text of a message, case-folded, parts of it on lines of their own."""
    message = message_from_bytes(octets)
    found: list[str] = []
    for part in message.walk():
        found += (_decode_value(str(value)) for value in part.values())
        if part.get_content_maintype() == "text":
            found.append(_decode_text(part))
    return "\n".join(found).casefold()


def _decode_value(value: str) -> str:
    try:
        words = decode_header(value)
    except (HeaderParseError, ValueError):  # base64 that is none
        return value
    return "".join(
        word if isinstance(word, str) else _decode(word, charset or "utf-8") for word, charset in words
    )


def _decode_text(part: Message) -> str:
    octets = part.get_payload(decode=True)
    return _decode(octets, str(part.get_content_charset("utf-8"))) if isinstance(octets, bytes) else ""


def _decode(octets: bytes, charset: str) -> str:
    try:
        return octets.decode(charset)
    except (LookupError, ValueError):  # a charset nobody knows, or the wrong one
        return octets.decode("utf-8", "replace")
