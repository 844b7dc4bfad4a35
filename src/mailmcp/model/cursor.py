"""Cursors: where a list continues, in a text that needs nothing else.

A cursor is printable ASCII: a version, fields, and a checksum, separated by dots. It is readable on
purpose: models copy it token by token, and words and numbers cost fewer tokens than Base64. The checksum
(CRC-32) finds miscopied cursors. It keeps no secret and grants nothing: a caller could send the same
criteria without a cursor.
"""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import quote_plus, unquote_plus

from mailmcp import limits
from mailmcp.model.message_ref import UINT32_MAX
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError

_SEARCH = "s3"
_CHECKSUM = re.compile(r"[0-9a-f]{8}")
_FORBIDDEN = re.compile(r"[\r\n\0]")
_TOTAL = re.compile(r"(\d{1,10})(~?)(-?)(a?)", re.ASCII)
_SOURCE = re.compile(
    r"""
    (?P<account>[\w-]{0,64}) : (?P<mailbox>[^:]+)
    (?: : (?P<uidvalidity>[1-9]\d{0,9}) : (?P<way>[usb]) (?P<uid>\d{1,10}) (?: @(?P<rank>-?\d{1,12}) )?
        (?: : (?P<low>\d{0,10}) - (?P<high>\d{0,10}) )?
        (?: : x(?P<skip>\d{1,10}(?:,\d{1,10})*) )?
    )?
    """,
    re.ASCII | re.VERBOSE,
)


class Way(StrEnum):
    """How the messages of a search come into their order; the first page chooses it."""

    UID = "u"
    """By UID, since UIDs follow arrival."""

    SORT = "s"
    """The server sorts them."""

    BLOCK = "b"
    """They are sorted here, in blocks of UIDs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A mailbox of a search, and where in it the next page begins."""

    account_id: str
    mailbox: str
    """`*` for all mailboxes of the account, until they have been listed."""

    uidvalidity: int = 0
    """0 if the search has not begun here: the mailbox could not be searched so far."""

    way: Way = Way.UID
    uid: int = 0
    """The page begins after this message, which may be gone; 0 for the beginning of the way or block."""

    rank: int = 0
    """What its place depends on: its time in seconds since 1970, or its octets; not in cursors by UID.

    With uid 0, the rank of the last message that was shown of other mailboxes.
    """

    low: int = 0
    """The lowest UID of the block; 0 for none."""

    high: int = 0
    """The highest UID of the block; 0 for none."""

    skip: tuple[int, ...] = ()
    """Messages after the position that were shown already, as copies of others."""

    @property
    def is_bounded(self) -> bool:
        """Whether it is one block of several."""
        return bool(self.low or self.high)

    @property
    def is_begun(self) -> bool:
        """Whether an earlier page was made of this mailbox."""
        return self.uidvalidity > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCursor:
    """Everything that the next page of a search needs."""

    sources: tuple[Position, ...]
    """Mailboxes that have more messages, or failed and may succeed later; at least one."""

    arguments: Mapping[str, str] = field(default_factory=dict)
    """Those of the search, without defaults, as text."""

    total: int = 0
    """Matches on the first page's search."""

    total_exact: bool = True
    """Whether there are exactly `total` matches; else at most."""

    incomplete: bool = False
    """Whether an earlier page missed something that no later one will show."""

    anywhere: bool = False
    """Whether words are looked for in file names and all header fields: they are nowhere else."""


def format_search_cursor(cursor: SearchCursor) -> str:
    """Write the cursor of a search."""
    marks = {"~": not cursor.total_exact, "-": cursor.incomplete, "a": cursor.anywhere}
    total = "".join([str(cursor.total), *(mark for mark, is_set in marks.items() if is_set)])
    arguments = (f"{escape_field(name)}={escape_field(text)}" for name, text in cursor.arguments.items())
    return seal([_SEARCH, total, *arguments, *_format_sources(cursor.sources)])


def _format_sources(sources: Sequence[Position]) -> Iterator[str]:
    """Write sources, each account only where another one begins."""
    account_id = ""
    for each in sources:
        text = f"{'' if each.account_id == account_id else each.account_id}:{escape_field(each.mailbox)}"
        account_id = each.account_id
        if each.is_begun:
            text += f":{each.uidvalidity}:{each.way}{each.uid}"
            text += "" if each.way is Way.UID and each.uid else f"@{each.rank}"
            text += f":{each.low or ''}-{each.high or ''}" if each.low or each.high else ""
            text += f":x{','.join(map(str, each.skip))}" if each.skip else ""
        yield text


def parse_search_cursor(text: str) -> SearchCursor:
    """Read the cursor of a search; the tool checks its arguments.

    Raises:
        InvalidInputError: With reason `cursor_malformed`.
    """
    head, *fields = unseal(text, _SEARCH) or [""]
    counted = _TOTAL.fullmatch(head)
    sources = tuple(_parse_sources([each for each in fields if ":" in each]))
    if (
        counted is None
        or not sources
        or len({(each.account_id, each.mailbox) for each in sources}) < len(sources)
    ):
        raise malformed_cursor()
    return SearchCursor(
        sources=sources,
        arguments=dict(_pair(each) for each in fields if ":" not in each),
        total=int(counted[1]),
        total_exact=not counted[2],
        incomplete=bool(counted[3]),
        anywhere=bool(counted[4]),
    )


def _parse_sources(texts: Sequence[str]) -> Iterator[Position]:
    if len(texts) > limits.SEARCH_SOURCES_MAX:
        raise malformed_cursor()
    account_id = ""
    for text in texts:
        match = _SOURCE.fullmatch(text)
        account_id = match["account"] or account_id if match else ""
        if match is None or not account_id:
            raise malformed_cursor()
        numbers = {name: int(match[name] or 0) for name in ("uidvalidity", "uid", "rank", "low", "high")}
        skip = tuple(map(int, match["skip"].split(","))) if match["skip"] else ()
        if max(*skip, *(number for name, number in numbers.items() if name != "rank")) > UINT32_MAX:
            raise malformed_cursor()
        mailbox = unescape_field(match["mailbox"])
        way = Way(match["way"] or Way.UID)
        yield Position(account_id=account_id, mailbox=mailbox, way=way, skip=skip, **numbers)


def escape_field(value: str) -> str:
    """Write any text as one field of a cursor."""
    # quote_plus never escapes a dot, and dots are the separators.
    return quote_plus(value, safe="*/@").replace(".", "%2E")


def unescape_field(text: str) -> str:
    """Read what `escape_field` wrote; raises like the parsers of cursors."""
    value = unquote_plus(text)
    if _FORBIDDEN.search(value):
        raise malformed_cursor()  # a checksum is no signature: anyone can make one
    return value


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        raise malformed_cursor()
    return unescape_field(key), unescape_field(value)


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def seal(fields: list[str]) -> str:
    """Join the fields of a cursor, its kind first, and append the checksum."""
    body = ".".join(fields)
    return f"{body}.{_checksum(body)}"


def unseal(text: str, kind: str) -> list[str]:
    """Return the fields of a cursor of one kind; raises like the parsers of cursors."""
    body, _, checksum = text.rpartition(".")
    if not _CHECKSUM.fullmatch(checksum) or _checksum(body) != checksum:
        raise malformed_cursor()
    found, *fields = body.split(".")
    if found != kind:
        raise malformed_cursor()
    return fields


def malformed_cursor() -> InvalidInputError:
    """Build the error for a cursor that this tool did not write."""
    return InvalidInputError.of(
        "cursor",
        Reason.CURSOR_MALFORMED,
        "is not a cursor of this tool, or was not copied exactly. Copy the cursor of the previous page "
        "exactly, or leave it out to start over.",
    )
