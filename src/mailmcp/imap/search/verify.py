"""Verification of a search on the messages: flags, sizes, times, header fields, attachments, kinds."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.proof import has_attachments, headers_match, kind_matches, written_at
from mailmcp.mail.header.fields import parse_headers
from mailmcp.model.query import Criterion, Kind, Proof, SearchQuery

_ITEMS = {
    Proof.FLAGS: "FLAGS",
    Proof.SIZE: "RFC822.SIZE",
    Proof.TIME: "INTERNALDATE",
    Proof.WRITTEN: "INTERNALDATE",
    Proof.STRUCTURE: "BODYSTRUCTURE",
}
TIMES = {Proof.TIME, Proof.WRITTEN}
DATE_HEADER = "BODY.PEEK[HEADER.FIELDS (DATE)]"
"""The data item that holds a message's Date header."""

_WORD_FIELDS = ("SUBJECT", "FROM")
"""Where words are looked for when the server's text search doesn't work."""

_HEADER_ITEM = re.compile(r"BODY\.PEEK\[HEADER\.FIELDS \(([^)]*)\)\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The verification of a query on messages; made by `make_check`."""

    query: SearchQuery
    items: tuple[str, ...]
    """The data items to fetch, besides UID."""

    only_times: bool
    """Whether nothing but times is verified."""

    is_expensive: bool
    """Whether a message costs hundreds of octets, and makes the server parse it."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to verify."""
        return not self.query.criteria

    def holds(self, message: FetchedMessage) -> bool:
        """Return whether a message matches. What the server didn't send counts in its favour."""
        octets = message.sections.get("HEADER.FIELDS", b"")
        rows = self.query.criteria
        in_header = self.query.only(row for row in rows if row.proof is Proof.HEADER)
        return (
            measures_match(self.query, message)
            and self._dates_hold(message)
            and (not in_header.criteria or headers_match(octets, in_header))
            and all(self._words_hold(row, octets) for row in rows if row.proof is Proof.WORDS)
            and (
                all(row.proof is not Proof.STRUCTURE for row in rows)
                or has_attachments(message.body_structure)
            )
            and (not (wanted := self.query.kind) or kind_matches(message, wanted))
        )

    def _dates_hold(self, message: FetchedMessage) -> bool:
        rows = [row for row in self.query.criteria if row.proof is Proof.WRITTEN]
        written = written_at(message) if rows else None
        return written is None or all(row.holds(self.query[row], written) for row in rows if row.holds)

    def _words_hold(self, row: Criterion, octets: bytes) -> bool:
        for term in row.terms(self.query[row]):
            fields = (SearchQuery(subject=str(term)), SearchQuery(from_=str(term)))
            if any(headers_match(octets, each) for each in fields) == row.negated:
                return False
        return True


def make_check(query: SearchQuery) -> Check:
    """Make the check of a query."""
    rows = query.criteria
    kinds = {row.proof for row in rows}
    items = list(dict.fromkeys(item for proof, item in _ITEMS.items() if proof in kinds))
    names = {name.upper() for row in rows for name in row.header_fields}
    if Proof.WORDS in kinds:
        names.update(_WORD_FIELDS)
    if wanted := query.kind:
        names.update(map(str.upper, wanted.header_fields))
        items += [_ITEMS[Proof.STRUCTURE]] if wanted.needs_structure else []
    if Proof.WRITTEN in kinds:
        names.add("DATE")
    if names:
        items.append(f"BODY.PEEK[HEADER.FIELDS ({' '.join(sorted(names))})]")
    return Check(
        query=query,
        items=tuple(items),
        only_times=bool(kinds) and kinds <= TIMES,
        is_expensive=not kinds <= {Proof.FLAGS, Proof.SIZE, *TIMES},
    )


def measures_match(query: SearchQuery, message: FetchedMessage) -> bool:
    """Return whether a message's flags, size and time match a query; what isn't known counts as a match."""
    flags = frozenset(flag.lower() for flag in message.flags)
    octets, received = message.size_octets, message.internaldate_epoch
    measured: dict[Proof, Sequence[object]] = {
        Proof.FLAGS: [flags],
        Proof.SIZE: [] if octets is None else [octets],
        Proof.TIME: [] if received is None else [received],
    }
    for row in query.criteria:
        facts = measured.get(row.proof)
        if facts and row.holds and not any(row.holds(query[row], each) for each in facts):
            return False
    return True


def header_items(rows: Sequence[Criterion]) -> tuple[str, ...]:
    """Return the data items that show whether some criteria by header fields hold, if there are any."""
    names = sorted({name.upper() for row in rows for name in row.header_fields})
    return (f"BODY.PEEK[HEADER.FIELDS ({' '.join(names)})]",) if names else ()


def find_contradicted(query: SearchQuery, rows: Sequence[FetchedMessage]) -> SearchQuery:
    """Return the criteria by header fields that no message shows, and those that must not be and are shown.

    Args:
        query: What the server was asked for.
        rows: Messages that it found.
    """
    wrong = []
    for row in query.criteria if rows else ():
        octets = [each.sections.get("HEADER.FIELDS", b"") for each in rows]
        if row.proof is Proof.HEADER and row.kind in {Kind.PHRASE, Kind.MESSAGE_ID}:
            asked = query.only([row])
            wrong += [] if any(headers_match(each, asked) for each in octets) else [row]
        elif row.proof is Proof.WORDS and row.negated:
            words = [str(each).casefold() for each in row.terms(query[row])]
            subjects = (parse_headers(each).get("Subject").casefold() for each in octets)
            wrong += [row] if any(word in subject for subject in subjects for word in words) else []
    return query.only(wrong)


def find_unseen(query: SearchQuery, rows: Sequence[FetchedMessage]) -> list[Criterion]:
    """Return the criteria by words of which the subjects and senders of messages show nothing."""
    words = [row for row in query.criteria if row.proof is Proof.WORDS and not row.negated]
    checks = [make_check(query.only([row])) for row in words]
    return [row for row, check in zip(words, checks, strict=True) if not any(map(check.holds, rows))]


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
