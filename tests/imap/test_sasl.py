"""Logins by SASL, line by line: the challenge that announces a failure is answered; RFC 7628 section 3.2."""

from base64 import b64encode

import pytest

from imap.line_server import LineServer
from imap.scenes import make_account
from mailmcp.imap.client import ByeError, ProtocolViolationError
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import connect
from mailmcp.imap.session import Session

CHALLENGE = b"+ " + b64encode(b'{"status":"invalid_token"}') + b"\r\n"
NO = b"{tag} NO [AUTHENTICATIONFAILED] Invalid credentials\r\n"


@pytest.mark.parametrize(
    ("mechanism", "answers", "error", "last"),
    [
        ("XOAUTH2", [b"* OK Wait\r\n+ \r\n", CHALLENGE, NO], RefusedError, b""),
        ("OAUTHBEARER", [b"+ \r\n", CHALLENGE, NO], RefusedError, b"AQ=="),
        ("XOAUTH2", [b"+ \r\n", CHALLENGE, b"* BYE Go away\r\n"], ByeError, b""),
        ("XOAUTH2", [b"+ \r\n", CHALLENGE, CHALLENGE], ProtocolViolationError, b""),
        ("XOAUTH2", [b"+ a\r\n"], ProtocolViolationError, None),
    ],
)
def test_a_failure_is_acknowledged_and_nonsense_given_up(
    mechanism: str, answers: list[bytes], error: type[Exception], last: bytes | None
) -> None:
    lines: list[bytes] = []

    def answer(line: bytes, _earlier: list[bytes]) -> bytes:
        lines.append(line.rstrip(b"\r\n"))
        return answers[len(lines) - 1].replace(b"{tag}", lines[0].split()[0])

    with LineServer(answer) as server:
        session = Session(make_account(server))
        connect(session)
        client = session.connection
        log_in = client.oauth2_login if mechanism == "XOAUTH2" else client.oauthbearer_login
        with pytest.raises(error):
            log_in("a,n=n", "fake-token")
        session.discard()
    assert lines[0].endswith(b" AUTHENTICATE " + mechanism.encode())
    assert last is None or lines[-1] == last
