"""The authorization server that users sign in at: its metadata, its keys, and what it says of a token.

RFC 8414, RFC 7517, RFC 7662. What was fetched is kept, so that a short failure of the server goes unnoticed.
"""

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
import httpx2
from anyio import to_thread
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, KeySet

from mailmcp.auth.client import HTTP_TIMEOUT_S, discover
from mailmcp.auth.provider import Provider, SignInError

KEYS_FRESH_S: Final = 600.0
"""After that, keys are fetched again: a key that was withdrawn counts no longer than this."""

KEYS_KEPT_S: Final = 3_600.0
"""For so long, keys that can't be fetched again still count."""

FETCH_PAUSE_S: Final = 5.0
"""Between two attempts: tokens with invented key ids shouldn't turn into requests."""

_log = logging.getLogger(__name__)


class IssuerUnavailableError(Exception):
    """The authorization server can't be asked, so nobody knows whether a token is good."""


class Issuer:
    """One authorization server, for one event loop; enter `opened` before use."""

    def __init__(self, url: str, *, client_id: str, client_secret: str, clock: Callable[[], float]) -> None:
        """Prepare; nothing is sent before the first token comes.

        Args:
            url: The issuer identifier.
            client_id: Of this server, for introspection.
            client_secret: Likewise.
            clock: Returns seconds that never run backwards.
        """
        self._url, self._client, self._clock = url, (client_id, client_secret), clock
        self._lock = anyio.Lock()
        self._provider: Provider | None = None
        self._keys = KeySet([])
        self._fetched_at = self._tried_at = float("-inf")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Keep connections until the block ends."""
        async with httpx2.AsyncClient(timeout=HTTP_TIMEOUT_S) as self._http:
            yield

    async def keys_for(self, kid: object) -> KeySet:
        """Return the keys that sign tokens, from memory if the one with this id is there and was seen lately.

        Raises:
            IssuerUnavailableError: There are none, and they can't be fetched.
        """
        is_known = any(kid in (None, key.kid) for key in self._keys)
        if is_known and (self._age_s() < KEYS_FRESH_S or self._lock.locked()):
            return self._keys
        async with self._lock:  # those who waited for another's request take its result
            if self._clock() - self._tried_at >= FETCH_PAUSE_S:
                self._tried_at = self._clock()
                try:
                    self._keys = await self._fetch_keys()
                    self._fetched_at = self._clock()
                except IssuerUnavailableError as error:
                    _log.warning("no keys from the authorization server: %s", error)
        if self._age_s() >= KEYS_KEPT_S:
            raise IssuerUnavailableError("its keys could not be fetched")
        return self._keys

    async def introspect(self, token: str) -> Mapping[str, Any]:
        """Ask what a token is good for (RFC 7662).

        Raises:
            IssuerUnavailableError: There is no answer.
        """
        endpoint = (await self._metadata()).introspection_endpoint
        body = {"token": token, "token_type_hint": "access_token"}
        return await self._ask("POST", endpoint, data=body, auth=self._client)

    async def check(self, *, introspects: bool) -> None:
        """Raise an IssuerUnavailableError if no token could be checked now."""
        if introspects:
            await self._metadata()
        else:
            await self.keys_for(None)

    def _age_s(self) -> float:
        return self._clock() - self._fetched_at

    async def _metadata(self) -> Provider:
        if self._provider is None:
            try:
                self._provider = await to_thread.run_sync(discover, self._url)
            except SignInError as error:
                raise IssuerUnavailableError(str(error)) from None
        return self._provider

    async def _fetch_keys(self) -> KeySet:
        """Fetch the keys, less those that can't be read: one odd key must not take all others away."""
        keys = []
        listed = (await self._ask("GET", (await self._metadata()).jwks_uri)).get("keys")
        for each in listed if isinstance(listed, list) else []:
            try:
                key = JWKRegistry.import_key(each)
            except (JoseError, ValueError, TypeError, KeyError) as error:
                _log.info("a key of the authorization server can't be read: %s", type(error).__name__)
                continue
            if key.key_type != "oct":  # a secret that everybody can read signs nothing
                keys.append(key)
        if not keys:
            raise IssuerUnavailableError("it publishes no key")
        return KeySet(keys)

    async def _ask(self, method: str, url: str, **options: Any) -> dict[str, Any]:
        """Send a request, and return the JSON object of its answer."""
        if not url:
            raise IssuerUnavailableError("its metadata lacks an address")
        try:
            response = await self._http.request(
                method, url, headers={"Accept": "application/json"}, **options
            )
            response.raise_for_status()
            value = response.json()
        except (httpx2.HTTPError, ValueError, RecursionError) as error:
            # The text of an error could hold what was sent.
            raise IssuerUnavailableError(f"{url} gave no answer ({type(error).__name__})") from None
        if not isinstance(value, dict):
            raise IssuerUnavailableError(f"{url} answered with something else than a JSON object")
        return value
