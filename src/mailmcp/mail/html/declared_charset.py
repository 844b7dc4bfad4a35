"""The charset that HTML declares of itself, for mail whose Content-Type has none."""

import re
from typing import Final

from mailmcp.mail.charset.decode import is_known_charset

_OCTETS_MAX: Final = 65_536  # a head may have a long style sheet
_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';]+)", re.ASCII | re.IGNORECASE)


def find_declared_charset(octets: bytes) -> str:
    """Find what the `meta` elements of the head declare (HTML standard, section 4.2.5).

    Args:
        octets: HTML in a charset that ASCII is a part of.

    Returns:
        The first charset that can be read, as written. If none can, the first; "" without any.
    """
    import turbohtml  # noqa: PLC0415 - start-up would pay for it

    document = turbohtml.parse(octets[:_OCTETS_MAX].decode("latin-1"))
    found: list[str] = []
    for element in document.find_all("meta"):
        content = _CHARSET.search(str(element.attr("content", "") or ""))
        if charset := str(element.attr("charset", "") or ""):
            found.append(charset)
        elif content and str(element.attr("http-equiv", "") or "").lower() == "content-type":
            found.append(content[1])
    charset = next(filter(is_known_charset, found), "".join(found[:1]))
    # What it was read in can't be UTF-16.
    return "utf-8" if charset.strip().lower().startswith("utf-16") and is_known_charset(charset) else charset
