"""From outcomes and errors to MCP: one `CallToolResult` for either."""

import json
import secrets
from typing import Any

from mcp.types import CallToolResult, TextContent

from mailmcp.envelope.dialects.dialect import WireShape
from mailmcp.envelope.errors import MailError
from mailmcp.envelope.meta import Meta
from mailmcp.envelope.outcome import Outcome
from mailmcp.envelope.render import identity_value
from mailmcp.envelope.schema import JsonObject
from mailmcp.server.text import render_error, render_outcome

META_PREFIX = "mailmcp/"
"""Keys of a result's `_meta` are prefixed, as MCP asks."""


class Replies:
    """Makes results in one dialect and one kind of text."""

    def __init__(self, shape: WireShape, *, json_text: bool) -> None:
        """Choose the shape; `json_text` gives the envelope itself as the text, instead of Markdown."""
        self._shape = shape
        self._json_text = json_text

    def success(self, outcome: Outcome[Any], meta: Meta) -> CallToolResult:
        """Make the result of a whole or partial success."""
        envelope = self._shape.success(outcome, meta)
        text = "" if self._json_text else render_outcome(outcome, marker=secrets.token_hex(6))
        return self._result(envelope, text, self._references(meta) | outcome.references, failed=False)

    def failure(self, error: MailError, meta: Meta) -> CallToolResult:
        """Make the result of a failure: a result, not a protocol error, so that the model can mend it."""
        envelope = self._shape.failure(error, meta)
        text = "" if self._json_text else render_error(error)
        return self._result(envelope, text, self._references(meta), failed=True)

    def _references(self, meta: Meta) -> JsonObject:
        return identity_value(meta) | self._shape.meta_beside(meta)

    def _result(
        self, envelope: JsonObject, text: str, references: JsonObject, *, failed: bool
    ) -> CallToolResult:
        if self._json_text:
            text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=envelope,
            is_error=failed,
            _meta={META_PREFIX + name: value for name, value in references.items()},
        )
