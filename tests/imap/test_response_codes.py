"""One table says what a refusal means, for logins and for all other commands."""

import pytest

from imap.scenes import RunningPool, make_account, open_mailbox, read_round
from mailmcp.imap.command import RefusedError
from mailmcp.imap.connect import ConnectionHandle, open_connection
from mailmcp.imap.fetch import fetch_messages
from mailmcp.imap.session import Session
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, Code, ToolError
from servers.dovecot import Login
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import make_messages

TEMPORARY = ("UNAVAILABLE", "INUSE", "SERVERBUG", "EXPUNGEISSUED", "THROTTLED", "LIMIT", "OVERQUOTA")

PERMANENT = {
    "AUTHENTICATIONFAILED": (Code.AUTH_FAILED, Reason.CREDENTIALS_REJECTED),
    "EXPIRED": (Code.AUTH_FAILED, Reason.CREDENTIALS_EXPIRED),
    "PRIVACYREQUIRED": (Code.AUTH_FAILED, Reason.LOGIN_DISABLED),
    "AUTHORIZATIONFAILED": (Code.INTERNAL, Reason.PERMISSION_DENIED),
    "CONTACTADMIN": (Code.INTERNAL, Reason.PERMISSION_DENIED),
    "NOPERM": (Code.INTERNAL, Reason.PERMISSION_DENIED),
    "WEBALERT https://example.com/unlock": (Code.INTERNAL, Reason.PERMISSION_DENIED),
    "NONEXISTENT": (Code.NOT_FOUND, Reason.MAILBOX_MISSING),
    "CANNOT": (Code.INTERNAL, Reason.SERVER_REFUSED),
    "CLIENTBUG": (Code.INTERNAL, Reason.SERVER_REFUSED),
    "CORRUPTION": (Code.INTERNAL, Reason.SERVER_REFUSED),
}

SAYS_NOTHING = ("ALERT", "X-UNHEARD-OF")

MEANINGS = [
    *((code, Code.INTERNAL, Reason.SERVER_REFUSED, True) for code in (*TEMPORARY, *SAYS_NOTHING)),
    *((code, *meaning, False) for code, meaning in PERMANENT.items()),
]


def refusal(code: str) -> Respond:
    return Respond(f"{{tag}} NO [{code}] Not today\r\n".encode())


@pytest.mark.parametrize("command", ["LIST", "EXAMINE", "UID SEARCH", "NOOP"])
@pytest.mark.parametrize(("text", "code", "reason", "retryable"), MEANINGS)
def test_a_refused_command_means_what_its_code_says(
    peer: PeerFactory, command: str, text: str, code: Code, reason: Reason, *, retryable: bool
) -> None:
    server = peer(messages=make_messages(1), rules=[Rule(command=command, action=refusal(text))])
    with RunningPool(make_account(server)) as pool, pytest.raises(ToolError) as caught:
        pool.run(read_round)
    error = caught.value
    assert (error.code, error.reason, error.retryable) == (code, reason, retryable)


@pytest.mark.parametrize(("text", "code", "reason", "retryable"), MEANINGS)
def test_a_refused_fetch_may_succeed_later_if_its_code_says_so(
    peer: PeerFactory, text: str, code: Code, reason: Reason, *, retryable: bool
) -> None:
    def fetch(session: Session) -> tuple[Reason, bool]:
        open_mailbox(session, "INBOX")
        failure = fetch_messages(session, [1], ("UID", "FLAGS")).failures[1]
        return Reason(failure.reason), failure.retryable

    if text == "EXPUNGEISSUED":
        reason, retryable = Reason.MESSAGE_GONE, False
    elif code is not Code.INTERNAL:
        reason = Reason.SERVER_REFUSED
    server = peer(messages=make_messages(1), rules=[Rule(command="UID FETCH", action=refusal(text))])
    with RunningPool(make_account(server)) as pool:
        assert pool.run(fetch) == (reason, retryable)


@pytest.mark.parametrize("password", ["fake-password", "fäke-password"], ids=["LOGIN", "AUTHENTICATE"])
@pytest.mark.parametrize("code", [code for code in TEMPORARY if code != "LIMIT"])
def test_a_temporary_refusal_says_nothing_of_the_password(
    peer: PeerFactory, code: str, password: str
) -> None:
    server = peer(rules=[Rule(command=name, action=refusal(code)) for name in ("LOGIN", "AUTHENTICATE")])
    with pytest.raises(ToolError, match=rf'refused login \(account main\): NO "\\\[{code}]"\.$') as caught:
        open_connection(ConnectionHandle(make_account(server, Login("fake-user", password))))
    assert (caught.value.code, caught.value.reason) == (Code.INTERNAL, Reason.SERVER_REFUSED)
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("text", "reason", "words"),
    [
        ("AUTHENTICATIONFAILED", Reason.CREDENTIALS_REJECTED, r"rejected .* \(`AUTHENTICATIONFAILED`\)"),
        ("ALERT", Reason.CREDENTIALS_REJECTED, "rejected the user name or password"),
        ("CANNOT", Reason.CREDENTIALS_REJECTED, "rejected the user name or password"),
        ("EXPIRED", Reason.CREDENTIALS_EXPIRED, "has expired"),
        ("PRIVACYREQUIRED", Reason.LOGIN_DISABLED, "may require encryption"),
        ("AUTHORIZATIONFAILED", Reason.PERMISSION_DENIED, "whatever the password"),
        ("CONTACTADMIN", Reason.PERMISSION_DENIED, "whatever the password"),
        ("NOPERM", Reason.PERMISSION_DENIED, "whatever the password"),
        ("WEBALERT https://example.com/unlock", Reason.PERMISSION_DENIED, "website"),
    ],
)
def test_a_login_refused_for_good_says_what_the_person_must_do(
    peer: PeerFactory, text: str, reason: Reason, words: str
) -> None:
    server = peer(rules=[Rule(command="LOGIN", action=refusal(text))])
    with pytest.raises(AuthFailedError, match=words) as caught:
        open_connection(ConnectionHandle(make_account(server)))
    assert (caught.value.reason, caught.value.retryable) == (reason, False)
    assert "Not today" not in caught.value.message, "servers exist that repeat the command"


@pytest.mark.parametrize(
    ("status", "text", "temporary", "retryable"),
    [
        ("NO", "[THROTTLED] Slow down", True, True),
        ("BAD", "[THROTTLED] Slow down", True, True),
        ("NO", "[NOPERM] Keep out", False, False),
        ("NO", "No reason", False, True),
        ("BAD", "No reason", False, False),
    ],
)
def test_only_a_code_makes_a_refusal_temporary(
    status: str, text: str, *, temporary: bool, retryable: bool
) -> None:
    error = RefusedError("SEARCH", status, text)
    assert (error.is_temporary, error.retryable) == (temporary, retryable)


@pytest.mark.parametrize("code", ["", *SAYS_NOTHING])
def test_other_codes_say_nothing(code: str) -> None:
    error = RefusedError("NOOP", "NO", f"[{code}]")
    assert not error.is_final
    assert not error.is_temporary


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("[LIMIT] Maximum number of connections from user+IP exceeded (mail_max_userip_connections=2)", True),
        ("[ALERT] Too many simultaneous connections. (Failure)", True),
        ("Maximum number of connections exceeded", True),
        ("[UNAVAILABLE] Connection limit reached", True),
        ("Too many open sessions", True),
        ("[UNAVAILABLE] Temporary authentication failure", False),
        ("[AUTHENTICATIONFAILED] Too many failed logins", False),
        ("[AUTHENTICATIONFAILED] Too many failed connections", False),
        ("Too many failed logins", False),
        ("Too many invalid commands", False),
    ],
)
def test_a_limit_of_connections_is_known_by_its_words(text: str, *, limit: bool) -> None:
    assert RefusedError("LOGIN", "NO", text).is_connection_limit == limit


def test_a_long_text_of_the_server_ends_with_an_ellipsis() -> None:
    assert RefusedError("SEARCH", "NO", "n" * 200).text == "n" * 200
    assert RefusedError("SEARCH", "NO", "n" * 201).text == "n" * 199 + "…"
