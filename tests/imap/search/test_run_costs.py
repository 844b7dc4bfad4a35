"""A page costs what is promised, by the count of a proxy and by our own."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from imap.conftest import PoolFactory
from imap.scenes import (
    At,
    RunningPool,
    make_account,
    newest,
    open_mailbox,
    page_request,
    read_page,
    session_on,
)
from mailmcp import limits
from mailmcp.imap.fetch import fetch_messages
from mailmcp.imap.search.order import Position
from mailmcp.imap.search.page import MailboxPage, PageRequest
from mailmcp.imap.session import Session
from mailmcp.mail.mime.body_parts import choose_text_parts
from mailmcp.mail.mime.structure import Part
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.message.fetch import MessageParts, WantedPart, fetch_parts
from mailmcp.tools.rows import row_items
from mcp_envelope import ConflictError
from servers.dovecot import Dovecot, Login
from servers.peer import PeerFactory
from servers.peer_mailbox import make_messages
from servers.proxy import CountingProxy, ProxyFactory

MANY = 20_000


@pytest.fixture(scope="session")
def many(dovecot: Dovecot) -> Login:
    """A user with 20,000 messages in INBOX."""
    login = dovecot.user("twenty-thousand")
    letter = (
        b"From: Ann Example <ann@example.org>\r\nTo: bob@example.org\r\nSubject: Letter number %d\r\n"
        b"Date: Mon, 1 Jan 2024 12:00:00 +0000\r\nMessage-ID: <%d@example.org>\r\n\r\nDear Bob, %d.\r\n"
    )
    messages: Iterable[bytes] = (letter % (number, number, number) for number in range(1, MANY + 1))
    assert dovecot.fill_before_login(login.user, "INBOX", messages) == MANY
    return login


class Counted:
    """A pool behind a proxy; both say the same of each call."""

    def __init__(self, proxy: CountingProxy, pool: RunningPool) -> None:
        self.proxy, self.pool = proxy, pool

    def run(self, work: Callable[[Session], MailboxPage | MessageParts], mailbox: str = "INBOX") -> object:
        """Make a call; `cost` is what it cost: round trips and octets received."""
        self.proxy.reset()
        result = self.pool.run(work, mailbox=mailbox)
        seen, told = self.proxy.snapshot(), self.pool.telemetry
        assert (told.imap_round_trips, told.bytes_received) == (seen.round_trips, seen.octets_received)
        self.cost = (seen.round_trips, seen.octets_received)
        return result


@pytest.fixture
def count(dovecot: Dovecot, proxy: ProxyFactory, run_pool: PoolFactory) -> Callable[[Login], Counted]:
    """Makes counted pools, each with a warm session that has INBOX open."""

    def make(login: Login) -> Counted:
        counting = proxy(dovecot.host, dovecot.plain_port)
        counted = Counted(counting, run_pool(make_account(counting, login)))
        counted.pool.run(newest)
        return counted

    return make


def next_request(request: PageRequest, page: MailboxPage, *, known: bool) -> PageRequest:
    return replace(
        request, after=page.last, known=page.candidates if known else None, uidvalidity=page.uidvalidity
    )


def test_a_first_page_takes_two_round_trips_and_the_next_one(
    count: Callable[[Login], Counted], many: Login
) -> None:
    counted = count(many)
    request = replace(page_request(), items=row_items(snippets=False))
    first = counted.run(lambda session: read_page(session, request))
    assert isinstance(first, MailboxPage)
    assert first.uids == tuple(range(MANY, MANY - 10, -1))
    assert (first.exists, first.left, len(first.candidates.uids)) == (MANY, MANY - 10, MANY)
    assert counted.cost[0] == 2
    assert counted.cost[1] < 20_000
    second_request = next_request(request, first, known=True)
    second = counted.run(lambda session: read_page(session, second_request))
    assert isinstance(second, MailboxPage)
    assert second.uids == tuple(range(MANY - 10, MANY - 20, -1))
    assert counted.cost[0] == 1
    forgotten = next_request(request, first, known=False)
    again = counted.run(lambda session: read_page(session, forgotten))
    assert isinstance(again, MailboxPage)
    assert again.uids == second.uids
    assert counted.cost[0] == 2


def test_the_newest_ten_of_twenty_thousand_cost_little_from_a_cold_start(
    dovecot: Dovecot, many: Login, proxy: ProxyFactory, run_pool: PoolFactory
) -> None:
    counting = proxy(dovecot.host, dovecot.plain_port)
    pool = run_pool(make_account(counting, many))
    request = replace(page_request(), items=row_items(snippets=True))
    page = pool.run(lambda session: read_page(session, request))
    assert list(page.fetched.messages) == list(page.uids)
    assert counting.snapshot().octets_received < 20_000
    assert pool.telemetry.bytes_received == counting.snapshot().octets_received
    assert pool.telemetry.imap_round_trips == counting.snapshot().round_trips


def test_paging_through_all_gives_each_once(count: Callable[[Login], Counted], many: Login) -> None:
    counted = count(many)
    request = replace(page_request(size=limits.PAGE_SIZE_MAX), items=lambda _session: ("UID", "FLAGS"))
    given: list[int] = []
    page = counted.run(lambda session: read_page(session, request))
    while True:
        assert isinstance(page, MailboxPage)
        assert set(page.fetched.messages) == set(page.uids)
        given += page.uids
        if not page.left:
            break
        following = next_request(request, page, known=True)
        page = counted.run(lambda session, following=following: read_page(session, following))  # type: ignore[misc] # bound now
        assert counted.cost[0] == 1
    assert given == list(range(MANY, 0, -1))


def all_text(root: Part) -> Sequence[WantedPart]:
    return [WantedPart(each) for each in choose_text_parts(root).all]


@pytest.mark.parametrize(
    ("size", "round_trips", "limit_octets"),
    [(1_000, 1, 3_000), (limits.FIRST_FETCH_OCTETS, 1, 135_000), (10_000_000, 2, 200_000)],
    ids=["small", "128 KiB", "10 MB attached"],
)
def test_a_message_costs_one_round_trip_or_two(
    dovecot: Dovecot,
    dovecot_user: Login,
    count: Callable[[Login], Counted],
    size: int,
    round_trips: int,
    limit_octets: int,
) -> None:
    [uid] = dovecot.fill(dovecot_user.user, "INBOX", [_letter(size)])
    counted = count(dovecot_user)
    uidvalidity = counted.pool.run(lambda session: open_mailbox(session, "INBOX").uidvalidity)
    ref = MessageRef(account_id="main", mailbox="INBOX", uidvalidity=uidvalidity, uid=uid)
    parts = counted.run(lambda session: fetch_parts(session, ref, all_text))
    assert isinstance(parts, MessageParts)
    assert parts.fetched.size_octets == size
    assert b"The last words." in b"".join(parts.octets.values())
    assert counted.cost[0] == round_trips
    assert counted.cost[1] < limit_octets


def _letter(size: int) -> bytes:
    """A message of `size` octets, whose text comes last: behind an attachment if it is large."""
    head = b"From: ann@example.org\r\nSubject: Letter\r\nMIME-Version: 1.0\r\n"
    words = b"The last words.\r\n"
    if size <= limits.FIRST_FETCH_OCTETS:
        head += b"Content-Type: text/plain\r\n\r\n"
        return head + _lines(size - len(head) - len(words)) + words
    head += b"Content-Type: multipart/mixed; boundary=xyz\r\n\r\n"
    attached = (
        b'--xyz\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename="a.zip"\r\n'
    )
    attached += b"Content-Transfer-Encoding: base64\r\n\r\n"
    text = b"\r\n--xyz\r\nContent-Type: text/plain\r\n\r\n" + words + b"--xyz--\r\n"
    return head + attached + _lines(size - len(head) - len(attached) - len(text)) + text


def _lines(octets: int) -> bytes:
    return (b"QUFB" * 19 + b"\r\n") * (octets // 78) + b"A" * (octets % 78 - 2) + b"\r\n"


def test_past_the_end_is_an_empty_page(peer: PeerFactory) -> None:
    """All candidates are known and none are left, but the mailbox is still opened."""
    server = peer(messages=make_messages(1, 2))
    with session_on(make_account(server)) as session:
        first = read_page(session, page_request())
        session.begin_lease()
        request = next_request(page_request(), first, known=True)
        page = read_page(session, request)
        assert (page.uids, page.left, page.fetched.messages) == ((), 0, {})
        session.begin_lease()
        server.mailbox.uidvalidity += 1
        with pytest.raises(ConflictError):
            read_page(session, request)


def test_a_message_that_vanished_since_the_search_is_a_failure(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(1, 2, 3))
    with session_on(make_account(server)) as session:
        first = read_page(session, page_request())
        del server.mailbox.messages[1]
        page = read_page(session, replace(page_request(), known=first.candidates))
        assert page.uids == (3, 2, 1)
        assert set(page.fetched.messages) == {1, 3}
        assert page.fetched.failures[2].code == "not_found"
        session.begin_lease()
        anew = read_page(session, replace(page_request(), known=first.candidates))
        assert (anew.uids, anew.fetched.failures) == ((3, 1), {}), "the mailbox says that something is gone"


def test_a_cursor_is_enough_for_a_next_page(dovecot: Dovecot, many: Login) -> None:
    """On a cold session a next page is opened, searched and fetched; nothing else is needed."""
    with session_on(make_account(At(dovecot.host, dovecot.plain_port), many)) as session:
        uidvalidity = open_mailbox(session, "INBOX").uidvalidity
        open_mailbox(session, "Sent")
        after = Position(uidvalidity=uidvalidity, uid=101)
        page = read_page(session, replace(page_request(size=100), after=after, uidvalidity=uidvalidity))
        assert page.uids == tuple(range(100, 0, -1))
        session.choose("INBOX")
        assert fetch_messages(session, [1], ["UID"]).messages[1].uid == 1
