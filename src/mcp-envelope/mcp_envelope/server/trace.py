"""W3C trace context of a request, as MCP clients send it in `_meta`."""

import re
from collections.abc import Mapping

from mcp_envelope.meta import Trace

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-[0-9a-f]{2}")


def read_trace(meta: Mapping[str, object] | None) -> Trace | None:
    """Read `traceparent` (W3C Trace Context section 3.2); None if it is absent, malformed or all zeros."""
    header = (meta or {}).get("traceparent")
    match = _TRACEPARENT.fullmatch(header) if isinstance(header, str) else None
    if match is None or not (match["trace"].strip("0") and match["span"].strip("0")):
        return None
    return Trace(trace_id=match["trace"], span_id=match["span"])
