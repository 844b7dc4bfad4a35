"""What messages are grouped by: the key of a message for each value of `group_by`, and what it says."""

from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Final

from mailmcp.mail.header.address import parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.header.mailing_list import LIST_HEADER_FIELDS, parse_mailing_list
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.mail.trust.domains import domain_of, organisation_of

_ADDRESS_CHARS_MAX: Final = 320
"""What one can have (RFC 5321 section 4.5.3.1)."""

_NAME_CHARS_MAX: Final = 60
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
        return self in _PERIODS


_HEADER_FIELDS: Final = {
    GroupBy.SENDER: "FROM",
    GroupBy.DOMAIN: "FROM",
    GroupBy.LIST: f"{LIST_HEADER_FIELDS} FROM",
}
_PERIODS: Final = {GroupBy.DAY: "%Y-%m-%d", GroupBy.MONTH: "%Y-%m", GroupBy.YEAR: "%Y"}
"""The key of a time, in the user's zone. Keys sort as the times do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """The key of a message, and what the message says about its group."""

    key: str = ""
    """"" if the message lacks what it is grouped by."""

    name: str = ""
    unsubscribe: tuple[str, ...] = ()
    one_click: bool = False


NO_KEY: Final = Key()


def key_in_header(group_by: GroupBy, headers: Headers) -> Key:
    """Return the key that header fields hold: an address or id in lower case."""
    match group_by:
        case GroupBy.SENDER:
            found, sender = parse_mailing_list(headers), _sender(headers)
            if len(sender.key) > _ADDRESS_CHARS_MAX:
                return NO_KEY
            # In a search for newsletters, the fields of lists are there.
            return replace(sender, unsubscribe=found.unsubscribe, one_click=found.one_click)
        case GroupBy.DOMAIN:
            return Key(key=_organisation(_sender(headers).key))
        case GroupBy.LIST:
            return _list(headers)
        case _:
            return NO_KEY


def key_of_time(group_by: GroupBy, epoch: int | None, zone: tzinfo) -> Key:
    """Return the key of the time in which a message arrived."""
    return NO_KEY if epoch is None else Key(key=f"{datetime.fromtimestamp(epoch, zone):{_PERIODS[group_by]}}")


def _sender(headers: Headers) -> Key:
    for each in parse_addresses(*headers.raw_all("From")):
        if "@" in each.address:
            return Key(key=each.address.lower(), name=_short(each.name))
    return NO_KEY


def _organisation(address: str) -> str:
    """Return the registered part of the domain as the address writes it, which a search finds."""
    labels = organisation_of(domain_of(address)).split(".")
    return ".".join(address.rpartition("@")[2].strip(".").split(".")[-len(labels) :])


def _list(headers: Headers) -> Key:
    """Return the list; its sender, if it can be left but has no List-Id, as many newsletters."""
    found = parse_mailing_list(headers)
    if found.list_id:
        key = Key(key=found.list_id, name=_short(found.name))
    else:
        key = _sender(headers) if found.unsubscribe else NO_KEY
    return replace(key, unsubscribe=found.unsubscribe, one_click=found.one_click)


def _short(name: str) -> str:
    return make_snippet(name, _NAME_CHARS_MAX) if name else ""
