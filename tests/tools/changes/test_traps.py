"""Servers that get modification sequences wrong: what they hide is said, and nothing is made up."""

from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from imap.scenes import session_on
from mailmcp.imap.changes.find import find_changes, read_states
from mailmcp.imap.changes.state import MailboxState
from mcp_envelope import ConflictError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_answers import CAPABILITIES
from servers.peer_mailbox import make_messages
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.stores import peer_account

CHANGES: Final = "imap_get_changes"
QRESYNC: Final = (*CAPABILITIES, "ENABLE", "CONDSTORE", "QRESYNC")


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What a mailbox is like, and what the server says has changed in it."""

    exists: int = 10
    uidnext: int = 11
    modseq: int = 20
    says: str = ""
    """The untagged responses to the FETCH of changes."""

    refuses: str = "nothing"
    """What the FETCH must not contain."""


def play(server: Peer, moment: Moment, *, enabled: str = "* ENABLED {0}") -> None:
    """Make the server show a moment from now on."""

    def rule(command: str, *lines: str, containing: str = "") -> Rule:
        raw = "".join(f"{line}\r\n" for line in lines if line).encode()
        return Rule(command=command, action=Respond(raw), containing=containing)

    server.rules[:] = [
        *(
            rule("ENABLE", enabled.format(name), "{tag} OK Enabled", containing=name)
            for name in ("QRESYNC", "CONDSTORE")
        ),
        rule(
            "EXAMINE",
            f"* {moment.exists} EXISTS",
            "* OK [UIDVALIDITY 1700000000] Valid",
            f"* OK [UIDNEXT {moment.uidnext}] Next",
            f"* OK [HIGHESTMODSEQ {moment.modseq}] Highest",
            "{tag} OK [READ-ONLY] Done",
        ),
        rule("UID FETCH", "{tag} BAD Unknown modifier", containing=moment.refuses),
        rule("UID FETCH", *moment.says.split("\n"), "{tag} OK Done", containing="CHANGEDSINCE"),
    ]


@pytest.fixture
def server(peer: PeerFactory) -> Peer:
    """A server of ten messages, with QRESYNC."""
    return peer(messages=make_messages(*range(1, 11)), capabilities=QRESYNC)


@pytest.fixture
def desk(server: Peer, open_desk: DeskFactory) -> Desk:
    return open_desk(peer_account(server))


def found(data: dict[str, Any]) -> dict[str, Any]:
    """Reduce a reply to what it says has happened, by UID."""
    happened = {
        "created": [row["uid"] for row in data["created"]],
        "updated": [int(row["message_id"].rpartition(":")[2]) for row in data["updated"]],
        "gone": [each.rpartition(":")[2] for each in data["gone"]],
        "not_known": [each.replace(" `INBOX`", "") for each in data["not_known"]],
    }
    return {name: value for name, value in happened.items() if value}


def fetched(*uids: int, modseq: int) -> str:
    """Write responses about messages of which each changed after the one before."""
    return "\n".join(
        f"* {uid} FETCH (UID {uid} FLAGS (\\Seen) MODSEQ ({modseq + number}))"
        for number, uid in enumerate(uids)
    )


TRAPS: Final[dict[str, list[tuple[Moment, dict[str, Any]]]]] = {
    "VANISHED ends at the highest UID that there is (Cyrus)": [
        (
            Moment(exists=7, modseq=23, says="* VANISHED (EARLIER) 2"),
            {"gone": ["2"], "not_known": ["2 other messages left; which isn't known."]},
        ),
        (Moment(exists=7, modseq=23), {}),
    ],
    "nothing that vanished is remembered": [
        (Moment(exists=9, modseq=23), {"not_known": ["1 message left; which isn't known."]}),
        (Moment(exists=8, modseq=24, says="* VANISHED (EARLIER) 4"), {"gone": ["4"]}),
    ],
    "VANISHED names UIDs that never were": [
        (
            Moment(exists=10, uidnext=31, modseq=23, says="* VANISHED (EARLIER) 4,12:30"),
            {"created": [11], "gone": ["4"]},
        ),
        (
            Moment(exists=10, uidnext=31, modseq=24, says="* VANISHED (EARLIER) 4,12:99"),
            {"gone": ["4,12-30"]},
        ),
        (Moment(exists=10, uidnext=31, modseq=24), {}),
    ],
    "a MODSEQ above HIGHESTMODSEQ, which follows": [
        (Moment(modseq=23, says=fetched(3, modseq=25)), {"updated": [3]}),
        (Moment(modseq=25, says=fetched(3, modseq=25)), {"updated": [3]}),
        (Moment(modseq=25), {}),
    ],
    "HIGHESTMODSEQ doesn't rise": [
        (Moment(says=fetched(3, modseq=21)), {"updated": [3]}),
        (Moment(says=fetched(3, 4, modseq=21)), {"updated": [3, 4]}),
    ],
    "FETCH has no MODSEQ": [
        (Moment(modseq=23, says="* 3 FETCH (UID 3 FLAGS (\\Seen))"), {"updated": [3]}),
        (Moment(modseq=23), {}),
    ],
    "a message arrives, one goes and one is read while it answers": [
        (
            Moment(
                exists=9,
                modseq=23,
                says=f"* 10 EXISTS\n* 2 EXPUNGE\n* 5 FETCH (FLAGS (\\Seen))\n{fetched(3, modseq=23)}",
            ),
            {"updated": [3], "not_known": ["1 message left; which isn't known."]},
        ),
        (
            Moment(exists=9, uidnext=12, modseq=26, says=f"* VANISHED (EARLIER) 2\n{fetched(6, modseq=24)}"),
            {"created": [11], "updated": [6], "gone": ["2"]},
        ),
    ],
    "VANISHED without EARLIER, of a message that has just gone": [
        (Moment(modseq=20, says="* VANISHED 2"), {"gone": ["2"]}),
        (Moment(exists=9, modseq=21, says="* VANISHED (EARLIER) 2"), {"gone": ["2"]}),
        (Moment(exists=9, modseq=21), {}),
    ],
    "FETCH doesn't know what was enabled": [
        (
            Moment(exists=9, modseq=23, refuses="VANISHED"),
            {
                "not_known": [
                    "Which flags changed in isn't known.",
                    "1 message left; which isn't known.",
                ]
            },
        ),
        (
            Moment(exists=9, modseq=24, refuses="VANISHED"),
            {"not_known": ["Which flags changed in isn't known."]},
        ),
        (Moment(exists=9, modseq=25, refuses="VANISHED", says=fetched(3, modseq=25)), {"updated": [3]}),
    ],
}


@pytest.mark.parametrize("name", TRAPS)
def test_what_a_server_gets_wrong(server: Peer, desk: Desk, name: str) -> None:
    play(server, Moment())
    state = desk.call(CHANGES).data["new_state"]
    server.mailbox.messages += make_messages(11)
    for moment, expected in TRAPS[name]:
        play(server, moment)
        reply = desk.call(CHANGES, {"since": state})
        assert found(reply.data) == expected
        if expected:
            assert not reply.outcome.summary.startswith("Nothing has changed")
        state = reply.data["new_state"]


def test_pages_end_where_modification_sequences_are_above_the_highest(server: Peer, desk: Desk) -> None:
    """A state within a page is ahead of HIGHESTMODSEQ, and still no mailbox that was restored."""
    play(server, Moment())
    state = desk.call(CHANGES).data["new_state"]
    play(server, Moment(exists=9, modseq=23, says=f"* VANISHED (EARLIER) 9\n{fetched(7, 3, 5, modseq=90)}"))
    pages = []
    for _ in range(3):
        reply = desk.call(CHANGES, {"since": state, "limit": 1})
        pages.append((found(reply.data), reply.data["has_more_changes"]))
        state = reply.data["new_state"]
        play(server, Moment(exists=9, modseq=23, says=fetched(7, 3, 5, modseq=90)))
    assert pages == [
        ({"updated": [7], "gone": ["9"]}, True),
        ({"updated": [3]}, True),
        ({"updated": [5]}, False),
    ]


@pytest.mark.parametrize("moment", [Moment(modseq=19), Moment(modseq=0), Moment(uidnext=10)])
def test_a_mailbox_that_goes_back_in_time_is_a_conflict(server: Peer, desk: Desk, moment: Moment) -> None:
    """It was restored from a backup, under the same UIDVALIDITY."""
    play(server, Moment())
    state = desk.call(CHANGES).data["new_state"]
    play(server, moment)
    with pytest.raises(ConflictError, match="older than the state"):
        desk.call(CHANGES, {"since": state})


def test_an_ok_without_enabled_enables_nothing(server: Peer, desk: Desk) -> None:
    play(server, Moment(), enabled="")
    state = desk.call(CHANGES).data["new_state"]
    del server.mailbox.messages[4]
    play(server, Moment(exists=9), enabled="")
    data = desk.call(CHANGES, {"since": state}).data
    assert found(data) == {"not_known": ["Which flags changed in isn't known."], "gone": ["5"]}
    assert not [each for each in server.commands if "CHANGEDSINCE" in each.line]


def test_icloud_is_not_asked_what_vanished(server: Peer) -> None:
    play(server, Moment())
    with session_on(peer_account(server)) as session:
        session.account = replace(session.account, host="p01-imap.mail.me.com")
        [state] = read_states(session, ["INBOX"])
        assert isinstance(state, MailboxState)
        find_changes(session, [state], limit=10, items=lambda _: ["FLAGS"])
    lines = [each.line for each in server.commands]
    assert "ENABLE QRESYNC" not in lines
    assert not [line for line in lines if "VANISHED" in line]
    assert state.uids == ((1, 10),)
