"""Real servers' traps, played by the scripted peer: a tagged OK is no proof, and a NO isn't either."""

from collections.abc import Sequence
from typing import Literal

import pytest

from imap.writes.orders import (
    BARE,
    EXCHANGE,
    GMAIL,
    ICLOUD,
    YAHOO,
    change,
    fates,
    find_out,
    make_order,
    peer_account,
    standard_mailboxes,
    writing_on,
)
from mailmcp.imap.writes.carry_out import carry_out
from mailmcp.imap.writes.prepare import prepare
from mailmcp.imap.writes.values import Action, Fate
from mailmcp.reasons import Reason
from mcp_envelope import ToolError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import PeerMailbox, PeerMessage, make_messages

DONE, FAILED, UNKNOWN = Fate.DONE, Fate.FAILED, Fate.UNKNOWN
UIDS = (1, 2, 3, 4, 5)


def serve(peer: PeerFactory, capabilities: Sequence[str], *traps: str, uids: Sequence[int] = UIDS) -> Peer:
    """Start a peer whose INBOX has these messages, and which has the usual other mailboxes."""
    server = peer(messages=make_messages(*uids), mailboxes=standard_mailboxes(), capabilities=capabilities)
    server.settings.traps.update(traps)
    return server


def mailbox(server: Peer, name: str) -> PeerMailbox:
    return next(each for each in server.settings.mailboxes if each.name == name)


def subjects(server: Peer, name: str) -> dict[int, str]:
    """Return which message each UID of a mailbox is, by its number."""
    return {
        each.uid: each.octets.partition(b"Message-ID: <")[2].partition(b"@")[0].decode()
        for each in mailbox(server, name).messages
    }


def sent(server: Peer) -> list[str]:
    """List the commands that change something."""
    reads = {"CAPABILITY", "LOGIN", "ID", "LIST", "STATUS", "SELECT", "EXAMINE", "UID FETCH", "AUTHENTICATE"}
    return [each.name for each in server.commands if each.name not in reads]


@pytest.mark.parametrize("capabilities", [YAHOO, ("IMAP4rev1", "UIDPLUS", "MOVE")], ids=["EMAILID", "ids"])
@pytest.mark.parametrize("action", [Action.MOVE, Action.COPY])
def test_yahoo_pairs_the_new_uids_wrongly(
    peer: PeerFactory, capabilities: Sequence[str], action: Action
) -> None:
    server = serve(peer, capabilities, "copyuid reversed")
    mailbox(server, "Work").messages += make_messages(70)
    with writing_on(peer_account(server)) as session:
        results = change(session, action, uids=UIDS, target="Work")
    there = subjects(server, "Work")
    assert {each.uid: there[each.new_uid] for each in results} == {uid: str(uid) for uid in UIDS}


def test_without_ids_a_wrong_pair_spoils_the_trust_in_the_others(peer: PeerFactory) -> None:
    """What has no Message-ID can't be checked: it was moved, and where it is now isn't said."""
    server = serve(peer, ("IMAP4rev1", "UIDPLUS", "MOVE"))
    server.mailbox.messages[1].octets = b"Subject: no id\r\n\r\nText\r\n"
    for traps, known in ((set[str](), True), ({"copyuid reversed"}, False)):
        server.settings.traps = traps
        with writing_on(peer_account(server)) as session:
            results = change(session, Action.COPY, uids=(1, 2, 3, 4), target="Work")
        assert [each.fate for each in results] == [DONE] * 4
        assert (results[1].new_uid > 0) == known
        assert all(each.new_uid for each in results if each.uid != 2)


def test_gmail_removes_nothing_from_all_mail_and_says_ok(peer: PeerFactory) -> None:
    """To delete is to move to Trash, and to delete there; if that is a no-op, too, it is said."""
    server = serve(peer, GMAIL)
    with writing_on(peer_account(server)) as session:
        assert fates(change(session, Action.DELETE, uids=(1, 2))) == {1: (DONE, 0), 2: (DONE, 0)}
        assert subjects(server, "Trash") == {}
        expunged = [each for each in server.commands if each.name in {"UID MOVE", "UID EXPUNGE", "SELECT"}]
        assert [each.line for each in expunged] == [
            'SELECT "INBOX"',
            'UID MOVE 1:2 "Trash"',
            'SELECT "Trash"',
            "UID EXPUNGE 1:2",
        ]
        server.settings.traps.add("expunge ignored")
        prepared = prepare(session, make_order(Action.DELETE, uids=(3, 4)))
        assert prepared.order.target == "Trash"
        results = carry_out(session, prepared)
    assert fates(results) == {3: (FAILED, 3), 4: (FAILED, 4)}
    assert subjects(server, "Trash") == {3: "3", 4: "4"}
    assert all("\\Deleted" not in each.flags for each in mailbox(server, "Trash").messages), "unmarked again"
    assert fates(find_out(peer_account(server), prepared)) == fates(results)


def test_gmail_deletes_where_it_is_in_junk_and_trash(peer: PeerFactory) -> None:
    server = serve(peer, GMAIL)
    mailbox(server, "Junk").messages += make_messages(6)
    with writing_on(peer_account(server)) as session:
        assert fates(change(session, Action.DELETE, "Junk", uids=(6,))) == {6: (DONE, 0)}
    assert sent(server) == ["UID STORE", "UID EXPUNGE", "UID STORE"]


def test_gmail_s_labels_are_added_and_removed(peer: PeerFactory) -> None:
    server = serve(peer, GMAIL, uids=(1,))
    server.mailbox.messages[0].labels = ("\\Inbox", "Old", "Gr&APY-n")
    with writing_on(peer_account(server)) as session:
        order = make_order(Action.LABELS, uids=(1,), add=("Größe & mehr", "\\Starred"), remove=("Old",))
        prepared = prepare(session, order)
        assert prepared.before[1].labels == ("\\Inbox", "Old", "Grön")
        assert fates(carry_out(session, prepared)) == {1: (DONE, 0)}
        for label, fate in (("grön", FAILED), ("Grön", DONE)):  # the server compares with case
            assert fates(change(session, Action.LABELS, uids=(1,), remove=(label,))) == {1: (fate, 0)}
    assert set(server.mailbox.messages[0].labels) == {"\\Inbox", "Gr&APYA3w-e &- mehr", "\\Starred"}
    with writing_on(peer_account(serve(peer, YAHOO))) as session, pytest.raises(ToolError, match="no labels"):
        change(session, Action.LABELS, uids=(1,), add=("Work",))


def test_icloud_has_no_move_and_no_literal_plus(peer: PeerFactory) -> None:
    server = serve(peer, ICLOUD)
    server.mailbox.messages[4].flags = ("\\Deleted",)
    with writing_on(peer_account(server)) as session:
        assert fates(change(session, Action.MOVE, uids=(1, 2, 9), target="Work")) == {
            1: (DONE, 1),
            2: (DONE, 2),
            9: (FAILED, 0),
        }
        assert sent(server) == ["UID COPY", "UID STORE", "UID EXPUNGE", "UID STORE"]
        assert subjects(server, "INBOX") == {3: "3", 4: "4", 5: "5"}, "what others have marked stays"
        known = {"octets": make_messages(8)[0].octets, "header_message_id": "8@example.org"}
        assert fates(change(session, Action.APPEND, "Drafts", **known)) == {0: (DONE, 1)}
    assert "\\Deleted" not in mailbox(server, "Work").messages[0].flags


@pytest.mark.parametrize("trap", ["expunge ignored", "deleted dropped", "refused"])
def test_proton_refuses_uid_expunge_though_it_advertises_it(peer: PeerFactory, trap: str) -> None:
    """The message is in both mailboxes then, which is said, and not marked as deleted in either."""
    server = serve(peer, ICLOUD, trap)
    if trap != "deleted dropped":
        server.mailbox.messages[2].flags = ("\\Deleted",)
    if trap == "refused":
        server.rules.append(Rule(command="UID EXPUNGE", action=Respond(b"{tag} BAD Unknown command\r\n")))
    with writing_on(peer_account(server)) as session:
        moved = change(session, Action.MOVE, uids=(1, 2), target="Work")
        deleted = change(session, Action.DELETE, uids=(3, 4))
    assert fates(moved) == {1: (FAILED, 1), 2: (FAILED, 2)}
    assert fates(deleted) == {3: (FAILED, 0), 4: (FAILED, 0)}
    marked_before = [] if trap == "deleted dropped" else [3]
    assert subjects(server, "INBOX") == {uid: str(uid) for uid in UIDS}
    assert subjects(server, "Work") == {1: "1", 2: "2"}
    assert [each.uid for each in server.mailbox.messages if "\\Deleted" in each.flags] == marked_before
    reasons = {each.error.reason for each in (*moved, *deleted) if each.error}
    assert reasons == {Reason.SERVER_REFUSED if trap == "refused" else Reason.NOT_CHANGED}


def test_a_copy_that_fails_removes_nothing(peer: PeerFactory) -> None:
    """Without MOVE, only what was seen in the target is removed from the source."""
    server = serve(peer, ICLOUD)
    full = Respond(b"{tag} NO [OVERQUOTA] Mailbox is full\r\n")
    server.rules.append(Rule(command="UID COPY", nth=1, action=full))
    server.settings.traps.add("copy ignored")
    with writing_on(peer_account(server)) as session:
        for reason in (Reason.SERVER_REFUSED, Reason.NOT_CHANGED):
            results = change(session, Action.MOVE, uids=(1, 2), target="Work")
            assert [each.fate for each in results] == [FAILED, FAILED]
            assert {each.error.reason for each in results if each.error} == {reason}
    assert subjects(server, "INBOX") == {uid: str(uid) for uid in UIDS}
    assert sent(server) == ["UID COPY", "UID COPY"]


@pytest.mark.parametrize("action", [Action.MOVE, Action.COPY])
def test_what_the_server_calls_a_copy_and_is_another_message_removes_nothing(
    peer: PeerFactory, action: Action
) -> None:
    """A stranger's message arrived, and COPYUID names it; the original would be lost."""
    server = serve(peer, ICLOUD, "copy ignored", uids=(1,))
    with writing_on(peer_account(server)) as session:
        prepared = prepare(session, make_order(action, uids=(1,), target="Work"))
        mailbox(server, "Work").messages += make_messages(70)
        answer = Respond(b"{tag} OK [COPYUID 14 1 70] Done\r\n")
        server.rules.append(Rule(command="UID COPY", action=answer))
        results = carry_out(session, prepared)
    assert [each.fate for each in results] == [FAILED]
    assert (subjects(server, "INBOX"), subjects(server, "Work")) == ({1: "1"}, {70: "70"})


def test_a_refused_copy_has_copied_nothing_and_what_can_t_be_looked_at_is_unknown(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE, "copy ignored", "expunge ignored")
    server.mailbox.messages[1].octets = b"Subject: no id\r\n\r\nText\r\n"
    with writing_on(peer_account(server)) as session:
        prepared = prepare(session, make_order(Action.MOVE, uids=(1, 2, 3), target="Work"))
        flagged = prepare(session, make_order(Action.FLAGS, uids=(1, 2), add=("\\Seen",)))
        deleted = prepare(session, make_order(Action.DELETE, uids=(1, 5)))
        server.rules.append(Rule(command="UID FETCH", action=FailUid(uid=1)))
        assert fates(carry_out(session, flagged)) == {1: (UNKNOWN, 0), 2: (DONE, 0)}
        assert fates(carry_out(session, prepared)) == {1: (UNKNOWN, 0), 2: (FAILED, 0), 3: (FAILED, 0)}
        assert fates(carry_out(session, deleted)) == {1: (UNKNOWN, 0), 5: (FAILED, 0)}
        full = Respond(b"{tag} NO [OVERQUOTA] Mailbox is full\r\n")
        server.rules[:] = [Rule(command="UID COPY", action=full)]
        assert fates(change(session, Action.COPY, uids=(2,), target="Work")) == {2: (FAILED, 0)}


def test_without_uidplus_nothing_is_removed_for_it_would_take_a_plain_expunge(peer: PeerFactory) -> None:
    server = serve(peer, BARE)
    with writing_on(peer_account(server)) as session:
        for action, target in ((Action.MOVE, "Work"), (Action.DELETE, "")):
            with pytest.raises(ToolError) as caught:
                prepare(session, make_order(action, uids=(1,), target=target))
            assert caught.value.reason is Reason.NOT_SUPPORTED
            assert "UIDPLUS" in caught.value.message
        assert fates(change(session, Action.COPY, uids=(1, 2), target="Work")) == {1: (DONE, 1), 2: (DONE, 2)}
    assert sent(server) == ["UID COPY"]


def test_a_no_does_not_mean_that_nothing_was_moved(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE, "half moved")
    with writing_on(peer_account(server)) as session:
        results = change(session, Action.MOVE, uids=UIDS, target="Work")
    assert fates(results) == {uid: (DONE, uid) if uid < 4 else (FAILED, 0) for uid in UIDS}
    assert subjects(server, "Work") == {1: "1", 2: "2", 3: "3"}


@pytest.mark.parametrize(
    ("action", "capabilities", "fate"),
    [
        (Action.MOVE, EXCHANGE, FAILED),
        (Action.COPY, EXCHANGE, FAILED),
        (Action.COPY, BARE, FAILED),
        (Action.MOVE, ("IMAP4rev1", "MOVE"), UNKNOWN),
        (Action.FLAGS, BARE, FAILED),
    ],
)
def test_what_had_gone_before_is_not_claimed(
    peer: PeerFactory, action: Action, capabilities: Sequence[str], fate: Fate
) -> None:
    """Where COPYUID leaves it out, it had gone; without COPYUID, a move may have taken it elsewhere."""
    server = serve(peer, capabilities)
    with writing_on(peer_account(server)) as session:
        options = {"add": ("\\Seen",)} if action is Action.FLAGS else {"target": "Work"}
        prepared = prepare(session, make_order(action, uids=(1, 2), **options))
        del server.mailbox.messages[0]
        results = carry_out(session, prepared)
    assert fates(results) == {1: (fate, 0), 2: (DONE, 0 if action is Action.FLAGS else 1)}
    assert results[0].error is not None
    assert (results[0].error.reason is Reason.MESSAGE_GONE) == (fate is FAILED)


@pytest.mark.parametrize("trap", ["store ignored", "refused"])
def test_flags_are_read_back(peer: PeerFactory, trap: str) -> None:
    """Dovecot says `OK Store ignored with read-only mailbox`."""
    server = serve(peer, EXCHANGE, trap)
    server.mailbox.messages[1].flags = ("\\Seen", "$Later")
    if trap == "refused":
        server.rules.append(Rule(command="UID STORE", action=Respond(b"{tag} NO [CANNOT] Not that one\r\n")))
    with writing_on(peer_account(server)) as session:
        results = change(session, Action.FLAGS, uids=(1, 2), add=("\\Seen",))
    assert fates(results) == {1: (FAILED, 0), 2: (DONE, 0)}


def test_an_appended_message_is_looked_for(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE, "appended unseen")
    known = {"octets": make_messages(8)[0].octets, "header_message_id": "8@example.org"}
    with writing_on(peer_account(server)) as session:
        [result] = change(session, Action.APPEND, "Drafts", **known)
        assert (result.fate, "did not store it" in str(result.error)) == (FAILED, True)
        full = Respond(b"{tag} NO [OVERQUOTA] Mailbox is full\r\n")
        server.rules.append(Rule(command="APPEND", action=full))
        [result] = change(session, Action.APPEND, "Drafts", **known)
    assert result.fate is FAILED
    assert "Mailbox is full" in str(result.error)


@pytest.mark.parametrize("how", ["NO", "garbage"])
def test_a_message_that_can_t_be_read_fails_alone(peer: PeerFactory, how: Literal["NO", "garbage"]) -> None:
    server = serve(peer, EXCHANGE)
    server.rules.append(Rule(command="UID FETCH", action=FailUid(uid=2, how=how)))
    with writing_on(peer_account(server)) as session:
        results = change(session, Action.FLAGS, uids=(1, 2, 3, 9), add=("\\Seen",))
        assert fates(results) == {1: (DONE, 0), 2: (FAILED, 0), 3: (DONE, 0), 9: (FAILED, 0)}
        assert results[1].error
        assert results[1].error.reason is not Reason.MESSAGE_GONE
        assert fates(change(session, Action.MOVE, uids=(2,), target="Work")) == {2: (FAILED, 0)}
    assert [each.line for each in server.commands if "STORE" in each.name or "MOVE" in each.name] == [
        "UID STORE 1,3 +FLAGS.SILENT (\\Seen)"
    ]


def test_a_copyuid_of_another_mailbox_or_without_sense_is_not_believed(peer: PeerFactory) -> None:
    for code in (
        *("COPYUID 999 1 7", "COPYUID 14 1 7:9", "COPYUID 14 1:4294967295 1:4294967295", "COPYUID x"),
        *("COPYUID 14 5 7", "COPYUID 14 1 7"),  # of a message that wasn't sent; a message of others
    ):
        server = serve(peer, EXCHANGE)
        answer = Respond(f"{{tag}} OK [{code}] Done\r\n".encode())
        server.rules.append(Rule(command="UID COPY", action=answer))
        with writing_on(peer_account(server)) as session:
            prepared = prepare(session, make_order(Action.COPY, uids=(1,), target="Work"))
            mailbox(server, "Work").messages += make_messages(7)
            [result] = carry_out(session, prepared)
        assert result.fate is DONE
        assert subjects(server, "Work")[result.new_uid] == "1", "found by its Message-ID"


def test_the_same_message_twice(peer: PeerFactory) -> None:
    """Two copies of one message in a batch: each gets a UID of its own, also where the server names none."""
    for capabilities in (YAHOO, ("IMAP4rev1", "MOVE")):
        server = serve(peer, capabilities, "copyuid reversed", uids=(1,))
        twin = server.mailbox.messages[0]
        server.mailbox.messages.append(PeerMessage(uid=2, octets=twin.octets))
        with writing_on(peer_account(server)) as session:
            results = change(session, Action.MOVE, uids=(1, 2), target="Work")
        assert sorted(each.new_uid for each in results) == [1, 2]
