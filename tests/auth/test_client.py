import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

import httpx2
import pytest

from auth.conftest import Browser, Clock
from mailmcp.auth.client import DeviceCode, OAuthClient, discover
from mailmcp.auth.errors import ConsentEndedError, ProviderUnavailableError, SignInError
from mailmcp.auth.provider import PROVIDERS, is_safe_url, known_provider, metadata_urls, parse_metadata
from mailmcp.auth.redirect import Redirect
from servers.authorization import CLIENT_SECRET, AuthorizationServer


def test_a_browser_brings_tokens_that_can_be_refreshed(
    client: OAuthClient, browser: Browser, clock: Clock
) -> None:
    tokens = client.sign_in_with_browser(browser)
    assert tokens.expires_at == clock() + 3600
    refreshed = client.refresh(tokens.refresh_token)
    assert refreshed.access_token != tokens.access_token
    assert refreshed.refresh_token != tokens.refresh_token
    assert browser.pages == [] or browser.pages[0].status_code == 200
    assert tokens.refresh_token not in repr(tokens)
    assert tokens.access_token not in repr(tokens)


def test_a_user_who_declines_gets_the_providers_words(
    provider: AuthorizationServer, client: OAuthClient, browser: Browser
) -> None:
    provider.consent = False
    with pytest.raises(SignInError, match="did not sign you in: access_denied: the user said no"):
        client.sign_in_with_browser(browser)


def test_an_answer_of_another_issuer_is_refused(
    provider: AuthorizationServer, client: OAuthClient, browser: Browser
) -> None:
    provider.issuer_in_answer = "https://evil.example"
    with pytest.raises(SignInError, match="another issuer"):
        client.sign_in_with_browser(browser)
    assert "/token" not in provider.requests


def test_requests_of_others_end_nothing(client: OAuthClient, browser: Browser) -> None:
    """A page that knows the port sends a code of its own, without our state."""
    strangers: list[int] = []

    def visit(url: str) -> None:
        redirect = httpx2.URL(url).params["redirect_uri"]
        paths = ("?code=stolen&state=guessed", "favicon.ico", "?error=access_denied")
        strangers.extend(httpx2.get(redirect + path).status_code for path in paths)
        browser.visit(url)

    def open_browser(url: str) -> None:
        thread = threading.Thread(target=visit, args=[url])
        browser.threads.append(thread)
        thread.start()

    assert client.sign_in_with_browser(open_browser).refresh_token
    assert strangers == [400, 400, 400]


def test_the_redirect_listens_where_its_address_leads(client: OAuthClient) -> None:
    for host in ("127.0.0.1", "localhost"):
        with Redirect(replace(client.provider, redirect_host=host), "state") as redirect:
            port = urlsplit(redirect.uri).port
            socket.create_connection((host, port or 0)).close()


def test_a_browser_that_never_returns_is_given_up(client: OAuthClient) -> None:
    with pytest.raises(SignInError, match="didn't come back"):
        client.sign_in_with_browser(lambda _url: None, timeout_s=0.01)


@pytest.mark.parametrize("polls", [0, 3])
def test_a_device_code_is_shown_and_polled(
    provider: AuthorizationServer, client: OAuthClient, polls: int
) -> None:
    provider.pending_polls = polls
    shown: list[DeviceCode] = []
    waits: list[float] = []
    assert client.sign_in_with_device(shown.append, sleep=waits.append).refresh_token
    assert [(each.user_code, each.verification_uri) for each in shown] == [
        ("FAKE-CODE", f"{provider.issuer}/activate")
    ]
    assert waits == ([1.0] if not polls else [1.0, 1.0, 6.0, 6.0]), "slow_down adds five seconds"


def test_a_device_code_expires(provider: AuthorizationServer, client: OAuthClient, clock: Clock) -> None:
    provider.pending_polls = 1_000

    def sleep(seconds: float) -> None:
        clock.now += 100 * seconds

    with pytest.raises(SignInError, match="expired"):
        client.sign_in_with_device(lambda _code: None, sleep=sleep)


def test_a_device_code_can_be_declined(provider: AuthorizationServer, client: OAuthClient) -> None:
    provider.consent = False
    with pytest.raises(SignInError, match="access_denied"):
        client.sign_in_with_device(lambda _code: None, sleep=lambda _seconds: None)


def test_an_application_signs_in_as_itself(client: OAuthClient) -> None:
    tokens = replace(client, client_secret=CLIENT_SECRET).sign_in_as_application()
    assert tokens.access_token
    assert not tokens.refresh_token
    with pytest.raises(SignInError, match="invalid_client"):
        client.sign_in_as_application()
    assert CLIENT_SECRET not in repr(replace(client, client_secret=CLIENT_SECRET))


def test_a_revoked_token_is_refreshed_no_more(client: OAuthClient, provider: AuthorizationServer) -> None:
    token = provider.sign_in()
    provider.revoke_all()
    with pytest.raises(ConsentEndedError, match="expired or revoked"):
        client.refresh(token)


def test_a_provider_that_is_away_can_be_asked_later(client: OAuthClient) -> None:
    away = replace(client.provider, token_endpoint="http://127.0.0.1:1/token")
    with pytest.raises(ProviderUnavailableError, match="can't be reached"):
        replace(client, provider=away).refresh("fake")


def test_an_issuer_without_metadata_is_named(provider: AuthorizationServer) -> None:
    with pytest.raises(SignInError, match="can't be used: none was found"):
        discover(f"{provider.issuer}/other")


METADATA = "/.well-known/oauth-authorization-server"

ASK: dict[str, Callable[[OAuthClient], object]] = {
    METADATA: lambda client: discover(client.provider.issuer),
    "/token": lambda client: client.refresh("fake"),
    "/device": lambda client: client.sign_in_with_device(lambda _code: None, sleep=lambda _seconds: None),
}


def lasting(lifetime: str) -> str:
    """Return a token with a lifetime, in JSON."""
    return f'{{"access_token": "fake", "token_type": "Bearer", "expires_in": {lifetime}}}'


@pytest.mark.parametrize(
    ("path", "status", "body", "said"),
    [
        (METADATA, 200, "<html>", "{metadata}: it isn't a JSON object."),
        (METADATA, 200, "[]", "{metadata}: it isn't a JSON object."),
        (METADATA, 200, "{}", "{metadata}: it names another issuer."),
        ("/token", 200, "{}", "{name} sent no access token."),
        ("/token", 200, "<html>", "{name} sent a response that isn't OAuth."),
        ("/token", 200, lasting('"soon"'), "{name} sent a response that isn't OAuth."),
        ("/token", 200, lasting("[1]"), "{name} sent a response that isn't OAuth."),
        ("/token", 200, lasting("1e999"), "{name} sent a response that isn't OAuth."),
        ("/token", 400, '{"error": ["a"]}', "{name} refused the request (['a'])."),
        ("/device", 200, "<html>", "{name} sent a response that isn't OAuth."),
        ("/device", 200, "[]", "{name} sent no code: no reason given."),
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
        (
            "/token",
            400,
            '{"error": "temporarily_unavailable", "error_description": "Tea."}',
            "is busy (temporarily_unavailable: Tea). Try again later.",
        ),
    ],
)
def test_a_provider_that_is_down_can_be_asked_later(
    client: OAuthClient, provider: AuthorizationServer, path: str, status: int, body: str, said: str
) -> None:
    provider.answers[path] = (status, body)
    with pytest.raises(ProviderUnavailableError) as caught:
        ASK[path](client)
    assert str(caught.value).endswith(f" {said}")


def test_a_provider_without_codes_offers_the_browser(client: OAuthClient) -> None:
    without = replace(client, provider=replace(client.provider, device_endpoint=""))
    with pytest.raises(SignInError, match=r"doesn't offer sign-in by code for mail\. Use the browser\."):
        ASK["/device"](without)


GOOD = {
    "issuer": "https://a.example",
    "authorization_endpoint": "https://a.example/a",
    "token_endpoint": "https://a.example/t",
}


@pytest.mark.parametrize(
    ("metadata", "fault"),
    [
        (GOOD | {"issuer": "https://b.example"}, "another issuer"),
        (GOOD | {"token_endpoint": ""}, "lacks an endpoint"),
        (GOOD | {"authorization_endpoint": None}, "lacks an endpoint"),
        (GOOD | {"token_endpoint": "http://a.example/t"}, "token_endpoint is not an https"),
        (
            GOOD | {"device_authorization_endpoint": "ftp://a.example"},
            "device_authorization_endpoint is not an https",
        ),
    ],
)
def test_metadata_that_can_not_be_trusted_is_refused(metadata: dict[str, object], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        parse_metadata("https://a.example", metadata, scope="")


def test_scopes_are_chosen_from_those_offered_unless_the_user_names_them() -> None:
    offered = GOOD | {"scopes_supported": ["openid", "https://x/imap.full", "offline_access"]}
    assert (
        parse_metadata("https://a.example", offered, scope="").scope == "https://x/imap.full offline_access"
    )
    assert parse_metadata("https://a.example/", offered, scope="mine").scope == "mine"


def test_metadata_is_looked_for_where_the_rfc_puts_it() -> None:
    assert metadata_urls("https://a.example/tenant/") == (
        "https://a.example/.well-known/oauth-authorization-server/tenant",
        "https://a.example/tenant/.well-known/openid-configuration",
    )


@pytest.mark.parametrize("name", PROVIDERS)
def test_known_providers_have_safe_endpoints(name: str) -> None:
    provider = known_provider(name)
    assert all(map(is_safe_url, filter(None, [provider.authorization_endpoint, provider.token_endpoint])))
    assert provider.scope


def test_a_tenant_of_microsoft_is_part_of_its_endpoints() -> None:
    assert "/contoso.example/" in known_provider("microsoft", tenant="contoso.example").token_endpoint
    assert "/common/" in known_provider("microsoft").token_endpoint
