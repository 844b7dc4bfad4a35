"""Cursors: where a list goes on, written so that the text alone is enough.

A cursor is URL-safe ASCII, fields between dots, with a version in front and a checksum
behind. It is readable on purpose: models copy it token by token, and words and
numbers cost fewer tokens than Base64. The checksum (CRC-32) finds miscopied cursors;
it keeps no secret and grants no right, since whoever may send a cursor may send the
same criteria without one.
"""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote_plus, unquote_plus

from mailmcp.envelope import limits
from mailmcp.envelope.errors import InvalidInputError, Reason
from mailmcp.mail.ids import ACCOUNT_ID_PATTERN, UINT32_MAX

_SEARCH = "s1"
_MAILBOXES = "m1"
_CHECKSUM = re.compile(r"[0-9a-f]{8}")
_FORBIDDEN = re.compile(r"[\r\n\0]")
_NUMBER = re.compile(r"\d{1,10}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCursor:
    """The rest of a search: everything its next page needs."""

    account_id: str
    mailbox: str
    uidvalidity: int
    position: int
    """UID of the last message given; the next page begins below it."""

    total: int
    """Matches when the search was first made."""

    page_size: int
    snippet_chars: int = 0
    """Longest snippet wanted, in characters; 0 for none."""

    criteria: Mapping[str, str] = field(default_factory=dict)
    """Argument names and values of the search, without those that say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailboxesCursor:
    """The rest of a list of mailboxes."""

    account_id: str
    position: str
    """Name of the last mailbox given."""

    include_counts: bool


def format_search_cursor(cursor: SearchCursor) -> str:
    """Write a cursor as a tool hands it out."""
    numbers = (cursor.uidvalidity, cursor.position, cursor.total, cursor.page_size, cursor.snippet_chars)
    criteria = (f"{_escape(key)}={_escape(value)}" for key, value in cursor.criteria.items())
    return _seal([_SEARCH, cursor.account_id, _escape(cursor.mailbox), *map(str, numbers), *criteria])


def parse_search_cursor(text: str) -> SearchCursor:
    """Read a cursor of imap_search_messages; what its criteria say is for the tool to check.

    Raises:
        InvalidInputError: With reason `cursor_malformed`.
    """
    fields = _unseal(text, _SEARCH)
    if len(fields) < 7:  # noqa: PLR2004 - the seven that are read here
        raise malformed_cursor()
    account_id, mailbox, numbers, criteria = fields[0], _unescape(fields[1]), fields[2:7], fields[7:]
    if not (
        re.fullmatch(ACCOUNT_ID_PATTERN, account_id) and mailbox and all(map(_NUMBER.fullmatch, numbers))
    ):
        raise malformed_cursor()
    uidvalidity, position, total, page_size, snippet_chars = map(int, numbers)
    uids_fit = min(uidvalidity, position) >= 1 and max(uidvalidity, position, total) <= UINT32_MAX
    snippet_fits = snippet_chars == 0 or limits.SNIPPET_CHARS_MIN <= snippet_chars <= limits.SNIPPET_CHARS_MAX
    if not (uids_fit and snippet_fits and 1 <= page_size <= limits.PAGE_SIZE_MAX):
        raise malformed_cursor()
    return SearchCursor(
        account_id=account_id,
        mailbox=mailbox,
        uidvalidity=uidvalidity,
        position=position,
        total=total,
        page_size=page_size,
        snippet_chars=snippet_chars,
        criteria=dict(_pair(each) for each in criteria),
    )


def format_mailboxes_cursor(cursor: MailboxesCursor) -> str:
    """Write a cursor as imap_list_mailboxes hands it out."""
    counts = "1" if cursor.include_counts else "0"
    return _seal([_MAILBOXES, cursor.account_id, counts, _escape(cursor.position)])


def parse_mailboxes_cursor(text: str) -> MailboxesCursor:
    """Read a cursor of imap_list_mailboxes.

    Raises:
        InvalidInputError: With reason `cursor_malformed`.
    """
    fields = _unseal(text, _MAILBOXES)
    if len(fields) != 3 or not re.fullmatch(ACCOUNT_ID_PATTERN, fields[0]):  # noqa: PLR2004 - the writer's three
        raise malformed_cursor()
    account_id, counts, position = fields[0], fields[1], _unescape(fields[2])
    if counts not in {"0", "1"} or not position:
        raise malformed_cursor()
    return MailboxesCursor(account_id=account_id, include_counts=counts == "1", position=position)


def _escape(value: str) -> str:
    # quote_plus never escapes a dot, and dots are the separators.
    return quote_plus(value).replace(".", "%2E")


def _unescape(text: str) -> str:
    value = unquote_plus(text)
    if _FORBIDDEN.search(value):
        raise malformed_cursor()  # a checksum is no signature: whoever made this one meant harm
    return value


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        raise malformed_cursor()
    return _unescape(key), _unescape(value)


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def _seal(fields: list[str]) -> str:
    body = ".".join(fields)
    return f"{body}.{_checksum(body)}"


def _unseal(text: str, kind: str) -> list[str]:
    body, _, checksum = text.rpartition(".")
    if not _CHECKSUM.fullmatch(checksum) or _checksum(body) != checksum:
        raise malformed_cursor()
    found, *fields = body.split(".")
    if found != kind:
        raise malformed_cursor()
    return fields


def malformed_cursor() -> InvalidInputError:
    """Build the error for a cursor that this server did not write, or not for this tool."""
    return InvalidInputError.of(
        "cursor",
        Reason.CURSOR_MALFORMED,
        "is not a cursor of this tool, or was not copied exactly. Send the cursor of the previous page "
        "character by character, or leave it out to begin anew.",
    )
