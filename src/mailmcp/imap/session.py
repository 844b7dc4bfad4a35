"""One logged-in connection and what is known of it; blocking, for one thread at a time."""

import imaplib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from typing_extensions import override

from mailmcp.imap.account import Account
from mailmcp.imap.command import (
    Command,
    RefusedError,
    Response,
    canonical_name,
    encode_mailbox,
    meaning_of,
    quoted,
)
from mailmcp.imap.connect import ConnectionHandle, close_socket, open_connection
from mailmcp.imap.connection import Connection
from mailmcp.imap.errors import (
    connection_lost_error,
    protocol_error,
    refused_error,
    translate_errors,
    uidvalidity_conflict,
)
from mailmcp.imap.quirks import Quirks
from mailmcp.reasons import Reason
from mcp_envelope import DeadlineError, NotFoundError, Resource, ToolError, code

_LOGOUT_TIMEOUT_S = 0.5  # a farewell is polite, not worth waiting for
_UIDVALIDITY_MAX = 2**32 - 1  # RFC 9051 section 9, nz-number: ids hold no more


@dataclass(slots=True, kw_only=True)
class SelectedMailbox:
    """The mailbox that a session has open, read-only."""

    name: str
    uidvalidity: int
    """Cannot change while the mailbox stays open (RFC 9051 section 2.3.1.1)."""

    exists: int
    """Messages in it, by the server's latest word."""

    uidnext: int | None
    """Lower bound of the next UID; None where the server does not say."""


@dataclass(slots=True, kw_only=True, eq=False)
class Session:
    """A connection that is logged in, with at most one mailbox open."""

    account: Account
    connection: Connection
    handle: ConnectionHandle
    quirks: Quirks
    opened_at: float
    """On the pool's clock, in seconds."""

    last_used_at: float
    mailbox: SelectedMailbox | None = None
    in_doubt: bool = False
    """Whether an error left the connection in a state that is not known; it is then dropped."""

    _stale: bool = False
    """Whether time has passed since the server last told of the open mailbox."""

    _reopen_due: bool = False
    """Whether the open mailbox is stale and asked for: it is opened again with the next command."""

    _expected_uidvalidity: int | None = None

    @override
    def __repr__(self) -> str:
        where = self.mailbox.name if self.mailbox else "no mailbox"
        return f"<Session {self.account.account_id} at {where!r}{' in doubt' if self.in_doubt else ''}>"

    def run(self, name: str, *arguments: bytes, uid: bool = False) -> Response:
        """Send a command; with the first one after `examine`, a stale mailbox is opened anew.

        Raises:
            RefusedError: The server said NO or BAD: the caller knows what that means.
            NotFoundError, ConflictError: The open mailbox is gone, or another one by now.
            DeadlineError, InternalError: The connection failed; the session is in doubt.
        """
        ride = self._examine_again()
        result: Response | RefusedError
        with self._watched():
            try:
                result = self.connection.run(name, *arguments, uid=uid, ride=ride)
            except RefusedError as error:
                result = error
        if ride:
            self._mailbox_answered(result)
        if isinstance(result, RefusedError):
            raise result
        if self.mailbox is not None and (exists := result.number("EXISTS")) is not None:
            self.mailbox.exists = exists
        return result

    def _examine_again(self) -> bytes:
        """Write the EXAMINE that rides along when the open mailbox may have changed; empty if it need not.

        Only a mailbox that the lease asked for is opened again: what became of another one is
        of no matter to it.

        A session does not always notice: pymap serves a rebuilt mailbox under the old one's
        UIDVALIDITY, and Dovecot answers a command from what the session knew before it. Opening
        the mailbox again in the same burst costs no round trip and is always right.
        """
        if self.mailbox is None or not self._reopen_due:
            return b""
        self._stale = self._reopen_due = False
        argument = quoted_mailbox(self.quirks, self.mailbox.name)
        if argument.isascii():
            return b"EXAMINE " + argument
        # A literal that waits cannot ride: this one costs a round trip.
        self.mailbox = self._open(self.mailbox.name)
        self._check_uidvalidity(self._expected_uidvalidity)
        return b""

    def _mailbox_answered(self, result: Response | RefusedError) -> None:
        """Learn from the EXAMINE that rode along."""
        assert self.mailbox is not None  # noqa: S101 - it was examined
        name, expected = self.mailbox.name, self._expected_uidvalidity
        if isinstance(result, RefusedError) and result.command == "EXAMINE":
            self.mailbox = None
            raise self._not_opened(name, result) from result
        self._learn(self.mailbox, result.answer if isinstance(result, RefusedError) else result)
        self._check_uidvalidity(expected)

    def confirm(self) -> None:
        """Make sure of the open mailbox, if no command has since `examine`; one round trip then."""
        if self._reopen_due:
            self.run("NOOP")

    def run_all(self, commands: Sequence[Command], *, in_order: bool) -> list[Response | RefusedError]:
        """Send several commands in one round trip, as `Connection.run_burst`; failures raise as `run`."""
        with self._watched():
            return self.connection.run_burst(commands, in_order=in_order)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            with translate_errors(self.account.account_id):
                yield
        except ToolError:
            self.in_doubt = True
            raise

    def can(self, capability: str) -> bool:
        """Return whether the server advertises `capability`, and wasn't caught failing at it."""
        return self.connection.can(capability) and self.quirks.allows(capability)

    def check(self, timeout_s: float) -> None:
        """Make sure the connection is alive, by a NOOP that is given `timeout_s` seconds.

        Raises:
            InternalError: It is lost, or silent, as one that a NAT has forgotten.
        """
        self.connection.socket().settimeout(timeout_s)
        try:
            self.run("NOOP")
        except DeadlineError as error:
            raise connection_lost_error(self.account.account_id) from error
        self.connection.socket().settimeout(self.account.command_timeout_s)

    def begin_lease(self) -> None:
        """Note that time has passed: what the session knows of its mailbox may be old."""
        self._stale = True
        self._reopen_due = False
        self._expected_uidvalidity = None

    def examine(self, name: str, *, uidvalidity: int | None = None) -> SelectedMailbox:
        """Open a mailbox read-only; one round trip, or none if it is open already.

        What is open already is opened again together with the next command: that one raises
        what this would have.

        Args:
            name: Decoded mailbox name; `inbox` in any case is INBOX.
            uidvalidity: What the caller's ids or cursor were made with; None for any.

        Returns:
            What is known of the mailbox; up to date after the next command.

        Raises:
            NotFoundError: With reason `mailbox_missing`.
            ConflictError: The mailbox's UIDVALIDITY is another one.
            InternalError: The server refuses to open it, or says no UIDVALIDITY.
        """
        self._expected_uidvalidity = uidvalidity
        if not self._is_open(name):
            self.mailbox = self._open(canonical_name(name))
        assert self.mailbox is not None  # noqa: S101 - it is open
        if self._stale:
            self._reopen_due = True
        else:
            self._check_uidvalidity(uidvalidity)
        return self.mailbox

    def _is_open(self, name: str) -> bool:
        return self.mailbox is not None and self.mailbox.name == canonical_name(name)

    def examine_commands(self, name: str, *, again: bool = False) -> list[Command]:
        """Write the EXAMINE that commands on a mailbox need in front.

        Nothing to send if it is open and up to date; `again` for one in any case.
        """
        if self._is_open(name) and not self._stale and not again:
            return []
        return [Command(name="EXAMINE", arguments=[quoted_mailbox(self.quirks, canonical_name(name))])]

    def apply_examine(
        self, name: str, result: Response | RefusedError | None, *, uidvalidity: int | None
    ) -> SelectedMailbox:
        """Learn from the answer to `examination`, None if there was nothing to send; raises as `examine`.

        May cost a round trip if the mailbox was refused.
        """
        name = canonical_name(name)
        if result is not None:
            self.mailbox = None  # a refused EXAMINE closes what was open (RFC 9051 section 6.3.2)
            self._stale = self._reopen_due = False
        if isinstance(result, RefusedError):
            raise self._not_opened(name, result) from result
        if result is not None:
            opened = SelectedMailbox(name=name, uidvalidity=0, exists=0, uidnext=None)
            self._learn(opened, result)
            self.mailbox = opened
        assert self.mailbox is not None  # noqa: S101 - it is open
        self._check_uidvalidity(uidvalidity)
        return self.mailbox

    def _check_uidvalidity(self, expected: int | None) -> None:
        mailbox = self.mailbox
        if mailbox is not None and expected is not None and mailbox.uidvalidity != expected:
            raise uidvalidity_conflict(mailbox.name, expected=expected, found=mailbox.uidvalidity)

    def _open(self, name: str) -> SelectedMailbox:
        self.mailbox = None  # so that no other one is opened again on the way
        try:
            result: Response | RefusedError = self.run("EXAMINE", quoted_mailbox(self.quirks, name))
        except RefusedError as error:
            result = error
        return self.apply_examine(name, result, uidvalidity=None)

    def _learn(self, mailbox: SelectedMailbox, answer: Response) -> None:
        uidvalidity = answer.number("UIDVALIDITY") or 0
        if not 0 < uidvalidity <= _UIDVALIDITY_MAX:
            raise protocol_error(self.account.account_id, "gave no UIDVALIDITY of 32 bits for the mailbox")
        mailbox.uidvalidity = uidvalidity
        mailbox.exists = self.quirks.sizes[mailbox.name] = answer.number("EXISTS") or 0
        mailbox.uidnext = answer.number("UIDNEXT")

    def _not_opened(self, name: str, error: RefusedError) -> ToolError:
        """Find out whether a refused mailbox is missing; a NO alone does not say (RFC 5530 does)."""
        missing = error.reason is Reason.MAILBOX_MISSING
        if meaning_of(error.code) is None and error.status == "NO":
            lines = self.run("LIST", b'""', quoted_mailbox(self.quirks, name)).lines("LIST")
            missing = not lines or "\\noselect" in str(lines).lower()  # one that only holds others
        if not missing:
            return refused_error(self.account.account_id, error)
        account_id = self.account.account_id
        message = f"There is no mailbox {code(name)} in account {account_id}. Names are case-sensitive."
        details = {"account_id": account_id, "mailbox": name}
        resource = Resource(type="mailbox", id=name)
        return NotFoundError(message, reason=Reason.MAILBOX_MISSING, details=details, resource=resource)

    def log_out(self) -> None:
        """Say LOGOUT and close; never raises for a connection that is gone."""
        try:
            self.connection.socket().settimeout(_LOGOUT_TIMEOUT_S)
            self.connection.run("LOGOUT")
        except (RefusedError, OSError, imaplib.IMAP4.error):
            pass  # LOGOUT is answered with BYE and the end of the connection, which reads as a loss
        self.discard()

    def discard(self) -> None:
        """Close without a word to the server."""
        self.handle.kill_switch.trip()
        close_socket(self.connection)
        self.handle.kill_switch.close()


def open_session(handle: ConnectionHandle, quirks: Quirks, *, now: float) -> Session:
    """Connect and log in; blocks. Raises what `open_connection` raises."""
    return start_session(open_connection(handle), handle, quirks, now=now)


def start_session(connection: Connection, handle: ConnectionHandle, quirks: Quirks, *, now: float) -> Session:
    """Make a session of a connection that is logged in."""
    return Session(
        account=handle.account,
        connection=connection,
        handle=handle,
        quirks=quirks,
        opened_at=now,
        last_used_at=now,
    )


def quoted_mailbox(quirks: Quirks, name: str) -> bytes:
    """Write a mailbox name as an argument, in the server's own spelling where that is known."""
    raw = quirks.raw_names.get(name, encode_mailbox(name))
    if not raw.isascii():
        return raw
    return quoted(raw.decode("ascii"))
