"""What the IMAP layer needs to know of one account; the settings make it."""

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from mailmcp import limits


class Tls(StrEnum):
    """How the connection is protected (RFC 8314)."""

    IMPLICIT = "implicit"
    """TLS from the first octet, by default on port 993."""

    STARTTLS = "starttls"
    """Upgraded before login, by default on port 143; never falls back to plain text."""

    NONE = "none"
    """Plain text; the settings allow it to loopback, or when the account says so."""

    @property
    def default_port(self) -> int:
        """The port of IMAP so protected (RFC 8314 section 7.3, RFC 9051 section 2.1)."""
        return 993 if self is Tls.IMPLICIT else 143


class Mechanism(StrEnum):
    """How an access token is sent; a server may refuse the one that it does not advertise."""

    XOAUTH2 = "XOAUTH2"  # Google's, which every large provider has
    OAUTHBEARER = "OAUTHBEARER"  # RFC 7628


class Writes(StrEnum):
    """How much may be changed in an account; each level includes those before it."""

    OFF = "off"
    DRAFTS = "drafts"
    """Messages of our own may be stored in Drafts."""

    ORGANIZE = "organize"
    """Messages may be flagged, copied and moved, to Trash too, and mailboxes made for them."""

    ALL = "all"
    """Messages may be deleted for good."""

    def includes(self, other: "Writes") -> bool:
        """Return whether this level allows what `other` does."""
        levels = list(Writes)
        return levels.index(self) >= levels.index(other)


@dataclass(frozen=True, slots=True)
class Password:
    """Log in with a password, by LOGIN or AUTHENTICATE PLAIN."""

    read: Callable[[], str] = field(repr=False)
    """Called at each login; may run a command or read a file, so it may block.

    Raises `AuthFailedError` with reason `password_unavailable`.
    """

    master_user: str = ""
    """Whose password it is, if that user may open the mailboxes of others (RFC 4616, the authentication
    identity); "" if it is the account's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerToken:
    """Log in with an OAuth 2.0 access token (RFC 7628, or Google's XOAUTH2)."""

    read: Callable[[str], str] = field(repr=False)
    """Called at each login with the token that the server has just refused, or ""; may block.

    Raises `AuthFailedError` with reason `sign_in_required`, or `InternalError` where the provider is down.
    """

    mechanism: Mechanism = Mechanism.XOAUTH2


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One account on one IMAP server."""

    account_id: str
    """Matches `^[A-Za-z0-9_-]{1,64}$`."""

    host: str
    port: int
    user: str
    credentials: Password | BearerToken

    tls: Tls = Tls.IMPLICIT
    ca_file: Path | None = None
    """PEM file of the authorities to trust instead of the system's; None for the system's."""

    max_sessions: int = limits.SESSIONS_PER_ACCOUNT
    connect_timeout_s: float = limits.CONNECT_TIMEOUT_S
    command_timeout_s: float = limits.COMMAND_TIMEOUT_S

    remedy: str = ""
    """Sentence: what to do about a refused login; "" for what somebody can do who has the settings."""

    special_uses: Mapping[str, str] = field(default_factory=dict)
    r"""Uses of mailboxes, as `\\Sent` (RFC 6154), by name: what the owner says, whatever the server does."""

    writes: Writes = Writes.OFF
    protected_mailboxes: frozenset[str] = frozenset()
    r"""Decoded names, or special uses as `\\Sent`: nothing in these is changed, comes in or leaves."""

    writes_per_call: int = limits.WRITES_PER_CALL
    writes_per_hour: int = limits.WRITES_PER_HOUR
    """Messages that may be changed, at most."""

    @property
    def secure(self) -> bool:
        """Whether the connection is encrypted."""
        return self.tls is not Tls.NONE


def is_loopback(host: str) -> bool:
    """Return whether data sent to the host stays on this machine; names aren't looked up.

    True of `localhost`, 127.0.0.0/8 and `::1`, with or without a zone; not of IPv4 in IPv6
    (`::ffff:127.0.0.1`), which not every system keeps to itself.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower() == "localhost"
    return address.is_loopback and getattr(address, "ipv4_mapped", None) is None
