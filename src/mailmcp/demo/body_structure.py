"""BODYSTRUCTURE as RFC 9051 section 7.5.2 has it, from what pymap parsed.

pymap's own writers are used for all but the disposition, which they write as
one string, and sizes are those of a part's body without its headers.
"""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

from pymap.bytes import MaybeBytes
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
"""Its place in every extended structure: language and location follow."""


def make_body_structure(
    content: MessageContent, make_envelope: Callable[[MessageContent], EnvelopeStructure]
) -> BodyStructure:
    """Describe a message or part and all parts within.

    Args:
        content: What to describe.
        make_envelope: Makes the ENVELOPE of a message that is a part.
    """
    parsed, body = content.header.parsed, content.body
    maintype, subtype = body.content_type.maintype, body.content_type.subtype
    params = _extended_params(body.content_type.params)
    tail = (parsed.content_disposition, parsed.content_language, parsed.content_location)
    if maintype == "multipart":
        parts = [make_body_structure(part, make_envelope) for part in body.nested]
        # Without any part there is nothing the syntax allows; Dovecot says an empty text, too.
        return _Multipart(subtype, params, *tail, parts or [BodyStructure.empty()])
    content_id, described, cte = (
        parsed.content_id,
        parsed.content_description,
        parsed.content_transfer_encoding,
    )
    size, lines = len(bytes(body)), bytes(body).count(b"\n")
    if content.is_rfc822 and body.nested:
        inner = body.nested[0]
        envelope, structure = make_envelope(inner), make_body_structure(inner, make_envelope)
        return _Message(params, *tail, content_id, described, cte, None, size, lines, envelope, structure)
    if maintype == "text":
        return _Text(subtype, params, *tail, content_id, described, cte, None, size, lines)
    return _Content(maintype, subtype, params, *tail, content_id, described, cte, None, size)


class _Extended(BodyStructure):
    """Writes the disposition as a list: type, and parameters."""

    @property
    @override
    def extended(self) -> List:
        items = list(super().extended)
        items[_DISPOSITION] = self._disposition()
        return List(items)

    def _disposition(self) -> MaybeBytes:
        header = self.content_disposition
        if header is None or not header.content_disposition:
            return Nil()
        return List([String.build(header.content_disposition), _write_params(header.params)])


class _Multipart(_Extended, MultipartBodyStructure):
    pass


class _Content(_Extended, ContentBodyStructure):
    pass


class _Text(_Extended, TextBodyStructure):
    pass


class _Message(_Extended, MessageBodyStructure):
    pass


def _write_params(params: Mapping[str, str]) -> MaybeBytes:
    pairs = [String.build(word) for pair in _extended_params(params).items() for word in pair]
    return List(pairs) if pairs else Nil()


def _extended_params(params: Mapping[str, str]) -> dict[str, str]:
    """Give parameters as a header carries them: other alphabets in the form of RFC 2231."""
    return {
        name if value.isascii() else f"{name}*": value if value.isascii() else f"utf-8''{quote(value)}"
        for name, value in params.items()
    }
