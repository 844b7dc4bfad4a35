"""Who a draft is from and goes to: as the caller says, and as a reply has it (RFC 5322 section 3.6.3)."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from mailmcp.mail.clean import cut_end
from mailmcp.mail.header.address import Address, addresses_in, parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.model.owner import Owner
from mailmcp.reasons import Reason
from mcp_envelope import BaseReason, InvalidInputError

Recipients: TypeAlias = dict[str, list[Address]]
"""Addresses that mail can be sent to, by `to`, `cc` and `bcc`."""

_NAME_CHARS_MAX: Final = 100
_LOCAL: Final = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}")
_DOMAIN: Final = re.compile(r"(?=.{1,253}\Z)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*")


def parse_recipients(sent: Mapping[str, Sequence[str]]) -> Recipients:
    """Parse what the caller sent, by argument; each value has one address or several.

    Raises:
        InvalidInputError: Mail can't be sent to one of them, or a name holds an address.
    """
    recipients: Recipients = {}
    for argument, values in sent.items():
        found = parse_addresses(*values)
        for number, each in enumerate(found, 1):
            if not usable([each]) or "@" in each.name:
                problem = f"address {number} is malformed: write name@example.com or Name <name@example.com>."
                raise InvalidInputError.of(argument, BaseReason.INVALID_VALUE, problem)
        recipients[argument] = usable(found)
    return recipients


def usable(addresses: Iterable[Address]) -> list[Address]:
    """Return the addresses that mail can be sent to, with domains in ASCII (RFC 5890).

    A domain that encoding would change, as it makes `ss` of `ß`, may belong to others. So may an address in a
    name, which is left out.
    """
    found: list[Address] = []
    for each in addresses:
        local, _, domain = each.address.rpartition("@")
        try:
            encoded = domain.encode("idna").decode("ascii")
            as_meant = unicodedata.normalize("NFC", domain).lower()
            is_same = domain.isascii() or encoded.encode().decode("idna") == as_meant
        except UnicodeError:
            continue
        if is_same and _LOCAL.fullmatch(local) and _DOMAIN.fullmatch(encoded):
            name = "" if "@" in each.name else cut_end(each.name, _NAME_CHARS_MAX)
            found.append(Address(name=name, address=f"{local}@{encoded}"))
    return found


def join_recipients(*several: Recipients) -> Recipients:
    """Join recipients; an address stays only where it comes first."""
    seen: set[str] = set()
    joined: Recipients = {"to": [], "cc": [], "bcc": []}
    for field, addresses in joined.items():
        for each in (each for recipients in several for each in recipients.get(field, ())):
            if each.address.lower() not in seen:
                addresses.append(each)
            seen.add(each.address.lower())
    return joined


def own_addresses(owner: Owner, answered: Headers) -> list[Address]:
    """Return the owner's addresses, with the name; the one that the answered message is to comes first.

    Raises:
        InvalidInputError: The settings have none; the reason is `switched_off`.
    """
    own = usable(Address(name=next(iter(owner.names), ""), address=each) for each in owner.addresses)
    if not own:
        problem = "has no address to write from: the user must set addresses of this account in the settings."
        raise InvalidInputError.of("account_id", Reason.SWITCHED_OFF, problem)
    named = addresses_in(answered, "From", "To", "Cc")
    return sorted(own, key=lambda each: each.address.lower() not in named)


def reply_recipients(answered: Headers, own: Sequence[Address], *, reply_all: bool) -> Recipients:
    """Choose who a reply goes to: those in Reply-To, or else in From, and on request all in To and Cc.

    A reply to the owner's own mail goes to its recipients. The owner is left out, unless nobody else is left.
    """
    names = ("From", "Reply-To", "To", "Cc")
    sender, reply_to, to, cc = (usable(parse_addresses(*answered.raw_all(each))) for each in names)
    mine = {each.address.lower() for each in own}
    is_own = bool(sender) and all(each.address.lower() in mine for each in sender)
    first = to if is_own else reply_to or sender
    everyone: Recipients = {"to": [*first, *to], "cc": cc} if reply_all else {"to": first}
    others = {
        field: [each for each in some if each.address.lower() not in mine] for field, some in everyone.items()
    }
    return others if any(others.values()) else {"to": first}
