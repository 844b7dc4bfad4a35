"""`meta`: what a reply says about itself, the same for every tool and outcome."""

from dataclasses import dataclass
from datetime import UTC, datetime

from mailmcp.envelope.outcome import Page

VERSION = "mailmcp/1"
"""Changes only when a program that understands the old shape would misread the new one."""


@dataclass(slots=True, kw_only=True)
class Telemetry:
    """What one call cost on the IMAP side; counted while the call runs."""

    imap_round_trips: int = 0
    """Bursts sent to the server and waited for, over all connections of the call."""

    bytes_received: int = 0
    """Octets received from the server, after decryption."""

    cache_hit: bool = False
    """Whether a remembered search result saved a SEARCH."""


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
    telemetry: Telemetry | None = None
    trace: Trace | None = None

    @property
    def now_utc(self) -> str:
        """RFC 3339 in UTC, with milliseconds and `Z`."""
        return self.now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
