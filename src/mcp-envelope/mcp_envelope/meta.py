"""`meta`: what a reply says about itself, the same for every tool."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from mcp_envelope.errors import RateLimit

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-[0-9a-f]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Where the request is in its caller's trace (W3C Trace Context section 3.2.2)."""

    trace_id: str
    """32 hexadecimal digits."""

    span_id: str
    """16 hexadecimal digits: the caller's span."""

    @classmethod
    def read(cls, meta: Mapping[str, object] | None) -> "Trace | None":
        """Read `traceparent` from the `_meta` of a request; None if it is absent, malformed or all zeros."""
        header = (meta or {}).get("traceparent")
        match = _TRACEPARENT.fullmatch(header) if isinstance(header, str) else None
        if match is None or not (match["trace"].strip("0") and match["span"].strip("0")):
            return None
        return cls(trace_id=match["trace"], span_id=match["span"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """Facts about one call, known to the call boundary; pages and warnings are the outcome's."""

    tool: str
    """The tool that was called."""

    version: str
    """Of the server's replies: `tickets/1`. It changes when a program that knows the old shape would
    misread the new one."""

    now: datetime
    """When the reply was made; aware."""

    duration_ms: int
    request_id: str
    telemetry: Mapping[str, int] = field(default_factory=dict)
    """What the call cost: counts and flags, under names of the server's own; empty for none."""

    trace: Trace | None = None

    @property
    def now_utc(self) -> str:
        """RFC 3339 in UTC, with milliseconds and `Z`."""
        return _rfc3339(self.now, "milliseconds")

    def reset_at(self, rate_limit: RateLimit) -> str | None:
        """Format when the caller may try again, to the second; None if that isn't known."""
        if rate_limit.retry_after_s is None:
            return None
        return _rfc3339(self.now + timedelta(seconds=rate_limit.retry_after_s), "seconds")


def _rfc3339(moment: datetime, precision: str) -> str:
    return moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")
