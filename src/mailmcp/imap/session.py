"""A connection with the mailbox it has selected; blocking, for one thread at a time."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.client import Client, HasFileno, ProtocolViolationError, Traffic
from mailmcp.imap.command import (
    Command,
    RefusedError,
    Response,
    canonical_name,
    encode_mailbox,
    quoted,
)
from mailmcp.imap.errors import (
    connection_lost_error,
    mailbox_missing_error,
    protocol_error,
    refused_error,
    translate_errors,
    uidvalidity_conflict,
)
from mailmcp.reasons import Reason
from mcp_envelope import DeadlineError, ToolError

REFUSAL_AGE_S: Final = 3_600.0
"""What a server refused is tried again after this long: faults pass, and servers are upgraded."""

_LOGOUT_TIMEOUT_S = 0.5  # LOGOUT is polite, but not worth a wait
_UIDVALIDITY_MAX = 2**32 - 1  # RFC 9051 section 9, nz-number: ids hold no more


@dataclass(slots=True)
class Quirks:
    """What was learned of a server that its capabilities don't say, by all sessions of an account."""

    clock: Callable[[], float] = monotonic
    """Seconds that never run backwards."""

    refused_at: dict[str, float] = field(default_factory=dict)
    """By extension, when the server refused it or got it wrong, though it advertises it."""

    believed: set[str] = field(default_factory=set)
    """The kinds of searches that have found a message that was known to be there; see `doubt`."""

    sizes: dict[str, int] = field(default_factory=dict)
    """Messages in each mailbox when it was last opened."""

    uidnexts: dict[str, int] = field(default_factory=dict)
    """Their UIDNEXT at that time, where the server sends it."""

    hidden: dict[str, int] = field(default_factory=dict)
    """Messages in each mailbox that a search for all of them didn't find, when it was last made."""

    search_speeds: dict[tuple[str, ...], float] = field(default_factory=dict)
    """Messages that the server searched in a second, the last time, by the criteria."""

    uids_out_of_order: set[str] = field(default_factory=set)
    """Mailboxes whose UIDs don't follow arrival: old messages were moved there."""

    raw_names: dict[str, bytes] = field(default_factory=dict)
    """Mailbox names as the server writes them, where encoding the decoded name gives other octets.

    Some servers list names in raw UTF-8 or in broken modified UTF-7 (RFC 3501 section 5.1.3).
    """

    def allows(self, extension: str) -> bool:
        """Return whether an extension wasn't refused lately."""
        refused_at = self.refused_at.get(extension)
        return refused_at is None or self.clock() - refused_at >= REFUSAL_AGE_S

    def refuse(self, extension: str) -> None:
        """Record that the server refuses an extension, or gets it wrong."""
        self.refused_at[extension] = self.clock()

    @property
    def largest_seen(self) -> int:
        """Messages in the largest mailbox that was opened."""
        return max(self.sizes.values(), default=0)


@dataclass(slots=True, kw_only=True)
class SelectedMailbox:
    """The mailbox that a session has open."""

    name: str
    uidvalidity: int
    """Can't change while the mailbox is open (RFC 9051 section 2.3.1.1)."""

    exists: int
    """How many messages it has, as of the latest response."""

    uidnext: int | None
    """Lower bound of the next UID; None if the server doesn't send it."""

    modseq: int = 0
    """HIGHESTMODSEQ (RFC 7162), which servers send once CONDSTORE is enabled; 0 otherwise."""

    exists_then: int = 0
    """How many messages it had when it was opened: what goes with `uidnext` and `modseq`."""

    permanent_flags: frozenset[str] | None = None
    r"""What can be stored, in lower case, `\\*` for any keyword; None if the mailbox is open read-only."""


@dataclass(slots=True, eq=False)
class Session:
    """A connection, from its first packet to its end; once logged in, with at most one mailbox open.

    What a session knows of its mailbox may be old at the next lease, and it doesn't always find out: pymap
    serves a recreated mailbox under the UIDVALIDITY of the old one, and Dovecot answers from what the
    session knew before. So each lease opens its mailbox again, in the round trip of the first command on it.

    Another thread may abort it. Closing a socket does not wake a thread that reads from it, but shutting it
    down does. The session duplicates the socket, so that it can also abort a TLS handshake.
    """

    account: Account
    quirks: Quirks = field(default_factory=Quirks)
    last_used_at: float = 0.0
    """On the pool's clock, in seconds."""

    writes: Writes = Writes.OFF
    """What it may change; the sessions that read may change nothing. See `mailmcp.imap.verbs`."""

    client: Client | None = None
    """None before `connect`."""

    traffic: Traffic = field(default_factory=Traffic)
    stage: Reason = Reason.CONNECT
    """What an error is about: `connect`, `greeting` or `command`."""

    login_sent: bool = False
    """Whether a login was sent, or at least its command without the password."""

    login_answered: bool = False
    """Whether the server answered the login. One that it did not answer may count as a failure there."""

    aborted: bool = False
    mailbox: SelectedMailbox | None = None
    in_doubt: bool = False
    """Whether an error left the connection in an unknown state, so that the pool must drop it."""

    chosen: tuple[str, int | None] | None = None
    """The mailbox of `choose`, and its UIDVALIDITY; None before."""

    enabled: set[str] = field(default_factory=set)
    """Extensions that were enabled on this connection (RFC 5161)."""

    special_uses: dict[str, str] | None = None
    """Of all mailboxes, "" for ordinary ones, once a session that writes has listed them."""

    _stale: bool = False
    """Whether the mailbox was opened by an earlier lease."""

    _socket: socket.socket | None = None

    @property
    def connection(self) -> Client:
        """The client, once it is connected."""
        assert self.client is not None  # noqa: S101 - `connect` comes first
        return self.client

    def can(self, capability: str) -> bool:
        """Return whether the server advertises `capability`, and wasn't caught failing at it."""
        return self.connection.can(capability) and self.quirks.allows(capability)

    def run(self, name: str, *arguments: bytes) -> Response:
        """Send a command that needs no mailbox.

        Raises:
            RefusedError: The server said NO or BAD.
            DeadlineError, InternalError: The connection failed.
        """
        [result] = self.run_all([Command(name=name, arguments=arguments)])
        if isinstance(result, RefusedError):
            raise result
        return result

    def run_all(self, commands: Sequence[Command]) -> list[Response | RefusedError]:
        """Send several commands in one round trip; see `Client.run_all`.

        Raises:
            DeadlineError, InternalError: The connection failed; the session is in doubt.
        """
        with self._doubting_on_failure():
            return self.connection.run_all(commands)

    def idle(self, seconds: float, waker: HasFileno) -> Response | RefusedError:
        """Let the server say what happens in the open mailbox; see `Client.idle`. Raises as `run_all`."""
        with self._doubting_on_failure():
            return self.connection.idle(seconds, waker)

    def wait(self, seconds: float, waker: HasFileno) -> bool:
        """Wait until the server says something; see `Client.wait`. `abort` ends it, too."""
        return self.connection.wait(seconds, waker)

    @contextmanager
    def _doubting_on_failure(self) -> Iterator[None]:
        """Translate errors; they leave the session in doubt."""
        try:
            with translate_errors(self.account.account_id):
                yield
        except ToolError:
            self.in_doubt = True
            raise

    def begin_lease(self) -> None:
        """Note that time has passed since the mailbox was opened."""
        self._stale, self.chosen = True, None

    def choose(self, mailbox: str, *, uidvalidity: int | None = None) -> None:
        """Choose the mailbox that the next steps open with their first commands; see `run_steps`.

        Args:
            mailbox: Decoded name; `inbox` in any case is INBOX.
            uidvalidity: What the caller's ids were made with; None for any.
        """
        self.chosen = mailbox, uidvalidity

    def examine_commands(self, name: str, *, again: bool = False) -> list[Command]:
        """Return the EXAMINE to send before commands on a mailbox; none if it is open and not stale.

        With `again`, return it in any case.
        """
        is_open = self.mailbox is not None and self.mailbox.name == canonical_name(name)
        if is_open and not self._stale and not again:
            return []
        return [Command(name="EXAMINE", arguments=[quoted_mailbox(self.quirks, canonical_name(name))])]

    def apply_examine(
        self, name: str, result: Response | RefusedError | None, *, uidvalidity: int | None
    ) -> SelectedMailbox:
        """Record the result of `examine_commands`, None if there was none; one round trip if it was refused.

        Raises:
            NotFoundError: The mailbox doesn't exist; the reason is `mailbox_missing`.
            ConflictError: It has another UIDVALIDITY.
            AuthFailedError, InternalError: The server refuses to open it, or sends no UIDVALIDITY.
        """
        name = canonical_name(name)
        if result is not None:
            self.mailbox = None  # a refused EXAMINE closes the open mailbox (RFC 9051 section 6.3.2)
            self._stale = False
        if isinstance(result, RefusedError):
            raise self._examine_error(name, result) from result
        if result is not None:
            found = result.number("UIDVALIDITY") or 0
            if not 0 < found <= _UIDVALIDITY_MAX:
                what = "sent no valid UIDVALIDITY for the mailbox"
                raise protocol_error(self.account.account_id, what)
            exists, uidnext = result.number("EXISTS") or 0, result.number("UIDNEXT")
            self.quirks.sizes[name] = exists
            if uidnext:
                self.quirks.uidnexts[name] = uidnext
            self.mailbox = SelectedMailbox(
                name=name,
                uidvalidity=found,
                exists=exists,
                uidnext=uidnext,
                modseq=result.number("HIGHESTMODSEQ") or 0,
                exists_then=exists,
            )
        assert self.mailbox is not None  # noqa: S101 - it is open
        if uidvalidity not in {None, self.mailbox.uidvalidity}:
            raise uidvalidity_conflict(name, expected=uidvalidity or 0, found=self.mailbox.uidvalidity)
        return self.mailbox

    def _examine_error(self, name: str, error: RefusedError) -> ToolError:
        """Build the error for a refused mailbox; ask LIST if the NO does not say whether it exists."""
        missing = error.reason is Reason.MAILBOX_MISSING
        # CANNOT is also what a name gets that no mailbox can have (RFC 5530 section 3).
        says = (error.is_final and error.code != "CANNOT") or error.is_temporary
        if error.status == "NO" and not says:
            lines = self.run("LIST", b'""', quoted_mailbox(self.quirks, name)).lines("LIST")
            is_pattern = "*" in name or "%" in name  # LIST finds other mailboxes then
            missing = not lines or is_pattern or "\\noselect" in str(lines).lower()
        account_id = self.account.account_id
        return mailbox_missing_error(account_id, name) if missing else refused_error(account_id, error)

    def check(self, timeout_s: float) -> None:
        """Send a NOOP to find out whether the connection is alive.

        Raises:
            InternalError: It is lost, or silent because a NAT has forgotten it, or the open mailbox is gone.
        """
        self.connection.set_timeout(timeout_s)
        try:
            self.run("NOOP")
        except (DeadlineError, RefusedError) as error:
            self.in_doubt = True
            raise connection_lost_error(self.account.account_id) from error
        self.connection.set_timeout(self.account.command_timeout_s)

    def log_out(self) -> None:
        """Send LOGOUT and close; never raises."""
        with suppress(RefusedError, OSError, ProtocolViolationError):  # BYE and the end look like a failure
            self.connection.set_timeout(_LOGOUT_TIMEOUT_S)
            self.connection.run("LOGOUT")
        self.discard()

    def watch(self, sock: socket.socket) -> None:
        """Make `sock` the one that `abort` shuts down.

        Raises:
            ConnectionAbortedError: `abort` was called already. A socket that is not connected can't be shut
                down, and would still connect.
        """
        self._release_socket()
        self._socket = sock.dup()
        if self.aborted:
            raise ConnectionAbortedError("aborted before it was connected")

    def abort(self) -> None:
        """Shut the connection down from any thread; blocked reads and writes fail at once."""
        self.aborted = True
        duplicate = self._socket  # the connection's own thread may release it meanwhile
        if duplicate is not None:
            with suppress(OSError):  # not connected yet, or closed by the server
                duplicate.shutdown(socket.SHUT_RDWR)

    def discard(self) -> None:
        """Abort and close, without a LOGOUT."""
        self.abort()
        self._close()

    def _close(self) -> None:
        if self.client is not None:
            with suppress(OSError):
                self.client.shutdown()
        self._release_socket()

    def _release_socket(self) -> None:
        duplicate, self._socket = self._socket, None
        if duplicate is not None:
            duplicate.close()

    @contextmanager
    def closing_on_failure(self) -> Iterator[None]:
        """Close the connection on an error, and translate the error by the stage at which it came."""
        try:
            yield
        except BaseException:
            self._close()
            with translate_errors(self.account.account_id, self.stage):
                raise


def quoted_mailbox(quirks: Quirks, name: str) -> bytes:
    """Format a mailbox name as an argument, as the server spells it if that is known."""
    raw = quirks.raw_names.get(name, encode_mailbox(name))
    return quoted(raw.decode("ascii")) if raw.isascii() else raw
