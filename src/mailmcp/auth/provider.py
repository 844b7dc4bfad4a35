"""OAuth 2.0 providers of mail: their endpoints, scopes and habits; and how a sign-in fails.

Two are known that publish no metadata for native clients; any other authorization server is read from its
metadata (RFC 8414). People bring their own client id: no id of another program is in here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

_LOOPBACK: Final = {"127.0.0.1", "localhost", "::1"}


class SignInError(Exception):
    """The provider did not issue a token. The message is for the user and holds no secret."""


class ConsentEndedError(SignInError):
    """The refresh token is no longer accepted: the user must sign in again."""


class ProviderUnavailableError(SignInError):
    """The provider could not be reached or is busy: the same request can succeed later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """An authorization server, and what it needs to hand out tokens for IMAP."""

    name: str
    """As people know it, for messages."""

    authorization_endpoint: str
    token_endpoint: str
    device_endpoint: str = ""
    """RFC 8628; empty where the provider has none for mail."""

    introspection_endpoint: str = ""
    """RFC 7662; empty where the provider has none."""

    jwks_uri: str = ""
    """Where the keys are that sign its tokens; empty where it publishes none."""

    scope: str
    """Scopes for IMAP and a refresh token, separated by spaces."""

    issuer: str = ""
    """Compared with `iss` in the redirect (RFC 9207) if the server sends it; empty if unknown."""

    authorization_params: Mapping[str, str] = field(default_factory=dict)
    """Further parameters of the authorization request."""

    redirect_host: str = "127.0.0.1"
    """Where the browser returns to (RFC 8252 section 7.3); Microsoft takes any port of `localhost` only."""

    needs_secret: bool = False
    """Whether the token endpoint refuses a desktop client that sends no secret."""


_GOOGLE: Final = Provider(
    name="Google",
    authorization_endpoint="https://accounts.google.com/o/oauth2/v2/auth",
    token_endpoint="https://oauth2.googleapis.com/token",  # noqa: S106 - an address
    # Its device endpoint refuses the scope for mail.
    scope="https://mail.google.com/",
    issuer="https://accounts.google.com",
    # Without these, a second consent returns no refresh token.
    authorization_params={"access_type": "offline", "prompt": "consent"},
    needs_secret=True,
)


def known_provider(name: str, *, tenant: str = "") -> Provider:
    """Return `google` or `microsoft`; its `tenant` is an id, a domain, or empty for any."""
    if name == "google":
        return _GOOGLE
    base = f"https://login.microsoftonline.com/{tenant or 'common'}/oauth2/v2.0"
    return Provider(
        name="Microsoft",
        authorization_endpoint=f"{base}/authorize",
        token_endpoint=f"{base}/token",
        device_endpoint=f"{base}/devicecode",
        # Spelled with outlook.office.com: IMAP refuses tokens for graph.microsoft.com.
        scope="https://outlook.office.com/IMAP.AccessAsUser.All offline_access",
        authorization_params={"prompt": "select_account"},
        redirect_host="localhost",
    )


def is_safe_url(url: str) -> bool:
    """Return whether tokens may be sent to a URL: HTTPS, or HTTP to this machine."""
    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )


def parse_metadata(issuer: str, metadata: Mapping[str, Any], *, scope: str) -> Provider:
    """Read authorization server metadata (RFC 8414 section 2).

    Args:
        issuer: As the user configured it; the metadata must name the same one (section 3.3).
        metadata: The JSON object.
        scope: The scopes to ask for; empty to choose from `scopes_supported`.

    Raises:
        ValueError: It names another issuer, lacks an endpoint, or has one that is not HTTPS.
    """
    if str(metadata.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
        raise ValueError("it names another issuer")
    names = (
        *("authorization_endpoint", "token_endpoint", "device_authorization_endpoint"),
        *("introspection_endpoint", "jwks_uri"),
    )
    authorization, token, device, introspection, jwks = endpoints = [
        str(metadata.get(name) or "") for name in names
    ]
    if not token or not (authorization or device):
        raise ValueError("it lacks an endpoint")
    for name, url in zip(names, endpoints, strict=True):
        if url and not is_safe_url(url):
            raise ValueError(f"its {name} is not an https address")
    supported = metadata.get("scopes_supported")
    offered = [str(each) for each in supported] if isinstance(supported, list) else []
    chosen = [
        each for each in offered if "imap" in each.lower() or each in {"mail", "email", "offline_access"}
    ]
    return Provider(
        name=urlsplit(issuer).hostname or issuer,
        authorization_endpoint=authorization,
        token_endpoint=token,
        device_endpoint=device,
        introspection_endpoint=introspection,
        jwks_uri=jwks,
        scope=scope or " ".join(chosen),
        issuer=issuer,
    )
