"""A connection that is cut: nothing is repeated, and what became of the order is found out afterwards."""

from dataclasses import replace
from typing import Any

import pytest

from imap.writes.orders import (
    EXCHANGE,
    GMAIL,
    ICLOUD,
    YAHOO,
    fates,
    find_out,
    make_order,
    peer_account,
    writing_on,
)
from imap.writes.test_traps import mailbox, serve, subjects
from mailmcp.imap.writes.carry_out import carry_out
from mailmcp.imap.writes.look_up import SETTLE_S
from mailmcp.imap.writes.prepare import prepare
from mailmcp.imap.writes.values import Action, Fate, Prepared
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Action as PeerAction
from servers.peer_actions import Bye, Close, Respond, Rule
from servers.peer_mailbox import make_messages

DONE, FAILED, UNKNOWN = Fate.DONE, Fate.FAILED, Fate.UNKNOWN

DRAFT: dict[str, Any] = {"octets": make_messages(8)[0].octets, "header_message_id": "8@example.org"}

BEFORE = Close("before")
"""The command is received and isn't carried out."""

WITHIN = Close("within", reset=True)
"""It is carried out, and half of the answer comes."""


def lose(server: Peer, action: Action, *rules: Rule, **options: Any) -> Prepared:
    """Carry an order out over a connection that is cut, which leaves all of it unknown."""
    name = "Drafts" if action is Action.APPEND else "INBOX"
    with writing_on(peer_account(server)) as session:
        prepared = prepare(session, make_order(action, name, **options))
        server.rules.extend(rules)
        results = carry_out(session, prepared)
        assert session.in_doubt
    server.rules.clear()
    assert [each.fate for each in results] == [UNKNOWN] * len(results)
    return prepared


@pytest.mark.parametrize(
    ("action", "command", "options"),
    [
        (Action.MOVE, "UID MOVE", {"uids": (1, 2), "target": "Work"}),
        (Action.COPY, "UID COPY", {"uids": (1, 2), "target": "Work"}),
        (Action.APPEND, "APPEND", DRAFT),
        (Action.FLAGS, "UID STORE", {"uids": (1, 2), "add": ("\\Seen",)}),
    ],
)
@pytest.mark.parametrize(
    ("cut", "happened"), [(BEFORE, False), (WITHIN, True), (Bye(), False), (Respond(b"%%%\r\n"), False)]
)
def test_the_outcome_is_found_out_and_nothing_is_sent_again(
    peer: PeerFactory,
    action: Action,
    command: str,
    options: dict[str, Any],
    cut: PeerAction,
    *,
    happened: bool,
) -> None:
    server = serve(peer, EXCHANGE)
    mailbox(server, "Work").messages += make_messages(1, 40)  # as an earlier copy: it isn't the new one
    prepared = lose(server, action, Rule(command=command, action=cut), **options)
    mailbox(server, "Work").messages += make_messages(50)
    found = find_out(peer_account(server), prepared)
    assert {each.fate for each in found} == {DONE if happened else FAILED}
    if happened and action is not Action.FLAGS:
        places = subjects(server, "Drafts" if action is Action.APPEND else "Work")
        assert [places[each.new_uid] for each in found] == [str(each.uid or 8) for each in found]
    names = [each.name for each in server.commands]
    assert names.count(command) == 1
    if action is Action.FLAGS:
        assert names.count("EXAMINE") == (1 if happened else 2), "each look is a new one"


def test_a_server_may_still_be_at_it(peer: PeerFactory) -> None:
    """Dovecot carries a MOVE out after its client has gone: as long as there is progress, it is looked at."""
    server = serve(peer, EXCHANGE)
    rule = Rule(command="UID MOVE", action=BEFORE)
    prepared = lose(server, Action.MOVE, rule, uids=(1, 2, 3), target="Work")
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) < 3:
            moved = server.mailbox.messages.pop(0)
            mailbox(server, "Work").messages.append(replace(moved, uid=moved.uid + 60))

    found = find_out(peer_account(server), prepared, wait=wait)
    assert fates(found) == {1: (DONE, 61), 2: (DONE, 62), 3: (FAILED, 0)}
    assert waited == [SETTLE_S] * 3
    del server.mailbox.messages[1:]
    mailbox(server, "Work").messages += [replace(server.mailbox.messages.pop(0), uid=63)]
    assert {each.fate for each in find_out(peer_account(server), prepared, wait=waited.append)} == {DONE}
    assert waited == [SETTLE_S] * 3, "all is done, so there is nothing to wait for"


def test_a_message_that_another_program_moved_to_the_target_is_no_copy(peer: PeerFactory) -> None:
    """Nor is it known that there is none; an undo would take the only one there is."""
    server = serve(peer, EXCHANGE)
    prepared = lose(server, Action.COPY, Rule(command="UID COPY", action=BEFORE), uids=(1, 2), target="Work")
    moved = server.mailbox.messages.pop(0)
    mailbox(server, "Work").messages.append(replace(moved, uid=61))
    assert fates(find_out(peer_account(server), prepared)) == {1: (UNKNOWN, 0), 2: (FAILED, 0)}


@pytest.mark.parametrize("cut", [BEFORE, WITHIN])
@pytest.mark.parametrize("command", ["UID COPY", "UID STORE", "UID EXPUNGE"])
def test_without_move_it_may_stop_after_each_step(peer: PeerFactory, command: str, cut: PeerAction) -> None:
    server = serve(peer, ICLOUD)
    prepared = lose(server, Action.MOVE, Rule(command=command, action=cut), uids=(1, 2), target="Work")
    left, there = set(subjects(server, "INBOX")) & {1, 2}, set(subjects(server, "Work"))
    assert (left or {1, 2}) == (there or {1, 2}) == {1, 2}
    assert left | there == {1, 2}, "no message is lost"
    for each in find_out(peer_account(server), prepared):
        assert each.fate is (FAILED if left else DONE)
        assert each.new_uid == (each.uid if there else 0)


@pytest.mark.parametrize("command", ["UID MOVE", "UID STORE", "UID EXPUNGE"])
@pytest.mark.parametrize("cut", [BEFORE, WITHIN])
def test_deleting_on_gmail_may_stop_in_trash(peer: PeerFactory, command: str, cut: PeerAction) -> None:
    server = serve(peer, GMAIL)
    prepared = lose(server, Action.DELETE, Rule(command=command, action=cut), uids=(1, 2))
    in_trash = subjects(server, "Trash")
    is_deleted = not in_trash and 1 not in subjects(server, "INBOX")
    found = find_out(peer_account(server), prepared)
    assert [each.fate for each in found] == [DONE if is_deleted else FAILED] * 2
    assert {each.new_uid for each in found} == (set(in_trash) or {0})


@pytest.mark.parametrize(
    ("action", "target", "where"),
    [(Action.MOVE, "Work", "INBOX"), (Action.MOVE, "Work", "Work"), (Action.DELETE, "", "Trash")],
)
def test_of_a_mailbox_that_was_rebuilt_nothing_is_known(
    peer: PeerFactory, action: Action, target: str, where: str
) -> None:
    server = serve(peer, GMAIL)
    prepared = lose(server, action, Rule(command="UID MOVE", action=WITHIN), uids=(1,), target=target)
    mailbox(server, where).uidvalidity += 1
    assert fates(find_out(peer_account(server), prepared)) == {1: (UNKNOWN, 0)}


def test_what_has_no_message_id_is_found_by_the_server_s_own_or_stays_unknown(peer: PeerFactory) -> None:
    for capabilities, outcome in ((EXCHANGE, (UNKNOWN, 0)), (YAHOO, (DONE, 1))):
        server = serve(peer, capabilities)
        server.mailbox.messages[0].octets = b"Subject: no id\r\n\r\nText\r\n"
        rule = Rule(command="UID COPY", action=WITHIN)
        prepared = lose(server, Action.COPY, rule, uids=(1, 2), target="Work")
        assert fates(find_out(peer_account(server), prepared)) == {1: outcome, 2: (DONE, 2)}


def test_what_came_for_other_reasons_is_not_taken_for_it(peer: PeerFactory) -> None:
    """The same message, copied before the order by hand, has a lower UID than the target's UIDNEXT.

    Some servers send the last message for a range that begins after it.
    """
    server = serve(peer, EXCHANGE)
    mailbox(server, "Work").messages.append(replace(server.mailbox.messages[0], uid=3))
    prepared = lose(server, Action.COPY, Rule(command="UID COPY", action=BEFORE), uids=(1,), target="Work")
    assert fates(find_out(peer_account(server), prepared)) == {1: (FAILED, 0)}
    last = (
        b"* 1 FETCH (UID 3 BODY[HEADER.FIELDS (MESSAGE-ID)] {31}\r\nMessage-ID: <1@example.org>\r\n\r\n)\r\n"
    )
    sends_last = Respond(last + b"{tag} OK Done\r\n")
    server.rules.append(Rule(command="UID FETCH", containing=":4294967295", action=sends_last))
    assert fates(find_out(peer_account(server), prepared)) == {1: (FAILED, 0)}


def test_what_the_server_said_counts_once_it_can_be_looked_at(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)
    prepared = lose(server, Action.COPY, Rule(command="EXAMINE", action=BEFORE), uids=(1, 2), target="Work")
    assert fates(find_out(peer_account(server), prepared)) == {1: (DONE, 1), 2: (DONE, 2)}
