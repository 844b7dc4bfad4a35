"""What a look at the messages proves of a search: flags, sizes, times, header fields, attachments.

Whatever needs mail to be parsed is told by functions that the caller passes in (`Proofs`):
this layer knows IMAP alone.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC

from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.search.features import FLAG_FIELDS
from mailmcp.model.query import SearchQuery, split_words

HEADER_FIELDS = {
    "from_": ("FROM",),
    "to": ("TO",),
    "cc": ("CC",),
    "subject": ("SUBJECT",),
    "any_address": ("FROM", "TO", "CC"),
    "header_message_id": ("MESSAGE-ID",),
}
"""The header fields that prove a criterion."""

_WORD_FIELDS = ("SUBJECT", "FROM")
"""Where words are looked for when the server's own search for them does not work."""

_WORDS = ("query", "exclude", "body")
_HEADER_ITEM = re.compile(r"BODY\.PEEK\[HEADER\.FIELDS \(([^)]*)\)\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proofs:
    """The caller's functions, which parse mail; they never raise."""

    headers: Callable[[bytes, SearchQuery], bool]
    """Whether header fields, as octets of `BODY[HEADER.FIELDS (…)]`, hold what `SearchQuery` asks.

    Of the criteria only those named in `HEADER_FIELDS` are ever set, and only those that are
    to be proved; the octets have at least their fields, and may have others.
    """

    attachment: Callable[[object], bool]
    """Whether a message with this `FetchedMessage.body_structure` has an attachment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The criteria of a search that are verified here."""

    criteria: SearchQuery
    """Of these only the fields in `local` count."""

    local: frozenset[str]
    proofs: Proofs
    words: Sequence[tuple[str, str]] = ()
    """Field (`query`, `exclude`, `body`) and word of those that are looked for in header fields."""

    @classmethod
    def of(cls, criteria: SearchQuery, local: frozenset[str], proofs: Proofs) -> "Check":
        """Make the check of those fields of the criteria that are verified here."""
        words = [
            (name, word)
            for name in sorted(local & set(_WORDS))
            for word in split_words(name, getattr(criteria, name))
        ]
        return cls(criteria=criteria, local=local, proofs=proofs, words=words)

    @property
    def items(self) -> tuple[str, ...]:
        """The data items that the verification needs, besides UID."""
        wanted: list[str] = []
        if self.local & FLAG_FIELDS:
            wanted.append("FLAGS")
        if self.local & {"larger_than", "smaller_than"}:
            wanted.append("RFC822.SIZE")
        if self.local & {"since", "before"}:
            wanted.append("INTERNALDATE")
        if names := self._header_names():
            wanted.append(f"BODY.PEEK[HEADER.FIELDS ({' '.join(names)})]")
        if "has_attachment" in self.local:
            wanted.append("BODYSTRUCTURE")
        return tuple(wanted)

    @property
    def is_dear(self) -> bool:
        """Whether a message costs hundreds of octets, and the server a look into it."""
        return bool(self._header_names()) or "has_attachment" in self.local

    def _header_names(self) -> list[str]:
        names = {name for each in self.local & set(HEADER_FIELDS) for name in HEADER_FIELDS[each]}
        return sorted(names | (set(_WORD_FIELDS) if self.local & set(_WORDS) else set()))

    def holds(self, message: FetchedMessage) -> bool:
        """Whether a message matches; what the server does not tell counts for it."""
        return (
            flags_hold(self.criteria, self.local, message.flags)
            and self._measures_hold(message)
            and self._headers_hold(message)
            and ("has_attachment" not in self.local or self.proofs.attachment(message.body_structure))
        )

    def _measures_hold(self, message: FetchedMessage) -> bool:
        received, size, asked = internaldate_epoch(message), message.size_octets, self.criteria
        wrong = False
        if size is not None:
            wrong |= "larger_than" in self.local and size <= asked.larger_than
            wrong |= "smaller_than" in self.local and size >= asked.smaller_than
        if received is not None:
            if "since" in self.local and asked.since is not None:
                wrong |= received < asked.since.timestamp()
            if "before" in self.local and asked.before is not None:
                wrong |= received >= asked.before.timestamp()
        return not wrong

    def _headers_hold(self, message: FetchedMessage) -> bool:
        octets = message.sections.get("HEADER.FIELDS", b"")
        asked = self.local & set(HEADER_FIELDS)
        if asked and not self.proofs.headers(octets, _only(self.criteria, asked)):
            return False
        return all(self._word_holds(octets, name, word) for name, word in self.words if name in self.local)

    def _word_holds(self, octets: bytes, name: str, word: str) -> bool:
        there = any(
            self.proofs.headers(octets, each) for each in (SearchQuery(subject=word), SearchQuery(from_=word))
        )
        return there != (name == "exclude")


def flags_hold(criteria: SearchQuery, fields: Collection[str], flags: Collection[str]) -> bool:
    """Whether a message with these flags matches those `fields` of the criteria that are of flags."""
    there = {flag.lower() for flag in flags}
    wanted = {"flagged": "\\flagged", "answered": "\\answered", "keyword": criteria.keyword.lower()}
    unwanted = {"unread_only": "\\seen", "unanswered_only": "\\answered"}
    return all(flag in there for name, flag in wanted.items() if name in fields) and not any(
        flag in there for name, flag in unwanted.items() if name in fields
    )


def merge_items(row: Sequence[str], proof: Collection[str]) -> list[str]:
    """Make one list of data items of two; header fields of both are asked for together.

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
    """Give the INTERNALDATE in seconds since 1970; None where there is none that makes sense."""
    moment = message.internal_date
    if moment is None:
        return None
    try:
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):  # an offset of a day or more
        return None


def _only(criteria: SearchQuery, names: Collection[str]) -> SearchQuery:
    """Leave criteria out but those named."""
    return SearchQuery(**{name: getattr(criteria, name) for name in names})
