"""Learn which host writes the Authentication-Results of an account (RFC 8601), from the mail in its INBOX.

A sender can't write above what the owner's mail server adds. If that server adds its results to every
message, the topmost field is its own; if it doesn't, a sender's field may be the topmost. One message doesn't
tell these apart, but many do: a host is believed if it tops nearly all of them, and then only in as many
fields as it usually writes, below as many Received fields as there usually are. Whoever
wants to be believed instead must have sent nine tenths of that mail.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from mailmcp.limits import AUTHSERV_DAYS_MIN, AUTHSERV_MESSAGES_MIN
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.trust.authentication import NOT_KNOWN, authserv_id_of, read_authentication

_SHARE_MIN: Final = 0.9
_PLACES_MIN: Final = 2
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?")
"""A host: no prose of a stranger fits, and no result that Exchange Online writes where the id belongs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """How a message arrived."""

    headers: Headers
    """Its Received and Authentication-Results fields, in order; the last ones may be missing."""

    day: date
    """When it arrived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedId:
    """A host that tops nearly all messages."""

    authserv_id: str
    """In lower case."""

    fields: int
    """How many fields it writes, mostly."""

    below: frozenset[int]
    """How many Received fields may stand above the first one."""

    messages: int
    """How many messages it tops, of those that were looked at."""

    looked_at: int


@dataclass(frozen=True, slots=True)
class _Top:
    authserv_id: str
    fields: int
    below: int


def learn_authserv_id(delivered: Iterable[Delivered]) -> LearnedId | None:
    """Find the host that tops nearly all messages; None if none does, or there is too little mail.

    Messages without a Received field weren't delivered, but stored, and don't count.
    """
    arrived = [each for each in delivered if each.headers.named("Received")]
    days = {each.day for each in arrived}
    if len(arrived) < AUTHSERV_MESSAGES_MIN or len(days) < AUTHSERV_DAYS_MIN:
        return None
    tops = [_top(each.headers) for each in arrived]
    authserv_id, count = Counter(top.authserv_id for top in tops).most_common(1)[0]
    if count < _SHARE_MIN * len(tops) or _HOST.fullmatch(authserv_id) is None:
        return None
    own = [top for top in tops if top.authserv_id == authserv_id]
    places = Counter(top.below for top in own)
    return LearnedId(
        authserv_id=authserv_id,
        fields=Counter(top.fields for top in own).most_common(1)[0][0],
        below=frozenset(place for place, times in places.items() if times >= _PLACES_MIN),
        messages=count,
        looked_at=len(tops),
    )


def read_learned(headers: Headers, learned: LearnedId | None) -> str:
    """Read the results in the topmost fields of a message, if the learned host wrote them.

    Returns:
        As `read_authentication`, and from how many messages that was learned; or "not known".
    """
    if learned is None:
        return NOT_KNOWN
    top = _top(headers)
    if top.authserv_id != learned.authserv_id or top.below not in learned.below:
        return NOT_KNOWN
    results = read_authentication(headers, [learned.authserv_id], fields_max=learned.fields)
    if results == NOT_KNOWN:
        return NOT_KNOWN
    source = f'"{learned.authserv_id}" heads {learned.messages} of {learned.looked_at} messages'
    return f"{results} (learned: {source})"


def _top(headers: Headers) -> _Top:
    below = fields = 0
    authserv_id = ""
    for field in headers.fields:
        name = field.name.lower()
        if name == "received" and not fields:
            below += 1
        elif name == "received":
            break
        elif name == "authentication-results":
            found = authserv_id_of(field.raw)
            if fields and found != authserv_id:
                break
            authserv_id, fields = found, fields + 1
    return _Top(authserv_id, fields, below)
