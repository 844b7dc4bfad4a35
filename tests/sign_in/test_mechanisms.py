"""Logins by access token, on a Dovecot that validates them itself."""

from collections.abc import Callable
from typing import Any

import pytest

from imap.scenes import Clock, RunningPool, session_on
from mailmcp.auth import store
from mailmcp.auth.client import OAuthClient, discover
from mailmcp.auth.tokens import TokenSource
from mailmcp.imap.account import Account, BearerToken, Mechanism, Tls
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError
from servers.authorization import CLIENT_ID, USER, AuthorizationServer
from servers.dovecot import Dovecot
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule


def account_on(server: Dovecot | Peer, read: Callable[[str], str], **options: Any) -> Account:
    return Account(
        account_id="work",
        host=server.host,
        port=server.plain_port if isinstance(server, Dovecot) else server.port,
        user=USER,
        credentials=BearerToken(read=read, **options),
        tls=Tls.NONE,
    )


@pytest.fixture
def source(authorization: AuthorizationServer) -> TokenSource:
    """The tokens of a user who has signed in."""
    store.write("work", authorization.sign_in())
    client = OAuthClient(provider=discover(authorization.issuer), client_id=CLIENT_ID)
    return TokenSource("work", lambda: client, key="work")


@pytest.mark.parametrize("mechanism", Mechanism)
def test_an_expired_token_is_replaced_by_one_refresh(
    mail_server: Dovecot, authorization: AuthorizationServer, source: TokenSource, mechanism: Mechanism
) -> None:
    """The provider says that the token lasts, and the mail server knows better."""
    expired = authorization.access_token(lifetime_s=-60)
    asked: list[str] = []

    def read(refused: str) -> str:
        asked.append(refused)
        return source(refused) if refused else expired

    with session_on(account_on(mail_server, read, mechanism=mechanism)):
        pass
    assert asked == ["", expired]
    assert authorization.refreshes == 1


@pytest.mark.parametrize("mechanism", Mechanism)
def test_a_token_that_is_never_good_is_sent_twice_explained_and_not_tried_by_each_call(
    mail_server: Dovecot, authorization: AuthorizationServer, source: TokenSource, mechanism: Mechanism
) -> None:
    authorization.token_scope = "smtp"
    with RunningPool(account_on(mail_server, source, mechanism=mechanism), clock=Clock()) as pool:
        for reason in (Reason.CREDENTIALS_REJECTED, Reason.BACKING_OFF, Reason.BACKING_OFF):
            with pytest.raises(AuthFailedError, match=r"mailmcp login work|again") as caught:
                pool.run(lambda session: session.can("IDLE"))
            assert caught.value.reason is reason
    assert authorization.refreshes == 2


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        (b"{tag} NO [UNAVAILABLE] Temporary authentication failure\r\n", ["", "first"]),
        (b"{tag} NO AUTHENTICATE failed.\r\n", ["", "first"]),
        (b"{tag} NO [THROTTLED] Slow down\r\n", [""]),
        (b"{tag} NO [LIMIT] Maximum number of connections exceeded\r\n", [""]),
    ],
    ids=["Dovecot whose introspection fails", "Outlook", "throttled", "too many connections"],
)
def test_a_refusal_is_answered_with_another_token_once(
    peer: PeerFactory, answer: bytes, tokens: list[str]
) -> None:
    server = peer(
        rules=[Rule(command="AUTHENTICATE", action=Respond(answer))], capabilities=("IMAP4rev1", "SASL-IR")
    )
    asked: list[str] = []

    def read(refused: str) -> str:
        asked.append(refused)
        return "second" if refused else "first"

    with pytest.raises((AuthFailedError, InternalError)):
        session_on(account_on(server, read)).__enter__()
    assert asked == tokens
