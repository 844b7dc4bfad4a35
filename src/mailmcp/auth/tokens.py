"""Access tokens of an account that stay valid: refreshed in time, by one process of the user after another.

Refresh tokens rotate: one that is spent twice makes some providers revoke the sign-in. So a file lock is held
from reading the stored token until its successor is stored, and the stored one counts, not one in memory.
"""

import hashlib
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from platformdirs import user_state_path

from mailmcp.auth import store
from mailmcp.auth.provider import ConsentEndedError, ProviderUnavailableError, SignInError
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError, code

if TYPE_CHECKING:
    from mailmcp.auth.client import OAuthClient, Tokens

LEEWAY_S: Final = 120.0
"""A token that expires this soon is refreshed: the server's clock may differ from ours."""


class TokenSource:
    """Gives access tokens of one account; safe to call from many threads and processes at once."""

    def __init__(
        self,
        account_id: str,
        make_client: "Callable[[], OAuthClient]",
        *,
        key: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare; nothing is read or sent before the first token is needed.

        Args:
            account_id: For messages.
            make_client: Called when the first token is fetched; may fetch metadata. Raises SignInError.
            key: Of the refresh token in the store.
            clock: Seconds since 1970.
        """
        self._account_id, self._make_client, self._key, self._clock = account_id, make_client, key, clock
        name = hashlib.sha256(key.encode()).hexdigest()[:16]
        self._lock_path = user_state_path(store.SERVICE, appauthor=False) / f"sign-in-{name}.lock"
        self._thread_lock = threading.Lock()
        self._client: OAuthClient | None = None
        self._tokens: Tokens | None = None

    def __call__(self, rejected: str = "") -> str:
        """Return an access token; blocks, and may ask the provider.

        Args:
            rejected: A token that the mail server refused: another one is returned. Empty for none.

        Raises:
            AuthFailedError: With reason `sign_in_required`, the user must run `mailmcp login`; with reason
                `password_unavailable`, the store can't be read or written.
            InternalError: With reason `provider_unavailable`; retryable.
        """
        account, details = code(self._account_id), {"account_id": self._account_id}
        with self._thread_lock:
            tokens = self._tokens
            if (
                tokens is None
                or tokens.access_token == rejected
                or tokens.expires_at - LEEWAY_S <= self._clock()
            ):
                try:
                    with store.locked(self._lock_path):
                        self._tokens = tokens = self._refresh()
                except (ProviderUnavailableError, store.BusyError) as error:
                    raise InternalError(
                        f"No access token for account {account}: {error}",
                        reason=Reason.PROVIDER_UNAVAILABLE,
                        retryable=True,
                        details=details,
                    ) from None
                except SignInError as error:
                    raise AuthFailedError(
                        f"Account {account} is not signed in. {error} "
                        f"The user must run: mailmcp login {self._account_id}",
                        reason=Reason.SIGN_IN_REQUIRED,
                        details=details,
                    ) from None
                except (store.StoreError, OSError) as error:
                    raise AuthFailedError(
                        f"The sign-in of account {account} can't be read or saved: {error}",
                        reason=Reason.PASSWORD_UNAVAILABLE,
                        details=details,
                    ) from None
            return tokens.access_token

    def _refresh(self) -> "Tokens":
        """Spend the stored refresh token, and store its successor; the lock is held."""
        refresh_token = store.read(self._key)
        if not refresh_token:
            raise ConsentEndedError("Nobody has signed in yet.")
        if self._client is None:
            self._client = self._make_client()
        tokens = self._client.refresh(refresh_token)
        if tokens.refresh_token != refresh_token:
            store.write(self._key, tokens.refresh_token)
        return tokens
