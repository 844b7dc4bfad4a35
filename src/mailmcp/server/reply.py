"""From outcomes and errors to MCP: one `CallToolResult` for either."""

import json
import secrets
from base64 import b64encode
from typing import Any

from mcp.types import BlobResourceContents, CallToolResult, EmbeddedResource, TextContent

from mailmcp.envelope.dialects.shape import WireShape
from mailmcp.envelope.errors import MailError
from mailmcp.envelope.meta import Meta
from mailmcp.envelope.outcome import Embedded, Outcome
from mailmcp.envelope.text import render
from mailmcp.envelope.values import identity_value

META_PREFIX = "mailmcp/"
"""Keys of a result's `_meta` are prefixed, as MCP asks."""


class Replies:
    """Makes results in one dialect and one kind of text."""

    def __init__(self, shape: WireShape, *, json_text: bool) -> None:
        """Choose the shape; `json_text` gives the envelope itself as the text, instead of Markdown."""
        self._shape = shape
        self._json_text = json_text

    def make(self, result: Outcome[Any] | MailError, meta: Meta) -> CallToolResult:
        """Make the result of a call; a failure is one too, so that the model can read and mend it."""
        text, envelope, failed = render(result, self._shape, meta, marker=secrets.token_hex(6))
        if self._json_text:
            text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
        references = identity_value(meta) | self._shape.meta_beside(meta)
        if isinstance(result, Outcome):
            references |= result.references
        embedded = result.embedded if isinstance(result, Outcome) else ()
        return CallToolResult(
            content=[TextContent(type="text", text=text), *map(_embedded_resource, embedded)],
            structured_content=envelope,
            is_error=failed,
            _meta={META_PREFIX + name: value for name, value in references.items()},
        )


def _embedded_resource(file: Embedded) -> EmbeddedResource:
    # A blob whatever it is: what a text's octets mean is told by no field of a resource.
    blob = b64encode(file.octets).decode("ascii")
    contents = BlobResourceContents(uri=file.uri, mime_type=file.content_type, blob=blob)
    return EmbeddedResource(type="resource", resource=contents)
