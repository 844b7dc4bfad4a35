"""The challenge that announces a failed login is answered, and says why; RFC 7628 section 3.2."""

from base64 import b64encode

import pytest

from imap.line_server import LineServer
from imap.scenes import make_account
from mailmcp.imap.client import ProtocolViolationError, parse_sasl_failure
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import ConnectionHandle, connect

INVALID_TOKEN = b'{"status":"invalid_token","schemes":"bearer","scope":"https://mail.example.com/"}'
TOKEN = b"user=ann\x01auth=Bearer fake-token\x01\x01"


class Script:
    """Answers the lines of one login, and remembers them."""

    def __init__(self, *answers: bytes) -> None:
        self.lines: list[bytes] = []
        self._answers = list(answers)

    def __call__(self, line: bytes, _earlier: list[bytes]) -> bytes:
        self.lines.append(line.rstrip(b"\r\n"))
        tag = self.lines[0].split()[0]
        return self._answers.pop(0).replace(b"{tag}", tag)

    def authenticate(self, mechanism: str) -> None:
        """Log in at a server of this script."""
        with LineServer(self) as server:
            handle = ConnectionHandle(make_account(server))
            connection = connect(handle)
            try:
                connection.authenticate(mechanism, TOKEN)
            finally:
                handle.close()


CHALLENGE = b"+ " + b64encode(INVALID_TOKEN) + b"\r\n"
NO = b"{tag} NO [AUTHENTICATIONFAILED] Invalid credentials\r\n"


@pytest.mark.parametrize(
    ("mechanism", "answer"), [("XOAUTH2", b""), ("OAUTHBEARER", b"AQ=="), ("PLAIN", b"*")]
)
def test_the_challenge_of_a_failed_login_is_answered(mechanism: str, answer: bytes) -> None:
    script = Script(b"+ \r\n", CHALLENGE, NO)
    with pytest.raises(RefusedError) as caught:
        script.authenticate(mechanism)
    assert (caught.value.status, caught.value.code) == ("NO", "AUTHENTICATIONFAILED")
    assert caught.value.sasl_failure["status"] == "invalid_token"
    tag, _, command = script.lines[0].partition(b" ")
    expected = [b"AUTHENTICATE " + mechanism.encode(), b64encode(TOKEN), answer]
    assert [command, *script.lines[1:]] == expected
    assert tag


def test_responses_in_between_mean_nothing() -> None:
    script = Script(b"* OK Wait\r\n+ \r\n", b"* OK Wait\r\n{tag} OK Done\r\n")
    script.authenticate("XOAUTH2")
    assert len(script.lines) == 2


@pytest.mark.parametrize(
    "answers",
    [
        [b"{tag} NO Not this way\r\n"],
        [b"+ \r\n", b"{tag} BAD What\r\n"],
        [b"* BYE Go away\r\n"],
        [b"+ \r\n", b"* BYE Go away\r\n"],
        [b"+ \r\n", CHALLENGE, b"* BYE Go away\r\n{tag} NO Wrong\r\n"],
    ],
)
def test_a_refusal_may_come_at_any_point(answers: list[bytes]) -> None:
    with pytest.raises(RefusedError):
        Script(*answers).authenticate("XOAUTH2")


@pytest.mark.parametrize("answers", [[CHALLENGE, CHALLENGE], [b"+ a\r\n"]])
def test_a_dialogue_without_sense_is_given_up(answers: list[bytes]) -> None:
    with pytest.raises(ProtocolViolationError):
        Script(b"+ \r\n", *answers).authenticate("XOAUTH2")


@pytest.mark.parametrize(
    ("json", "expected"),
    [
        (b'{"status":"401","scope":"a","n":1,"l":["x"]}', {"status": "401", "scope": "a"}),
        (b'{"status":"a\\u001b[2Jb"}', {"status": "a [2Jb"}),
        (b'{"status":"%b"}' % (b"x" * 500), {"status": "x" * 200}),
        (b"[]", {}),
        (b"no JSON", {}),
        (b"\xff", {}),
        (b"[" * 100_000, {}),
        (b"", {}),
    ],
)
def test_the_reason_of_a_failure_is_read(json: bytes, expected: dict[str, str]) -> None:
    assert parse_sasl_failure(json) == expected
