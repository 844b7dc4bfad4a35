"""Addresses within limits. What is too long is cut before it is quoted, so no quotation stays open."""

import json
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.clean import clean_line, cut_start
from mailmcp.mail.header.address import Address, format_address, parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.text.snippet import ELLIPSIS, make_snippet

_USUAL_CHARS: Final = 80
_SHORT_NAME_CHARS: Final = 40
_ODD_ADDRESS_CHARS_MAX: Final = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """As many addresses of a field as fit."""

    text: str
    """`Name <address>, …`, each address whole; ends with ", 3 more" if some were left out."""

    shown: int
    total: int
    """Addresses that were read. A field that was cut itself (`Headers.is_cut`) has more."""


def people_of(headers: Headers, name: str, *, max_chars: int, limit: int | None = None) -> People:
    """Format the addresses of a field, at most `limit` of them, and count the others.

    An address is never cut, but a long name is. With `limit`, a long name leaves room for the others.
    """
    usual_chars = _USUAL_CHARS if limit else max_chars
    addresses = parse_addresses(*headers.raw_all(name))
    plus = "+" if headers.is_cut(name) else ""
    text = ""
    for shown, each in enumerate(addresses):
        more = f", {len(addresses) - shown}{plus} more"
        one = f"{', ' if shown else ''}{fit_address(each, max_chars - len(more), usual_chars)}"
        room = max_chars - len(text) - (len(more) if plus or shown + 1 < len(addresses) else 0)
        if shown == limit or (shown and len(one) > room):
            return People(text=text + more, shown=shown, total=len(addresses))
        text += one
    return People(text=text, shown=len(addresses), total=len(addresses))


def fit_address(address: Address, max_chars: int, usual_chars: int | None = None) -> str:
    """Format an address in at most `max_chars` characters, from 100.

    First the name is cut, then the local part, and the domain keeps its end: who reads ``boss@corp.example``
    can't know that ``.evil.example`` was cut. Of a long domain literal only the brackets stay. A name is also
    cut if all are longer than `usual_chars`.
    """
    whole = clean_line(format_address(address)).text
    if len(whole) <= min(max_chars, usual_chars or max_chars):
        return whole
    short_name = make_snippet(address.name, _SHORT_NAME_CHARS) if address.name else ""
    domain = address.address.rpartition("@")[2]
    for written in (address.address, f"{ELLIPSIS}@{domain}"):
        for name in (short_name, ""):
            shorter = format_address(Address(name=name, address=written))
            if shorter and len(shorter) <= max_chars:
                return shorter
    return f"{ELLIPSIS}@[{ELLIPSIS}]" if domain.startswith("[") else cut_start(domain, max_chars)


def quote_address(address: str) -> str:
    """Write in quotes what could be taken for another address, or for several; a long one keeps its end."""
    return json.dumps(cut_start(clean_line(address).text, _ODD_ADDRESS_CHARS_MAX), ensure_ascii=False)
