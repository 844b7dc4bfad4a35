"""A scripted IMAP peer on a real loopback socket, for faults that no real server commits on demand.

Left alone it behaves: `servers.peer_answers` says how. Rules make it misbehave:

    lost_once = Rule(command="UID FETCH", nth=1, action=Close("within"))
    with Peer(messages=make_messages(1, 2), rules=[lost_once]) as peer:
        ...
        assert peer.connections == 2
"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple, Self, TypeAlias

import wire_log
from servers.peer_actions import Action, FailUid, Rule
from servers.peer_answers import CAPABILITIES, Command, PeerSettings
from servers.peer_connection import PeerConnection
from servers.peer_mailbox import PeerMailbox, PeerMessage

WAIT_S = 30.0
"""Default of all waits, and the time threads get to end."""


class Received(NamedTuple):
    """One command a client sent."""

    connection: int
    """From 1, in the order the connections were accepted."""

    name: str
    """In capitals: ``UID FETCH``."""

    line: str
    """Without the tag; literals as sent, octets above 127 as Latin-1."""


class Peer:
    """A running peer, for one `with` block, on a free port of 127.0.0.1.

    Args:
        messages: What INBOX holds.
        mailboxes: Further mailboxes.
        rules: Where it misbehaves; the first that fits a command wins. A rule
            counts from when it is there; `rules` may be added to at any time.
        greeting: Done in place of the greeting, on every connection.
        capabilities: What it advertises. STARTTLS among them without `starttls` is
            advertised and then refused; LOGINDISABLED refuses logins until TLS.
        tls: For TLS from the first octet; None for plain text.
        starttls: Offers STARTTLS, and shows this context's certificate.
        cuts: How many octets it sends on the first connection, the second and so on, before it cuts
            that one, wherever it is; None for no end. The list may be changed at any time.
    """

    def __init__(
        self,
        *,
        messages: Iterable[PeerMessage] = (),
        mailboxes: Iterable[PeerMailbox] = (),
        rules: Sequence[Rule] = (),
        greeting: Action | None = None,
        capabilities: Sequence[str] = CAPABILITIES,
        tls: ssl.SSLContext | None = None,
        starttls: ssl.SSLContext | None = None,
        cuts: Sequence[int | None] = (),
    ) -> None:
        self.host = "127.0.0.1"
        self.user = "fake-user"
        self.password = "fake-password"
        self.rules = list(rules)
        self.cuts = list(cuts)
        self.mailbox = PeerMailbox(messages=list(messages))
        """INBOX. Change its messages, flags or uidvalidity at any time."""

        self.settings = PeerSettings(
            mailboxes=[self.mailbox, *mailboxes],
            capabilities=tuple(capabilities),
            user=self.user,
            password=self.password,
            starttls=starttls,
        )
        self.greeting = greeting
        self._tls = tls
        self._counts: dict[int, int] = {}
        self._changed = threading.Condition()
        self._commands: list[Received] = []
        self._closed: set[int] = set()
        self._running: list[tuple[PeerConnection, threading.Thread]] = []
        self._stopping = False

    def __enter__(self) -> Self:
        self._listener = socket.create_server((self.host, 0))
        self.port: int = self._listener.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, name="peer", daemon=True)
        self._accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def commands(self) -> list[Received]:
        """All commands so far, in order of arrival."""
        with self._changed:
            return list(self._commands)

    @property
    def logins(self) -> list[Received]:
        """All attempts to log in so far, whether or not they succeeded."""
        return [command for command in self.commands if command.name in ("LOGIN", "AUTHENTICATE")]

    @property
    def connections(self) -> int:
        """Number of connections accepted so far."""
        return len(self._running)

    @property
    def open_connections(self) -> int:
        """Number of open connections, as far as it has noticed; see `wait_closed`."""
        with self._changed:
            return self.connections - len(self._closed)

    def wait_for(self, command: str, timeout_s: float = WAIT_S, *, nth: int = 1) -> Received:
        """Wait for the nth command of this name and return it; TimeoutError if it does not come."""

        def seen() -> list[Received]:
            return [each for each in self._commands if each.name == command]

        self._wait(lambda: len(seen()) >= nth, f"{command} number {nth}", timeout_s)
        return seen()[nth - 1]

    def wait_connected(self) -> None:
        """Wait for the first connection; TimeoutError if it does not come up."""
        self._wait(lambda: self.connections > 0, "a connection")

    def wait_closed(self, connection: int) -> None:
        """Wait until a connection, counted from 1, has ended on either side; TimeoutError if it does not."""
        self._wait(lambda: connection in self._closed, f"the end of connection {connection}")

    def _wait(self, condition: Callable[[], bool], what: str, timeout_s: float = WAIT_S) -> None:
        with self._changed:
            if not self._changed.wait_for(condition, timeout_s):
                raise TimeoutError(f"waited {timeout_s} s for {what}; came: {self._commands}")

    def stop(self) -> None:
        """Stop listening and cut all connections; further clients are refused."""
        if self._stopping:
            return
        self._stopping = True
        # Closing a socket does not wake who accepts on it, everywhere; a client does.
        socket.create_connection((self.host, self.port), timeout=WAIT_S).close()
        self._accepting.join(WAIT_S)
        self._listener.close()
        for connection, _ in self._running:
            connection.shutdown()
        for _, thread in self._running:
            thread.join(WAIT_S)

    def _accept(self) -> None:
        while True:
            sock, _ = self._listener.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._stopping:
                sock.close()
                return
            number = self.connections + 1
            cut = self.cuts.pop(0) if self.cuts else None
            connection = PeerConnection(sock, self.settings, partial(self._choose, number), self._tls, cut)
            thread = threading.Thread(
                target=self._run, args=(number, connection), name=f"peer-{number}", daemon=True
            )
            with self._changed:
                self._running.append((connection, thread))
                self._changed.notify_all()
            thread.start()

    def _run(self, number: int, connection: PeerConnection) -> None:
        try:
            connection.run(self.greeting)
        finally:
            with self._changed:
                self._closed.add(number)
                self._changed.notify_all()

    def _choose(self, number: int, command: Command, uids: list[int]) -> Action | None:
        line = f"{command.name} {command.raw.decode('latin-1')}".strip()
        wire_log.note_received(command.name)
        with self._changed:
            self._commands.append(Received(number, command.name, line))
            self._changed.notify_all()
            fitting = [rule for rule in self.rules if _fits(rule, number, command.name, line, uids)]
            # Counted all, also those behind the one that wins.
            for rule in fitting:
                self._counts[id(rule)] = self._counts.get(id(rule), 0) + 1
            return next((rule.action for rule in fitting if rule.nth in (None, self._counts[id(rule)])), None)


def _fits(rule: Rule, connection: int, name: str, line: str, uids: Iterable[int]) -> bool:
    return (
        rule.command == name
        and rule.containing in line
        and rule.connection in (None, connection)
        and (not isinstance(rule.action, FailUid) or rule.action.uid in uids)
    )


PeerFactory: TypeAlias = Callable[..., Peer]
"""The value of the fixture `peer`: takes the arguments of `Peer`, returns it running."""
