"""Logins by SASL, line by line: the challenge that announces a failure is answered; RFC 7628 section 3.2."""

from base64 import b64encode

import pytest

from imap.line_server import LineServer
from imap.scenes import make_account
from mailmcp.imap.client import ByeError, Client, ProtocolViolationError
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import ConnectionHandle, connect

CHALLENGE = b"+ " + b64encode(b'{"status":"invalid_token"}') + b"\r\n"
NO = b"{tag} NO [AUTHENTICATIONFAILED] Invalid credentials\r\n"
MESSAGES = {
    "XOAUTH2": b"user=a,n=n\x01auth=Bearer fake-token\x01\x01",
    "OAUTHBEARER": b"n,a=a=2Cn=3Dn,\x01auth=Bearer fake-token\x01\x01",
    "PLAIN": b"\0a,n=n\0fake-token",
}


def log_in(connection: Client, mechanism: str) -> None:
    if mechanism == "XOAUTH2":
        connection.oauth2_login("a,n=n", "fake-token")
    elif mechanism == "OAUTHBEARER":
        connection.oauthbearer_login("a,n=n", "fake-token")
    else:
        connection.plain_login("a,n=n", "fake-token")


def play(mechanism: str, *answers: bytes, lines: list[bytes]) -> None:
    """Log in at a server that answers so; `lines` has what it received."""
    left = list(answers)

    def answer(line: bytes, _earlier: list[bytes]) -> bytes:
        lines.append(line.rstrip(b"\r\n"))
        return left.pop(0).replace(b"{tag}", lines[0].split()[0])

    with LineServer(answer) as server:
        handle = ConnectionHandle(make_account(server))
        connection = connect(handle)
        try:
            log_in(connection, mechanism)
        finally:
            handle.close()


@pytest.mark.parametrize("mechanism", MESSAGES)
def test_a_login_is_one_message(mechanism: str) -> None:
    lines: list[bytes] = []
    play(mechanism, b"* OK Wait\r\n+ \r\n", b"* OK Wait\r\n{tag} OK Done\r\n", lines=lines)
    assert lines[0].endswith(b" AUTHENTICATE " + mechanism.encode())
    assert lines[1:] == [b64encode(MESSAGES[mechanism])]


@pytest.mark.parametrize(("mechanism", "answer"), [("XOAUTH2", b""), ("OAUTHBEARER", b"AQ==")])
def test_the_challenge_of_a_failed_login_is_answered(mechanism: str, answer: bytes) -> None:
    lines: list[bytes] = []
    with pytest.raises(RefusedError) as caught:
        play(mechanism, b"+ \r\n", CHALLENGE, NO, lines=lines)
    assert caught.value.code == "AUTHENTICATIONFAILED"
    assert lines[-1] == answer


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ([b"* BYE Go away\r\n"], ByeError),
        ([b"+ \r\n", CHALLENGE, b"* BYE Go away\r\n"], ByeError),
        ([b"+ \r\n", CHALLENGE, CHALLENGE], ProtocolViolationError),
        ([b"+ \r\n", b"+ a\r\n"], ProtocolViolationError),
    ],
)
def test_a_dialogue_without_sense_is_given_up(answers: list[bytes], error: type[Exception]) -> None:
    with pytest.raises(error):
        play("XOAUTH2", *answers, lines=[])
