"""Messages of the embedded server, with pymap's answers corrected where they aren't IMAP.

pymap writes Content-Disposition as one string instead of a list, counts a part's headers in its size, fails
on a Date that can't be parsed, and searches undecoded text. The octets of a message are served as they are.
"""

from collections.abc import Mapping, Sequence
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message as ParsedMessage
from typing import Final
from urllib.parse import quote

from pymap.backend.dict.mailbox import LoadedMessage
from pymap.mime import MessageContent
from pymap.parsing.primitives import List, Nil, String
from pymap.parsing.response.fetch import (
    BodyStructure,
    ContentBodyStructure,
    EnvelopeStructure,
    MessageBodyStructure,
    MultipartBodyStructure,
    TextBodyStructure,
)
from typing_extensions import override

_DISPOSITION: Final = -3
"""Its index in every extended body structure; language and location follow it."""


class EmbeddedMessage(LoadedMessage):
    """A message with its content loaded for FETCH and SEARCH."""

    @override
    def get_body_structure(self) -> BodyStructure:
        return self.make_body_structure(self.content)

    @override
    def contains(self, value: bytes) -> bool:
        return value.decode("utf-8", "replace").casefold() in read_search_text(bytes(self.content))

    @override
    def get_header(self, name: bytes) -> Sequence[str]:
        try:
            return super().get_header(name)
        except (HeaderParseError, IndexError, ValueError):  # the standard library fails on some values
            return list(map(str, message_from_bytes(bytes(self.content)).get_all(name.decode("ascii"), [])))

    @classmethod
    @override
    def _get_envelope_structure(cls, msg: MessageContent) -> EnvelopeStructure:
        try:
            envelope = super()._get_envelope_structure(msg)
        except (HeaderParseError, IndexError, ValueError):  # as above
            return EnvelopeStructure(*[None] * 10)
        if getattr(envelope.date, "datetime", None) is None:  # also of "Date :"
            envelope.date = None
        return envelope

    @classmethod
    def make_body_structure(cls, content: MessageContent) -> BodyStructure:
        """Describe a message or part and all parts within (RFC 9051 section 7.5.2)."""
        parsed, body = content.header.parsed, content.body
        maintype, subtype = body.content_type.maintype, body.content_type.subtype
        params = _extended_params(body.content_type.params)
        tail = (parsed.content_disposition, parsed.content_language, parsed.content_location)
        if maintype == "multipart":
            parts = [cls.make_body_structure(part) for part in body.nested]
            # The syntax has no multipart without parts. Dovecot reports an empty text too.
            return _Multipart(subtype, params, *tail, parts or [BodyStructure.empty()])
        fields = (
            params,
            *tail,
            parsed.content_id,
            parsed.content_description,
            parsed.content_transfer_encoding,
            None,  # Content-MD5
            len(bytes(body)),
        )
        lines = bytes(body).count(b"\n")
        if content.is_rfc822 and body.nested:
            inner = body.nested[0]
            return _Message(
                *fields, lines, cls._get_envelope_structure(inner), cls.make_body_structure(inner)
            )
        if maintype == "text":
            return _Text(subtype, *fields, lines)
        return _Content(maintype, subtype, *fields)


class _Extended(BodyStructure):
    """A body structure whose disposition is a list of the type and its parameters."""

    @property
    @override
    def extended(self) -> List:
        items = list(super().extended)
        header = self.content_disposition
        if header is None or not header.content_disposition:
            items[_DISPOSITION] = Nil()
        else:
            params = [String.build(word) for pair in _extended_params(header.params).items() for word in pair]
            items[_DISPOSITION] = List(
                [String.build(header.content_disposition), List(params) if params else Nil()]
            )
        return List(items)


class _Multipart(_Extended, MultipartBodyStructure): ...


class _Content(_Extended, ContentBodyStructure): ...


class _Text(_Extended, TextBodyStructure): ...


class _Message(_Extended, MessageBodyStructure): ...


def _extended_params(params: Mapping[str, str]) -> dict[str, str]:
    """Encode parameters as a header carries them: values that aren't ASCII in the form of RFC 2231."""
    return {
        name if value.isascii() else f"{name}*": value if value.isascii() else f"utf-8''{quote(value)}"
        for name, value in params.items()
    }


def read_search_text(octets: bytes) -> str:
    """Return the text that TEXT and BODY search: all header values and text parts, decoded and case-folded.

    RFC 9051 section 6.4.4 allows it, and all servers in common use do it. Never raises: what can't be
    decoded is searched undecoded.
    """
    message = message_from_bytes(octets)
    found: list[str] = []
    for part in message.walk():
        found += (_decode_value(str(value)) for value in part.values())
        if part.get_content_maintype() == "text":
            found.append(_decode_text(part))
    return "\n".join(found).casefold()


def _decode_value(value: str) -> str:
    try:
        return str(make_header(decode_header(value)))
    except (
        HeaderParseError,
        LookupError,
        ValueError,
    ):  # invalid base64, a wrong charset
        return value


def _decode_text(part: ParsedMessage) -> str:
    octets = part.get_payload(decode=True)
    if not isinstance(octets, bytes):
        return ""
    try:
        return octets.decode(str(part.get_content_charset("utf-8")))
    except (LookupError, ValueError):
        return octets.decode("utf-8", "replace")
