"""How a user's mailbox is opened: by a token exchanged for theirs, by a master user, or by a stored password.

The token that a user sends is for this server: it is never sent to the mail server.
"""

import threading
import time
from collections.abc import Callable
from typing import Final, TypeAlias

from mailmcp.auth.client import OAuthClient, Tokens
from mailmcp.auth.provider import ProviderUnavailableError, SignInError
from mailmcp.hosted.principal import Principal
from mailmcp.imap.account import BearerToken, Mechanism, Password
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError, code

LEEWAY_S: Final = 60.0
"""A token that expires this soon is exchanged anew."""


MakeCredentials: TypeAlias = Callable[[Principal, Callable[[], str]], Password | BearerToken]
"""Makes what a user signs in with; the second returns the latest token that they sent."""


def by_exchange(
    make_client: Callable[[], OAuthClient],
    *,
    audience: str,
    mechanism: Mechanism,
    clock: Callable[[], float] = time.time,
) -> MakeCredentials:
    """Sign in with tokens that the authorization server exchanges for the users' (RFC 8693).

    Args:
        make_client: Called for each exchange, in a thread; may fetch metadata. Raises SignInError.
        audience: The mail server, as the authorization server calls it; empty if the scope says it.
        mechanism: How tokens are sent.
        clock: Seconds since 1970.
    """

    def make(principal: Principal, received: Callable[[], str]) -> BearerToken:
        lock, kept = threading.Lock(), list[Tokens]()

        def read(rejected: str) -> str:
            with lock:
                current = (
                    kept and kept[0].access_token != rejected and kept[0].expires_at - LEEWAY_S > clock()
                )
                if not current:
                    kept[:] = [_exchange(make_client, received(), audience, principal)]
                return kept[0].access_token

        return BearerToken(read=read, mechanism=mechanism)

    return make


def by_master_user(master_user: str, read_password: Callable[[], str]) -> MakeCredentials:
    """Sign in as a user who may open the mailboxes of others."""
    return lambda _principal, _received: Password(read_password, master_user=master_user)


def by_store(reader_of: Callable[[str], Callable[[], str]]) -> MakeCredentials:
    """Sign in with the password that is stored for a user; `reader_of` returns what reads it."""
    return lambda principal, _received: Password(reader_of(principal.user))


def _exchange(
    make_client: Callable[[], OAuthClient], token: str, audience: str, principal: Principal
) -> Tokens:
    try:
        return make_client().exchange(token, audience=audience)
    except ProviderUnavailableError as error:
        raise InternalError(
            f"No access token for the mailbox of {code(principal.user)}: {error}",
            reason=Reason.PROVIDER_UNAVAILABLE,
            retryable=True,
        ) from None
    except SignInError as error:
        raise AuthFailedError(
            f"The authorization server gives no access to the mailbox of {code(principal.user)}. {error} "
            "Signing in again may help; else the administrator has to allow the exchange of tokens.",
            reason=Reason.SIGN_IN_REQUIRED,
        ) from None
