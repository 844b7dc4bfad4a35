"""The kinds of mail that a search can ask for, and the header fields that show them.

`SIGNS` is the table. Each row has both what SEARCH looks for (RFC 9051 section 6.4.4) and what proves it on
a message, so that the server finds all messages of a kind, and `mailmcp.mail.kinds` keeps no others.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from mailmcp.model.search_keys import any_of

Key: TypeAlias = tuple[bytes | str, ...]


class MailKind(StrEnum):
    """What kind of mail to find. A message may be of several."""

    INVITATION = "invitation"
    """Has a calendar object that invites, changes, cancels or answers (RFC 5546)."""

    NEWSLETTER = "newsletter"
    """Sent to a list on which recipients can't write: RFC 2369 and 2919."""

    AUTOMATIC = "automatic"
    """Sent by a program: RFC 3834, delivery reports, senders that take no replies."""

    PERSONAL = "personal"
    """None of the above, and from someone other than the owner."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A header field that shows a kind."""

    field: str
    texts: tuple[str, ...]
    """What SEARCH looks for: wherever `pattern` matches, the field contains one of these; "" is in any."""

    pattern: re.Pattern[str]
    """Matches the value. In From, it matches the local part of an address, up to a `+` and without dots,
    hyphens and underscores."""

    @property
    def keys(self) -> tuple[Key, ...]:
        """The search keys, of which one finds each message that has the sign."""
        name = self.field.upper().encode()
        return tuple((b"FROM", text) if name == b"FROM" else (b"HEADER", name, text) for text in self.texts)


def _sign(field: str, texts: str, pattern: str) -> Sign:
    return Sign(field, tuple(texts.split()) or ("",), re.compile(pattern, re.IGNORECASE))


SIGNS: Final[Mapping[MailKind, tuple[Sign, ...]]] = {
    MailKind.NEWSLETTER: (
        _sign("List-Unsubscribe", "", ""),
        _sign("List-Id", "", ""),
        _sign("Precedence", "bulk list", r"^(bulk|list)\b"),
    ),
    MailKind.AUTOMATIC: (
        _sign("Auto-Submitted", "", r"^(?!no\b)\S|auto-"),
        _sign("Precedence", "auto", r"^auto.?reply\b"),
        _sign("X-Auto-Response-Suppress", "", r"^(?!none\b)\S"),
        _sign("X-Failed-Recipients", "", ""),
        _sign("Return-Path", "<>", r"^<>$"),
        _sign("Content-Type", "report", r"^multipart/report\b"),
        _sign(
            "From",
            "noreply donotreply reply respond repondre antwort rispondere odpowiad "
            "daemon postmaster notif alert bounce confirm cron",
            r"no(t|t?to)?reply|dontreply|autoreply|nepasrepondre|noresponder|autoresponder|naoresponda"
            r"|nichtantworten|keineantwort|nonrispondere|nieodpowiadaj|mailerdaemon"
            r"|^(postmaster|daemon|notifications?|notify|alerts?|bounces?|autoconfirm|cron)$",
        ),
    ),
}
"""By kind: a message is of the kind if it has one of these."""

DISCUSSION: Final = _sign("List-Post", "mailto", r"mailto:")
"""On such a list people write to each other: its mail is no newsletter, whatever else it has."""

UNSUBSCRIBE, AUTO_SUBMITTED = SIGNS[MailKind.NEWSLETTER][0], SIGNS[MailKind.AUTOMATIC][0]


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedKind:
    """The kind that a search asks for, with what depends on the account. Addresses are in lower case."""

    kind: MailKind
    own: tuple[str, ...] = ()
    """The owner's addresses."""

    @property
    def needs_structure(self) -> bool:
        """Whether the structure of a message decides, too."""
        return self.kind in {MailKind.INVITATION, MailKind.PERSONAL}

    @property
    def header_fields(self) -> tuple[str, ...]:
        """The header fields that decide."""
        match self.kind:
            case MailKind.INVITATION:
                return ()
            case MailKind.PERSONAL:
                signs: Iterable[Sign] = [each for signs in SIGNS.values() for each in signs]
            case _:
                signs = SIGNS[self.kind]
        return tuple(dict.fromkeys([DISCUSSION.field, *(each.field for each in signs), "From"]))

    @property
    def keys(self) -> Key:
        """The search keys, which find all messages of the kind and maybe others; none if there is no key."""
        match self.kind:
            case MailKind.INVITATION:
                return ()
            case MailKind.PERSONAL:
                # What these leave out is certainly not personal; most of the rest is.
                not_to_list = (b"OR", b"NOT", *UNSUBSCRIBE.keys[0], *DISCUSSION.keys[0])
                return (*not_to_list, b"NOT", b"HEADER", AUTO_SUBMITTED.field.upper().encode(), "auto-")
            case _:
                return any_of([key for sign in SIGNS[self.kind] for key in sign.keys])
