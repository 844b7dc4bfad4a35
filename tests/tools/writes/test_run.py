"""Orders on their way: ceilings, lost connections, deaths of the process, time that runs out."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import anyio
import pytest
from anyio import from_thread
from anyio.lowlevel import current_token

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.writes.values import Action, Fate, Order
from mailmcp.reasons import Reason
from mailmcp.tools.journal import Journal
from mailmcp.tools.tool import Call
from mailmcp.tools.writes.run import Ran
from mcp_envelope import BaseReason, DeadlineError, InternalError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Close, FailUid, Respond, Rule, Silence, Stall
from servers.peer_answers import CAPABILITIES
from servers.peer_mailbox import PeerMailbox, make_messages
from soak.cutting import CuttingProxy
from tools.conftest import DeskFactory
from tools.desk import CALL_TIMEOUT_S, Desk
from tools.letters import make_letter
from tools.stores import Store, peer_account
from tools.writes.running import run
from tools.writes.test_journal import start

CAN_MOVE = (*CAPABILITIES, "MOVE", "UIDPLUS", "SPECIAL-USE")
DONE, FAILED, UNKNOWN = Fate.DONE, Fate.FAILED, Fate.UNKNOWN


def writable(account: Account, **options: Any) -> Account:
    return replace(account, writes=Writes.ALL, **options)


def move(*uids: int, **others: Any) -> Order:
    options: dict[str, Any] = {"mailbox": "INBOX", "target": "Work", **others}
    return Order(action=Action.MOVE, account_id="work", uids=uids, **options)


def carry_out(desk: Desk, *orders: Order, undoes: str = "") -> Ran:
    return desk.run(partial(run, orders=orders, undoes=undoes))


def fates(ran: Ran) -> list[list[Fate]]:
    return [[each.fate for each in carried.results] for carried in ran.carried]


@pytest.fixture
def moving(peer: PeerFactory) -> Peer:
    """A peer with four messages and a mailbox for them."""
    return peer(
        messages=make_messages(1, 2, 3, 4), mailboxes=[PeerMailbox(name="Work")], capabilities=CAN_MOVE
    )


@pytest.fixture
def desk(moving: Peer, open_desk: DeskFactory) -> Desk:
    """A desk for the account of that peer."""
    return open_desk(writable(peer_account(moving)))


def test_an_entry_says_what_was_done_and_what_had_been_read(store: Store, open_desk: DeskFactory) -> None:
    with store.client() as client:
        client.create_folder("Work")
    uids = store.fill("INBOX", [make_letter(f"Letter {n}").as_bytes() for n in range(3)])
    desk = open_desk(writable(store.account))
    first, second, _ = desk.message_ids()
    desk.get(second)
    desk.get(first)
    desk.get(second)
    desk.search()
    ran = carry_out(desk, move(*uids[:2]), move(uids[2]))
    assert fates(ran) == [[DONE, DONE], [DONE]]
    assert desk.reports == [(2, 3, "messages changed"), (3, 3, "messages changed")]
    [entry] = desk.journal.read().entries
    assert (entry.entry_id, entry.tool, entry.action) == (ran.entry_id, "imap_change_messages", "move")
    assert entry.carried == tuple(replace(each, looked_up=False) for each in ran.carried)
    assert entry.read == (first, second)


def test_a_message_that_can_t_be_read_stops_no_other(moving: Peer, desk: Desk) -> None:
    moving.rules.append(Rule(command="UID FETCH", containing="UID FLAGS", action=FailUid(uid=2)))
    ran = carry_out(desk, move(1, 2), move(3))
    assert fates(ran) == [[DONE, FAILED], [DONE]], "though the target can't be read, either"
    [entry] = desk.journal.read().entries
    assert fates(replace(ran, carried=[*entry.carried])) == fates(ran)


def test_the_hourly_ceiling_outlives_the_process(moving: Peer, open_desk: DeskFactory) -> None:
    account = writable(peer_account(moving), writes_per_hour=3)
    desk, now = open_desk(account), datetime.now(UTC)
    desk.journal.clock = lambda: now - timedelta(minutes=20)
    ran = carry_out(desk, move(1))
    desk.journal.clock = lambda: now
    carry_out(desk, move(2))
    again = open_desk(account)
    again.journal = Journal(store=desk.journal.store, clock=lambda: now)
    with pytest.raises(InternalError, match="and 1 are left") as caught:
        carry_out(again, move(3, 4))
    limit = caught.value.rate_limit
    assert caught.value.retryable
    assert limit is not None
    assert (limit.limit, limit.remaining) == (3, 1)
    assert limit.retry_after_s == pytest.approx(40 * 60, abs=1)  # the journal counts whole seconds
    back = move(1, 2, mailbox="Work", target="INBOX")
    assert fates(carry_out(again, back, undoes=ran.entry_id)) == [[DONE, DONE]], "undoing isn't limited"
    again.journal.clock = lambda: now + timedelta(seconds=limit.retry_after_s or 0)
    assert fates(carry_out(again, move(3, 4))) == [[DONE, DONE]]


def test_without_a_journal_nothing_is_changed(moving: Peer, desk: Desk) -> None:
    (desk.journal_folder / "account-work.lock").mkdir()
    with pytest.raises(InternalError, match=f"folder {desk.journal_folder} can't be written"):
        carry_out(desk, move(1))
    assert moving.connections == 0


def test_a_journal_that_fails_on_the_way_stops_the_rest(moving: Peer, desk: Desk) -> None:
    async def work(call: Call) -> Ran:
        def report(*_: object) -> None:
            (desk.journal_folder / "journal.jsonl").rename(desk.journal_folder / "old")
            (desk.journal_folder / "journal.jsonl").mkdir()

        call.report = report
        return await run(call, [move(1), move(2), move(3)])

    ran = desk.run(work)
    assert fates(ran) == [[DONE]]
    assert ran.stopped is not None
    assert ran.stopped.reason is Reason.JOURNAL_FAILED
    assert "Without it nothing is changed" in ran.stopped.message
    assert ran.not_begun == [move(2), move(3)]
    assert len(moving.mailbox.messages) == 3


@pytest.mark.parametrize(("when", "fate"), [("within", DONE), ("before", FAILED)])
def test_what_was_sent_when_the_connection_broke_is_looked_up_and_the_rest_stays(
    moving: Peer, desk: Desk, when: Any, fate: Fate
) -> None:
    moving.rules.append(Rule(command="UID MOVE", action=Close(when)))
    ran = carry_out(desk, move(1, 2), move(3))
    assert fates(ran) == [[fate, fate]]
    assert ran.stopped is not None
    assert ran.stopped.reason is Reason.CONNECTION_LOST
    assert ran.not_begun == (move(3),)
    [entry] = desk.journal.read().entries
    assert [each.fate for each in entry.carried[0].results] == [fate, fate]
    assert [each.name for each in moving.commands].count("UID MOVE") == 1


def test_what_stayed_is_not_left_marked_as_deleted(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """There is no MOVE, and the connection breaks before the original is removed."""
    server = peer(
        messages=make_messages(1),
        mailboxes=[PeerMailbox(name="Work")],
        capabilities=(*CAPABILITIES, "UIDPLUS"),
        rules=[Rule(command="UID EXPUNGE", action=Close("before"))],
    )
    ran = carry_out(open_desk(writable(peer_account(server))), move(1))
    assert fates(ran) == [[FAILED]]
    assert "\\Deleted" not in server.mailbox.messages[0].flags


def test_what_cannot_be_looked_up_now_is_before_the_next_change(moving: Peer, desk: Desk) -> None:
    lost = Rule(command="UID MOVE", action=Close("within"), nth=1)
    moving.rules = [lost, Rule(command="EXAMINE", action=Close("before"))]
    assert fates(carry_out(desk, move(1, 2))) == [[UNKNOWN, UNKNOWN]]
    with pytest.raises(InternalError) as caught:
        carry_out(desk, move(3))
    assert caught.value.reason is Reason.CONNECTION_LOST
    assert len(moving.mailbox.messages) == 2, "nothing is changed before it is known"
    moving.rules.clear()
    assert fates(carry_out(desk, move(3))) == [[DONE]]
    last, first = desk.journal.read().entries
    assert [each.fate for each in first.carried[0].results] == [DONE, DONE]
    assert [each.new_uid for each in first.carried[0].results] == [1, 2]
    assert last.changed == 1


@pytest.mark.parametrize(("answer", "fate"), [(Stall(), DONE), (Silence(), FAILED)])
def test_what_a_process_left_behind_is_looked_up_before_the_next_change(
    moving: Peer, desk: Desk, answer: Any, fate: Fate
) -> None:
    """It is killed while the server carries out its command, or before the server begins to."""
    moving.rules.append(Rule(command="UID MOVE", action=answer, nth=1))
    program = start("move", desk.journal_folder, moving.port, moving.user, moving.password)
    moving.wait_for("UID MOVE")
    desk.timeout_s = 0.1
    with pytest.raises(DeadlineError, match="Another call is changing mail"):
        carry_out(desk, move(2))
    program.kill()
    program.wait()
    desk.timeout_s = CALL_TIMEOUT_S
    assert desk.call("imap_undo").data["entries"][0]["unknown"] == 1
    assert fates(carry_out(desk, move(2))) == [[DONE]]
    _, entry = desk.journal.read().entries
    assert [each.fate for each in entry.carried[0].results] == [fate]
    assert [each.name for each in moving.commands].count("UID MOVE") == 2


def test_an_order_that_fails_for_its_own_reason_does_not_stop_the_next(desk: Desk) -> None:
    ran = carry_out(desk, move(1, mailbox="Nowhere"), move(2, uidvalidity=1), move(9), move(3))
    assert fates(ran) == [[FAILED], [FAILED], [FAILED], [DONE]]
    reasons = [each.results[0].error.reason for each in ran.carried[:3] if each.results[0].error]
    assert reasons == [Reason.MAILBOX_MISSING, Reason.UIDVALIDITY_CHANGED, Reason.MESSAGE_GONE]
    assert ran.stopped is None


def test_a_mailbox_that_nobody_may_change_stops_everything(moving: Peer, desk: Desk) -> None:
    moving.settings.traps.add("read-only")
    with pytest.raises(InternalError) as caught:
        carry_out(desk, move(1), move(2))
    assert caught.value.reason is Reason.PERMISSION_DENIED
    assert [each.name for each in moving.commands].count("SELECT") == 1


def test_what_the_server_refuses_as_a_whole_is_not_tried_with_the_rest(moving: Peer, desk: Desk) -> None:
    moving.rules.append(Rule(command="UID MOVE", action=Respond(b"{tag} NO [OVERQUOTA] Full\r\n")))
    ran = carry_out(desk, move(1, 2), move(3))
    assert fates(ran) == [[FAILED, FAILED]]
    assert ran.stopped is not None
    assert ran.stopped.reason is Reason.SERVER_REFUSED
    assert ran.not_begun == (move(3),)


def test_a_call_whose_time_is_up_ends_between_two_orders(moving: Peer, desk: Desk) -> None:
    """What is left of it wouldn't do for another order that takes as long as the first."""

    async def work(call: Call) -> Ran:
        def report(*_: object) -> None:
            call.deadline = anyio.current_time() + 0.001

        call.report = report
        return await run(call, [move(1), move(2)])

    ran = desk.run(work)
    assert fates(ran) == [[DONE]]
    assert ran.not_begun == [move(2)]
    assert ran.stopped is not None
    assert ran.stopped.reason is BaseReason.DEADLINE
    assert len(moving.mailbox.messages) == 3


def test_a_call_that_is_cancelled_ends_after_the_order_that_is_under_way(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    with dovecot_mail.client() as client:
        client.create_folder("Work")
    uids = dovecot_mail.fill("INBOX", [make_letter(f"Letter {n}").as_bytes() for n in range(3)])
    account = dovecot_mail.account
    with CuttingProxy(account.host, account.port, Random(0)) as proxy:  # noqa: S311 - it cuts nothing
        desk = open_desk(writable(account, host=proxy.host, port=proxy.port))

        async def work(call: Call) -> bool:
            token = current_token()
            with anyio.CancelScope() as scope:
                proxy.before_write = lambda: from_thread.run_sync(scope.cancel, token=token)
                await run(call, [move(uids[0]), move(*uids[1:])])
            return bool(scope.cancelled_caught)

        assert desk.run(work)
        [entry] = desk.journal.read().entries
        assert [each.fate for each in entry.carried[0].results] == [DONE]
        assert len(entry.carried) == 1
        assert dovecot_mail.flags("INBOX").keys() == {*uids[1:]}
        assert fates(carry_out(desk, move(*uids[1:]))) == [[DONE, DONE]], "the account isn't locked"


def test_whatever_gives_text_out_notes_it(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    """A list without snippets gives none."""
    attached = make_letter("With a file")
    attached.add_attachment(b"text", maintype="text", subtype="plain", filename="a.txt")
    dovecot_mail.fill("INBOX", [attached.as_bytes()])
    [message_id] = (desk := open_desk(dovecot_mail.account)).message_ids()
    about = {"message_id": message_id}
    gives: list[tuple[str, dict[str, Any]]] = [
        ("imap_get_message", about),
        ("imap_get_thread", about),
        ("imap_get_attachment", {**about, "part_id": "2"}),
        ("imap_get_message_raw", about),
        ("imap_search_messages", {"snippet_max_chars": 100}),
    ]
    desk.search()
    assert list(desk.read_ids) == []
    for tool, arguments in gives:
        desk.read_ids.clear()
        desk.call(tool, arguments)
        assert list(desk.read_ids) == [message_id], tool
