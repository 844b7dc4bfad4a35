"""Checks the access token of each request (RFC 9068, RFC 8725, or by introspection, RFC 7662).

joserfc verifies signatures and claims; nothing of a token is logged.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from joserfc import jws, jwt
from joserfc.errors import JoseError
from mcp.server.auth.provider import AccessToken, TokenVerifier
from typing_extensions import override

from mailmcp.hosted.issuer import Issuer
from mailmcp.hosted.principal import Principal, RefusedTokenError, read_principal

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Signatures with a private key. HMAC isn't among them: the key that checks it could forge it."""

CLOCK_SKEW_S: Final = 60
"""How far the issuer's clock may be from ours."""

_TYPES: Final = {"", "jwt", "at+jwt", "application/at+jwt"}
"""RFC 9068 section 2.1 asks for the third; most issuers write the second."""

_log = logging.getLogger(__name__)


class Admitted(AccessToken):
    """A token that was found good."""

    principal: Principal


class TokenChecker(TokenVerifier):
    """Finds out whose token it is, or that it is none of ours."""

    def __init__(
        self, issuer: Issuer, *, audience: str, user_claim: str, clock: Callable[[], float] = time.time
    ) -> None:
        """Check that tokens are the issuer's and for `audience`; `clock` returns seconds since 1970."""
        self._issuer, self._audience, self._user_claim, self._clock = issuer, audience, user_claim, clock

    @override
    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the token's owner and scopes; None if it must be refused.

        Raises:
            IssuerUnavailableError: Nobody can tell now.
        """
        issuer = self._issuer
        try:
            claims = await (self._introspect(token) if issuer.introspects else self._decode(token))
            principal = read_principal(claims, issuer=issuer.url, user_claim=self._user_claim)
        except RefusedTokenError as refused:
            _log.info("token refused: %s", refused)
            return None
        return Admitted(
            token=token,
            client_id=str(claims.get("client_id") or claims.get("azp") or ""),
            scopes=_read_scopes(claims),
            expires_at=int(claims["exp"]) + CLOCK_SKEW_S if "exp" in claims else None,
            subject=principal.subject,
            claims={"iss": issuer.url},
            principal=principal,
        )

    async def _decode(self, token: str) -> Mapping[str, Any]:
        """Verify the signature of a JWT, then its claims."""
        with _refusing():
            header = jws.extract_compact(token.encode()).headers()
        if header.get("alg") not in ALGORITHMS or str(header.get("typ", "")).lower() not in _TYPES:
            raise RefusedTokenError("it has another type or algorithm")
        keys = await self._issuer.keys_for(header.get("kid"))
        with _refusing():
            claims = jwt.decode(token, keys, algorithms=ALGORITHMS).claims
            self._check(claims, essential=True)
        return claims

    async def _introspect(self, token: str) -> Mapping[str, Any]:
        claims = await self._issuer.introspect(token)
        if claims.get("active") is not True:
            raise RefusedTokenError("it is not active")
        with _refusing():
            self._check(claims, essential=False)
        return claims

    def _check(self, claims: Mapping[str, Any], *, essential: bool) -> None:
        """Check issuer, audience and times; `essential` if the issuer and the expiry can't be missing.

        Raises:
            JoseError: One of them is wrong.
        """
        registry = jwt.JWTClaimsRegistry(
            now=int(self._clock()),
            leeway=CLOCK_SKEW_S,
            iss={"essential": essential, "value": self._issuer.url},
            aud={"essential": True, "value": self._audience},
            exp={"essential": essential},
        )
        registry.validate(dict(claims))


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse a token that can't be read or verified; an error could repeat what is in it."""
    try:
        yield
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise RefusedTokenError(type(error).__name__) from None


def _read_scopes(claims: Mapping[str, Any]) -> list[str]:
    """Return the scopes: `scope` of RFC 9068, or `scp` as Microsoft and Okta have it."""
    found = claims.get("scope", claims.get("scp", ""))
    if isinstance(found, str):
        return found.split()
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []
