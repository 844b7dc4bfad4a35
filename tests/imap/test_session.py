r"""A session sees at each lease what has changed since the one before, and changes nothing itself."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from imapclient import IMAPClient

from imap.scenes import (
    At,
    Endpoint,
    make_account,
    open_mailbox,
    read_page,
    read_round,
    session_on,
)
from mailmcp.imap.account import Account
from mailmcp.imap.fetch import fetch_messages
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import InternalError, NotFoundError
from servers.dovecot import Dovecot, Login
from servers.embedded import Pymap
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages

LETTER = b"From: ann@example.org\r\nSubject: Letter\r\n\r\nText\r\n"
MAILBOX = "Proje©t/Zürich & Söhne"


@dataclass
class Store:
    """A server, and how to change what is on it behind our back."""

    at: Endpoint
    login: Login
    fill: Callable[[str, int], list[int]]

    def delete(self, mailbox: str) -> None:
        with IMAPClient(self.at.host, self.at.port, ssl=False, timeout=30) as client:
            client.login(*self.login)
            client.delete_folder(mailbox)

    @property
    def account(self) -> Account:
        return make_account(self.at, self.login)


@pytest.fixture(params=["dovecot", "pymap"])
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "pymap":
        pymap: Pymap = request.getfixturevalue("pymap_server")
        login = Login(pymap.user, pymap.password)
        return Store(pymap, login, lambda name, count: pymap.fill(name, [LETTER] * count))
    dovecot: Dovecot = request.getfixturevalue("dovecot")
    login = request.getfixturevalue("dovecot_user")
    at = At(dovecot.host, dovecot.plain_port)
    return Store(at, login, lambda name, count: dovecot.fill(login.user, name, [LETTER] * count))


def uids(session: Session, mailbox: str) -> list[int]:
    """Read a mailbox as a new lease would: what is open already is used."""
    session.begin_lease()
    open_mailbox(session, mailbox)
    return list(read_page(session, mailbox).uids)


def test_a_deleted_mailbox_is_missing(store: Store) -> None:
    store.fill(MAILBOX, 2)
    with session_on(store.account) as session:
        open_mailbox(session, MAILBOX)
        store.delete(MAILBOX)
        with pytest.raises(NotFoundError, match="Names are case-sensitive") as caught:
            uids(session, MAILBOX)
        assert caught.value.reason is Reason.MAILBOX_MISSING
        assert not session.in_doubt
        assert uids(session, "INBOX") == []


@pytest.mark.parametrize("mailbox", ["INBOX/", "%", "x" * 2_000])
def test_what_no_mailbox_can_be_called_is_missing(store: Store, mailbox: str) -> None:
    with session_on(store.account) as session, pytest.raises(NotFoundError) as caught:
        uids(session, mailbox)
    assert caught.value.reason is Reason.MAILBOX_MISSING


@pytest.mark.parametrize(("literals", "round_trips"), [("", 2), ("LITERAL+", 1)])
def test_a_raw_name_is_opened_as_the_server_spells_it(
    peer: PeerFactory, literals: str, round_trips: int
) -> None:
    """By a literal, which costs a round trip where it has to wait."""
    mailbox = PeerMailbox(name="Müll", messages=make_messages(1))
    server = peer(mailboxes=[mailbox], capabilities=("IMAP4rev1", literals))
    with session_on(make_account(server)) as session:
        list_mailboxes(session)
        open_mailbox(session, "Müll")
        session.begin_lease()
        session.choose("Müll")
        before = session.traffic.round_trips
        assert set(fetch_messages(session, [1], ["UID"]).messages) == {1}
        assert session.traffic.round_trips - before == round_trips


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"{tag} NO Cannot\r\n", None),
        (b"{tag} NO [NOPERM] Cannot\r\n", Reason.PERMISSION_DENIED),
        (b"* OK [UIDVALIDITY 4294967296] -\r\n{tag} OK Done\r\n", Reason.PROTOCOL_VIOLATION),
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_why_a_mailbox_was_not_opened(
    peer: PeerFactory, answer: bytes, reason: Reason | None, *, there: bool
) -> None:
    """A bare NO does not say whether it is missing: LIST does."""
    server = peer(mailboxes=[PeerMailbox(name="Project")] if there else [])
    server.rules.append(Rule(command="EXAMINE", action=Respond(answer)))
    expected = reason or (Reason.SERVER_REFUSED if there else Reason.MAILBOX_MISSING)
    with session_on(make_account(server)) as session:
        with pytest.raises((NotFoundError, InternalError)) as caught:
            uids(session, "Project")
        assert caught.value.reason is expected


def read_all_ways(session: Session) -> None:
    """Do what the layer can do."""
    found = read_round(session)
    read_page(session, query=("Letter",), unread_only=True)
    open_mailbox(session, "INBOX")
    fetch_messages(session, found, ["UID", "BODYSTRUCTURE", "BODY.PEEK[TEXT]<0.2048>", "BODY.PEEK[]"])


def test_no_flag_changes_on_dovecot(dovecot: Dovecot, dovecot_user: Login) -> None:
    r"""Neither \Seen nor \Recent, which a SELECT would take away."""

    def flags() -> dict[int, tuple[bytes, ...]]:
        with IMAPClient(dovecot.host, dovecot.plain_port, ssl=False, timeout=30) as client:
            client.login(*dovecot_user)
            client.select_folder("INBOX", readonly=True)
            return {uid: row[b"FLAGS"] for uid, row in client.fetch(client.search(), ["FLAGS"]).items()}

    dovecot.fill(dovecot_user.user, "INBOX", [LETTER] * 2)
    dovecot.fill(dovecot_user.user, "INBOX", [LETTER], flags=[b"\\Seen"])
    before = flags()
    assert before == {1: (b"\\Recent",), 2: (b"\\Recent",), 3: (b"\\Seen", b"\\Recent")}
    with session_on(make_account(At(dovecot.host, dovecot.plain_port), dovecot_user)) as session:
        read_all_ways(session)
        session.log_out()
    assert flags() == before
