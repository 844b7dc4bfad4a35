"""Cursors: where a list continues, in a text that needs nothing else.

A cursor is printable ASCII: a version, fields, and a checksum, separated by dots. It is readable on
purpose: models copy it token by token, and words and numbers cost fewer tokens than Base64. The checksum
(CRC-32) finds miscopied cursors. It keeps no secret and grants nothing: a caller could send the same
criteria without a cursor.
"""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote_plus, unquote_plus

from mailmcp import limits
from mailmcp.model.message_ref import ACCOUNT_ID_PATTERN, UINT32_MAX
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError

_SEARCH = "s2"
_MAILBOXES = "m1"
_CHECKSUM = re.compile(r"[0-9a-f]{8}")
_FORBIDDEN = re.compile(r"[\r\n\0]")
_NUMBER = re.compile(r"\d{1,10}", re.ASCII)
_TOTAL = re.compile(r"(\d{1,10})(~?)(-?)", re.ASCII)
_RANK = re.compile(r"-?\d{1,12}", re.ASCII)
_SAME_RANK = "="
"""The rank of the source before: that of most, if the page showed nothing of them."""

_HEAD_FIELDS = 3
_SOURCE_FIELDS_MAX = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCursor:
    """Where a search continues in one mailbox."""

    account_id: str
    mailbox: str
    """`*` for all mailboxes of the account, until they have been listed."""

    uidvalidity: int = 0
    """0 if the search has not started here: the mailbox could not be searched so far."""

    uid: int = 0
    """The last message that was shown; 0 if none was."""

    rank: int = 0
    """The rank of that message: INTERNALDATE in seconds since 1970, or octets; 0 in orders by UID.

    With `top`, the rank of the last message shown of other mailboxes.
    """

    top: int = 0
    """Until a message is shown: the highest UID when the search started; those above arrived later."""

    skip: tuple[int, ...] = ()
    """Messages after the position that were shown already, as copies of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCursor:
    """Everything that the next page of a search needs."""

    sources: tuple[SourceCursor, ...]
    """Mailboxes that have more messages, or failed and may succeed later; at least one."""

    total: int
    """Matches on the first page's search."""

    total_exact: bool = True
    """Whether there are exactly `total` matches; else at most."""

    incomplete: bool = False
    """Whether an earlier page missed something that no later one will show."""

    page_size: int
    snippet_chars: int = 0
    """The longest snippet, in characters; 0 for none."""

    criteria: Mapping[str, str] = field(default_factory=dict)
    """Arguments of the search by their codes, without defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxesCursor:
    """Where a list of mailboxes continues."""

    account_id: str
    position: str
    """The last mailbox that was listed."""

    include_counts: bool
    all_accounts: bool = False
    """Whether the list goes on with the accounts after this one."""


def format_search_cursor(cursor: SearchCursor) -> str:
    """Write the cursor of a search."""
    total = f"{cursor.total}{'' if cursor.total_exact else '~'}{'-' if cursor.incomplete else ''}"
    criteria = (f"{escape_field(key)}={escape_field(value)}" for key, value in cursor.criteria.items())
    before = (None, *cursor.sources)
    sources = (_format_source(each, last) for each, last in zip(cursor.sources, before, strict=False))
    return seal([_SEARCH, str(cursor.page_size), str(cursor.snippet_chars), total, *criteria, *sources])


def _format_source(source: SourceCursor, last: SourceCursor | None) -> str:
    """Write a source: its account and rank only if the last one has others, and no zeros at the end."""
    account = "" if last and source.account_id == last.account_id else source.account_id
    rank = _SAME_RANK if last and source.rank and source.rank == last.rank else str(source.rank)
    position = f"-{source.top}" if source.top else str(source.uid)
    fields = [account, escape_field(source.mailbox), str(source.uidvalidity), position, rank]
    fields.append(",".join(map(str, source.skip)))
    while fields[-1] in {"", "0"} and len(fields) > 2:
        fields.pop()
    return ":".join(fields)


def parse_search_cursor(text: str) -> SearchCursor:
    """Read the cursor of a search; the tool checks its criteria.

    Raises:
        InvalidInputError: With reason `cursor_malformed`.
    """
    fields = unseal(text, _SEARCH)
    head, rest = fields[:_HEAD_FIELDS], fields[_HEAD_FIELDS:]
    counted = _TOTAL.fullmatch(head[2]) if len(head) == _HEAD_FIELDS else None
    if counted is None or not all(map(_NUMBER.fullmatch, head[:2])):
        raise malformed_cursor()
    page_size, snippet_chars = int(head[0]), int(head[1])
    snippet_fits = snippet_chars == 0 or limits.SNIPPET_CHARS_MIN <= snippet_chars <= limits.SNIPPET_CHARS_MAX
    sources = _parse_sources([each for each in rest if ":" in each])
    if not (snippet_fits and 1 <= page_size <= limits.PAGE_SIZE_MAX and sources):
        raise malformed_cursor()
    return SearchCursor(
        sources=sources,
        total=int(counted[1]),
        total_exact=not counted[2],
        incomplete=bool(counted[3]),
        page_size=page_size,
        snippet_chars=snippet_chars,
        criteria=dict(_pair(each) for each in rest if ":" not in each),
    )


def _parse_sources(texts: list[str]) -> tuple[SourceCursor, ...]:
    if len(texts) > limits.SEARCH_SOURCES_MAX:
        raise malformed_cursor()
    sources: list[SourceCursor] = []
    for text in texts:
        sources.append(_parse_source(text, sources[-1] if sources else None))
    if len({(each.account_id, each.mailbox) for each in sources}) < len(sources):
        raise malformed_cursor()
    return tuple(sources)


def _parse_source(text: str, last: SourceCursor | None) -> SourceCursor:
    account, mailbox, *numbers = text.split(":")
    account_id, name = account or (last.account_id if last else ""), unescape_field(mailbox)
    numbers += ["0"] * (3 - len(numbers))
    skip = numbers.pop().split(",") if len(numbers) == _SOURCE_FIELDS_MAX - 2 else []
    uidvalidity, position, rank = [*numbers, "", "", ""][:3]
    rank = str(last.rank) if last and rank == _SAME_RANK else rank
    sound = (
        len(numbers) == 3
        and re.fullmatch(ACCOUNT_ID_PATTERN, account_id)
        and name
        and all(map(_NUMBER.fullmatch, [uidvalidity, position.removeprefix("-"), *skip]))
        and _RANK.fullmatch(rank)
    )
    if not sound:
        raise malformed_cursor()
    source = SourceCursor(
        account_id=account_id,
        mailbox=name,
        uidvalidity=int(uidvalidity),
        uid=max(int(position), 0),
        rank=int(rank),
        top=max(-int(position), 0),
        skip=tuple(map(int, skip)),
    )
    begun = source.uidvalidity > 0
    if max(source.uidvalidity, source.uid, source.top, *source.skip) > UINT32_MAX or (
        not begun and (source.uid or source.rank or source.top or source.skip)
    ):
        raise malformed_cursor()
    return source


def format_mailboxes_cursor(cursor: MailboxesCursor) -> str:
    """Write the cursor of a list of mailboxes."""
    counts = "1" if cursor.include_counts else "0"
    scope = ["*"] if cursor.all_accounts else []
    return seal([_MAILBOXES, cursor.account_id, counts, escape_field(cursor.position), *scope])


def parse_mailboxes_cursor(text: str) -> MailboxesCursor:
    """Read the cursor of a list of mailboxes.

    Raises:
        InvalidInputError: With reason `cursor_malformed`.
    """
    fields = unseal(text, _MAILBOXES)
    if len(fields) < 3 or fields[3:] not in ([], ["*"]) or not re.fullmatch(ACCOUNT_ID_PATTERN, fields[0]):
        raise malformed_cursor()
    account_id, counts, position = fields[0], fields[1], unescape_field(fields[2])
    if counts not in {"0", "1"} or not position:
        raise malformed_cursor()
    return MailboxesCursor(
        account_id=account_id,
        include_counts=counts == "1",
        position=position,
        all_accounts=len(fields) > 3,
    )


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
