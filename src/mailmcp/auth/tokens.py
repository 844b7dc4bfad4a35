"""Access tokens of an account that stay valid: kept, refreshed and shared by all processes of the user.

Refresh tokens rotate: one that is spent twice makes some providers revoke the sign-in. So a file lock is
held from reading the stored token until its successor is stored, and the stored one counts, not the one
in memory.
"""

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from platformdirs import user_state_path
from typing_extensions import override

from mailmcp.auth.errors import ConsentEndedError, ProviderUnavailableError, SignInError
from mailmcp.auth.store import LOCK_WAIT_S, SERVICE, SecretStore, StoreError
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, InternalError, code

LEEWAY_S: Final = 120.0
"""A token that expires this soon is refreshed: the server's clock may differ from ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What the token endpoint issued."""

    access_token: str = field(repr=False)
    expires_at: float
    """Seconds since 1970."""

    refresh_token: str = field(default="", repr=False)
    """Empty if none was issued: client credentials have none."""


class Client(Protocol):
    """What a source needs of `mailmcp.auth.client.OAuthClient`, which takes a while to import."""

    def refresh(self, refresh_token: str) -> Tokens:
        """Exchange a refresh token. Raises SignInError."""

    def sign_in_as_application(self) -> Tokens:
        """Fetch a token for the application itself. Raises SignInError."""


class TokenSource:
    """Gives access tokens of one account; safe to call from many threads and processes at once."""

    def __init__(
        self,
        account_id: str,
        make_client: Callable[[], Client],
        store: SecretStore,
        *,
        key: str,
        as_application: bool = False,
        lock_folder: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare; nothing is read or sent before the first token is needed.

        Args:
            account_id: For messages.
            make_client: Called when the first token is fetched; may fetch metadata. Raises SignInError.
            store: Holds the refresh token.
            key: Of the store.
            as_application: Sign in by client credentials, which need no person and no refresh token.
            lock_folder: None for the user's state folder.
            clock: Seconds since 1970.
        """
        self._account_id, self._make_client, self._store, self._key = account_id, make_client, store, key
        self._as_application, self._clock = as_application, clock
        folder = lock_folder or user_state_path(SERVICE, appauthor=False)
        name = hashlib.sha256(key.encode()).hexdigest()[:16]
        self._lock_path = folder / f"sign-in-{name}.lock"
        self._thread_lock = threading.Lock()
        self._client: Client | None = None
        self._tokens: Tokens | None = None
        self._ended: str | None = None
        """The refresh token that the provider refused: not sent again until another one is stored."""

    @override
    def __repr__(self) -> str:
        return f"<tokens of {self._account_id}>"

    def __call__(self, rejected: str = "") -> str:
        """Return an access token; blocks, and may ask the provider.

        Args:
            rejected: A token that the mail server refused: another one is returned. Empty for none.

        Raises:
            AuthFailedError: With reason `sign_in_required`, the user must run `mailmcp login`; with reason
                `password_unavailable`, the store can't be read or written.
            InternalError: With reason `provider_unavailable`; retryable.
        """
        with self._thread_lock:
            if not self._is_good(self._tokens, rejected):
                try:
                    self._tokens = self._renewed(rejected)
                except ProviderUnavailableError as error:
                    raise InternalError(
                        f"No access token for account {code(self._account_id)}: {error}",
                        reason=Reason.PROVIDER_UNAVAILABLE,
                        retryable=True,
                        details={"account_id": self._account_id},
                    ) from None
                except SignInError as error:
                    raise self._sign_in_required(str(error)) from None
                except StoreError as error:
                    raise AuthFailedError(
                        f"The sign-in of account {code(self._account_id)} can't be read or saved: {error}",
                        reason=Reason.PASSWORD_UNAVAILABLE,
                        details={"account_id": self._account_id},
                    ) from None
            assert self._tokens is not None  # noqa: S101 - set above, or good before
            return self._tokens.access_token

    def _is_good(self, tokens: Tokens | None, rejected: str) -> bool:
        return (
            tokens is not None
            and tokens.access_token != rejected
            and tokens.expires_at - LEEWAY_S > self._clock()
        )

    def _renewed(self, rejected: str) -> Tokens:
        if self._as_application:
            return self._open_client().sign_in_as_application()
        from filelock import FileLock, Timeout  # noqa: PLC0415 - only accounts with tokens pay for it

        self._lock_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with FileLock(self._lock_path, timeout=LOCK_WAIT_S, mode=0o600):
                return self._refreshed(rejected)
        except Timeout:
            raise ProviderUnavailableError("Another process is refreshing it. Try again later.") from None

    def _refreshed(self, rejected: str) -> Tokens:
        """Adopt what another process stored if that is good, else refresh it; the lock is held."""
        stored = load_tokens(self._store, self._key)
        if stored is None:
            raise ConsentEndedError("Nobody has signed in yet.")
        if self._is_good(stored, rejected):
            return stored
        if stored.refresh_token == self._ended:
            raise ConsentEndedError("The provider no longer accepts the sign-in.")
        try:
            fresh = self._open_client().refresh(stored.refresh_token)
        except ConsentEndedError:
            self._ended = stored.refresh_token
            raise
        save_tokens(self._store, self._key, fresh)
        return fresh

    def _open_client(self) -> Client:
        if self._client is None:
            self._client = self._make_client()
        return self._client

    def _sign_in_required(self, why: str) -> AuthFailedError:
        return AuthFailedError(
            f"Account {code(self._account_id)} is not signed in. {why} "
            f"The user must run: mailmcp login {self._account_id}",
            reason=Reason.SIGN_IN_REQUIRED,
            details={"account_id": self._account_id},
        )


def save_tokens(store: SecretStore, key: str, tokens: Tokens) -> None:
    """Store a refresh token, with its access token if the store has room for it. Raises StoreError."""
    record = {"refresh_token": tokens.refresh_token}
    whole = record | {"access_token": tokens.access_token, "expires_at": str(int(tokens.expires_at))}
    text = json.dumps(whole)
    store.write(key, text if len(text) <= store.room(key) else json.dumps(record))


def load_tokens(store: SecretStore, key: str) -> Tokens | None:
    """Return what `save_tokens` stored; None if nothing usable is there. Raises StoreError."""
    text = store.read(key)
    try:
        record = json.loads(text) if text else None
    except ValueError:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("refresh_token"), str):
        return None
    expires_at = str(record.get("expires_at", ""))
    return Tokens(
        access_token=str(record.get("access_token", "")),
        expires_at=float(expires_at) if re.fullmatch(r"\d{1,12}", expires_at) else 0.0,
        refresh_token=record["refresh_token"],
    )
