"""What one call cost on the IMAP side."""

from dataclasses import asdict, dataclass


@dataclass(slots=True, kw_only=True)
class Telemetry:
    """Counted while the call runs; the names of its fields are those of `meta.telemetry`."""

    imap_round_trips: int = 0
    """Bursts sent to the server and waited for, over all connections of the call."""

    bytes_received: int = 0
    """Octets received from the server, after decryption."""

    cache_hit: bool = False
    """Whether a remembered search result saved a SEARCH."""

    def counted(self) -> dict[str, int]:
        """Return what was counted so far; empty if no server was asked."""
        return asdict(self) if self.imap_round_trips else {}
