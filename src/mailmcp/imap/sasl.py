"""SASL mechanisms that carry an OAuth 2.0 access token: their message, and how they end in failure.

A failure is a challenge that must be answered before the server says NO.

OAUTHBEARER: RFC 7628 section 3.2.2 and 3.2.3; XOAUTH2: Google's and Microsoft's documents.
"""

import json
from base64 import b64decode
from collections.abc import Mapping
from enum import StrEnum


class Mechanism(StrEnum):
    """How an access token is sent; a server may refuse the one that it does not advertise."""

    XOAUTH2 = "XOAUTH2"
    """Google's, which every large provider has."""

    OAUTHBEARER = "OAUTHBEARER"
    """RFC 7628."""


_ANSWERS: Mapping[str, bytes] = {Mechanism.OAUTHBEARER: b"AQ==", Mechanism.XOAUTH2: b""}
_CANCEL = b"*"
"""Ends an exchange (RFC 9051 section 6.2.2)."""

_VALUE_CHARS = 200


def bearer_message(mechanism: Mechanism, *, user: str, host: str, port: int, token: str) -> bytes:
    """Build the one message of the client, before Base64."""
    if mechanism is Mechanism.XOAUTH2:
        return f"user={user}\x01auth=Bearer {token}\x01\x01".encode()
    # RFC 5801 section 4: "," and "=" of a name are escaped.
    name = user.replace("=", "=3D").replace(",", "=2C")
    return f"n,a={name},\x01host={host}\x01port={port}\x01auth=Bearer {token}\x01\x01".encode()


def answer_to_failure(mechanism: str) -> bytes:
    """Return the line that acknowledges a failure; it cancels where the mechanism announces none."""
    return _ANSWERS.get(mechanism, _CANCEL)


def parse_failure(challenge: bytes) -> Mapping[str, str]:
    """Read the JSON of a failure: `status` as `invalid_token` or `401`, `scope`, `openid-configuration`.

    Args:
        challenge: In Base64, as it came.

    Returns:
        Only strings, printable and short; empty if the challenge has none.
    """
    try:
        values = json.loads(b64decode(challenge, validate=True))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(values, dict):
        return {}
    return {name: _printable(value) for name, value in values.items() if isinstance(value, str)}


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text[:_VALUE_CHARS])
