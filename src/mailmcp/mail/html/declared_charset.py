"""The charset that HTML declares of itself, for mail whose Content-Type has none."""

import re
from typing import Final

from mailmcp.mail.charset.decode import is_known_charset
from mailmcp.mail.html.attributes import read_attributes
from mailmcp.mail.html.normalize import TOKEN, end_of
from mailmcp.mail.html.tags import DROPPED, to_lower

_OCTETS_MIN: Final = 1_024  # in which it is looked for in any case
_OCTETS_MAX: Final = 65_536  # a head may have a long style sheet
_HEAD: Final = frozenset(
    {"html", "head", "title", "base", "link", "meta", "noscript", "object", "script", "style"}
)
_CONTENT: Final = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';]+)", re.ASCII | re.IGNORECASE)


def find_declared_charset(octets: bytes) -> str:
    """Find what a `meta` element declares (HTML standard, section 4.2.5), as Chromium does.

    Comments, titles, scripts and style sheets declare nothing, and neither does what comes after the head and
    the first 1,024 octets.

    Args:
        octets: HTML in a charset that ASCII is a part of.

    Returns:
        The first charset that can be read, as written. If none can, the first; "" without any.
    """
    html = octets[:_OCTETS_MAX].decode("latin-1")
    unknown = ""
    position, in_head = 0, True
    while (match := TOKEN.search(html, position)) is not None:
        position, name = match.end(), to_lower(match["name"] or "")
        in_head = in_head and (not name or name in _HEAD)
        if not in_head and position > _OCTETS_MIN:
            break
        if match["close"] or not match["end"]:
            continue
        if name == "meta":
            attributes = read_attributes(match.group()[len("<meta") :])
            found = _CONTENT.search(attributes.get("content", ""))
            charset = attributes.get("charset", "")
            if not charset and found and to_lower(attributes.get("http-equiv", "")) == "content-type":
                charset = found[1]
            if is_known_charset(charset):  # which it was read in can't be UTF-16
                return "utf-8" if to_lower(charset.strip()).startswith("utf-16") else charset
            unknown = unknown or charset
        elif name in DROPPED:
            position = end_of(name, html, position)
    return unknown
