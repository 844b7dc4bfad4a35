"""How one account signs in, as its settings say; what that takes is loaded when it is used."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from mailmcp.auth.provider import known_provider
from mailmcp.auth.store import UserStore
from mailmcp.auth.tokens import TokenSource

if TYPE_CHECKING:
    from mailmcp.auth.client import OAuthClient


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Where an account's secret is stored and, if that is a token, whom to ask for another one."""

    account_id: str
    user: str
    host: str
    method: Literal["password", "oauth2", "command"]
    provider: str = ""
    """One of `PROVIDERS`; empty if there is an issuer."""

    issuer: str = ""
    tenant: str = ""
    scope: str = ""
    """Replaces the provider's; empty for that."""

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    as_application: bool = False
    has_other_password: bool = False
    """Whether the settings say where a password is that isn't stored by us."""

    @property
    def login_hint(self) -> str:
        """The address that the provider can preselect; empty if `user` isn't an address."""
        return self.user if "@" in self.user else ""

    @property
    def key(self) -> str:
        """The key of the secret in its store."""
        return f"{self.account_id} {self.user}@{self.host}"

    def make_client(self) -> "OAuthClient":
        """Make the client of the provider, fetching its metadata if necessary.

        Raises:
            SignInError: The metadata can't be fetched or used.
        """
        from mailmcp.auth.client import OAuthClient, discover  # noqa: PLC0415 - 150 ms, for sign-in alone

        if self.issuer:
            provider = discover(self.issuer, scope=self.scope)
        else:
            provider = known_provider(self.provider, tenant=self.tenant)
            if self.scope:
                provider = replace(provider, scope=self.scope, app_scope=self.scope)
        return OAuthClient(provider=provider, client_id=self.client_id, client_secret=self.client_secret)

    def make_token_source(self) -> TokenSource:
        """Make what gives the account's access tokens; nothing is read or sent yet."""
        return TokenSource(
            self.account_id,
            self.make_client,
            UserStore(),
            key=self.key,
            as_application=self.as_application,
        )
