"""Dialogues go on in step, and whose mailbox or work fails ends alone."""

import pytest

from imap.line_server import LineServer
from imap.scenes import make_account, open_mailbox, session_on
from mailmcp.imap.command import Command, Response
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.reasons import Reason
from mcp_envelope import InternalError, NotFoundError
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMailbox, make_messages

SEARCH = Command(name="SEARCH", arguments=[b"ALL"], uid=True)


def count_twice() -> Steps[list[int]]:
    """Ask the same twice."""
    counts = []
    for _ in range(2):
        responses = yield [SEARCH]
        [reply] = responses.replies
        assert isinstance(reply, Response)
        counts.append(len(b"".join(map(bytes, reply.untagged["SEARCH"])).split()))  # type: ignore[arg-type] # no literals
        assert responses.mailbox.exists == counts[-1]
    return counts


def task(mailbox: str, steps: Steps[list[int]]) -> MailboxTask[list[int]]:
    return MailboxTask(mailbox=mailbox, uidvalidity=None, steps=steps)


def test_all_go_on_in_step(peer: PeerFactory) -> None:
    boxes = [PeerMailbox(name=f"Box{n}", messages=make_messages(*range(1, n + 1))) for n in (1, 2, 3)]
    with session_on(make_account(peer(mailboxes=boxes))) as session:
        before = session.traffic.round_trips
        results = run_pipelined(session, [task(f"Box{n}", count_twice()) for n in (1, 2, 3)])
        assert results == [[1, 1], [2, 2], [3, 3]]
        assert session.traffic.round_trips - before == 2
        assert run_pipelined(session, []) == []


@pytest.mark.parametrize("refusal", [b"NO [NOPERM] No", b"NO [NONEXISTENT] None", b"NO None", b"BAD What?"])
@pytest.mark.parametrize("waits", [False, True])
def test_a_refused_mailbox_fails_its_task_alone(peer: PeerFactory, refusal: bytes, *, waits: bool) -> None:
    """Also where each literal ends a round trip, because the server wants to be asked before it."""

    def search(word: str) -> Steps[list[int]]:
        responses = yield [Command(name="SEARCH", arguments=[b"TEXT", word.encode()], uid=True), SEARCH]
        return [
            len(reply.untagged.get("SEARCH", ()))
            for reply in responses.replies
            if isinstance(reply, Response)
        ]

    rules = [Rule(command="EXAMINE", containing="Refused", action=Respond(b"{tag} %b\r\n" % refusal))]
    capabilities = ("IMAP4rev1",) if waits else ("IMAP4rev1", "LITERAL+")
    server = peer(messages=make_messages(1), rules=rules, capabilities=capabilities)
    with session_on(make_account(server)) as session:
        open_mailbox(session, "INBOX")
        session.begin_lease()
        names = ("INBOX", "Refused", "INBOX", "Refused", "INBOX")
        results = run_pipelined(session, [task(name, search("ä")) for name in names])
    assert results[0] == results[2] == results[4] == [1, 1]
    missing = refusal in {b"NO [NONEXISTENT] None", b"NO None"}
    assert [type(each) for each in results[1::2]] == [NotFoundError if missing else InternalError] * 2


def test_new_mail_that_is_told_meanwhile_is_counted(peer: PeerFactory) -> None:
    def look() -> Steps[list[int]]:
        responses = yield [SEARCH]
        return [responses.mailbox.exists]

    news = Respond(b"* SEARCH 1\r\n* 5 EXISTS\r\n{tag} OK -\r\n")
    server = peer(messages=make_messages(1), rules=[Rule(command="UID SEARCH", action=news)])
    with session_on(make_account(server)) as session:
        assert run_pipelined(session, [task("INBOX", look())]) == [[5]]


def overtaken(line: bytes, earlier: list[bytes]) -> bytes:
    """End a FETCH of UID 1 only when the next command has come, and behind it."""
    tag, _, command = line.partition(b" ")
    done = b"%b OK Done\r\n" % tag
    held = next((each for each in earlier[-1:] if b"UID FETCH 1 " in each), b"")
    if command.startswith(b"EXAMINE"):
        done = b"* 2 EXISTS\r\n* OK [UIDVALIDITY 1] -\r\n" + done
    elif b"UID FETCH 1 " in line:
        return b""
    elif command.startswith(b"UID"):
        done = b"* 2 FETCH (UID 2)\r\n" + done
    return done + (b"* 1 FETCH (UID 1)\r\n%b OK Done\r\n" % held.split(b" ")[0] if held else b"")


def fetch(*uids: bytes) -> Steps[list[int]]:
    responses = yield [Command(name="FETCH", arguments=[uid, b"(UID)"], uid=True) for uid in uids]
    return [
        len(reply.untagged.get("FETCH", ())) for reply in responses.replies if isinstance(reply, Response)
    ]


def test_commands_on_one_mailbox_may_end_in_any_order() -> None:
    """RFC 9051 section 5.5: neither changes what the other finds."""
    with LineServer(overtaken) as server, session_on(make_account(server)) as session:
        assert run_pipelined(session, [task("INBOX", fetch(b"1", b"2"))]) == [[1, 1]]
        assert not session.in_doubt


def test_a_command_that_ends_behind_the_next_examine_is_not_believed() -> None:
    with LineServer(overtaken) as server, session_on(make_account(server)) as session:
        with pytest.raises(InternalError) as caught:
            run_pipelined(session, [task("INBOX", fetch(b"1")), task("Other", fetch(b"2"))])
        assert caught.value.reason is Reason.PROTOCOL_VIOLATION
