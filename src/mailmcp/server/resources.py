"""What was read of a resource, as MCP returns it. `mailmcp.server.resource_lists` lists resources."""

import secrets
from base64 import b64encode
from typing import Any, Final

from mcp.types import BlobResourceContents, ReadResourceResult, TextResourceContents

from mailmcp.server.resource_lists import TEXT_TYPE
from mailmcp.tools.read_resource import Octets
from mcp_envelope import Outcome
from mcp_envelope.text import render_outcome

_OCTETS_TTL_MS: Final = 3_600_000
"""The octets of a UID never change while UIDVALIDITY stays the same (RFC 9051 section 2.3.1.1)."""


def contents_of(uri: str, read: Outcome[Any] | Octets) -> ReadResourceResult:
    """Format an outcome as text, and octets as they are."""
    if isinstance(read, Octets):
        blob = b64encode(read.octets).decode("ascii")
        return ReadResourceResult(
            contents=[BlobResourceContents(uri=uri, mime_type=read.content_type, blob=blob)],
            ttl_ms=_OCTETS_TTL_MS,
        )
    text = render_outcome(read, marker=secrets.token_hex(6))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=TEXT_TYPE, text=text)])
