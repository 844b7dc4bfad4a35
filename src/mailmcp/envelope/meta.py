"""`meta`: what a reply says about itself, the same for every tool and outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from mailmcp.envelope.outcome import Page

VERSION = "mailmcp/1"
"""Changes only when a program that understands the old shape would misread the new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Where the request stands in its caller's trace (W3C Trace Context section 3.2.2)."""

    trace_id: str
    """32 hexadecimal digits."""

    span_id: str
    """16 hexadecimal digits: the caller's span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """Facts about one reply."""

    now: datetime
    """When the reply was made; aware."""

    duration_ms: int
    request_id: str
    warnings: tuple[str, ...] = ()
    page: Page | None = None
    telemetry: Mapping[str, int] | None = None
    """What the call cost: counts, and flags, under names of the server's own."""

    trace: Trace | None = None

    @property
    def now_utc(self) -> str:
        """RFC 3339 in UTC, with milliseconds and `Z`."""
        return self.now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
