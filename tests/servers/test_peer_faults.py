"""Told to misbehave, the scripted peer does so exactly as told."""

import socket

import pytest
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError, ProtocolError

from servers.peer import PeerFactory
from servers.peer_actions import Action, Bye, Close, FailUid, Respond, Rule, Silence, Stall
from servers.peer_client import TIMEOUT_S, examining, logged_in
from servers.peer_mailbox import make_messages

IMPATIENT_S = 0.2


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (Close("before"), "EOF"),
        (Close("within"), "unterminated line"),
        (Close("before", reset=True), "reset"),
        (Bye("Too busy"), "Too busy"),
        (Respond(b"{tag} NO [UNAVAILABLE] Later\r\n"), "Later"),
        (Respond(b"{tag} BAD What\r\n"), "What"),
        (FailUid(2, "NO"), "Cannot fetch"),
        (FailUid(2, "BAD"), "Cannot fetch"),
    ],
)
def test_a_fault_happens_once_when_it_is_said_so(peer: PeerFactory, action: Action, message: str) -> None:
    server = peer(messages=make_messages(1, 2), rules=[Rule(command="UID FETCH", nth=1, action=action)])
    with (
        examining(server) as client,
        pytest.raises((IMAPClientError, OSError), match=message),
    ):
        client.fetch([1, 2], ["BODY.PEEK[]"])
    with examining(server) as client:
        assert set(client.fetch([1, 2], ["BODY.PEEK[]"])) == {1, 2}


def test_close_after_answers_first(peer: PeerFactory) -> None:
    server = peer(rules=[Rule(command="NOOP", action=Close("after"))])
    with logged_in(server) as client:
        assert client.noop()[0] == b"NOOP done"
        server.wait_closed(1)


def test_only_what_names_the_uid_fails(peer: PeerFactory) -> None:
    server = peer(
        messages=make_messages(1, 2, 3),
        rules=[
            Rule(command="UID FETCH", action=FailUid(2)),
            Rule(command="UID FETCH", action=FailUid(3, "garbage")),
        ],
    )
    with examining(server) as client:
        assert set(client.fetch([1], ["FLAGS"])) == {1}
        with pytest.raises(IMAPClientError, match="Cannot fetch"):
            client.fetch("1:*", ["FLAGS"])
        with pytest.raises(ProtocolError):
            client.fetch([3], ["FLAGS"])


def test_rules_count_by_themselves_and_may_look_at_line_and_connection(peer: PeerFactory) -> None:
    server = peer(
        messages=make_messages(1),
        rules=[
            Rule(command="UID SEARCH", nth=1, action=Respond(b"{tag} NO first\r\n")),
            Rule(command="UID SEARCH", nth=2, action=Respond(b"{tag} NO second\r\n")),
            Rule(command="UID SEARCH", containing="UNSEEN", action=Respond(b"{tag} NO unseen\r\n")),
            Rule(command="EXAMINE", connection=2, action=Respond(b"{tag} NO other\r\n")),
        ],
    )
    with examining(server) as client:
        for expected in ("first", "second", "unseen"):
            with pytest.raises(IMAPClientError, match=expected):
                client.search("UNSEEN")
        assert client.search("ALL") == [1]
    with logged_in(server) as client, pytest.raises(IMAPClientError, match="other"):
        client.select_folder("INBOX", readonly=True)


def test_no_answer_in_time(peer: PeerFactory) -> None:
    server = peer(rules=[Rule(command="EXAMINE", action=Silence())])
    with logged_in(server) as client:
        client.socket().settimeout(IMPATIENT_S)
        with pytest.raises(TimeoutError):
            client.select_folder("INBOX", readonly=True)
    server.wait_closed(1)


def test_a_dripped_answer_comes_by_the_octet_and_ends_with_the_client(peer: PeerFactory) -> None:
    server = peer(rules=[Rule(command="NOOP", action=Stall(interval_s=100))])
    with socket.create_connection((server.host, server.port), timeout=TIMEOUT_S) as client:
        client.recv(1000)
        client.sendall(b"tag NOOP\r\n")
        assert client.recv(1000) == b"t"
    server.wait_closed(1)


def test_a_dripped_answer_is_whole_in_the_end(peer: PeerFactory) -> None:
    server = peer(rules=[Rule(command="EXAMINE", action=Stall(octets=50, interval_s=0.001))])
    with examining(server) as client:
        assert client.search() == []


@pytest.mark.parametrize(
    ("greeting", "error"),
    [
        (Silence(), TimeoutError),
        (Bye("Not today"), IMAPClientError),
        (Respond(b"220 ready for SMTP\r\n"), IMAPClientError),
        (Close("before"), IMAPClientAbortError),
    ],
)
def test_greetings(peer: PeerFactory, greeting: Action, error: type[Exception]) -> None:
    server = peer(greeting=greeting)
    timeout_s = IMPATIENT_S if error is TimeoutError else TIMEOUT_S
    with pytest.raises(error), logged_in(server, timeout_s=timeout_s):
        pass
