"""What a refusal means, by its response code: RFC 5530, RFC 9051 section 7.1, and codes seen in the wild.

The one table that decides whether a refused command may succeed later, and which reason its
error has. A code that is not listed says nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mailmcp.reasons import Reason


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a response code says about the command that was refused."""

    temporary: bool
    """Whether the same command may succeed later. A temporary refusal is no verdict on the command,
    on the credentials or on the server's abilities."""

    reason: Reason = Reason.SERVER_REFUSED
    unsupported: bool = False
    """Whether the server may not know the command or one of its arguments."""


_LATER = Meaning(temporary=True)
_NEVER = Meaning(temporary=False)
_UNSUPPORTED = Meaning(temporary=False, unsupported=True)
_FORBIDDEN = Meaning(temporary=False, reason=Reason.PERMISSION_DENIED)

_MEANINGS: Final[Mapping[str, Meaning]] = {
    # The server, not the request.
    "UNAVAILABLE": _LATER,
    "INUSE": _LATER,
    "SERVERBUG": _LATER,  # Dovecot's "Internal error occurred", mostly a lock or a timeout
    "EXPUNGEISSUED": _LATER,
    "THROTTLED": _LATER,  # Exchange Online, Gmail
    "LIMIT": _LATER,  # an implementation's limit in RFC 5530; in the wild one of rates or connections (Yahoo)
    "OVERQUOTA": _LATER,  # what only reads stores nothing: Gmail says it of commands and bandwidth per day
    # The credentials.
    "AUTHENTICATIONFAILED": Meaning(temporary=False, reason=Reason.CREDENTIALS_REJECTED),
    "EXPIRED": Meaning(temporary=False, reason=Reason.CREDENTIALS_EXPIRED),
    "PRIVACYREQUIRED": Meaning(temporary=False, reason=Reason.LOGIN_DISABLED),
    # What the user may do; a person has to change that.
    "AUTHORIZATIONFAILED": _FORBIDDEN,
    "CONTACTADMIN": _FORBIDDEN,
    "NOPERM": _FORBIDDEN,
    "WEBALERT": _FORBIDDEN,  # Gmail: sign in with a browser first
    # The request.
    "NONEXISTENT": Meaning(temporary=False, reason=Reason.MAILBOX_MISSING),
    "TRYCREATE": Meaning(temporary=False, reason=Reason.MAILBOX_MISSING),
    "ALREADYEXISTS": _NEVER,
    "BADCHARSET": _UNSUPPORTED,
    "CANNOT": _UNSUPPORTED,
    "CLIENTBUG": _UNSUPPORTED,
    "CORRUPTION": _NEVER,
    "PARSE": _NEVER,
    "REFERRAL": _NEVER,  # RFC 2221: the account is on another server
    "UNKNOWN-CTE": _NEVER,  # RFC 3516: BINARY of a part whose transfer encoding the server does not know
    # ALERT only asks that its text be shown: Gmail says it of wrong passwords and of too many connections.
}


def meaning_of(code: str) -> Meaning | None:
    """Look up a response code, in upper case; None for one that says nothing, as "" does."""
    return _MEANINGS.get(code)


_CONNECTION_LIMIT = re.compile(
    r"(too many|max(imum)?|limit|exceed).{0,60}\b(connections?|sessions?)\b"
    r"|\b(connections?|sessions?)\b.{0,60}(limit|exceed|too many|maximum)",
    re.IGNORECASE,
)


def names_connection_limit(text: str) -> bool:
    """Whether a refused login, or BYE, says that there are too many connections: no code is reserved for it.

    Dovecot: `[LIMIT] Maximum number of connections from user+IP exceeded`; Gmail: `[ALERT] Too many
    simultaneous connections`.
    """
    return _CONNECTION_LIMIT.search(text) is not None
