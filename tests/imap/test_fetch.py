"""One bad message never spoils the others, and each that was asked for is accounted for."""

from datetime import datetime, timedelta, timezone

import pytest

from imap.scenes import ROW_ITEMS, make_account, open_mailbox, session_on
from mailmcp import limits
from mailmcp.imap.command import Piece, Response
from mailmcp.imap.fetch import (
    Fetched,
    FetchJob,
    fetch_messages,
    fetch_steps,
    format_sequence_set,
)
from mailmcp.imap.pipeline import run_steps
from mailmcp.imap.rows import FetchedMessage, parse_rows
from mcp_envelope import Code
from servers.peer import Peer, PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import make_messages

TEN = tuple(range(1, 11))


def fetch(server: Peer, *uids: int, items: tuple[str, ...] = ROW_ITEMS) -> Fetched:
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        fetched = fetch_messages(session, uids, items)
        assert set(fetched.messages) | set(fetched.failures) == set(uids)
        assert not set(fetched.messages) & set(fetched.failures)
        session.run("NOOP")  # the session is in order, whatever failed
    return fetched


def rows(*lines: list[Piece]) -> tuple[dict[int, FetchedMessage], list[int]]:
    return parse_rows(Response(untagged={"FETCH": [piece for line in lines for piece in line]}))


def row(line: bytes | list[Piece]) -> FetchedMessage:
    parsed, unreadable = rows([line] if isinstance(line, bytes) else line)
    assert unreadable == [0]
    [message] = parsed.values()
    return message


@pytest.mark.parametrize(
    ("how", "stage", "message", "retryable"),
    [
        ("NO", "fetch", 'The server refused to send the message: NO "Cannot fetch this".', True),
        ("BAD", "fetch", 'The server refused to send the message: BAD "Cannot fetch this".', False),
        ("garbage", "parse", "The server's response could not be parsed.", False),
    ],
)
@pytest.mark.parametrize("bad", [1, 6])
def test_one_bad_message_of_ten_stands_alone(
    peer: PeerFactory, how: str, stage: str, message: str, bad: int, *, retryable: bool
) -> None:
    server = peer(messages=make_messages(*TEN), rules=[Rule(command="UID FETCH", action=FailUid(bad, how))])  # type: ignore[arg-type] # as Literal
    fetched = fetch(server, *TEN)
    assert set(fetched.messages) == set(TEN) - {bad}
    failure = fetched.failures[bad]
    assert (failure.code, failure.stage, failure.message) == (Code.INTERNAL, stage, message)
    assert failure.retryable == retryable
    assert sum(command.name == "UID FETCH" for command in server.commands) <= 1 + 2 * 4


@pytest.mark.parametrize("status", ["NO", "OK"])
def test_messages_that_are_gone_are_said_to_be(peer: PeerFactory, status: str) -> None:
    """RFC 2180 section 4.1: some servers say NO [EXPUNGEISSUED] with what is left, some say OK."""
    server = peer(messages=make_messages(1, 3))
    if status == "NO":
        code = b"[EXPUNGEISSUED] Some are gone"
        some = b"* 1 FETCH (UID 1 FLAGS ())\r\n{tag} NO %b\r\n" % code
        server.rules += [
            Rule(command="UID FETCH", containing="1,2,3", action=Respond(some)),
            Rule(command="UID FETCH", containing="UID FETCH 2 ", action=Respond(b"{tag} NO %b\r\n" % code)),
        ]
    fetched = fetch(server, 1, 2, 3, items=("UID", "FLAGS"))
    assert set(fetched.messages) == {1, 3}
    assert fetched.failures[2].code is Code.NOT_FOUND
    assert fetched.failures[2].message == "The message is no longer in the mailbox."


@pytest.mark.parametrize("code", ["THROTTLED", "OVERQUOTA"])
@pytest.mark.parametrize("nth", [1, 3])
def test_a_server_that_asks_to_wait_is_left_alone(peer: PeerFactory, code: str, nth: int) -> None:
    """Exchange, Gmail and Yahoo: whoever goes on asking is locked out for longer."""
    rule = Rule(command="UID FETCH", action=FailUid(2))
    later = Rule(command="UID FETCH", nth=nth, action=Respond(b"{tag} NO [%b] Later\r\n" % code.encode()))
    server = peer(messages=make_messages(*TEN), rules=[later, rule])
    fetched = fetch(server, *TEN, items=("UID", "FLAGS"))
    assert sum(command.name == "UID FETCH" for command in server.commands) == nth
    assert set(fetched.failures) == set(TEN)
    assert f'NO "\\[{code}] Later"' in fetched.failures[10].message
    assert all(each.retryable for each in fetched.failures.values())


def test_a_message_nobody_asked_for_is_left_out(peer: PeerFactory) -> None:
    """News of flags come unasked, with a UID or without one (RFC 9051 section 7.5.2)."""
    unasked = b"* 2 FETCH (FLAGS (\\Seen))\r\n* 1 FETCH (FLAGS () UID 1)\r\n"
    unasked += b"* 3 FETCH (UID 3 FLAGS ())\r\n{tag} OK -\r\n"
    server = peer(messages=make_messages(1, 2, 3), rules=[Rule(command="UID FETCH", action=Respond(unasked))])
    assert set(fetch(server, 1).messages) == {1}


def test_the_uid_may_follow_the_literal(peer: PeerFactory) -> None:
    """As Proton Bridge has it."""
    answer = (
        b"* 1 FETCH (BODY[HEADER.FIELDS (SUBJECT)] {14}\r\nSubject: {5}\r\n FLAGS () UID 1)\r\n{tag} OK -\r\n"
    )
    server = peer(messages=make_messages(1), rules=[Rule(command="UID FETCH", action=Respond(answer))])
    message = fetch(server, 1, items=("UID", "BODY.PEEK[HEADER.FIELDS (SUBJECT)]")).messages[1]
    assert message.sections == {"HEADER.FIELDS": b"Subject: {5}\r\n"}


@pytest.mark.parametrize(
    "line",
    [
        b"1 (UID 7 BODYSTRUCTURE (" + b"(" * 5000 + b'"TEXT"' + b")" * 5000 + b"))",
        b"1 (UID 7 BODYSTRUCTURE)",
        b'1 (UID 7 BODY[] "no end)',
        b"1 (UID 7 ((a)) 1)",
        b"1 UID",
        b"",
        b"1 (UID 7 BODY[] {3})",
    ],
)
def test_a_row_that_cannot_be_read_is_counted(line: bytes) -> None:
    assert rows([line], [b"2 (UID 8)"]) == ({8: FetchedMessage(uid=8)}, [1])


def test_fields_are_read_whatever_their_case_and_form() -> None:
    line = (
        b'1 (uid 7 flags (\\Seen $Forwarded 5 NIL (no flag)) internaldate " 5-Nov-2024 06:07:08 +0530"'
        b' rfc822.size 42 body[1.2]<0> "short" BODY[TEXT] NIL BODY[1] 123)'
    )
    assert row(line) == FetchedMessage(
        uid=7,
        flags=("\\Seen", "$Forwarded", "5"),
        internal_date=datetime(2024, 11, 5, 6, 7, 8, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        size_octets=42,
        sections={"1.2": b"short", "TEXT": b"", "1": b"123"},
        origins={"1.2": 0},
    )


@pytest.mark.parametrize(
    "fields",
    [
        b"FLAGS NIL INTERNALDATE NIL RFC822.SIZE NIL",
        b'FLAGS x INTERNALDATE "yesterday" RFC822.SIZE x',
        b'INTERNALDATE "31-Dec-9999 23:59:59 -0500"',
        b'INTERNALDATE "01-Jan-2024 00:00:00 +2400"',
        b'INTERNALDATE "01-Jan-1800 00:00:00 +0000"',
    ],
)
def test_fields_without_sense_are_as_if_they_were_not_there(fields: bytes) -> None:
    assert row(b"1 (UID 7 " + fields + b")") == FetchedMessage(uid=7)


@pytest.mark.parametrize(
    ("fields", "email_id", "gmail_id"),
    [
        (b"EMAILID (M6d99ac3275bb4e)", "M6d99ac3275bb4e", 0),
        (b"EMAILID (4711)", "4711", 0),
        (b"EMAILID NIL X-GM-MSGID 1278455344230334865", "", 1278455344230334865),
        (b'EMAILID ("a b")', "", 0),
    ],
)
def test_ids_of_the_server_are_read(fields: bytes, email_id: str, gmail_id: int) -> None:
    message = row(b"1 (UID 7 " + fields + b")")
    assert (message.email_id, message.gmail_id) == (email_id, gmail_id)


FLAGS = ("UID", "FLAGS")


def fetch_jobs(server: Peer, *jobs: FetchJob) -> list[Fetched]:
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        return run_steps(session, fetch_steps(session, *jobs))


def fetches(server: Peer) -> list[str]:
    return [each.line.split(" ")[2] for each in server.commands if each.name == "UID FETCH"]


def test_jobs_share_their_round_trip_and_their_rows(
    peer: PeerFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = peer(messages=make_messages(1, 2, 3))
    first, second = fetch_jobs(server, ([3, 2], FLAGS), ([1, 9], ("UID", "RFC822.SIZE")))
    assert list(first.messages) == [3, 2]
    assert second.messages[1].size_octets
    assert (first.failures, second.failures[9].code) == ({}, "not_found")
    monkeypatch.setattr(limits, "BURST_OCTETS", 10)
    limited = peer(messages=make_messages(1, 2, 3), capabilities=("IMAP4rev1", "MESSAGELIMIT=1"))
    assert list(fetch_jobs(limited, ([3, 1], FLAGS))[0].messages) == [3, 1]
    assert (fetches(server), fetches(limited)) == (["2:3", "1,9"], ["3", "1"])


@pytest.mark.parametrize("how", ["NO", "garbage"])
def test_one_bad_message_spoils_no_other_job(peer: PeerFactory, how: str) -> None:
    rule = Rule(command="UID FETCH", action=FailUid(2, how))  # type: ignore[arg-type] # of three words
    server = peer(messages=make_messages(1, 2, 3, 4), rules=[rule])
    first, second = fetch_jobs(server, ([4, 2], FLAGS), ([3], FLAGS))
    assert (set(first.messages), set(first.failures)) == ({4}, {2})
    assert (set(second.messages), set(second.failures)) == ({3}, set())


def test_rows_of_jobs_may_be_mixed(peer: PeerFactory) -> None:
    """Dovecot does several commands at a time."""
    mixed = b"* 2 FETCH (UID 2 FLAGS (\\Seen))\r\n* 1 FETCH (UID 1 RFC822.SIZE 9)\r\n"
    rules = [
        Rule(command="UID FETCH", nth=1, action=Respond(mixed + b"{tag} OK -\r\n")),
        Rule(command="UID FETCH", nth=2, action=Respond(b"{tag} OK -\r\n")),
    ]
    first, second = fetch_jobs(peer(rules=rules), ([2], FLAGS), ([1], ("UID", "RFC822.SIZE")))
    assert first.messages[2].flags == ("\\Seen",)
    assert second.messages[1].size_octets == 9


def test_uids_are_written_as_ranges_that_fit_a_command_line(peer: PeerFactory) -> None:
    """Dovecot refuses lines over 8 KB."""
    assert format_sequence_set([]) == b""
    assert format_sequence_set([10, 1, 2, 4, 9, 9]) == b"1:2,4,9:10"
    server = peer()
    uids = range(4_000_000_000, 4_000_002_000, 2)
    assert set(fetch(server, *uids, items=FLAGS).failures) == set(uids)
    assert [len(each.split(",")) for each in fetches(server)] == [500, 500]
    assert max(len(each.line) for each in server.commands) < 6_000
