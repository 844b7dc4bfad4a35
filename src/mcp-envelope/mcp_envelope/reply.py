"""Turns an outcome or an error into a `CallToolResult`."""

import json
import secrets
from base64 import b64encode
from dataclasses import replace
from typing import Any

from mcp_types import BlobResourceContents, CallToolResult, EmbeddedResource, ImageContent, TextContent

from mcp_envelope.dialects.registry import Dialect, shape_of
from mcp_envelope.errors import ToolError
from mcp_envelope.markdown import one_line
from mcp_envelope.meta import Meta
from mcp_envelope.outcome import Embedded, Outcome
from mcp_envelope.text import render_error, render_outcome
from mcp_envelope.values import identity_value


def make_result(
    result: Outcome[Any] | ToolError,
    meta: Meta,
    *,
    dialect: Dialect,
    has_status: bool = True,
    json_text: bool = False,
) -> CallToolResult:
    """Build the result of a call. A failure is a result too, so that the model can read and correct it.

    Args:
        result: What the tool returned or raised.
        meta: What the reply says about itself.
        dialect: The shape of the structured content.
        has_status: Whether the tool's replies can be partial.
        json_text: Use the envelope itself as the text, instead of Markdown.
    """
    shape = shape_of(dialect)
    references = identity_value(meta) | shape.extra_meta(result, meta)
    embedded: tuple[Embedded, ...] = ()
    if isinstance(result, ToolError):
        envelope = shape.failure(result, meta)
        text = render_error(result, shape.spell(result.code, result.reason))
    else:
        result = replace(result, summary=one_line(result.summary))
        envelope = shape.success(result, meta, has_status=has_status)
        text = render_outcome(result, marker=secrets.token_hex(6))
        references |= result.references
        embedded = result.embedded
    if json_text:
        text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    prefix = f"{meta.version.partition('/')[0]}/"  # MCP asks for one, of the server's own
    return CallToolResult(
        content=[TextContent(type="text", text=text), *map(_content, embedded)],
        structured_content=envelope,
        is_error=isinstance(result, ToolError),
        _meta={prefix + name: value for name, value in references.items()},
    )


def _content(file: Embedded) -> ImageContent | EmbeddedResource:
    """Embed a file: as an image if it is for models to see, else as a blob, which no charset can garble."""
    octets = b64encode(file.octets).decode("ascii")
    if file.is_image:
        return ImageContent(type="image", data=octets, mime_type=file.content_type)
    contents = BlobResourceContents(uri=file.uri, mime_type=file.content_type, blob=octets)
    return EmbeddedResource(type="resource", resource=contents)
