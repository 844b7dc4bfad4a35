"""The sessions of one account: which are idle, and whether more may be opened.

Decides; does no I/O. Only the event loop touches it.
"""

from dataclasses import dataclass, field

import anyio
from anyio import CapacityLimiter
from typing_extensions import override

from mailmcp import limits
from mailmcp.imap.account import Account
from mailmcp.imap.connect import ConnectionHandle
from mailmcp.imap.errors import connection_limit_error
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError, RateLimit


@dataclass(frozen=True, slots=True)
class _BackOff:
    """No login is tried for a while."""

    until: float
    """On the pool's clock."""

    refusal: AuthFailedError | None
    """None for a login that was not answered."""


@dataclass(slots=True)
class AccountSessions:
    """What the pool keeps of one account."""

    account: Account
    idle: list[Session] = field(default_factory=list)
    """In order of last use, the latest last."""

    quirks: Quirks = field(default_factory=Quirks)
    leased: set[Session] = field(default_factory=set)
    """Those in use."""

    proven: bool = False
    """Whether the latest login was accepted; until one is, connections too are made one at a time."""

    slots: CapacityLimiter = field(init=False)
    """One token a session in use; idle ones are taken before new ones, so it bounds all of them."""

    login_lock: anyio.Lock = field(default_factory=anyio.Lock)
    """Held for each login: of those that wait when one is refused, none is tried."""

    _back_off: _BackOff | None = None
    _limit_expires_at: float | None = None

    def __post_init__(self) -> None:
        self.slots = CapacityLimiter(self.account.max_sessions)

    @override
    def __str__(self) -> str:
        in_use, most = self.slots.borrowed_tokens, int(self.slots.total_tokens)
        return f"{self.account.account_id}: {in_use} of {most} in use, {len(self.idle)} idle"

    @property
    def opened(self) -> int:
        """How many sessions there are."""
        return len(self.leased) + len(self.idle)

    def take(self, mailbox: str) -> Session | None:
        """Lease an idle session: the one with `mailbox` open, else the least recently used.

        None if all are in use: another one must be opened.
        """
        if not self.idle:
            return None
        open_there = (each for each in reversed(self.idle) if each.mailbox and each.mailbox.name == mailbox)
        session = next(open_there, self.idle[0])
        self.idle.remove(session)
        self.leased.add(session)
        return session

    def give_back(self, session: Session, now: float, *, keep: bool) -> None:
        """End a lease; a session in doubt or too old is closed, and all are unless `keep`."""
        self.leased.discard(session)
        session.last_used_at = now
        if keep and not session.in_doubt and now - session.opened_at <= limits.SESSION_AGE_MAX_S:
            self.idle.append(session)
        else:
            session.discard()

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

    def login_succeeded(self, session: Session) -> None:
        """Note that the credentials work, and lease the session."""
        self.proven = True
        self._back_off = None
        self.leased.add(session)

    def login_failed(self, error: BaseException, handle: ConnectionHandle, now: float) -> None:
        """Remember a login that was refused, or was not answered: providers lock accounts.

        Credentials that have worked may be tried once more where the connection was lost.
        """
        unanswered = isinstance(error, InternalError) and not (
            handle.login_answered or handle.kill_switch.tripped
        )
        if isinstance(error, AuthFailedError):
            refusal = error
        elif unanswered and handle.login_sent:
            refusal = None
        else:
            return
        if handle.login_sent and (refusal or not self.proven):
            self._back_off = _BackOff(now + limits.AUTH_BACKOFF_S, refusal)
        self.proven = False

    def fail_if_backing_off(self, now: float) -> None:
        """Refuse to log in within a minute of a login that was refused or not answered.

        Raises:
            AuthFailedError: With reason `backing_off`, and a rate limit that says how many seconds are left.
            InternalError: Likewise with reason `login_unanswered`.
        """
        if self._back_off is None or self._back_off.until <= now:
            return
        wait_s, refusal = self._back_off.until - now, self._back_off.refusal
        account_id = self.account.account_id
        details, rate_limit = {"account_id": account_id}, RateLimit(retry_after_s=round(wait_s))
        if refusal is None:
            raise InternalError(
                f"The server ended the connection during the login of account {account_id}. It is not tried "
                f"again for {wait_s:.0f} s, since the password may be wrong and the provider might lock the "
                "account. If this happens again, check the password.",
                reason=Reason.LOGIN_UNANSWERED,
                retryable=True,
                details=details,
                rate_limit=rate_limit,
            )
        raise AuthFailedError(
            f"The login of account {account_id} was refused a moment ago and is not tried again for "
            f"{wait_s:.0f} s, so that the provider does not lock it. {refusal.message}",
            reason=Reason.BACKING_OFF,
            details=details,
            rate_limit=rate_limit,
        )

    def fail_if_full(self) -> None:
        """Refuse to log in where the server is known to allow no more sessions.

        Raises:
            InternalError: With reason `connection_limit`.
        """
        if self.opened >= self.slots.total_tokens:
            raise connection_limit_error(self.account.account_id)

    def learn_limit(self, now: float) -> bool:
        """Remember that the server allows no more sessions than there are.

        Returns:
            Whether there are any to wait for.
        """
        if not self.opened:
            return False
        self.slots.total_tokens = min(self.opened, self.slots.total_tokens)
        self._limit_expires_at = now + limits.CONNECTION_LIMIT_TTL_S
        return True

    def forget_old_limit(self, now: float) -> None:
        """Try more sessions again, some time after the server refused one."""
        if self._limit_expires_at is not None and self._limit_expires_at <= now:
            self._limit_expires_at = None
            self.slots.total_tokens = self.account.max_sessions
