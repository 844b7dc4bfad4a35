"""What goes wrong on a connection has one name each, and the sentence that helps."""

import socket
import ssl
from dataclasses import replace

import pytest
from imapclient.exceptions import LoginError

from mailmcp.imap.account import Account, Password, Tls
from mailmcp.imap.client import ByeError, ProtocolViolationError
from mailmcp.imap.command import RefusedError
from mailmcp.imap.errors import (
    login_disabled_error,
    login_refused_error,
    refused_error,
    token_refused_error,
    translate_errors,
)
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, Code, InternalError

SECRET = "fake-password"
REJECTED = "[AUTHENTICATIONFAILED] Invalid credentials"


@pytest.mark.parametrize(
    ("error", "reason", "retryable"),
    [
        (OSError("no route to host"), Reason.CONNECTION_LOST, True),
        (LoginError("socket error: broken pipe"), Reason.CONNECTION_LOST, True),
        (ByeError("Go away"), Reason.CONNECTION_LOST, True),
        (ByeError("Too many connections"), Reason.CONNECTION_LIMIT, True),
        (ssl.SSLEOFError(), Reason.CONNECTION_LOST, True),
        (ConnectionRefusedError(), Reason.CONNECTION_REFUSED, True),
        (socket.gaierror(), Reason.CONNECTION_REFUSED, True),
        (ssl.SSLError(), Reason.TLS_FAILED, False),
        (ProtocolViolationError(), Reason.PROTOCOL_VIOLATION, False),
        (RefusedError("NOOP", "BAD", "What"), Reason.SERVER_REFUSED, False),
    ],
)
def test_each_error_has_a_name(error: Exception, reason: Reason, *, retryable: bool) -> None:
    with pytest.raises(InternalError, match="account main") as caught, translate_errors("main"):
        raise error
    assert (caught.value.reason, caught.value.retryable) == (reason, retryable)
    assert caught.value.__cause__ is error
    assert "Go away" not in str(error), "what a BYE says may be anything"


@pytest.mark.parametrize(
    ("text", "code", "reason", "retryable"),
    [
        ("[THROTTLED] Later", Code.INTERNAL, Reason.SERVER_REFUSED, True),
        ("[ALERT] Not today", Code.INTERNAL, Reason.SERVER_REFUSED, True),
        ("[AUTHENTICATIONFAILED] Who are you", Code.AUTH_FAILED, Reason.CREDENTIALS_REJECTED, False),
        ("[PRIVACYREQUIRED] Not so", Code.AUTH_FAILED, Reason.LOGIN_DISABLED, False),
        ("[NOPERM] Not yours", Code.INTERNAL, Reason.PERMISSION_DENIED, False),
        ("[nonexistent] Gone", Code.NOT_FOUND, Reason.MAILBOX_MISSING, False),
        ("[CANNOT] Never", Code.INTERNAL, Reason.SERVER_REFUSED, False),
        # Exchange: the wrong person signed in, has no permission, or IMAP is off.
        ("User is authenticated but not connected.", Code.AUTH_FAILED, Reason.PERMISSION_DENIED, False),
        # NetEase
        ("EXAMINE Unsafe Login. Please contact us", Code.AUTH_FAILED, Reason.PERMISSION_DENIED, False),
    ],
)
def test_a_refused_command_means_what_the_server_says(
    text: str, code: Code, reason: Reason, *, retryable: bool
) -> None:
    error = refused_error("main", RefusedError("EXAMINE", "NO", text))
    assert (error.code, error.reason, error.retryable) == (code, reason, retryable)
    assert error.details == {"account_id": "main", "command": "EXAMINE", "status": "NO"}


def account_at(host: str) -> Account:
    return Account(account_id="work", host=host, port=993, user="ann", credentials=Password(lambda: SECRET))


@pytest.mark.parametrize(
    ("host", "text", "reason", "words"),
    [
        ("imap.gmail.com", REJECTED, Reason.CREDENTIALS_REJECTED, "myaccount.google.com/apppasswords"),
        (
            "imap.gmail.com",
            "[ALERT] Your account is not enabled for IMAP use. Please visit your settings page",
            Reason.PERMISSION_DENIED,
            "IMAP is off",
        ),
        ("imap.163.com", "LOGIN Login error", Reason.CREDENTIALS_REJECTED, "an authorization code"),
        ("outlook.office365.com", "LOGIN failed.", Reason.LOGIN_DISABLED, "mailmcp login work"),
        ("mx.example", REJECTED, Reason.CREDENTIALS_REJECTED, "(`AUTHENTICATIONFAILED`). Check both; many"),
        ("mx.example", "[EXPIRED] Old", Reason.CREDENTIALS_EXPIRED, "has expired"),
        ("mx.example", "[WEBALERT https://x] Blocked", Reason.PERMISSION_DENIED, "website"),
        ("127.0.0.1", REJECTED, Reason.CREDENTIALS_REJECTED, "After a change in the settings, restart"),
    ],
)
def test_a_refused_password_is_answered_with_what_that_server_takes(
    host: str, text: str, reason: Reason, words: str
) -> None:
    error = login_refused_error(account_at(host), RefusedError("LOGIN", "NO", f"{text} {SECRET}"))
    assert isinstance(error, AuthFailedError)
    assert (error.reason, error.retryable) == (reason, False)
    assert words in error.message
    assert SECRET not in error.message, "servers exist that repeat the command"


@pytest.mark.parametrize("host", ["imap.gmail.com", "outlook.office365.com"])
@pytest.mark.parametrize(
    "text", ["[SERVERBUG] Not now", "[ALERT] Too many simultaneous connections. (Failure)"]
)
def test_what_may_pass_is_never_called_wrong_credentials(host: str, text: str) -> None:
    refused = RefusedError("LOGIN", "NO", text)
    for build in (login_refused_error, token_refused_error):
        error = build(account_at(host), refused)
        assert (error.code, error.retryable) == (Code.INTERNAL, True)
        assert error.reason in {Reason.SERVER_REFUSED, Reason.CONNECTION_LIMIT}
        assert "password" not in error.message
        assert "OAuth" not in error.message


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("imap.mail.me.com", "accepts only an app-specific password"),  # though it advertises XOAUTH2
        ("outlook.office365.com", "(account work, `AUTHENTICATIONFAILED`). The user may have signed in as"),
        ("mx.example", "mailmcp login work"),
    ],
)
def test_a_refused_token_is_answered_with_what_that_server_takes(host: str, words: str) -> None:
    assert words in token_refused_error(account_at(host), RefusedError("X", "NO", REJECTED)).message


def test_outlook_wants_oauth_and_never_encryption() -> None:
    account = replace(account_at("outlook.office365.com"), tls=Tls.NONE)
    error = login_disabled_error(account, offers_oauth=True)
    assert (error.reason, "encryption" in error.message) == (Reason.LOGIN_DISABLED, False)
    assert "only OAuth 2.0" in error.message
    assert "mailmcp login work" in error.message
