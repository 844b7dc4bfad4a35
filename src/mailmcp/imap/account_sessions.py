"""The sessions of one account that nobody uses now, and whether more may be opened.

Decides; does no I/O. Only the event loop touches it.
"""

from dataclasses import dataclass, field

import anyio
from anyio import CapacityLimiter
from typing_extensions import override

from mailmcp import limits
from mailmcp.imap.account import Account
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError


@dataclass(slots=True)
class AccountSessions:
    """What the pool keeps of one account."""

    account: Account
    idle: list[Session] = field(default_factory=list)
    """In order of last use, the latest last."""

    quirks: Quirks = field(default_factory=Quirks)
    proven: bool = False
    """Whether the present credentials have worked; until then one login is tried at a time."""

    refused_until: float | None = None
    """On the pool's clock; until then no login is tried."""

    slots: CapacityLimiter = field(init=False)
    """One token a session in use; idle ones are taken before new ones, so it bounds all of them."""

    login_lock: anyio.Lock = field(default_factory=anyio.Lock)

    def __post_init__(self) -> None:
        self.slots = CapacityLimiter(self.account.max_sessions)

    @override
    def __str__(self) -> str:
        in_use, most = self.slots.borrowed_tokens, int(self.slots.total_tokens)
        return f"{self.account.account_id}: {in_use} of {most} in use, {len(self.idle)} idle"

    def take(self, mailbox: str) -> Session | None:
        """Take out an idle session: the one with `mailbox` open, else the least recently used.

        None if all are in use: another one must be opened.
        """
        for session in reversed(self.idle):
            if session.mailbox is not None and session.mailbox.name == mailbox:
                self.idle.remove(session)
                return session
        return self.idle.pop(0) if self.idle else None

    def take_stale(self, now: float) -> list[Session]:
        """Take out the sessions that have been idle for long or are old; `now` is the pool's clock."""
        stale = [
            session
            for session in self.idle
            if now - session.last_used_at > limits.SESSION_IDLE_MAX_S
            or now - session.opened_at > limits.SESSION_AGE_MAX_S
        ]
        self.idle = [session for session in self.idle if session not in stale]
        return stale

    def drop_idle(self) -> None:
        """Close the idle sessions: where one connection was lost, those as old as it most often are too."""
        for session in self.idle:
            session.discard()
        self.idle.clear()

    def login_failed(self, error: AuthFailedError, now: float) -> None:
        """Remember a refused login: providers lock accounts that try again and again."""
        self.proven = False
        if error.reason is Reason.CREDENTIALS_REJECTED:
            self.refused_until = now + limits.AUTH_BACKOFF_S

    def fail_if_backing_off(self, now: float) -> None:
        """Refuse to log in within a minute of a refused login.

        Raises:
            AuthFailedError: With reason `backing_off` and the seconds left in its details.
        """
        if self.refused_until is None or self.refused_until <= now:
            return
        wait_s = self.refused_until - now
        account_id = self.account.account_id
        raise AuthFailedError(
            f"The login of account {account_id} was refused a moment ago and is not tried again for "
            f"{wait_s:.0f} s, so that the provider does not lock it. Correct the password in the settings; "
            "unless a file or a command gives it, mailmcp must then be started anew.",
            reason=Reason.BACKING_OFF,
            details={"account_id": account_id, "retry_after_seconds": round(wait_s)},
        )
