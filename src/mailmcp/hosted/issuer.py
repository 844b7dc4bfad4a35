"""The authorization server that users sign in at: its metadata, its keys, and what it says of a token.

RFC 8414, RFC 7517, RFC 7662. What was fetched is kept, so that a short failure of the server goes unnoticed.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, Final

import anyio
import httpx2
from anyio import to_thread
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from mailmcp.auth.client import HTTP_TIMEOUT_S, discover
from mailmcp.auth.provider import Provider, SignInError

KEYS_FRESH_S: Final = 600.0
"""After that, keys are fetched again: a key that was withdrawn counts no longer than this."""

KEYS_KEPT_S: Final = 3_600.0
"""For so long, keys that can't be fetched again still count."""

FETCH_PAUSE_S: Final = 1.0
"""Between two attempts for keys that aren't known: tokens with invented key ids wait, and share a request."""

FETCH_AGAIN_S: Final = 30.0
"""Between two attempts for keys that are known: nobody should wait for a server that is away."""

_log = logging.getLogger(__name__)


class IssuerUnavailableError(Exception):
    """The authorization server can't be asked, so nobody knows whether a token is good."""


class Issuer:
    """One authorization server, for one event loop; enter `opened` before use."""

    def __init__(
        self,
        url: str,
        *,
        client: tuple[str, str] = ("", ""),
        introspects: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Prepare; nothing is sent before the first token comes.

        Args:
            url: The issuer identifier.
            client: This server's id and secret, for introspection.
            introspects: Whether it is asked about each token; False if tokens are checked by its keys.
            clock: Returns seconds that never run backwards.
        """
        self.url, self.introspects = url, introspects
        self._client, self._clock = client, clock
        self._lock = anyio.Lock()
        self._provider: Provider | None = None
        self._keys = KeySet([])
        self._attempts = 0
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
        is_due = self._age_s() >= KEYS_FRESH_S and self._clock() - self._tried_at >= FETCH_AGAIN_S
        if not is_known or (is_due and not self._lock.locked()):
            await self._once(self._fetch_keys)
        if self._age_s() >= KEYS_KEPT_S:
            raise IssuerUnavailableError("its keys could not be fetched")
        return self._keys

    async def introspect(self, token: str) -> Mapping[str, Any]:
        """Ask what a token is good for (RFC 7662).

        Raises:
            IssuerUnavailableError: There is no answer.
        """
        await self.check()
        endpoint = self._provider.introspection_endpoint if self._provider else ""
        body = {"token": token, "token_type_hint": "access_token"}
        return await self._ask("POST", endpoint, data=body, auth=self._client)

    async def check(self) -> None:
        """Raise an IssuerUnavailableError if no token could be checked now."""
        if not self.introspects:
            await self.keys_for(None)
        elif self._provider is None:
            await self._once(self._fetch_metadata)

    def _age_s(self) -> float:
        return self._clock() - self._fetched_at

    async def _once(self, fetch: Callable[[], Awaitable[object]]) -> None:
        """Fetch something, unless another request has done so while this one waited."""
        before = self._attempts
        async with self._lock:
            if self._attempts > before:
                return
            await anyio.sleep(max(0.0, self._tried_at + FETCH_PAUSE_S - self._clock()))
            self._attempts, self._tried_at = self._attempts + 1, self._clock()
            try:
                await fetch()
            except IssuerUnavailableError as error:
                _log.warning("the authorization server can't be asked: %s", error)

    async def _fetch_metadata(self) -> Provider:
        if self._provider is None:
            try:
                self._provider = await to_thread.run_sync(discover, self.url)
            except SignInError as error:
                raise IssuerUnavailableError(str(error)) from None
        return self._provider

    async def _fetch_keys(self) -> None:
        document: Any = await self._ask("GET", (await self._fetch_metadata()).jwks_uri)
        try:
            self._keys = KeySet.import_key_set(document)  # less those of kinds that it doesn't know
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise IssuerUnavailableError(f"its keys can't be read ({type(error).__name__})") from None
        self._fetched_at = self._clock()

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
