"""Whether messages match a search, by header fields, attachments and kinds, and when they were written.

Reads mail; never raises.
"""

import unicodedata
from collections.abc import Iterator
from typing import Any

from mailmcp.imap.rows import FetchedMessage
from mailmcp.mail.awaited_reply import may_await_reply
from mailmcp.mail.calendar.invitation import undecided_part
from mailmcp.mail.header.address import format_address, parse_addresses
from mailmcp.mail.header.dates import parse_date
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.kinds import is_of_kind
from mailmcp.mail.mime.body_parts import list_files
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.text.snippet import normalize_words
from mailmcp.model.mail_kind import WantedKind
from mailmcp.model.query import Criterion, Kind, SearchQuery, bare_message_id

_ADDRESS_FIELDS = frozenset({"From", "To", "Cc"})
_NO_BRACKETS = str.maketrans(dict.fromkeys('<>()"\\', " "))


def headers_match(octets: bytes, query: SearchQuery) -> bool:
    """Check whether header fields match a query; case doesn't matter.

    A text is in a field if the decoded field, the name and address of one of its mailboxes, or the field as
    it was sent contains it; a Message-ID must be the whole field. Brackets and quotes around addresses and
    names don't matter. `octets` are a header block.
    """
    headers = parse_headers(octets)
    return all(_holds(headers, row, query[row]) for row in query.criteria)


def _holds(headers: Headers, row: Criterion, value: Any) -> bool:
    if row.kind is Kind.MESSAGE_ID:
        wanted = bare_message_id(value).casefold()
        found = (headers.get(name) for name in row.header_fields)
        return any(bare_message_id(each).casefold() == wanted for each in found)
    if row.kind is Kind.AWAITED_REPLY:
        return may_await_reply(headers, value)
    text: str = value
    has_addresses = _ADDRESS_FIELDS.issuperset(row.header_fields)
    brackets = _NO_BRACKETS if has_addresses and text.translate(_NO_BRACKETS).strip() else {}
    wanted = _comparable(text.translate(brackets))
    forms = (form.translate(brackets) for name in row.header_fields for form in _forms(headers, name))
    return any(wanted in _comparable(form) for form in forms)


def _forms(headers: Headers, name: str) -> Iterator[str]:
    yield from headers.get_all(name)
    raw = headers.raw_all(name)
    yield from raw
    if name in _ADDRESS_FIELDS:
        yield from map(format_address, parse_addresses(*raw))


def _comparable(text: str) -> str:
    """Fold case, accents and white space."""
    letters = (each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return " ".join(normalize_words("".join(letters)).casefold().split())


def has_attachments(body_structure: object) -> bool:
    """Check whether a message has a part that a person would call a file.

    Args:
        body_structure: As `FetchedMessage.body_structure`. One that can't be read, or not all of it, may have
            files: the message counts.
    """
    structure = parse_body_structure(body_structure)
    return bool(structure.defects or list_files(structure.root))


def kind_matches(message: FetchedMessage, wanted: WantedKind) -> bool:
    """Check whether a message is of a kind, by its header fields, structure and fetched sections."""
    headers = parse_headers(message.sections.get("HEADER.FIELDS", b""))
    root = parse_body_structure(message.body_structure).root
    return is_of_kind(headers, root, wanted, message.sections)


def deciding_section(body_structure: object) -> str:
    """Return the part whose content decides whether a message is an invitation; "" if none does."""
    part = undecided_part(parse_body_structure(body_structure).root)
    return part.part_id if part else ""


def written_at(message: FetchedMessage) -> int | None:
    """Return when a message was written, as its row shows it, in seconds since 1970."""
    headers = parse_headers(message.sections.get("HEADER.FIELDS", b""))
    written = parse_date(headers.get("Date"))
    return message.internaldate_epoch if written is None else int(written.timestamp())
