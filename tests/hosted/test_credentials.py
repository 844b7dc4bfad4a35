"""Tokens for the mail server: exchanged for those of users, and never the same."""

import threading
from collections.abc import Callable
from dataclasses import replace

import jwt
import pytest

from hosted.organisation import CLIENT_ID, CLIENT_SECRET, Organisation
from mailmcp.auth.client import OAuthClient, discover
from mailmcp.hosted.credentials import LEEWAY_S, by_exchange
from mailmcp.hosted.principal import Principal
from mailmcp.imap.account import BearerToken, Mechanism
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError

ANN = "ann@example.com"


@pytest.fixture
def issued() -> list[str]:
    """The tokens that the user has sent."""
    return []


@pytest.fixture
def read(organisation: Organisation, issued: list[str]) -> Callable[[str], str]:
    """Return what reads the user's token for the mail server."""
    organisation.reset()
    organisation.exchanged.clear()
    organisation.audience = "https://mail.example.com/mcp"
    provider = replace(discover(organisation.issuer), scope="imap")
    client = OAuthClient(provider=provider, client_id=CLIENT_ID, client_secret=CLIENT_SECRET)
    make = by_exchange(lambda: client, audience="mail-server", mechanism=Mechanism.XOAUTH2)
    principal = Principal(issuer=organisation.issuer, subject="1", user=ANN)
    credentials = make(principal, lambda: issued[-1])
    assert isinstance(credentials, BearerToken)
    return credentials.read


def test_the_latest_token_is_exchanged_once_for_another(
    organisation: Organisation, issued: list[str], read: Callable[[str], str]
) -> None:
    issued += [organisation.issue(ANN), organisation.issue(ANN)]
    tokens: list[str] = []
    threads = [threading.Thread(target=lambda: tokens.append(read(""))) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert organisation.exchanged == [issued[1]]
    assert len(tokens) == 8
    [token] = set(tokens)
    assert token not in issued
    assert jwt.decode(token, options={"verify_signature": False})["email"] == ANN


def test_a_refused_token_and_one_that_expires_are_exchanged_anew(
    organisation: Organisation, issued: list[str], read: Callable[[str], str]
) -> None:
    issued.append(organisation.issue(ANN))
    first = read("")
    organisation.lifetime_s = int(LEEWAY_S)
    second = read(first)
    assert second != first
    assert read("") not in {first, second}
    assert len(organisation.exchanged) == 3


@pytest.mark.parametrize(
    ("answer", "kind", "reason", "said"),
    [
        ((400, '{"error": "invalid_request"}'), AuthFailedError, Reason.SIGN_IN_REQUIRED, "administrator"),
        ((400, '{"error": "invalid_grant"}'), AuthFailedError, Reason.SIGN_IN_REQUIRED, "Signing in again"),
        ((200, '{"token_type": "Bearer"}'), AuthFailedError, Reason.SIGN_IN_REQUIRED, "no access token"),
        ((503, "{}"), InternalError, Reason.PROVIDER_UNAVAILABLE, "Try again later"),
    ],
    ids=["refused", "ended", "no token", "away"],
)
def test_an_exchange_that_fails_is_explained_and_tried_again(
    organisation: Organisation,
    issued: list[str],
    read: Callable[[str], str],
    answer: tuple[int, str],
    kind: type[AuthFailedError | InternalError],
    reason: Reason,
    said: str,
) -> None:
    issued.append(organisation.issue(ANN))
    organisation.answers["/token"] = answer
    with pytest.raises(kind, match=said) as caught:
        read("")
    assert caught.value.reason is reason
    assert issued[0] not in repr(caught.value)
    organisation.answers.clear()
    assert read("")
