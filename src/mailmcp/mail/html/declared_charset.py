"""The charset that HTML declares of itself, for mail whose Content-Type has none."""

import re
from typing import Final

import turbohtml
from turbohtml import TokenType

from mailmcp.mail.charset.decode import is_known_charset

_OCTETS_MIN: Final = 1_024  # in which it is looked for in any case
_OCTETS_MAX: Final = 65_536  # a head may have a long style sheet
_HEAD: Final = frozenset(
    ["html", "head", "title", "base", "link", "meta", "noscript", "object", "script", "style"]
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
    for token in turbohtml.tokenize(html, capture_source=True):
        if token.type is TokenType.TEXT:
            position += len(token.data or "")
            continue
        position += len(token.source or "")
        in_head = in_head and (not token.tag or token.tag in _HEAD)
        if not in_head and position > _OCTETS_MIN:
            break
        if token.type is not TokenType.START_TAG or token.tag != "meta":
            continue
        charset = token.attr("charset") or ""
        found = _CONTENT.search(token.attr("content") or "")
        if not charset and found and (token.attr("http-equiv") or "").lower() == "content-type":
            charset = found[1]
        if is_known_charset(charset):  # which it was read in can't be UTF-16
            return "utf-8" if charset.strip().lower().startswith("utf-16") else charset
        unknown = unknown or charset
    return unknown
