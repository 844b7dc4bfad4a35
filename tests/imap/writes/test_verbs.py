"""A connection sends only what its level needs: a forbidden command raises, and no octet leaves."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from imap.writes.orders import EXCHANGE, peer_account, writing_on
from imap.writes.test_traps import serve
from mailmcp.imap.account import Writes
from mailmcp.imap.command import Command
from mailmcp.imap.session import Session
from mailmcp.imap.verbs import VERBS, ForbiddenCommandError
from servers.peer import Peer, PeerFactory

NEVER = {
    *("EXPUNGE", "DELETE", "RENAME", "SETACL", "DELETEACL", "UNSUBSCRIBE", "SETMETADATA", "SETQUOTA"),
    *("STORE", "COPY", "MOVE", "REPLACE", "UID REPLACE", "MULTIAPPEND", "URLFETCH", "GETMETADATA", "X"),
}
WRITES = {"SELECT", "APPEND", "CREATE", "SUBSCRIBE", "UID STORE", "UID COPY", "UID MOVE", "UID EXPUNGE"}


@contextmanager
def silent(session: Session, server: Peer) -> Iterator[None]:
    """Assert that the block sends nothing: neither a command nor a part of one."""
    session.run("NOOP")
    before, round_trips = len(server.commands), session.traffic.round_trips
    yield
    session.run("NOOP")
    assert [each.name for each in server.commands[before:]] == ["NOOP"]
    assert session.traffic.round_trips == round_trips + 1


@pytest.mark.parametrize("writes", list(Writes))
def test_what_each_level_may_not_send_never_leaves(peer: PeerFactory, writes: Writes) -> None:
    server = serve(peer, EXCHANGE)
    forbidden = (NEVER | WRITES | {"CLOSE"}) - VERBS[writes]
    with writing_on(peer_account(server, writes)) as session, silent(session, server):
        for verb in sorted(forbidden):
            uid, _, name = verb.rpartition(" ")
            for command in (
                Command(name=name, arguments=[b"1", b"x"], uid=bool(uid)),
                Command(name=name.lower(), arguments=[b"1 x"], uid=bool(uid)),
                Command(name=verb, arguments=[b"1"]),
                Command(name=f"{verb} 1"),
            ):
                with pytest.raises(ForbiddenCommandError, match="may not be sent"):
                    session.run_all([Command(name="NOOP"), command])
                assert not session.in_doubt


def test_the_levels_add_up_and_none_may_expunge_for_others() -> None:
    levels = [VERBS[each] - {"CLOSE"} for each in Writes]
    assert all(lower <= higher for lower, higher in pairwise(levels))
    assert not any(verbs & NEVER for verbs in VERBS.values())
    assert not VERBS[Writes.OFF] & WRITES
    assert "CLOSE" not in VERBS[Writes.DRAFTS] | VERBS[Writes.ALL], "it expunges after SELECT"


@pytest.mark.parametrize(
    "attempt",
    [
        lambda client: client.append("INBOX", b"Subject: x\r\n\r\nx"),
        lambda client: client.multiappend("INBOX", [b"Subject: x\r\n\r\nx"]),
        lambda client: client.add_flags([1], [b"\\Deleted"]),
        lambda client: client.expunge([1]),
        lambda client: client.expunge(),
        lambda client: client.move([1], "Trash"),
        lambda client: client.copy([1], "Trash"),
        lambda client: client.delete_folder("Trash"),
        lambda client: client.rename_folder("Trash", "Bin"),
        lambda client: client.select_folder("INBOX"),
        lambda client: client.setacl("INBOX", "anyone", "lr"),
        lambda client: client._imap.xatom("EXPUNGE"),  # noqa: SLF001 - imaplib's
    ],
)
def test_the_libraries_below_can_t_either(peer: PeerFactory, attempt: Callable[[object], object]) -> None:
    server = serve(peer, (*EXCHANGE, "ACL"))
    with writing_on(peer_account(server, Writes.OFF)) as session:
        session.run("EXAMINE", b"INBOX")
        client = session.connection
        client.capabilities = lambda: (b"UIDPLUS", b"MOVE", b"ACL", b"MULTIAPPEND")
        client._imap.state = "SELECTED"  # noqa: SLF001 - or imaplib refuses
        with silent(session, server), pytest.raises(ForbiddenCommandError):
            attempt(client)


def test_no_argument_ends_a_command(peer: PeerFactory) -> None:
    """A line end can only stand in a literal, so nothing behind it is a command."""
    server = serve(peer, ("IMAP4rev1", "ID"))
    with writing_on(peer_account(server, Writes.OFF)) as session:
        injected = b'INBOX\r\nA1 DELETE "Work"'
        session.run_all([Command(name="EXAMINE", arguments=[injected])])
        session.run("NOOP")
    assert [each.name for each in server.commands[-2:]] == ["EXAMINE", "NOOP"]
    assert f"{{{len(injected)}}}\r\n" in server.commands[-2].line
