"""What messages are grouped by: the keys of a message for each value of `group_by`, and what holds them.

A message has no key if it lacks what it is grouped by.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Final

from mailmcp.mail.header.address import parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.header.mailing_list import LIST_HEADER_FIELDS, parse_mailing_list
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.mail.trust.domains import domain_of, organisation_of

GROUP_KEY_CHARS_MAX: Final = 320
"""Of the key of a group: what an address can have (RFC 5321 section 4.5.3.1)."""

GROUP_NAME_CHARS_MAX: Final = 60
"""Of the name of a person or a list."""


class GroupBy(StrEnum):
    """The values of `group_by`."""

    SENDER = "sender"
    DOMAIN = "domain"
    LIST = "list"
    MAILBOX = "mailbox"
    DAY = "day"
    MONTH = "month"
    YEAR = "year"

    @property
    def header_fields(self) -> str:
        """The header fields that hold the keys; "" if none do."""
        return _HEADER_FIELDS.get(self, "")

    @property
    def is_time(self) -> bool:
        """Whether the groups are times."""
        return self in PERIODS


_HEADER_FIELDS: Final = {
    GroupBy.SENDER: "FROM",
    GroupBy.DOMAIN: "FROM",
    GroupBy.LIST: f"{LIST_HEADER_FIELDS} FROM",
}

PERIODS: Final[dict[GroupBy, Callable[[datetime], str]]] = {
    GroupBy.DAY: lambda moment: f"{moment:%Y-%m-%d}",
    GroupBy.MONTH: lambda moment: f"{moment:%Y-%m}",
    GroupBy.YEAR: lambda moment: f"{moment:%Y}",
}
"""The key of a time, in the user's zone. Keys sort as the times do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a message, and what the message says about the group."""

    key: str
    argument: str
    """The search argument that finds the group's messages by the key, and maybe others."""

    name: str = ""
    unsubscribe: tuple[str, ...] = ()
    one_click: bool = False


def keys_in_header(group_by: GroupBy, headers: Headers) -> tuple[Key, ...]:
    """Return the keys that header fields hold: addresses and ids in lower case, each once."""
    match group_by:
        case GroupBy.SENDER:
            return _leavable_senders(headers) or _senders(headers)[:1]
        case GroupBy.DOMAIN:
            senders = _senders(headers)[:1]
            domains = (_organisation(each.key) for each in senders)
            return tuple(Key(key=each, argument="from") for each in domains if each)
        case GroupBy.LIST:
            return _list(headers)
        case _:
            return ()


def period_of(group_by: GroupBy, epoch: int, zone: tzinfo) -> str:
    """Return the key of the time in which a message arrived."""
    return PERIODS[group_by](datetime.fromtimestamp(epoch, zone))


def period_days(key: str) -> tuple[date, date]:
    """Return the first and the last day of a key of `period_of`."""
    year, _, rest = key.partition("-")
    if not rest:
        return date(int(year), 1, 1), date(int(year), 12, 31)
    month, _, day = rest.partition("-")
    if day:
        return date.fromisoformat(key), date.fromisoformat(key)
    first = date(int(year), int(month), 1)
    return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def _senders(headers: Headers) -> tuple[Key, ...]:
    found = parse_addresses(*headers.raw_all("From"))
    keys = (
        Key(
            key=key,
            argument="from",
            name=_short(each.name),
        )
        for each in found
        if "@" in each.address and (key := _key(each.address.lower()))
    )
    return tuple({each.key: each for each in keys}.values())


def _key(address: str) -> str:
    """Return the address; of one that is too long to be a real one its domain, which finds it, too.

    A domain that is too long as well makes no key.
    """
    shorter = (address, f"@{address.rpartition('@')[2]}", "")
    return next(each for each in shorter if len(each) <= GROUP_KEY_CHARS_MAX)


def _organisation(address: str) -> str:
    """Return the registered part of the domain as the address writes it, which a search finds."""
    labels = organisation_of(domain_of(address)).split(".")
    return ".".join(address.rpartition("@")[2].strip(".").split(".")[-len(labels) :])


def _list(headers: Headers) -> tuple[Key, ...]:
    """Return the list; its sender, if it can be left but has no List-Id, as many newsletters."""
    found = parse_mailing_list(headers)
    if not found.list_id:
        return _leavable_senders(headers)
    return (
        Key(
            key=found.list_id,
            argument="list_id",
            name=_short(found.name),
            unsubscribe=found.unsubscribe,
            one_click=found.one_click,
        ),
    )


def _leavable_senders(headers: Headers) -> tuple[Key, ...]:
    """Return the sender of mail that can be unsubscribed from, if the fields that say so were fetched."""
    if not headers.get("List-Unsubscribe"):
        return ()
    found = parse_mailing_list(headers)
    senders = _senders(headers)[:1] if found.unsubscribe else ()
    return tuple(replace(each, unsubscribe=found.unsubscribe, one_click=found.one_click) for each in senders)


def _short(name: str) -> str:
    return make_snippet(name, GROUP_NAME_CHARS_MAX) if name else ""
