"""Who a message is from and to, in one line."""

from mailmcp import limits
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import format_address, parse_addresses
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.text.snippet import make_snippet

_ADDRESS_CHARS_MAX = 80


def addresses_of(headers: Headers, name: str) -> str:
    """Write the addresses of a header, as `Name <address>, …`; "" if there are none."""
    written = ", ".join(map(format_address, parse_addresses(*headers.raw_all(name))))
    return clean_line(written).text[: limits.HEADER_CHARS_MAX]


def first_addresses_of(headers: Headers, name: str, *, most: int) -> str:
    """Write the first `most` addresses of a header and count the others: `Ann <ann@a.example>, 3 more`.

    At most ROW_CHARS_MAX characters; "" if there are none.
    """
    addresses = parse_addresses(*headers.raw_all(name))
    written = ""
    for number, each in enumerate(addresses):
        one = make_snippet(clean_line(format_address(each)).text, _ADDRESS_CHARS_MAX)
        more = f", {len(addresses) - number} more"
        if number == most or len(written) + len(one) + len(more) > limits.ROW_CHARS_MAX:
            return written + more
        written += f", {one}" if number else one
    return written
