"""The fields of mailing lists and newsletters: which list it is, and how to leave it.

List-Id is RFC 2919, List-Unsubscribe RFC 2369, and unsubscribing by one request RFC 8058.
"""

import re
from dataclasses import dataclass
from typing import Final

from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import blank_comments, is_seen_whole
from mailmcp.mail.header.fields import Headers, decode_encoded_words

LIST_HEADER_FIELDS: Final = "LIST-ID LIST-UNSUBSCRIBE LIST-UNSUBSCRIBE-POST"
"""The fields that are read here."""

_ID_CHARS_MAX: Final = 255  # RFC 2919 section 2
_WAYS_MAX: Final = 3
_WAY_CHARS_MAX: Final = 1_000
_ID: Final = re.compile(r"<([^<>]*)>\s*$")
_BARE_ID: Final = re.compile(r"[^\s<>]+\.[^\s<>]+")
_WAY: Final = re.compile(r"<([^<>]*)>")
_SPACE: Final = re.compile(r"\s+")
_SCHEMES: Final = ("https://", "http://", "mailto:")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailingList:
    """What a message says of its list."""

    list_id: str = ""
    """In lower case, without angle brackets; "" if there is none."""

    name: str = ""
    """What people call the list; "" if it isn't said."""

    unsubscribe: tuple[str, ...] = ()
    """Web and mail addresses that end the subscription, those of the web first."""

    one_click: bool = False
    """Whether a POST to the first of them is enough."""


def parse_mailing_list(headers: Headers) -> MailingList:
    """Read the fields of LIST_HEADER_FIELDS. Never raises; what can't be read is absent."""
    list_id, name = _parse_list_id(headers.get("List-Id"))
    ways = _parse_unsubscribe(" ".join(headers.raw_all("List-Unsubscribe")))
    posts = _SPACE.sub("", headers.get("List-Unsubscribe-Post")).lower() == "list-unsubscribe=one-click"
    return MailingList(
        list_id=list_id,
        name=name,
        unsubscribe=ways,
        one_click=posts and bool(ways) and ways[0].lower().startswith("https://"),
    )


def _parse_list_id(value: str) -> tuple[str, str]:
    """Return id and name. Some lists leave out the brackets; an id always has a dot then."""
    plain = blank_comments(value).strip(" ")
    match = _ID.search(plain)
    written = match[1] if match else plain
    # A part of what is written may be another list.
    if not is_seen_whole(written) or len(written) > _ID_CHARS_MAX:
        return "", ""
    if match is None:
        return (plain.lower(), "") if _BARE_ID.fullmatch(plain) else ("", "")
    list_id = _SPACE.sub("", written).lower()
    return list_id, clean_line(plain[: match.start()]).text.strip(' "') if list_id else ""


def _parse_unsubscribe(value: str) -> tuple[str, ...]:
    written = _WAY.findall(decode_encoded_words(value).text)
    # What is seen of another way may be somebody else's.
    ways = dict.fromkeys(_SPACE.sub("", way) for way in written if is_seen_whole(way))
    known = [way for way in ways if way.lower().startswith(_SCHEMES) and len(way) <= _WAY_CHARS_MAX]
    known.sort(key=lambda way: [way.lower().startswith(scheme) for scheme in _SCHEMES], reverse=True)
    return tuple(known[:_WAYS_MAX])
