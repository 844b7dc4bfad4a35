"""Verification of a search on the messages: flags, sizes, times, header fields, attachments.

Whatever needs mail to be parsed is done by functions that the caller passes in (`Proofs`): this layer
knows IMAP alone.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC

from mailmcp.imap.fetch import FetchedMessage
from mailmcp.model.query import Criterion, Proof, SearchQuery

_ITEMS = {
    Proof.FLAGS: "FLAGS",
    Proof.SIZE: "RFC822.SIZE",
    Proof.TIME: "INTERNALDATE",
    Proof.STRUCTURE: "BODYSTRUCTURE",
}
_WORD_FIELDS = ("Subject", "From")
"""Where words are looked for when the server's own search for them does not work."""

_HEADER_ITEM = re.compile(r"BODY\.PEEK\[HEADER\.FIELDS \(([^)]*)\)\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proofs:
    """The caller's functions, which parse mail; they never raise."""

    headers: Callable[[bytes, SearchQuery], bool]
    """Whether header fields, as octets of `BODY[HEADER.FIELDS (…)]`, match a query.

    It has criteria with `Proof.HEADER` alone. The octets have at least their fields, maybe others.
    """

    attachment: Callable[[object], bool]
    """Whether a message with this `FetchedMessage.body_structure` has an attachment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The verification of a query on messages."""

    query: SearchQuery
    proofs: Proofs

    @property
    def items(self) -> tuple[str, ...]:
        """The data items to fetch, besides UID."""
        proofs = {row.proof for row in self.query.criteria}
        items = [item for proof, item in _ITEMS.items() if proof in proofs]
        if names := self._header_names():
            items.append(f"BODY.PEEK[HEADER.FIELDS ({' '.join(names)})]")
        return tuple(items)

    @property
    def is_expensive(self) -> bool:
        """Whether a message costs hundreds of octets, and makes the server parse it."""
        return any(row.proof not in {Proof.FLAGS, Proof.SIZE, Proof.TIME} for row in self.query.criteria)

    @property
    def only_times(self) -> bool:
        """Whether nothing but times of arrival is verified."""
        return {row.proof for row in self.query.criteria} == {Proof.TIME}

    def _header_names(self) -> list[str]:
        rows = self.query.criteria
        names = {name for row in rows for name in row.header_fields}
        names |= {name for row in rows if row.proof is Proof.WORDS for name in _WORD_FIELDS}
        return sorted(name.upper() for name in names)

    def holds(self, message: FetchedMessage) -> bool:
        """Whether a message matches; what the server doesn't tell counts in its favour."""
        octets = message.sections.get("HEADER.FIELDS", b"")
        rows = self.query.criteria
        in_header = self.query.only(row for row in rows if row.proof is Proof.HEADER)
        return (
            measures_match(self.query, message)
            and (not in_header.criteria or self.proofs.headers(octets, in_header))
            and all(self._words_hold(row, octets) for row in rows if row.proof is Proof.WORDS)
            and (
                all(row.proof is not Proof.STRUCTURE for row in rows)
                or self.proofs.attachment(message.body_structure)
            )
        )

    def _words_hold(self, row: Criterion, octets: bytes) -> bool:
        for term in row.terms(self.query[row]):
            fields = (SearchQuery(subject=str(term)), SearchQuery(from_=str(term)))
            if any(self.proofs.headers(octets, each) for each in fields) == row.negated:
                return False
        return True


def measures_match(query: SearchQuery, message: FetchedMessage, *, size_margin: float = 1) -> bool:
    """Whether a message's flags, size and time match a query, whatever else that asks.

    Args:
        query: What was searched for.
        message: What isn't known of it counts in its favour.
        size_margin: The factor by which a size may be off.
    """
    flags = frozenset(flag.lower() for flag in message.flags)
    octets, received = message.size_octets, internaldate_epoch(message)
    measured: dict[Proof, Sequence[object]] = {
        Proof.FLAGS: [flags],
        Proof.SIZE: [] if octets is None else [octets / size_margin, octets * size_margin],
        Proof.TIME: [] if received is None else [received],
    }
    for row in query.criteria:
        facts = measured.get(row.proof)
        if facts and row.holds and not any(row.holds(query[row], each) for each in facts):
            return False
    return True


def merge_items(row: Sequence[str], proof: Collection[str]) -> list[str]:
    """Merge two lists of data items into one, header fields into one section.

    Two sections of header fields in one answer could not be told apart.
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


def internaldate_epoch(message: FetchedMessage) -> int | None:
    """Return the INTERNALDATE in seconds since 1970; None if there is none that makes sense."""
    moment = message.internal_date
    if moment is None:
        return None
    try:
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):  # an offset of a day or more
        return None
