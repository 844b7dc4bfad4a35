"""OAuth 2.0 providers of mail: their endpoints, scopes and habits.

A table of the providers that publish no metadata for native clients, and discovery (RFC 8414) for
any other. People bring their own client id: no id of another program is in here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

_LOOPBACK: Final = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """An authorization server, and what it needs to hand out tokens for IMAP."""

    name: str
    """As people know it, for messages."""

    authorization_endpoint: str
    token_endpoint: str
    device_endpoint: str = ""
    """RFC 8628; empty where the provider has none for mail."""

    scope: str
    """Scopes for IMAP and a refresh token, separated by spaces."""

    app_scope: str = ""
    """The scope of an application that signs in as itself (client credentials); empty for none."""

    issuer: str = ""
    """Compared with `iss` in the redirect (RFC 9207) if the server sends it; empty if unknown."""

    authorization_params: Mapping[str, str] = field(default_factory=dict)
    """Further parameters of the authorization request."""

    redirect_host: str = "127.0.0.1"
    """Where the browser returns to (RFC 8252 section 7.3); Microsoft takes any port of `localhost` only."""

    needs_secret: bool = False
    """Whether the token endpoint refuses a desktop client that sends no secret."""


def google() -> Provider:
    """Return Google's endpoints.

    Without `access_type=offline` and `prompt=consent`, a second consent returns no refresh token. Its
    device endpoint refuses the scope for mail, so none is listed.
    """
    return Provider(
        name="Google",
        authorization_endpoint="https://accounts.google.com/o/oauth2/v2/auth",
        token_endpoint="https://oauth2.googleapis.com/token",  # noqa: S106 - an address
        scope="https://mail.google.com/",
        issuer="https://accounts.google.com",
        authorization_params={"access_type": "offline", "prompt": "consent"},
        needs_secret=True,
    )


def microsoft(tenant: str = "common") -> Provider:
    """Return Microsoft's endpoints for a tenant: an id or a domain, `common`, `organizations` or `consumers`.

    The scope must be spelled with outlook.office.com: tokens for graph.microsoft.com are refused by IMAP.
    """
    base = f"https://login.microsoftonline.com/{tenant}/oauth2/v2.0"
    return Provider(
        name="Microsoft",
        authorization_endpoint=f"{base}/authorize",
        token_endpoint=f"{base}/token",
        device_endpoint=f"{base}/devicecode",
        scope="https://outlook.office.com/IMAP.AccessAsUser.All offline_access",
        app_scope="https://outlook.office365.com/.default",
        authorization_params={"prompt": "select_account"},
        redirect_host="localhost",
    )


PROVIDERS: Final = ("google", "microsoft")
"""The values of the setting `provider`; any other authorization server is named by its `issuer`."""


def known_provider(name: str, *, tenant: str = "") -> Provider:
    """Return one of `PROVIDERS`; `tenant` matters only for Microsoft, and is `common` if empty."""
    return google() if name == "google" else microsoft(tenant or "common")


def metadata_urls(issuer: str) -> tuple[str, str]:
    """Return where an issuer publishes its metadata: by RFC 8414 section 3.1, then by OpenID Connect."""
    parts = urlsplit(issuer)
    path = parts.path.rstrip("/")
    well_known = urlunsplit(
        (parts.scheme, parts.netloc, f"/.well-known/oauth-authorization-server{path}", "", "")
    )
    openid = urlunsplit((parts.scheme, parts.netloc, f"{path}/.well-known/openid-configuration", "", ""))
    return well_known, openid


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
    endpoints = {
        name: str(metadata.get(name) or "")
        for name in (
            "authorization_endpoint",
            "token_endpoint",
            "device_authorization_endpoint",
        )
    }
    if not endpoints["token_endpoint"] or not (
        endpoints["authorization_endpoint"] or endpoints["device_authorization_endpoint"]
    ):
        raise ValueError("it lacks an endpoint")
    unsafe = [name for name, url in endpoints.items() if url and not is_safe_url(url)]
    if unsafe:
        raise ValueError(f"its {unsafe[0]} is not an https address")
    supported = metadata.get("scopes_supported")
    offered = [str(each) for each in supported] if isinstance(supported, list) else []
    chosen = [
        each for each in offered if "imap" in each.lower() or each in {"mail", "email", "offline_access"}
    ]
    return Provider(
        name=urlsplit(issuer).hostname or issuer,
        authorization_endpoint=endpoints["authorization_endpoint"],
        token_endpoint=endpoints["token_endpoint"],
        device_endpoint=endpoints["device_authorization_endpoint"],
        scope=scope or " ".join(chosen),
        app_scope=scope,
        issuer=issuer,
    )
