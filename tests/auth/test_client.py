from collections.abc import Callable
from dataclasses import replace

import pytest

from auth.conftest import Browser, Clock
from mailmcp.auth.client import OAuthClient, discover
from mailmcp.auth.provider import (
    ProviderUnavailableError,
    SignInError,
    parse_metadata,
)
from servers.authorization import AuthorizationServer


def test_a_browser_brings_tokens_that_can_be_refreshed(
    client: OAuthClient, browser: Browser, clock: Clock
) -> None:
    tokens = client.sign_in_with_browser(browser)
    assert tokens.expires_at == clock() + 3600
    refreshed = client.refresh(tokens.refresh_token)
    assert refreshed.access_token != tokens.access_token
    assert refreshed.refresh_token != tokens.refresh_token
    assert tokens.refresh_token not in repr(tokens)
    assert tokens.access_token not in repr(tokens)


def test_requests_of_others_end_nothing(client: OAuthClient, browser: Browser) -> None:
    """A page that knows the port sends a code of its own, without our state."""
    strangers = ("?code=stolen&state=guessed", "favicon.ico", "?error=access_denied")
    assert client.sign_in_with_browser(lambda url: browser(url, *strangers)).refresh_token


def test_a_browser_that_declines_comes_from_elsewhere_or_never_is_named(
    provider: AuthorizationServer, client: OAuthClient, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.consent = False
    with pytest.raises(SignInError, match="did not sign you in: access_denied: the user said no"):
        client.sign_in_with_browser(browser)
    provider.consent, provider.issuer_in_answer = True, "https://evil.example"
    with pytest.raises(SignInError, match="another issuer"):
        client.sign_in_with_browser(browser)
    monkeypatch.setattr("mailmcp.auth.client.SIGN_IN_TIMEOUT_S", 0.01)
    with pytest.raises(SignInError, match="didn't come back"):
        client.sign_in_with_browser(lambda _url: None)
    assert "/token" not in provider.requests


@pytest.mark.parametrize("polls", [0, 3])
def test_a_device_code_is_shown_and_polled(
    provider: AuthorizationServer, client: OAuthClient, polls: int
) -> None:
    provider.pending_polls = polls
    shown: list[tuple[object, ...]] = []
    waits: list[float] = []
    tokens = client.sign_in_with_device(lambda *code: shown.append(code), sleep=waits.append)
    assert tokens.refresh_token
    assert shown == [("FAKE-CODE", f"{provider.issuer}/activate", 900)]
    assert waits == ([1.0] if not polls else [1.0, 1.0, 6.0, 6.0]), "slow_down adds five seconds"


def test_a_device_code_expires_or_is_declined_or_not_offered(
    provider: AuthorizationServer, client: OAuthClient, clock: Clock
) -> None:
    def sleep(seconds: float) -> None:
        clock.now += 100 * seconds

    provider.pending_polls = 1_000
    with pytest.raises(SignInError, match="expired"):
        client.sign_in_with_device(lambda *_code: None, sleep=sleep)
    provider.reset()
    provider.consent = False
    with pytest.raises(SignInError, match="access_denied"):
        client.sign_in_with_device(lambda *_code: None, sleep=sleep)
    without = replace(client, provider=replace(client.provider, device_endpoint=""))
    with pytest.raises(SignInError, match=r"doesn't offer sign-in by code for mail\. Use the browser\."):
        without.sign_in_with_device(lambda *_code: None)


METADATA = "/.well-known/oauth-authorization-server"

ASK: dict[str, Callable[[OAuthClient], object]] = {
    METADATA: lambda client: discover(client.provider.issuer),
    "/token": lambda client: client.refresh("fake"),
    "/device": lambda client: client.sign_in_with_device(lambda *_code: None, sleep=lambda _seconds: None),
}


@pytest.mark.parametrize(
    ("path", "status", "body", "said"),
    [
        (METADATA, 404, "", "{metadata}: none was found."),
        (METADATA, 200, "[]", "{metadata}: it isn't a JSON object."),
        (METADATA, 200, "{}", "{metadata}: it names another issuer."),
        ("/token", 200, "{}", "{name} sent no access token."),
        ("/token", 200, "<html>", "{name} sent a response that isn't OAuth."),
        (
            "/token",
            200,
            '{"access_token": "fake", "token_type": "Bearer", "expires_in": [1]}',
            "{name} sent a response that isn't OAuth.",
        ),
        ("/token", 400, '{"error": ["a"]}', "{name} refused the request (['a'])."),
        ("/device", 200, "[]", "{name} sent a response that isn't OAuth."),
        (
            "/device",
            400,
            '{"error": "x", "error_description": "no\\nmail."}',
            "{name} sent no code: x: no mail.",
        ),
    ],
)
def test_an_answer_that_makes_no_sense_is_named(
    client: OAuthClient, provider: AuthorizationServer, path: str, status: int, body: str, said: str
) -> None:
    provider.answers[path] = (status, body)
    with pytest.raises(SignInError) as caught:
        ASK[path](client)
    assert type(caught.value) is SignInError
    metadata = f"The OAuth metadata of {provider.issuer} can't be used"
    assert str(caught.value) == said.format(name=client.provider.name, metadata=metadata)


@pytest.mark.parametrize(
    ("path", "status", "body", "said"),
    [
        *((path, 503, "", "answered with HTTP status 503. Try again later.") for path in ASK),
        ("/token", 429, "<html>", "answered with HTTP status 429. Try again later."),
        ("/token", 400, '{"error": "server_error"}', "is busy (server_error). Try again later."),
    ],
)
def test_a_provider_that_is_down_can_be_asked_later(
    client: OAuthClient, provider: AuthorizationServer, path: str, status: int, body: str, said: str
) -> None:
    provider.answers[path] = (status, body)
    with pytest.raises(ProviderUnavailableError) as caught:
        ASK[path](client)
    assert str(caught.value).endswith(f" {said}")
    away = replace(client.provider, token_endpoint="http://127.0.0.1:1/token")
    with pytest.raises(ProviderUnavailableError, match="can't be reached"):
        replace(client, provider=away).refresh("fake")


GOOD = {
    "issuer": "https://a.example",
    "authorization_endpoint": "https://a.example/a",
    "token_endpoint": "https://a.example/t",
}


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"issuer": "https://b.example"}, "another issuer"),
        ({"token_endpoint": ""}, "lacks an endpoint"),
        ({"authorization_endpoint": None}, "lacks an endpoint"),
        ({"token_endpoint": "http://a.example/t"}, "token_endpoint is not an https"),
        ({"device_authorization_endpoint": "ftp://a"}, "device_authorization_endpoint is not an https"),
    ],
)
def test_metadata_that_can_not_be_trusted_is_refused(changed: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        parse_metadata("https://a.example", GOOD | changed, scope="")


def test_metadata_is_looked_for_where_the_rfc_puts_it(provider: AuthorizationServer) -> None:
    with pytest.raises(SignInError, match="none was found"):
        discover(f"{provider.issuer}/tenant/")
    places = ("/.well-known/oauth-authorization-server/tenant", "/tenant/.well-known/openid-configuration")
    assert tuple(provider.requests) == places


def test_scopes_are_those_offered_or_named() -> None:
    offered = GOOD | {"scopes_supported": ["openid", "https://x/imap.full", "offline_access"]}
    chosen = parse_metadata("https://a.example", offered, scope="")
    assert chosen.scope == "https://x/imap.full offline_access"
    assert parse_metadata("https://a.example/", offered, scope="mine").scope == "mine"
