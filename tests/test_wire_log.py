"""The log that shows that mailmcp changes nothing: it would notice if it did."""

import imaplib
from contextlib import suppress

import pytest

from servers.peer import PeerFactory
from wire_log import find_forbidden, sent


class Theirs(imaplib.IMAP4):
    pass


class Ours(imaplib.IMAP4):
    __module__ = "mailmcp.imap.client"


@pytest.mark.parametrize("program", [Ours, Theirs])
def test_a_write_is_noticed_where_it_is_sent_or_where_a_peer_receives_it(
    peer: PeerFactory, program: type[imaplib.IMAP4]
) -> None:
    server = peer()
    with program(server.host, server.port) as client:
        client.login(server.user, server.password)
        client.select(readonly=True)
        with suppress(imaplib.IMAP4.error):  # what it answers doesn't matter
            client.uid("STORE", "1", "+FLAGS", "(\\Seen)")
    commands = set(sent)
    sent.clear()
    assert commands - {"CAPABILITY", "LOGIN", "EXAMINE", "LOGOUT"} == {"STORE"}
    assert ("LOGIN" in commands) is (program is Ours), "whoever connects to a peer"


@pytest.mark.parametrize("name", ["imap/test_session.py", "tools/changes/test_changes.py", "tools/test_x.py"])
def test_tests_of_reading_may_not_write(name: str) -> None:
    commands = {"FETCH": 2, "STORE": 1, "SELECT": 1}
    assert find_forbidden(f"tests/{name}::test_change", commands) == ["SELECT", "STORE"]
    assert find_forbidden(f"tests/{name}::test_change", ["EXAMINE", "FETCH"]) == []


@pytest.mark.parametrize(
    "name", ["imap/writes/test_x.py", "tools/change/test_x.py", "hostile/test_writes.py"]
)
def test_tests_of_writing_may(name: str) -> None:
    assert find_forbidden(f"tests/{name}::test", ["SELECT", "STORE"]) == []
