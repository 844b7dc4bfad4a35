"""Who a message is from and to, in one line."""

from dataclasses import dataclass

from mailmcp import limits
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import Address, format_address, parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.text.snippet import make_snippet

_USUAL_CHARS = 80
_SHORT_NAME_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """The addresses of a header, as many as there is room for."""

    text: str
    """`Name <address>, …`, each address whole; ", 3 more" ends what was cut. "" if there are none."""

    shown: int
    total: int
    """All that were read; there are more in a field that was cut itself (`Headers.is_cut`)."""


def addresses_of(headers: Headers, name: str) -> str:
    """Write all addresses of a header, as `Name <address>, …`; "" if there are none."""
    return clean_line(", ".join(map(format_address, parse_addresses(*headers.raw_all(name))))).text


def people_of(headers: Headers, name: str, *, max_chars: int, most: int | None = None) -> People:
    """Write the addresses of a header, at most `most`, and count those for which there is no room.

    Addresses are whole; a name that is too long for the room is cut. Where only some are wanted,
    a long name leaves room for the others.
    """
    usual_chars = _USUAL_CHARS if most else max_chars
    addresses = parse_addresses(*headers.raw_all(name))
    plus = "+" if headers.is_cut(name) else ""
    text = ""
    for shown, each in enumerate(addresses):
        more = f", {len(addresses) - shown}{plus} more"
        one = f"{', ' if shown else ''}{_write(each, max_chars - len(more), usual_chars)}"
        room = max_chars - len(text) - (len(more) if plus or shown + 1 < len(addresses) else 0)
        if shown == most or (shown and len(one) > room):
            return People(text=text + more, shown=shown, total=len(addresses))
        text += one
    return People(text=text, shown=len(addresses), total=len(addresses))


def first_addresses_of(headers: Headers, name: str, *, most: int) -> str:
    """Write the first `most` addresses of a header and count the others: `Ann <ann@a.example>, 3 more`.

    At most ROW_CHARS_MAX characters; "" if there are none.
    """
    return people_of(headers, name, max_chars=limits.ROW_CHARS_MAX, most=most).text


def _write(address: Address, max_chars: int, usual_chars: int) -> str:
    whole = clean_line(format_address(address)).text
    if len(whole) <= min(max_chars, usual_chars):
        return whole
    name = make_snippet(address.name, _SHORT_NAME_CHARS) if address.name else ""
    for written in (format_address(Address(name=name, address=address.address)), address.address):
        if written and len(written) <= max_chars:
            return written
    return make_snippet(whole, max_chars)
