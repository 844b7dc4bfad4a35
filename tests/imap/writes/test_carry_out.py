"""What is ordered is done, and the results say what another program sees, on three real servers."""

from typing import Any

import pytest

from imap.writes.orders import change, fates, find_out, make_order, writable, writing_on
from mailmcp.imap.account import Writes
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.writes.carry_out import carry_out
from mailmcp.imap.writes.create import create_mailbox
from mailmcp.imap.writes.prepare import prepare
from mailmcp.imap.writes.values import BATCH_MAX, Action, Fate
from mailmcp.reasons import Reason
from servers.dovecot import Dovecot
from servers.peer_mailbox import make_messages
from tools.stores import Store, dovecot_store

DONE, FAILED = Fate.DONE, Fate.FAILED


def letters(*numbers: int) -> list[bytes]:
    return [message.octets for message in make_messages(*numbers)]


def ids(store: Store, mailbox: str) -> dict[int, str]:
    """Read the Message-ID of each message."""
    with store.client() as client:
        client.select_folder(mailbox, readonly=True)
        rows = client.fetch(client.search(), ["ENVELOPE"])
        return {uid: row[b"ENVELOPE"].message_id.decode().strip("<>") for uid, row in rows.items()}


def flags(store: Store, mailbox: str, uid: int) -> set[str]:
    return {each.decode() for each in store.flags(mailbox)[uid]} - {"\\Recent"}


def make_mailboxes(store: Store, *names: str) -> None:
    with store.client() as client:
        for name in names:
            if not client.folder_exists(name):
                client.create_folder(name)


def test_flags_and_keywords_are_added_and_removed_and_others_stay(mail: Store) -> None:
    first, second = mail.fill("INBOX", letters(1, 2), flags=(b"\\Flagged", b"\\Answered"))
    with writing_on(writable(mail.account)) as session:
        order: dict[str, Any] = {
            "uids": (first, second),
            "add": ("\\Seen",),
            "remove": ("\\flagged", "\\Draft"),
        }
        results = change(session, Action.FLAGS, "inbox", **order)
        assert fates(results) == {first: (DONE, 0), second: (DONE, 0)}
        assert flags(mail, "INBOX", first) == flags(mail, "INBOX", second) == {"\\Seen", "\\Answered"}
        assert fates(change(session, Action.FLAGS, **order)) == fates(results), "there is nothing to do"


def test_keywords_are_stored_where_the_server_takes_them(mail: Store) -> None:
    [uid] = mail.fill("INBOX", letters(1))
    with writing_on(writable(mail.account)) as session:
        if mail.kind == "pymap":
            with pytest.raises(Exception, match="must be what the server stores"):
                change(session, Action.FLAGS, uids=(uid,), add=("$Later",))
            return
        assert fates(change(session, Action.FLAGS, uids=(uid,), add=("$Later", "Todo"))) == {uid: (DONE, 0)}
        assert flags(mail, "INBOX", uid) == {"$Later", "Todo"}


@pytest.mark.parametrize("action", [Action.MOVE, Action.COPY])
def test_what_is_moved_or_copied_is_found_in_the_target_by_its_new_uid(mail: Store, action: Action) -> None:
    uids = mail.fill("INBOX", letters(1, 2, 3, 4), flags=(b"\\Flagged",))
    make_mailboxes(mail, "Ablage & mehr: ä")
    mail.fill("Ablage & mehr: ä", letters(9))
    before = ids(mail, "INBOX")
    with writing_on(writable(mail.account)) as session:
        gone = uids[-1] + 50
        chosen = (uids[0], uids[2], uids[3], gone)
        order = make_order(action, uids=chosen, target="Ablage & mehr: ä")
        prepared = prepare(session, order)
        assert sorted(prepared.before) == list(chosen[:3])
        round_trips = session.traffic.round_trips
        results = carry_out(session, prepared)
        assert session.traffic.round_trips - round_trips == 2
    there = ids(mail, "Ablage & mehr: ä")
    assert {each.uid: there[each.new_uid] for each in results[:3]} == {uid: before[uid] for uid in chosen[:3]}
    assert (results[3].uid, results[3].fate, results[3].new_uid) == (gone, FAILED, 0)
    left = ids(mail, "INBOX")
    assert set(left) == ({uids[1]} if action is Action.MOVE else set(uids))
    assert flags(mail, "Ablage & mehr: ä", results[0].new_uid) == {"\\Flagged"}, "and it is still unread"
    assert fates(find_out(mail.account, prepared)) == fates(results), "as it is found afterwards"


def test_a_whole_batch_goes_and_each_message_gets_its_own_new_uid(mail: Store) -> None:
    uids = mail.fill("INBOX", letters(*range(BATCH_MAX)))
    make_mailboxes(mail, "Work")
    before = ids(mail, "INBOX")
    with writing_on(writable(mail.account)) as session:
        results = change(session, Action.MOVE, uids=tuple(uids), target="Work")
    there = ids(mail, "Work")
    assert len(there) == BATCH_MAX
    assert {each.uid: there[each.new_uid] for each in results} == before
    assert ids(mail, "INBOX") == {}


def test_only_the_named_messages_are_deleted_for_good(mail: Store) -> None:
    """Others that somebody marked as deleted stay: a plain EXPUNGE would take them, too."""
    first, marked, last = mail.fill("INBOX", letters(1, 2, 3))
    with mail.client() as client:
        client.select_folder("INBOX")
        client.delete_messages([marked])
    with writing_on(writable(mail.account)) as session:
        assert fates(change(session, Action.DELETE, uids=(first,))) == {first: (DONE, 0)}
        assert set(ids(mail, "INBOX")) == {marked, last}
        assert "\\Deleted" in flags(mail, "INBOX", marked)


def test_a_draft_lands_in_drafts_as_it_is_and_may_go_to_trash(mail: Store) -> None:
    make_mailboxes(mail, "Drafts", "Trash")
    [draft] = letters(7)
    draft += "Grüße, 8-bit\r\n".encode() * 10_000
    with writing_on(writable(mail.account, Writes.DRAFTS)) as session:
        known = {"octets": draft, "header_message_id": "7@example.org", "add": ("\\Draft", "\\Seen")}
        prepared = prepare(session, make_order(Action.APPEND, "Drafts", **known))
        [result] = carry_out(session, prepared)
    assert (result.uid, result.fate) == (0, DONE)
    assert flags(mail, "Drafts", result.new_uid) == {"\\Draft", "\\Seen"}
    with mail.client() as client:
        client.select_folder("Drafts", readonly=True)
        [row] = client.fetch([result.new_uid], ["BODY.PEEK[]"]).values()
        assert row[b"BODY[]"] == draft
    assert fates(find_out(mail.account, prepared)) == {0: (DONE, result.new_uid)}
    with writing_on(writable(mail.account, Writes.DRAFTS)) as session:
        [moved] = change(session, Action.MOVE, "Drafts", uids=(result.new_uid,), target="Trash")
    assert (ids(mail, "Trash"), ids(mail, "Drafts")) == ({moved.new_uid: "7@example.org"}, {})


def test_what_another_program_has_taken_meanwhile_is_not_claimed(mail: Store) -> None:
    make_mailboxes(mail, "Work")
    uids = mail.fill("INBOX", letters(1, 2, 3))
    with writing_on(writable(mail.account)) as session:
        prepared = prepare(session, make_order(Action.MOVE, uids=tuple(uids), target="Work"))
        mail.expunge("INBOX", uids[:2])
        results = carry_out(session, prepared)
    there = ids(mail, "Work")
    for each in results:
        assert (each.fate is DONE) == (each.new_uid in there), each
    assert results[0].fate is not DONE
    assert results[1].fate is not DONE
    assert len(there) == [each.fate for each in results].count(DONE)


def test_a_mailbox_is_made_once_subscribed_and_found(mail: Store) -> None:
    with writing_on(writable(mail.account, Writes.ORGANIZE)) as session:
        for _ in range(2):
            create_mailbox(session, "Neu/Größe")
        assert "Neu/Größe" in {each.name for each in list_mailboxes(session)}
    with mail.client() as client:
        assert "Neu/Größe" in {name for _, _, name in client.list_sub_folders()}


ACL = """
mail_plugins = acl
protocol imap {
  mail_plugins = acl imap_acl
}
plugin {
  acl = vfile
}
"""


def test_rights_that_are_missing_are_seen(dovecot: Dovecot) -> None:
    """Without the right `t` Dovecot says OK to STORE and UID EXPUNGE, and does nothing."""
    assert dovecot, "it is installed"
    with Dovecot(extra=ACL) as server:
        mail = dovecot_store(server, server.user("guest"))
        uids = tuple(mail.fill("INBOX", letters(1, 2)))
        make_mailboxes(mail, "Work")
        with mail.client() as client:
            client.setacl("INBOX", "guest", "lrswa")
        with writing_on(writable(mail.account)) as session:
            for action, target, reason in (
                (Action.DELETE, "", Reason.NOT_CHANGED),
                (Action.MOVE, "Work", Reason.PERMISSION_DENIED),
            ):
                results = change(session, action, uids=uids, target=target)
                assert [each.fate for each in results] == [FAILED, FAILED]
                assert {each.error.reason for each in results if each.error} == {reason}
        assert (set(ids(mail, "INBOX")), ids(mail, "Work")) == (set(uids), {})
