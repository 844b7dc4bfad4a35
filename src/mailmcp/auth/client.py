"""An OAuth 2.0 client: sign-in by browser or device code for a person at this machine, refresh, exchange.

RFC 6749 with PKCE (RFC 7636) and the loopback redirect (RFC 8252), device authorization (RFC 8628), token
exchange (RFC 8693).
Authlib builds the requests and checks the answers.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2 import rfc8414
from authlib.oidc import discovery

from mailmcp.auth.provider import (
    ConsentEndedError,
    Provider,
    ProviderUnavailableError,
    SignInError,
    parse_metadata,
)
from mailmcp.auth.redirect import Redirect

HTTP_TIMEOUT_S: Final = 15.0
SIGN_IN_TIMEOUT_S: Final = 300.0
"""How long a person may take in the browser."""

_DEVICE_GRANT: Final = "urn:ietf:params:oauth:grant-type:device_code"
_EXCHANGE_GRANT: Final = "urn:ietf:params:oauth:grant-type:token-exchange"
_ACCESS_TOKEN_TYPE: Final = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - a name

_DEVICE_INTERVAL_S: Final = 5.0
"""RFC 8628 section 3.2, where the server names none; slow_down adds as much again (section 3.5)."""

_LIFETIME_S: Final = 3600.0
"""Where the server does not say how long an access token lasts: the usual hour."""

_TEXT_CHARS: Final = 200
"""Shown of a provider's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What the token endpoint issued."""

    access_token: str = field(repr=False)
    expires_at: float
    """Seconds since 1970."""

    refresh_token: str = field(default="", repr=False)
    """Empty if none was issued."""


def discover(issuer: str, *, scope: str = "") -> Provider:
    """Fetch the metadata of an authorization server: by RFC 8414 section 3.1, then by OpenID Connect.

    Raises:
        ProviderUnavailableError: It could not be reached.
        SignInError: It publishes no usable metadata.
    """
    fault = "none was found"
    with _named_faults(issuer), httpx2.Client(timeout=HTTP_TIMEOUT_S) as http:
        for find in (rfc8414.get_well_known_url, discovery.get_well_known_url):
            url = find(issuer.rstrip("/"), external=True)
            response = http.get(url, headers={"Accept": "application/json"})
            if response.is_success:
                try:
                    return parse_metadata(issuer, _read_object(response), scope=scope)
                except ValueError as error:
                    fault = str(error)
            elif response.is_server_error:
                response.raise_for_status()
    raise SignInError(f"The OAuth metadata of {issuer} can't be used: {_printable(fault)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthClient:
    """One registered client at one provider; each method makes its requests and keeps nothing."""

    provider: Provider
    client_id: str
    client_secret: str = field(default="", repr=False)
    clock: Callable[[], float] = time.time

    def sign_in_with_browser(self, open_browser: Callable[[str], object], *, login_hint: str = "") -> Tokens:
        """Send the user's browser to the provider and wait for it to return to a port of this machine.

        Args:
            open_browser: Called once with the address of the provider's page.
            login_hint: The address to sign in with, so that the provider can preselect it; empty for none.

        Raises:
            SignInError: The user declined, took too long, or the provider refused.
        """
        name, verifier, state = self.provider.name, generate_token(64), generate_token(32)
        hint = {"login_hint": login_hint} if login_hint else {}
        with Redirect(self.provider, state) as redirect, self._http() as http, _named_faults(name):
            url, _ = http.create_authorization_url(
                self.provider.authorization_endpoint,
                state=state,
                code_verifier=verifier,
                redirect_uri=redirect.uri,
                **self.provider.authorization_params,
                **hint,
            )
            open_browser(url)
            answer = redirect.wait(SIGN_IN_TIMEOUT_S)
            if "code" not in answer:
                raise SignInError(f"{name} did not sign you in: {_fault_of(answer)}.")
            return self._tokens(
                http.fetch_token(
                    self.provider.token_endpoint,
                    grant_type="authorization_code",
                    code=answer["code"],
                    redirect_uri=redirect.uri,
                    code_verifier=verifier,
                )
            )

    def sign_in_with_device(
        self, show: Callable[[str, str, float], object], *, sleep: Callable[[float], object] = time.sleep
    ) -> Tokens:
        """Show a code that the user enters on any device, and poll until that is done.

        Args:
            show: Called once with the code, where to enter it, and for how many seconds it is valid.
            sleep: Waits for so many seconds between two polls.

        Raises:
            SignInError: The user declined, the code expired, or the provider has no device flow for mail.
        """
        name, endpoint = self.provider.name, self.provider.device_endpoint
        if not endpoint:
            raise SignInError(f"{name} doesn't offer sign-in by code for mail. Use the browser.")
        with self._http() as http, _named_faults(name):
            body = {"client_id": self.client_id, "scope": self.provider.scope}
            response = httpx2.post(endpoint, data=body, timeout=HTTP_TIMEOUT_S)
            if response.is_server_error:
                response.raise_for_status()
            begun = _read_object(response)
            if "device_code" not in begun or "user_code" not in begun:
                raise SignInError(f"{name} sent no code: {_fault_of(begun)}.")
            lifetime_s = float(begun["expires_in"])
            interval_s = float(begun.get("interval") or _DEVICE_INTERVAL_S)
            page = _printable(str(begun["verification_uri"]))
            show(_printable(str(begun["user_code"])), page, lifetime_s)
            expires_at = self.clock() + lifetime_s
            while self.clock() < expires_at:
                sleep(interval_s)
                try:
                    return self._tokens(
                        http.fetch_token(
                            self.provider.token_endpoint,
                            grant_type=_DEVICE_GRANT,
                            device_code=begun["device_code"],
                            client_id=self.client_id,
                        )
                    )
                except AuthlibBaseError as error:
                    if error.error == "slow_down":
                        interval_s += _DEVICE_INTERVAL_S
                    elif error.error != "authorization_pending":
                        raise
        raise SignInError("The code has expired. Run the command again.")

    def refresh(self, refresh_token: str) -> Tokens:
        """Exchange a refresh token for an access token; the old refresh token is kept if none comes back.

        Raises:
            ConsentEndedError: The token was revoked or has expired.
            ProviderUnavailableError: The provider could not be reached or is busy.
            SignInError: The provider refused for another reason.
        """
        with self._http() as http, _named_faults(self.provider.name):
            return self._tokens(http.refresh_token(self.provider.token_endpoint, refresh_token=refresh_token))

    def exchange(self, access_token: str, *, audience: str = "") -> Tokens:
        """Exchange a user's access token for one of the mail server (RFC 8693).

        Args:
            access_token: The user's, issued for this program.
            audience: Of the new token, as the provider calls the mail server; empty to leave it to the scope.

        Raises:
            ConsentEndedError: The user's token is no longer good.
            ProviderUnavailableError: The provider could not be reached or is busy.
            SignInError: The provider refused for another reason.
        """
        wanted = {"audience": audience} if audience else {}
        with self._http() as http, _named_faults(self.provider.name):
            return self._tokens(
                http.fetch_token(
                    self.provider.token_endpoint,
                    grant_type=_EXCHANGE_GRANT,
                    subject_token=access_token,
                    subject_token_type=_ACCESS_TOKEN_TYPE,
                    requested_token_type=_ACCESS_TOKEN_TYPE,
                    **wanted,
                )
            )

    def _http(self) -> OAuth2Client:
        return OAuth2Client(
            client_id=self.client_id,
            client_secret=self.client_secret or None,
            token_endpoint_auth_method="client_secret_post" if self.client_secret else "none",
            scope=self.provider.scope or None,
            code_challenge_method="S256",
            timeout=HTTP_TIMEOUT_S,
        )

    def _tokens(self, answer: Mapping[str, Any]) -> Tokens:
        access_token = answer.get("access_token")
        if not isinstance(access_token, str) or not access_token:
            raise SignInError(f"{self.provider.name} sent no access token.")
        return Tokens(
            access_token=access_token,
            expires_at=self.clock() + float(answer.get("expires_in") or _LIFETIME_S),
            refresh_token=str(answer.get("refresh_token") or ""),
        )


@contextmanager
def _named_faults(name: str) -> Iterator[None]:
    """Turn errors of HTTP and OAuth into ours; what the provider sent is shortened and made printable."""
    try:
        yield
    except AuthlibBaseError as error:
        fault = _printable(f"{error.error}: {error.description}" if error.description else str(error.error))
        if error.error == "invalid_grant":
            raise ConsentEndedError(f"{name} no longer accepts the sign-in ({fault}).") from None
        if error.error in ("temporarily_unavailable", "server_error"):  # a tuple: it may be a list
            raise ProviderUnavailableError(f"{name} is busy ({fault}). Try again later.") from None
        raise SignInError(f"{name} refused the request ({fault}).") from None
    except httpx2.HTTPError as error:
        fault = f"can't be reached ({type(error).__name__})"
        if isinstance(error, httpx2.HTTPStatusError):
            fault = f"answered with HTTP status {error.response.status_code}"
        raise ProviderUnavailableError(f"{name} {fault}. Try again later.") from None
    except (ValueError, TypeError, KeyError, OverflowError):
        # Not a JSON object, or a lifetime that isn't a number: Authlib and we convert it as it comes.
        raise SignInError(f"{name} sent a response that isn't OAuth.") from None


def _read_object(response: httpx2.Response) -> Mapping[str, Any]:
    """Return the JSON object of a response. Raises ValueError if it has another kind of value."""
    value = response.json()
    if not isinstance(value, dict):
        raise ValueError("it isn't a JSON object")  # noqa: TRY004 - as of text that isn't JSON
    return value


def _fault_of(answer: Mapping[str, Any]) -> str:
    error, description = answer.get("error") or "no reason given", answer.get("error_description")
    return _printable(f"{error}: {description}" if description else str(error))


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text[:_TEXT_CHARS]).rstrip(". ")
