"""The mail server that is measured against: a private Dovecot with one large mailbox and other users."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from imapclient import IMAPClient
from scripts.benchmarks.made_mail import RARE_WORD, SENDER, SpecialUids, make_messages
from scripts.benchmarks.plan import CALL_TIMEOUT_S

from servers.dovecot import Dovecot, Login

USER = "ann"
MAILBOX = "INBOX"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A running server, and what must be known to ask it for particular messages."""

    server: Dovecot
    login: Login
    """Whose INBOX is the large mailbox."""

    messages: int
    uidvalidity: int
    special: SpecialUids
    newest: tuple[int, ...]
    """All UIDs, newest first."""

    from_sender: tuple[int, ...]
    """UIDs of what `SENDER` sent, newest first."""

    with_rare_word: tuple[int, ...]
    """UIDs of the messages with `RARE_WORD`, newest first."""

    @property
    def host(self) -> str:
        """Where the server listens."""
        return self.server.host

    @property
    def port(self) -> int:
        """Without TLS."""
        return self.server.plain_port

    def add_user(self, name: str, mailboxes: Mapping[str, Iterable[bytes]]) -> Login:
        """Make a user with these mailboxes, whose messages have been read; UIDs count from 1."""
        for mailbox, messages in mailboxes.items():
            self.server.fill_before_login(name, mailbox, messages, flags=[b"\\Seen"])
        return self.server.user(name)


@contextmanager
def running_site(messages: int) -> Iterator[Site]:
    """Start a server, fill its mailbox, and let it build its indexes."""
    with Dovecot() as server:
        login = server.user(USER)
        server.fill_before_login(USER, MAILBOX, make_messages(messages), flags=[b"\\Seen"])
        with IMAPClient(server.host, server.plain_port, ssl=False, timeout=CALL_TIMEOUT_S) as client:
            client.login(*login)
            opened = client.select_folder(MAILBOX, readonly=True)
            yield Site(
                server=server,
                login=login,
                messages=messages,
                uidvalidity=opened[b"UIDVALIDITY"],
                special=SpecialUids.among(messages),
                newest=_found(client, ["ALL"]),
                from_sender=_found(client, ["FROM", SENDER]),
                with_rare_word=_found(client, ["TEXT", RARE_WORD]),
            )


def _found(client: IMAPClient, criteria: list[str]) -> tuple[int, ...]:
    return tuple(sorted(client.search(criteria), reverse=True))
