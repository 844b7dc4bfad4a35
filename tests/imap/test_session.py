"""A session sees at each lease what has changed since the one before."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from imapclient import IMAPClient

from imap.conftest import PoolFactory
from imap.scenes import At, Endpoint, make_account, open_mailbox, page_request, read_page, session_on
from mailmcp.imap.account import Account
from mailmcp.imap.fetch import fetch_messages
from mailmcp.imap.mailboxes import count_mailboxes, list_mailboxes
from mailmcp.imap.pool import SESSION_IDLE_CHECK_S
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import ConflictError, InternalError, NotFoundError
from servers.dovecot import Dovecot, Login
from servers.embedded import Pymap
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages

LETTER = b"From: ann@example.org\r\nSubject: Letter\r\n\r\nText\r\n"
MAILBOXES = pytest.mark.parametrize("mailbox", ["Project", "Proje©t/Zürich & Söhne"])


@dataclass
class Store:
    """A server, and how to change what is on it behind our back."""

    at: Endpoint
    login: Login
    fill: Callable[[str, int], list[int]]

    @contextmanager
    def other_client(self) -> Iterator[IMAPClient]:
        with IMAPClient(self.at.host, self.at.port, ssl=False, timeout=30) as client:
            client.login(*self.login)
            yield client

    def delete(self, mailbox: str) -> None:
        with self.other_client() as client:
            client.delete_folder(mailbox)

    def empty(self, mailbox: str) -> None:
        with self.other_client() as client:
            client.select_folder(mailbox)
            client.delete_messages("1:*", silent=True)
            client.expunge()

    @property
    def account(self) -> Account:
        return make_account(self.at, self.login)


@pytest.fixture(params=["dovecot", "pymap"])
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "pymap":
        pymap: Pymap = request.getfixturevalue("pymap_server")
        return Store(
            pymap, Login(pymap.user, pymap.password), lambda name, count: pymap.fill(name, [LETTER] * count)
        )
    dovecot: Dovecot = request.getfixturevalue("dovecot")
    login: Login = request.getfixturevalue("dovecot_user")
    return Store(
        At(dovecot.host, dovecot.plain_port),
        login,
        lambda name, count: dovecot.fill(login.user, name, [LETTER] * count),
    )


def uids(session: Session, mailbox: str, *, uidvalidity: int | None = None, query: str = "") -> list[int]:
    """Read a mailbox as a new lease would: what is open already is used."""
    session.begin_lease()
    open_mailbox(session, mailbox, uidvalidity=uidvalidity)
    page = read_page(session, page_request(mailbox, query=query)) if uidvalidity is None else None
    if page is None:
        session.run("NOOP")
        return []
    return list(page.uids)


@MAILBOXES
@pytest.mark.parametrize("query", ["", "Letter", "Zürich"])
def test_new_mail_is_seen_at_once_on_a_warm_session(store: Store, mailbox: str, query: str) -> None:
    old = store.fill(mailbox, 1)
    with session_on(store.account) as session:
        assert uids(session, mailbox) == old
        new = store.fill(mailbox, 1)
        assert uids(session, mailbox, query=query) == ([] if query == "Zürich" else [*new, *old])
        assert session.mailbox is not None
        assert session.mailbox.exists == 2


def test_a_new_message_can_be_fetched_on_a_warm_session(store: Store) -> None:
    """Its id may come from another session."""
    store.fill("Project", 1)
    with session_on(store.account) as session:
        uidvalidity = open_mailbox(session, "Project").uidvalidity
        (new,) = store.fill("Project", 1)
        session.begin_lease()
        open_mailbox(session, "Project", uidvalidity=uidvalidity)
        fetched = fetch_messages(session, [new, new + 1], ["UID", "FLAGS"])
        assert (list(fetched.messages), list(fetched.failures)) == ([new], [new + 1])


def test_a_mailbox_that_was_emptied_is_believed_to_be_empty(store: Store) -> None:
    """What the session last heard, two messages, is no proof against the server's word."""
    store.fill("Project", 2)
    with session_on(store.account) as session:
        assert len(uids(session, "Project")) == 2
        store.empty("Project")
        assert uids(session, "Project") == []


@MAILBOXES
@pytest.mark.parametrize("warm", [True, False])
def test_a_mailbox_made_anew_is_a_conflict(store: Store, mailbox: str, *, warm: bool) -> None:
    store.fill(mailbox, 2)
    with session_on(store.account) as session:
        before = open_mailbox(session, mailbox).uidvalidity
        if not warm:
            open_mailbox(session, "INBOX")
        store.delete(mailbox)
        new = store.fill(mailbox, 1)
        with pytest.raises(ConflictError) as caught:
            uids(session, mailbox, uidvalidity=before)
        assert session.mailbox is not None
        assert caught.value.details == {
            "mailbox": mailbox,
            "expected_uidvalidity": before,
            "found_uidvalidity": session.mailbox.uidvalidity,
        }
        assert before != session.mailbox.uidvalidity
        assert uids(session, mailbox) == new


@MAILBOXES
@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize("query", ["", "Zürich"])
def test_a_deleted_mailbox_is_missing(store: Store, mailbox: str, query: str, *, warm: bool) -> None:
    store.fill(mailbox, 2)
    with session_on(store.account) as session:
        open_mailbox(session, mailbox if warm else "INBOX")
        store.delete(mailbox)
        with pytest.raises(NotFoundError, match="Names are case-sensitive") as caught:
            uids(session, mailbox, query=query)
        assert caught.value.reason is Reason.MAILBOX_MISSING
        assert caught.value.details == {"account_id": "main", "mailbox": mailbox}
        assert not session.in_doubt
        assert uids(session, "INBOX") == []


def list_names(session: Session) -> list[str]:
    listed = list_mailboxes(session, with_counts=True)
    assert count_mailboxes(session, listed).uncounted == {}
    return [each.name for each in listed]


@pytest.mark.parametrize("store", ["dovecot"], indirect=True)
def test_a_call_does_not_fail_over_the_mailbox_of_the_call_before(
    store: Store, run_pool: PoolFactory
) -> None:
    """Dovecot ends a session whose mailbox was deleted: that is a connection lost, and made again."""
    store.fill("Project", 1)
    pool = run_pool(store.account)
    pool.run(lambda session: open_mailbox(session, "Project"))
    store.delete("Project")
    pool.clock.now += SESSION_IDLE_CHECK_S + 1
    assert "Project" not in pool.run(list_names, mailbox="")
    assert pool.run(lambda session: uids(session, "INBOX")) == []


def test_what_became_of_another_mailbox_is_not_asked(peer: PeerFactory) -> None:
    server = peer(mailboxes=[PeerMailbox(name="Project")])
    with session_on(make_account(server)) as session:
        open_mailbox(session, "Project")
        server.settings.mailboxes.pop()
        session.begin_lease()
        session.check(5)
        assert list_names(session) == ["INBOX"]
        session.begin_lease()
        assert uids(session, "INBOX") == []


def test_a_mailbox_that_is_open_is_opened_again_within_the_next_command(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(1))
    with session_on(make_account(server)) as session:
        assert open_mailbox(session, "inbox").exists == 1
        before = session.handle.traffic.round_trips
        session.begin_lease()
        session.choose("INBOX")
        server.mailbox.messages += make_messages(2)
        assert set(fetch_messages(session, [1, 2], ["UID"]).messages) == {1, 2}
        assert session.handle.traffic.round_trips == before + 1
        opened = open_mailbox(session, "INBOX", uidvalidity=server.mailbox.uidvalidity)
        assert (opened.exists, opened.uidnext) == (2, 3)
        assert session.handle.traffic.round_trips == before + 1
    assert [command.name for command in server.commands][-3:] == ["EXAMINE", "EXAMINE", "UID FETCH"]


@pytest.mark.parametrize(
    ("capabilities", "round_trips"), [(["IMAP4rev1"], 2), (["IMAP4rev1", "LITERAL+"], 1)]
)
def test_a_name_beyond_ascii_costs_round_trips_only_if_its_literal_waits(
    peer: PeerFactory, capabilities: list[str], round_trips: int
) -> None:
    """Names in raw UTF-8 are literals."""
    server = peer(messages=make_messages(1), capabilities=capabilities)
    server.rules.append(
        Rule(command="EXAMINE", action=Respond(b"* 1 EXISTS\r\n* OK [UIDVALIDITY 7] -\r\n{tag} OK -\r\n"))
    )
    with session_on(make_account(server)) as session:
        session.quirks.raw_names["Müll"] = "Müll".encode()
        open_mailbox(session, "Müll")
        session.begin_lease()
        session.choose("Müll")
        before = session.handle.traffic.round_trips
        fetch_messages(session, [1], ["UID"])
        assert session.handle.traffic.round_trips - before == round_trips


def test_a_raw_name_is_opened_again_as_well(peer: PeerFactory) -> None:
    """On a server that lists a mailbox in raw UTF-8 and knows it by no other name."""
    mailbox = PeerMailbox(name="Müll", messages=make_messages(1))
    with session_on(make_account(peer(mailboxes=[mailbox]))) as session:
        list_mailboxes(session)
        assert session.quirks.raw_names == {"Müll": "Müll".encode()}
        open_mailbox(session, "Müll")
        mailbox.messages += make_messages(2)
        assert uids(session, "Müll") == [2, 1]
        before, mailbox.uidvalidity = mailbox.uidvalidity, mailbox.uidvalidity + 1
        with pytest.raises(ConflictError) as caught:
            uids(session, "Müll", uidvalidity=before)
        assert caught.value.details["found_uidvalidity"] == before + 1
        mailbox.name = "Other"
        with pytest.raises(NotFoundError):
            uids(session, "Müll")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"{tag} NO Cannot\r\n", None),
        (b"{tag} NO [NONEXISTENT] Cannot\r\n", Reason.MAILBOX_MISSING),
        (b"{tag} NO [TRYCREATE] Cannot\r\n", Reason.MAILBOX_MISSING),
        (b"{tag} NO [NOPERM] Cannot\r\n", Reason.PERMISSION_DENIED),
        (b"{tag} BAD Cannot\r\n", Reason.SERVER_REFUSED),
        (b"{tag} OK Done\r\n", Reason.PROTOCOL_VIOLATION),
        (b"* OK [UIDVALIDITY none] -\r\n{tag} OK Done\r\n", Reason.PROTOCOL_VIOLATION),
        (b"* OK [UIDVALIDITY 4294967296] -\r\n{tag} OK Done\r\n", Reason.PROTOCOL_VIOLATION),
    ],
)
@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize("there", [True, False])
def test_why_a_mailbox_was_not_opened(
    peer: PeerFactory, answer: bytes, reason: Reason | None, *, warm: bool, there: bool
) -> None:
    """A bare NO does not say whether it is missing: LIST does."""
    server = peer(mailboxes=[PeerMailbox(name="Project")])
    with session_on(make_account(server)) as session:
        if warm:
            open_mailbox(session, "Project")
            session.begin_lease()
        server.rules.append(Rule(command="EXAMINE", action=Respond(answer)))
        if not there:
            server.settings.mailboxes.pop()
        expected = reason or (Reason.SERVER_REFUSED if there else Reason.MAILBOX_MISSING)
        with pytest.raises((NotFoundError, InternalError)) as caught:
            uids(session, "Project")
        assert caught.value.reason is expected


@pytest.mark.parametrize("mailbox", ["/INBOX", "INBOX/", "x//y", "../x", "~/x", "%", "**", "*x", "x" * 2_000])
def test_what_no_mailbox_can_be_called_is_missing(store: Store, mailbox: str) -> None:
    store.fill("INBOX", 1)
    with session_on(store.account) as session:
        with pytest.raises(NotFoundError) as caught:
            uids(session, mailbox)
        assert caught.value.reason is Reason.MAILBOX_MISSING


@pytest.mark.parametrize("there", [True, False])
def test_a_wildcard_in_a_name_stands_for_itself(peer: PeerFactory, *, there: bool) -> None:
    server = peer(mailboxes=[PeerMailbox(name=name) for name in ("50% off", "50 days off")[not there :]])
    server.rules.append(Rule(command="EXAMINE", action=Respond(b"{tag} NO Cannot\r\n")))
    with session_on(make_account(server)) as session:
        with pytest.raises((NotFoundError, InternalError)) as caught:
            uids(session, "50% off")
        assert caught.value.reason is (Reason.SERVER_REFUSED if there else Reason.MAILBOX_MISSING)


def test_commands_completed_out_of_order_are_a_violation(peer: PeerFactory) -> None:
    """The answer to the second came before the mailbox was opened: it may be another mailbox's."""
    server = peer()
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        session.begin_lease()
        session.choose("INBOX")
        server.rules += [
            Rule(command="EXAMINE", action=Respond(b"* 0 EXISTS\r\n")),
            Rule(command="UID FETCH", action=Respond(b"{tag} OK Done\r\n")),
        ]
        with pytest.raises(InternalError) as caught:
            fetch_messages(session, [1], ["UID"])
        assert caught.value.reason is Reason.PROTOCOL_VIOLATION
        assert repr(session) == "<Session main at 'INBOX' in doubt>"


def test_a_session_says_what_it_is(peer: PeerFactory) -> None:
    with session_on(make_account(peer())) as session:
        assert repr(session) == "<Session main at 'no mailbox'>"
        open_mailbox(session, "INBOX")
        assert repr(session) == "<Session main at 'INBOX'>"


def test_a_dotless_i_is_not_inbox(peer: PeerFactory) -> None:
    with session_on(make_account(peer())) as session, pytest.raises(NotFoundError):
        open_mailbox(session, "\N{LATIN SMALL LETTER DOTLESS I}nbox")


def test_the_message_limit_is_read_from_the_capabilities(peer: PeerFactory) -> None:
    for said, limit in (("MESSAGELIMIT=1000", 1000), ("MESSAGELIMIT=x", 0), ("MESSAGELIMIT", 0)):
        with session_on(make_account(peer(capabilities=("IMAP4rev1", said)))) as session:
            assert session.message_limit == limit
