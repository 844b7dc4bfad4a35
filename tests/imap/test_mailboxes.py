"""All mailboxes are listed, with their uses and counts; what could not be counted is said."""

import pytest

from imap.line_server import LineServer
from imap.scenes import At, make_account, session_on
from mailmcp.imap.mailboxes import Listed, Mailbox, count_mailboxes, list_mailboxes
from mailmcp.imap.session import Session
from mailmcp.imap.special_use import usual_use
from servers.dovecot import Dovecot, Login
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox

LETTER = b"Subject: A\r\n\r\nText\r\n"


def count_all(session: Session) -> Listed:
    return count_mailboxes(session, list_mailboxes(session, with_counts=True))


def uses(*names_and_attributes: tuple[str, str], peer: PeerFactory) -> dict[str, tuple[str, bool]]:
    """Say which uses a listing gives, and whether they are guesses."""
    boxes = [PeerMailbox(name=name, attributes=tuple(given.split())) for name, given in names_and_attributes]
    with session_on(make_account(peer(mailboxes=boxes))) as session:
        return {
            each.name: (each.special_use, each.special_use_guessed)
            for each in list_mailboxes(session)
            if each.special_use
        }


def test_dovecot_lists_and_counts_in_one_round_trip(dovecot: Dovecot, dovecot_user: Login) -> None:
    """By LIST-STATUS and SPECIAL-USE."""
    dovecot.fill(dovecot_user.user, "INBOX", [LETTER] * 3)
    dovecot.fill(dovecot_user.user, "Reisen/Zürich", [LETTER], flags=[b"\\Seen"])
    with session_on(make_account(At(dovecot.host, dovecot.plain_port), dovecot_user)) as session:
        before = session.handle.traffic.round_trips
        listed = count_all(session)
        assert session.handle.traffic.round_trips == before + 1
    assert listed.uncounted == {}
    assert [each.name for each in listed.mailboxes] == [
        "INBOX", "Archive", "Drafts", "Junk", "Reisen", "Reisen/Zürich", "Sent", "Trash",
    ]  # fmt: skip
    by_name = {each.name: each for each in listed.mailboxes}
    assert by_name["INBOX"] == Mailbox(name="INBOX", delimiter="/", selectable=True, messages=3, unseen=3)
    assert by_name["Reisen/Zürich"].unseen == 0
    assert not by_name["Reisen"].selectable
    assert by_name["Sent"].special_use == "\\Sent"
    assert not by_name["Sent"].special_use_guessed


def test_a_server_that_asks_to_wait_is_asked_for_no_more_counts(peer: PeerFactory) -> None:
    """Fifty are asked for in one burst."""
    boxes = [PeerMailbox(name=f"Box {number:03}") for number in range(120)]
    rule = Rule(command="STATUS", nth=60, action=Respond(b"{tag} NO [THROTTLED] Later\r\n"))
    server = peer(mailboxes=boxes, rules=[rule])
    with session_on(make_account(server)) as session:
        before = session.handle.traffic.round_trips
        listed = count_all(session)
        assert session.handle.traffic.round_trips == before + 3
    assert len(listed.mailboxes) == 121
    assert sum(command.name == "STATUS" for command in server.commands) == 100
    assert set(listed.uncounted) == {"Box 058", *(f"Box {number:03}" for number in range(99, 120))}
    assert {each.retryable for each in listed.uncounted.values()} == {True}


NO_COUNTS = ("the server sent no counts", True)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"{tag} NO [NOPERM] Not yours\r\n", (r'NO "\[NOPERM] Not yours"', False)),
        (b"{tag} NO [INUSE] Later\r\n", (r'NO "\[INUSE] Later"', True)),
        (b"{tag} OK -\r\n", NO_COUNTS),
        (b'* STATUS "Box" (MESSAGES NIL)\r\n{tag} OK -\r\n', NO_COUNTS),
        (b'* STATUS "Box" (MESSAGES -5 UNSEEN -5)\r\n{tag} OK -\r\n', NO_COUNTS),
        (b'* STATUS "Box" (1 2)\r\n{tag} OK -\r\n', NO_COUNTS),
        (b'* STATUS "Box\r\n{tag} OK -\r\n', NO_COUNTS),
        (b'* STATUS "Box" %b\r\n{tag} OK -\r\n' % (b"(" * 500), NO_COUNTS),
    ],
)
def test_a_mailbox_that_cannot_be_counted_is_named_with_the_reason(
    peer: PeerFactory, answer: bytes, why: tuple[str, bool]
) -> None:
    rule = Rule(command="STATUS", containing="Box", action=Respond(answer))
    hollow = PeerMailbox(name="Hollow", attributes=("\\Noselect",))
    server = peer(mailboxes=[PeerMailbox(name="Box"), PeerMailbox(name="Other"), hollow], rules=[rule])
    with session_on(make_account(server)) as session:
        listed = count_all(session)
        session.run("NOOP")
    assert listed.uncounted == {"Box": why}
    counts = {each.name: each.messages for each in listed.mailboxes}
    assert counts == {"INBOX": 0, "Box": None, "Hollow": None, "Other": 0}


@pytest.mark.parametrize("refused", [False, True])
def test_a_refusal_beside_list_status_is_reported_too(peer: PeerFactory, *, refused: bool) -> None:
    """RFC 5819 section 2: the server leaves the STATUS out; asked alone, it says why.

    One that advertises the options and refuses them is asked without them, from then on.
    """
    answer = b'* LIST () "/" "A"\r\n* STATUS "A" (MESSAGES 4 UNSEEN 1)\r\n* LIST () "/" "B"\r\n{tag} OK -\r\n'
    server = peer(
        capabilities=("IMAP4rev1", "LIST-EXTENDED", "LIST-STATUS", "SPECIAL-USE"),
        rules=[
            *([Rule(command="LIST", containing="RETURN", action=Respond(b"{tag} BAD What\r\n"))] * refused),
            Rule(command="LIST", action=Respond(answer)),
            Rule(command="STATUS", action=Respond(b"{tag} NO [LIMIT] Enough\r\n")),
        ],
    )
    with session_on(make_account(server)) as session:
        count_all(session)
        listed = count_all(session)
    found = [(each.name, each.messages, each.unseen) for each in listed.mailboxes]
    assert found == [("A", 4, 1), ("B", None, None)]
    assert listed.uncounted == {"B": (r'NO "\[LIMIT] Enough"', True)}
    lines = [command.line for command in server.commands if command.name == "LIST"]
    with_options = 'LIST "" "*" RETURN (SPECIAL-USE STATUS (MESSAGES UNSEEN))'
    plain = 'LIST "" "*"'
    assert lines == ([with_options, plain, plain] if refused else [with_options, with_options])


def test_a_burst_may_be_answered_in_any_order() -> None:
    """RFC 9051 section 5.5 allows it where the commands do not depend on each other."""

    def answer(line: bytes, earlier: list[bytes]) -> bytes:
        tag, name, *_ = line.split(b" ")
        if name == b"LIST":
            return b'* LIST () "/" INBOX\r\n* LIST () "/" Box\r\n%b OK -\r\n' % tag
        if b"STATUS" in line and b"INBOX" in line:
            return b""
        if b"STATUS" in line:
            first = earlier[-1].split(b" ")[0]
            counts = b"* STATUS Box (MESSAGES 2 UNSEEN 0)\r\n%b OK -\r\n" % tag
            return counts + b"* STATUS INBOX (MESSAGES 1 UNSEEN 0)\r\n%b OK -\r\n" % first
        return b"%b OK -\r\n" % tag

    with LineServer(answer) as server, session_on(make_account(server)) as session:
        listed = count_all(session)
    assert listed.uncounted == {}
    assert [(each.name, each.messages) for each in listed.mailboxes] == [("INBOX", 1), ("Box", 2)]


def test_each_program_may_have_made_a_trash(peer: PeerFactory) -> None:
    """On one level all are; those of other uses, and further down, are ordinary mailboxes."""
    names = ("Trash", "Gelöschte Elemente", "Papierkorb", "Spam", "Junk", "Sent", "Gesendet", "Old/Trash")
    found = uses(*((name, "") for name in names), peer=peer)
    assert {name for name, (use, _) in found.items() if use == "\\Trash"} == set(names[:3])
    assert {name for name, (use, _) in found.items() if use == "\\Junk"} == {"Spam", "Junk"}
    assert [name for name, (use, _) in found.items() if use == "\\Sent"] == ["Gesendet"]


def test_special_uses_that_are_not_said_are_guessed_once_each(peer: PeerFactory) -> None:
    """By the usual names, the least nested one first; never beside one that is said."""
    found = uses(
        ("Sent Items", ""),
        ("Old/Sent", ""),
        ("Sent", "\\Noselect"),
        ("Papierkorb", "\\HasNoChildren \\TRASH"),
        ("Trash", ""),
        ("Work/spam", ""),
        ("DRAFTS", ""),
        ("Important", ""),
        peer=peer,
    )
    assert found == {
        "Sent Items": ("\\Sent", True),
        "Papierkorb": ("\\Trash", False),
        "Work/spam": ("\\Junk", True),
        "DRAFTS": ("\\Drafts", True),
    }


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("Sent Items", "\\Sent"),
        ("INBOX.Gesendete Objekte", "\\Sent"),
        ("[Gmail]/Corbeille", "\\Trash"),
        ("E\N{COMBINING ACUTE ACCENT}LÉMENTS supprimés", "\\Trash"),
        ("迷惑メール", "\\Junk"),
        ("Projects/Archive 2024", ""),
        ("Presents", ""),
    ],
)
def test_a_use_is_guessed_by_the_last_level(name: str, use: str) -> None:
    assert usual_use(name) == use
