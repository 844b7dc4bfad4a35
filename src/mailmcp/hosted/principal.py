"""Who a token belongs to, and whose mail that is."""

import hashlib
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from unicodedata import normalize

USER_CHARS_MAX: Final = 254
"""As long as an address can be (RFC 5321 section 4.5.3.1.3)."""

_PUNCTUATION: Final = "._-+@'"
"""Besides letters and digits. Not `*`, by which servers separate a master user from a mailbox, nor what is
special in a file name, a pattern or a command."""

_ID_OCTETS: Final = 5
"""Eight characters: two of ten thousand users have the same ones with a probability of one in 20,000."""


class RefusedTokenError(Exception):
    """A token isn't good for anything here. The message is for the log: no value of the token is in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """A user, as the authorization server knows them."""

    issuer: str
    subject: str
    """Never given to anyone else by this issuer (RFC 7519 section 4.1.2)."""

    user: str
    """The login name at the mail server, or what the settings make it of."""

    name: str = field(default="", compare=False)
    address: str = field(default="", compare=False)
    """Verified by the authorization server; "" for none."""

    @property
    def digest(self) -> str:
        """What no other user has, in hexadecimal digits."""
        return hashlib.sha256("\0".join([self.issuer, self.subject, self.user]).encode()).hexdigest()

    def account_id(self, template_id: str) -> str:
        """Return the id of the user's account: the template's, and what no other user's has.

        It is in every id, cursor, state and URI, so those of other users name an account that isn't there.
        """
        start = bytes.fromhex(self.digest)[:_ID_OCTETS]
        return f"{template_id}-{b32encode(start).decode('ascii').lower()}"


def read_principal(claims: Mapping[str, Any], *, issuer: str, user_claim: str) -> Principal:
    """Read whose token it is from its claims, which were checked before.

    An address must have been verified: users of some providers can enter any. Mail servers take some letters
    for others (RFC 4013): with those, a name might be another user's.

    Raises:
        RefusedTokenError: It names no user, or none that can be a login name.
    """
    subject, user, name = (claims.get(each) for each in ("sub", user_claim, "name"))
    is_verified = claims.get("email_verified") is True
    if not isinstance(subject, str) or not subject:
        raise RefusedTokenError("it has no sub")
    if not isinstance(user, str) or not user:
        raise RefusedTokenError(f"it has no {user_claim}")
    if user_claim == "email" and not is_verified:
        raise RefusedTokenError("its email is not verified")
    is_plain = all(each.isalnum() or each in _PUNCTUATION for each in user)
    if not is_plain or len(user) > USER_CHARS_MAX or normalize("NFKC", user) != user:
        raise RefusedTokenError(f"its {user_claim} can't be a login name")
    address = claims.get("email") if is_verified else None
    return Principal(
        issuer=issuer,
        subject=subject,
        user=user,
        name=name if isinstance(name, str) else "",
        address=address if isinstance(address, str) else "",
    )
