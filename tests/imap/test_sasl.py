"""The challenge that announces a failed login is answered, and says why; RFC 7628 section 3.2."""

from base64 import b64encode

import pytest

from imap.line_server import LineServer
from imap.scenes import make_account
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import connect
from mailmcp.imap.connection import ProtocolViolationError
from mailmcp.imap.connection_handle import ConnectionHandle
from mailmcp.imap.sasl import answer_to_failure, parse_failure

INVALID_TOKEN = b'{"status":"invalid_token","schemes":"bearer","scope":"https://mail.example.com/"}'
TOKEN = b"user=ann\x01auth=Bearer fake-token\x01\x01"


class Script:
    """Answers the lines of one login, and remembers them."""

    def __init__(self, *answers: bytes, capability: bytes = b"SASL-IR") -> None:
        self.lines: list[bytes] = []
        self._answers = list(answers)
        self.capability = capability

    def __call__(self, line: bytes, _earlier: list[bytes]) -> bytes:
        self.lines.append(line.rstrip(b"\r\n"))
        tag = self.lines[0].split()[0]
        return self._answers.pop(0).replace(b"{tag}", tag)

    def authenticate(self, mechanism: str, *, initial: bool) -> None:
        """Log in at a server of this script."""
        with LineServer(self, capability=self.capability) as server:
            handle = ConnectionHandle(make_account(server))
            connection = connect(handle)
            try:
                connection.authenticate_with(mechanism, TOKEN, initial=initial)
            finally:
                handle.close()


CHALLENGE = b"+ " + b64encode(INVALID_TOKEN) + b"\r\n"
NO = b"{tag} NO [AUTHENTICATIONFAILED] Invalid credentials\r\n"


@pytest.mark.parametrize("initial", [True, False], ids=["initial response", "on demand"])
@pytest.mark.parametrize(
    ("mechanism", "answer"), [("XOAUTH2", b""), ("OAUTHBEARER", b"AQ=="), ("PLAIN", b"*")]
)
def test_the_challenge_of_a_failed_login_is_answered(mechanism: str, answer: bytes, *, initial: bool) -> None:
    script = Script(*([] if initial else [b"+ \r\n"]), CHALLENGE, NO)
    with pytest.raises(RefusedError) as caught:
        script.authenticate(mechanism, initial=initial)
    assert (caught.value.status, caught.value.code) == ("NO", "AUTHENTICATIONFAILED")
    assert caught.value.sasl_failure["status"] == "invalid_token"
    tag, _, command = script.lines[0].partition(b" ")
    message = b64encode(TOKEN)
    first = b"AUTHENTICATE " + mechanism.encode()
    sent = [first + b" " + message] if initial else [first, message]
    assert [command, *script.lines[1:]] == [*sent, answer]
    assert tag


@pytest.mark.parametrize(
    ("initial", "capability", "answers", "lines"),
    [
        (True, b"SASL-IR", [b"{tag} OK Done\r\n"], 1),
        (True, b"IDLE", [b"+ \r\n", b"{tag} OK Done\r\n"], 2),
        (False, b"SASL-IR", [b"+ \r\n", b"{tag} OK Done\r\n"], 2),
        (False, b"SASL-IR", [b"* OK Wait\r\n+ \r\n", b"* OK Wait\r\n{tag} OK Done\r\n"], 2),
    ],
)
def test_the_message_goes_along_with_the_command_where_that_is_wanted_and_offered(
    capability: bytes, answers: list[bytes], lines: int, *, initial: bool
) -> None:
    script = Script(*answers, capability=capability)
    script.authenticate("XOAUTH2", initial=initial)
    assert len(script.lines) == lines


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
        Script(*answers).authenticate("XOAUTH2", initial=False)


def test_a_login_that_never_ends_is_given_up() -> None:
    with pytest.raises(ProtocolViolationError):
        Script(b"+ \r\n", CHALLENGE, CHALLENGE).authenticate("XOAUTH2", initial=False)


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
    assert parse_failure(b64encode(json)) == expected


def test_what_is_no_base64_says_nothing() -> None:
    assert parse_failure(b"{}") == {}
    assert answer_to_failure("CRAM-MD5") == b"*"
