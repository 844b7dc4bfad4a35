"""The sessions of one account: which are idle, and whether another one may be opened.

Decides, and does no I/O. Only the event loop touches it.
"""

from dataclasses import dataclass, field
from typing import Final

import anyio
from anyio import CapacityLimiter
from typing_extensions import override

from mailmcp.imap.account import Account
from mailmcp.imap.connect import ConnectionHandle
from mailmcp.imap.errors import connection_limit_error
from mailmcp.imap.quirks import Quirks
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError, RateLimit

AUTH_BACKOFF_S: Final = 60.0
"""No login for this long after one that was refused or not answered: providers lock accounts."""

CONNECTION_LIMIT_TTL_S: Final = 600.0
"""For a server's connection limit: another program may have closed some by then, and one refused login
every ten minutes does no harm."""

SESSION_AGE_MAX_S: Final = 3_600.0
"""Sessions are replaced after this long, so that new credentials and routes take effect."""

SESSION_IDLE_MAX_S: Final = 240.0
"""Idle sessions are closed after this long: NATs forget connections after about five minutes."""


@dataclass(slots=True)
class AccountSessions:
    """What the pool keeps for one account."""

    account: Account
    idle: list[Session] = field(default_factory=list)
    """Least recently used first."""

    quirks: Quirks = field(default_factory=Quirks)
    leased: set[Session] = field(default_factory=set)
    proven: bool = False
    """Whether the latest login succeeded."""

    slots: CapacityLimiter = field(init=False)
    """A token for each session in use. Idle sessions are used before new ones, so this bounds all."""

    login_lock: anyio.Lock = field(default_factory=anyio.Lock)
    """Held for each login. If one is refused, those that wait are not tried."""

    _no_login_until: float | None = None
    """On the pool's clock; None if logins are allowed."""

    _refusal: AuthFailedError | None = None
    """Why not; None if the latest login was not answered."""

    _limit_expires_at: float | None = None

    def __post_init__(self) -> None:
        self.slots = CapacityLimiter(self.account.max_sessions)

    @override
    def __str__(self) -> str:
        in_use, limit = self.slots.borrowed_tokens, int(self.slots.total_tokens)
        return f"{self.account.account_id}: {in_use} of {limit} in use, {len(self.idle)} idle"

    def take(self, mailbox: str) -> Session | None:
        """Lease an idle session: the latest with `mailbox` open, else the least recently used one.

        Return None if all are in use, so that another one must be opened.
        """
        if not self.idle:
            return None
        session = self.idle[0]
        for each in self.idle:
            if each.mailbox and each.mailbox.name == mailbox:
                session = each
        self.idle.remove(session)
        self.leased.add(session)
        return session

    def give_back(self, session: Session, now: float, *, keep: bool) -> None:
        """End a lease; close the session if it is in doubt or too old, or unless `keep`."""
        self.leased.discard(session)
        session.last_used_at = now
        if keep and not session.in_doubt and now - session.opened_at <= SESSION_AGE_MAX_S:
            self.idle.append(session)
        else:
            session.discard()

    def take_stale(self, now: float) -> list[Session]:
        """Remove and return the sessions that have been idle for long or are old."""
        stale = [
            session
            for session in self.idle
            if now - session.last_used_at > SESSION_IDLE_MAX_S or now - session.opened_at > SESSION_AGE_MAX_S
        ]
        self.idle = [session for session in self.idle if session not in stale]
        return stale

    def take_all(self) -> list[Session]:
        """Remove and return all idle sessions."""
        idle, self.idle = self.idle, []
        return idle

    def drop_idle(self) -> None:
        """Close the idle sessions: if one connection is lost, the others of its age usually are too."""
        for session in self.take_all():
            session.discard()

    def login_succeeded(self, session: Session) -> None:
        """Note that the credentials work, and lease the session."""
        self.proven = True
        self._no_login_until = None
        self.leased.add(session)

    def login_failed(self, error: BaseException, handle: ConnectionHandle, now: float) -> None:
        """Allow no login for a while after one that was refused or not answered: providers lock accounts.

        If the connection was lost, credentials that have worked before may be tried once more.
        """
        refusal = error if isinstance(error, AuthFailedError) else None
        unanswered = (
            isinstance(error, InternalError)
            and handle.login_sent
            and not handle.login_answered
            and not handle.aborted
        )
        if refusal is None and not unanswered:
            return
        if handle.login_sent and (refusal or not self.proven):
            self._no_login_until, self._refusal = now + AUTH_BACKOFF_S, refusal
        self.proven = False

    def fail_if_backing_off(self, now: float) -> None:
        """Raise within a minute of a login that was refused or not answered.

        Raises:
            AuthFailedError: It was refused; the reason is `backing_off`.
            InternalError: It was not answered; the reason is `login_unanswered`.
        """
        if self._no_login_until is None or self._no_login_until <= now:
            return
        wait_s, account_id = self._no_login_until - now, self.account.account_id
        details, rate_limit = {"account_id": account_id}, RateLimit(retry_after_s=round(wait_s))
        if self._refusal is None:
            raise InternalError(
                f"The server closed the connection during the login of account {account_id}. It won't be "
                f"retried for {wait_s:.0f} s: the password may be wrong, and the provider might lock the "
                "account. If this happens again, check the password.",
                reason=Reason.LOGIN_UNANSWERED,
                retryable=True,
                details=details,
                rate_limit=rate_limit,
            )
        raise AuthFailedError(
            f"The login of account {account_id} was refused a moment ago. It won't be retried for "
            f"{wait_s:.0f} s, so that the provider doesn't lock the account. {self._refusal.message}",
            reason=Reason.BACKING_OFF,
            details=details,
            rate_limit=rate_limit,
        )

    def fail_if_full(self) -> None:
        """Raise if the server is known to allow no more sessions.

        Raises:
            InternalError: The reason is `connection_limit`.
        """
        if len(self.leased) + len(self.idle) >= self.slots.total_tokens:
            raise connection_limit_error(self.account.account_id)

    def learn_limit(self, now: float) -> bool:
        """Remember that the server allows no more sessions than there are; return False if there are none."""
        opened = len(self.leased) + len(self.idle)
        if not opened:
            return False
        self.slots.total_tokens = min(opened, self.slots.total_tokens)
        self._limit_expires_at = now + CONNECTION_LIMIT_TTL_S
        return True

    def forget_old_limit(self, now: float) -> None:
        """Allow all sessions again, some time after the server refused one."""
        if self._limit_expires_at is not None and self._limit_expires_at <= now:
            self._limit_expires_at = None
            self.slots.total_tokens = self.account.max_sessions
