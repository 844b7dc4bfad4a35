"""Verify a search on messages: flags, sizes, times, header fields, attachments, kinds. Never raises.

A time or a size that the server didn't send counts in a message's favour, and so do attachments. Flags and
header fields that it didn't send count as missing.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, Final

from mailmcp.imap.fetch import Fetched, fetch_steps
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.mail.awaited_reply import may_await_reply
from mailmcp.mail.calendar.invitation import undecided_part
from mailmcp.mail.header.address import format_address, parse_addresses
from mailmcp.mail.header.dates import parse_date
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.kinds import is_of_kind
from mailmcp.mail.mime.body_parts import list_files
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.text.snippet import normalize_words
from mailmcp.model.query import Criterion, Kind, Proof, SearchQuery, bare_message_id

DATE_HEADER: Final = "BODY.PEEK[HEADER.FIELDS (DATE)]"
"""The data item that holds a message's Date header."""

_ITEMS: Final = {
    Proof.FLAGS: "FLAGS",
    Proof.SIZE: "RFC822.SIZE",
    Proof.TIME: "INTERNALDATE",
    Proof.WRITTEN: "INTERNALDATE",
    Proof.STRUCTURE: "BODYSTRUCTURE",
}
_WORD_FIELDS: Final = ("Subject", "From")
"""Where words are looked for when the server's text search doesn't work."""

_INSIDE_OCTETS: Final = 4_096
"""Of a part that decides whether a message is an invitation, in Base64: its class comes first in it."""

_ADDRESS_FIELDS: Final = frozenset({"From", "To", "Cc"})
_NO_BRACKETS: Final = str.maketrans(dict.fromkeys('<>()"\\', " "))
_HEADER_ITEM: Final = re.compile(r"BODY\.PEEK\[HEADER\.FIELDS \(([^)]*)\)\]", re.IGNORECASE)


def proof_items(query: SearchQuery) -> tuple[str, ...]:
    """Return the data items that show whether a message matches a query, besides UID."""
    rows = query.criteria
    proofs = {row.proof for row in rows}
    items = dict.fromkeys(item for proof, item in _ITEMS.items() if proof in proofs)
    names = {name for row in rows for name in row.header_fields}
    names.update(_WORD_FIELDS if Proof.WORDS in proofs else ())
    names.update(["Date"] if Proof.WRITTEN in proofs else ())
    if wanted := query.kind:
        names.update(wanted.header_fields)
        items |= {_ITEMS[Proof.STRUCTURE]: None} if wanted.needs_structure else {}
    return (*items, *_header_items(names))


def header_items(query: SearchQuery) -> tuple[str, ...]:
    """Return the data items that show whether criteria by header fields hold, if there are any."""
    return _header_items({name for row in query.criteria for name in row.header_fields})


def _header_items(names: Collection[str]) -> tuple[str, ...]:
    return (f"BODY.PEEK[HEADER.FIELDS ({' '.join(sorted(map(str.upper, names)))})]",) if names else ()


def merge_items(row: Sequence[str], proof: Collection[str]) -> list[str]:
    """Merge two lists of data items into one, header fields into one section.

    A response doesn't tell two sections of header fields apart.
    """
    names: list[str] = []
    merged: list[str] = []
    for item in dict.fromkeys([*row, *proof]):
        match = _HEADER_ITEM.fullmatch(item)
        if match is None:
            merged.append(item)
        else:
            names += match[1].upper().split()
    if names:
        merged.append(f"BODY.PEEK[HEADER.FIELDS ({' '.join(dict.fromkeys(names))})]")
    return merged


def only_times(query: SearchQuery) -> bool:
    """Return whether a query has criteria, and all are times."""
    return {row.proof for row in query.criteria} in ({Proof.TIME}, {Proof.WRITTEN})


def is_match(query: SearchQuery, message: FetchedMessage) -> bool:
    """Return whether a message matches, as far as it shows that."""
    headers = parse_headers(message.sections.get("HEADER.FIELDS", b""))
    return all(_holds(row, query[row], message, headers) for row in query.criteria)


def _holds(row: Criterion, value: Any, message: FetchedMessage, headers: Headers) -> bool:
    fact: object = None
    match row.proof:
        case Proof.HEADER:
            return _header_holds(row, value, headers)
        case Proof.WORDS:
            terms = [str(each) for each in row.terms(value)]
            return all(_contains(headers, _WORD_FIELDS, each) is not row.negated for each in terms)
        case Proof.STRUCTURE:
            return has_attachments(message.body_structure)
        case Proof.KIND:
            root = parse_body_structure(message.body_structure).root
            return is_of_kind(headers, root, value, message.sections)
        case Proof.FLAGS:
            fact = frozenset(flag.lower() for flag in message.flags)
        case Proof.SIZE:
            fact = message.size_octets
        case Proof.WRITTEN:
            fact = written_at(message)
        case Proof.TIME:
            fact = message.internaldate_epoch
        case Proof.SERVER:
            pass
    return fact is None or row.holds is None or row.holds(value, fact)


def look_inside(session: Session, query: SearchQuery, results: Sequence[Fetched]) -> Steps[list[Fetched]]:
    """Add the beginnings of parts that decide about the kind of a message, as a winmail.dat does.

    No round trip if there are none.
    """
    uids_by_section: dict[str, list[int]] = {}
    rows = {uid: row for each in results for uid, row in each.messages.items()}
    for uid, row in rows.items() if query.kind and query.kind.needs_structure else ():
        part = undecided_part(parse_body_structure(row.body_structure).root)
        if part and part.part_id not in row.sections:
            uids_by_section.setdefault(part.part_id, []).append(uid)
    if not uids_by_section:
        return list(results)
    inside = yield from fetch_steps(
        session,
        *(
            (uids, ("UID", f"BODY.PEEK[{section}]<0.{_INSIDE_OCTETS}>"))
            for section, uids in uids_by_section.items()
        ),
    )
    for each in results:
        for found in inside:
            for uid in found.messages.keys() & each.messages.keys():
                sections = rows[uid].sections | found.messages[uid].sections
                each.messages[uid] = replace(rows[uid], sections=sections)
    interrupted = any(each.interrupted for each in inside)
    return [replace(each, interrupted=each.interrupted or interrupted) for each in results]


def written_at(message: FetchedMessage) -> int | None:
    """Return when a message was written, as its row shows it, in seconds since 1970."""
    headers = parse_headers(message.sections.get("HEADER.FIELDS", b""))
    written = parse_date(headers.get("Date"))
    return message.internaldate_epoch if written is None else int(written.timestamp())


def has_attachments(body_structure: object) -> bool:
    """Check whether a message has a part that a person would call a file.

    Args:
        body_structure: As `FetchedMessage.body_structure`. One that can't be read, or not all of it, may have
            files: the message counts.
    """
    structure = parse_body_structure(body_structure)
    return bool(structure.defects or list_files(structure.root))


def _header_holds(row: Criterion, value: Any, headers: Headers) -> bool:
    """Check whether header fields match a criterion; case and accents don't matter.

    A text is in a field if the decoded field, the name and address of one of its mailboxes, or the field as
    it was sent contains it; a Message-ID must be the whole field. Brackets and quotes around addresses and
    names don't matter.
    """
    if row.kind is Kind.MESSAGE_ID:
        wanted = bare_message_id(value).casefold()
        found = (headers.get(name) for name in row.header_fields)
        return any(bare_message_id(each).casefold() == wanted for each in found)
    if row.kind is Kind.AWAITED_REPLY:
        return may_await_reply(headers, value)
    return _contains(headers, row.header_fields, value)


def _contains(headers: Headers, names: Sequence[str], text: str) -> bool:
    has_addresses = any(name in _ADDRESS_FIELDS for name in names)
    brackets = _NO_BRACKETS if has_addresses and text.translate(_NO_BRACKETS).strip() else {}
    wanted = _comparable(text.translate(brackets))
    forms = (form.translate(brackets) for name in names for form in _forms(headers, name))
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


def find_contradicted(query: SearchQuery, rows: Sequence[FetchedMessage], *, words: bool) -> SearchQuery:
    """Return the criteria that no message shows, and those by words that must not occur and do.

    Args:
        query: What the server was asked for.
        rows: Messages that it found.
        words: Whether words that must occur count: they may be in texts, which rows don't have.
    """
    blocks = [parse_headers(each.sections.get("HEADER.FIELDS", b"")) for each in rows]

    def is_contradicted(row: Criterion) -> bool:
        if row.proof is Proof.WORDS and row.negated:
            subjects = [each.get("Subject").casefold() for each in blocks]
            return any(str(word).casefold() in each for word in row.terms(query[row]) for each in subjects)
        in_header = row.proof is Proof.HEADER and row.kind in {Kind.PHRASE, Kind.MESSAGE_ID}
        if not rows or not (in_header or (words and row.proof is Proof.WORDS)):
            return False
        return not any(map(_holds, repeat(row), repeat(query[row]), rows, blocks))

    return query.only(filter(is_contradicted, query.criteria))
