"""The searches of a probe, and which of a few known messages each must find and must not find."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise

from mailmcp.imap.command import Command, quoted
from mailmcp.imap.search.plan import format_search_date
from mailmcp.imap.sequence_set import sequence_sets
from mailmcp.imap.workarounds.known_messages import KnownMessage
from mailmcp.model.feature import Feature

_NOWHERE = "xqzwvkjyq"
"""A word that no message has: servers that ignore a key find all of them."""

_TEXTS_PROBED = 3
_TWO_DAYS = timedelta(days=2)
"""Dates of SEARCH have no zone: only days that far from a message's are certain."""

_SIZE_MARGIN = 1.05
"""Sizes closer than this count as equal: some servers count line ends differently."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One search, and what its result must be."""

    feature: Feature
    command: Command
    must: frozenset[int] = frozenset()
    """UIDs that it must find."""

    must_not: frozenset[int] = frozenset()
    is_ordered: Callable[[Sequence[int]], bool] | None = None
    """Checks the order of what SORT found."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The known messages of a mailbox."""

    messages: Sequence[KnownMessage]
    whole_mailbox: bool
    """Whether to search all of it."""

    uids: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "uids", frozenset(each.uid for each in self.messages))

    def search(self, *keys: bytes, within: bool = False) -> Command:
        """Write a SEARCH of the mailbox; of the known messages only if it is large, or with `within`."""
        restriction = [] if self.whole_mailbox and not within else [b"UID", self.sequence_set]
        return Command(name="SEARCH", arguments=[*keys, *restriction], uid=True)

    @property
    def sequence_set(self) -> bytes:
        """The UIDs as an argument."""
        return b",".join(sequence_sets(sorted(self.uids)))


def make_probes(sample: Sample, *, can_sort: bool) -> Iterator[Probe]:
    """Make the probes of all features but ESEARCH; of SORT only if it is offered."""
    yield Probe(feature=Feature.ALL, command=sample.search(b"ALL"), must=sample.uids)
    yield from _text_probes(sample)
    yield from _field_probes(sample)
    # The charset must be accepted; non-ASCII words must be found if there are any.
    nowhere = sample.search(b"CHARSET", b"UTF-8", b"SUBJECT", quoted(_NOWHERE))
    yield Probe(feature=Feature.CHARSET, command=nowhere)
    for word, uid in _latest(sample, lambda each: each.foreign_word):
        command = sample.search(b"CHARSET", b"UTF-8", b"SUBJECT", quoted(word))
        yield Probe(feature=Feature.CHARSET, command=command, must=frozenset({uid}))
    # NOT of them all finds none, and NOT of a word that is nowhere finds all. NOT is sent with TEXT only:
    # a server that gets TEXT wrong may seem to get NOT wrong here, but has no other use for it.
    others = sample.search(b"NOT", b"UID", sample.sequence_set, within=True)
    yield Probe(feature=Feature.NOT, command=others, must_not=sample.uids)
    without = sample.search(b"NOT", b"TEXT", quoted(_NOWHERE), within=True)
    yield Probe(feature=Feature.NOT, command=without, must=sample.uids)
    # Each message is either seen or not. Other flags are rare: rows show those (`flags_and_sizes`).
    seen = frozenset(each.uid for each in sample.messages if each.seen)
    unseen = sample.uids - seen
    for key, must, must_not in ((b"UNSEEN", unseen, seen), (b"SEEN", seen, unseen)):
        command = sample.search(key, within=True)
        yield Probe(feature=Feature.FLAGS, command=command, must=must, must_not=must_not)
    sizes = {each.uid: each.size_octets for each in sample.messages if each.size_octets}
    days = {each.uid: each.day for each in sample.messages if each.day}
    if sizes:
        yield from _size_probes(sample, sizes)
    written = {each.uid: each.written for each in sample.messages if each.written}
    if days:
        yield from _date_probes(sample, days, Feature.SINCE, Feature.BEFORE)
    if written:
        # Through a whole mailbox a server may have to open each message.
        yield from _date_probes(sample, written, Feature.SENTSINCE, Feature.SENTBEFORE, within=True)
    if can_sort:
        yield from _sort_probes(sample, sizes, days)


def _latest(sample: Sample, text_of: Callable[[KnownMessage], str]) -> list[tuple[str, int]]:
    """Return a few texts that messages have, each with the UID of the latest one."""
    known = {text: each.uid for each in sample.messages if (text := text_of(each))}
    return list(known.items())[-_TEXTS_PROBED:]


def _text_probes(sample: Sample) -> Iterator[Probe]:
    """Each text must find its message, and a text that is nowhere must find none."""
    texts: list[tuple[Feature, bytes, Callable[[KnownMessage], str], bool]] = [
        (Feature.SUBJECT, b"SUBJECT", lambda each: each.word, False),
        (Feature.FROM, b"FROM", lambda each: each.from_, False),
        (Feature.TO, b"TO", lambda each: each.to, False),
        (Feature.CC, b"CC", lambda each: each.cc, False),
        (Feature.HEADER, b"HEADER MESSAGE-ID", lambda each: each.message_id, False),
        # Through a whole mailbox these may take minutes.
        (Feature.TEXT, b"TEXT", lambda each: each.word, True),
        (Feature.BODY, b"BODY", lambda each: each.body_word, True),
    ]
    for feature, key, text_of, within in texts:
        known = _latest(sample, text_of)
        for text, uid in known:
            command = sample.search(key, quoted(text), within=within)
            yield Probe(feature=feature, command=command, must=frozenset({uid}))
        if known:
            command = sample.search(key, quoted(_NOWHERE), within=within)
            yield Probe(feature=feature, command=command, must_not=sample.uids)


def _field_probes(sample: Sample) -> Iterator[Probe]:
    """Each field must find the messages that have it, and a field that is nowhere must find none."""
    there = frozenset(name for each in sample.messages for name in each.fields)
    for name in (*sorted(there), f"X-{_NOWHERE}"):
        having = frozenset(each.uid for each in sample.messages if name in each.fields)
        command = sample.search(b"HEADER", name.encode(), quoted(""), within=True)
        yield Probe(feature=Feature.FIELD, command=command, must=having, must_not=sample.uids - having)


def _size_probes(sample: Sample, sizes: dict[int, int]) -> Iterator[Probe]:
    """Half the smallest size and twice the largest divide the messages, and so does the widest gap."""
    ordered = sorted(sizes.values())
    limits = [ordered[0] // 2, 2 * ordered[-1]]
    _, low, high = max(((high / low, low, high) for low, high in pairwise(ordered)), default=(1.0, 0, 0))
    if high > low * _SIZE_MARGIN * _SIZE_MARGIN:
        limits.append((low + high) // 2)
    for limit in limits:
        above = frozenset(uid for uid, size in sizes.items() if size > limit)
        below = frozenset(sizes) - above
        larger, smaller = sample.search(b"LARGER", b"%d" % limit), sample.search(b"SMALLER", b"%d" % limit)
        yield Probe(feature=Feature.LARGER, command=larger, must=above, must_not=below)
        yield Probe(feature=Feature.SMALLER, command=smaller, must=below, must_not=above)


def _date_probes(
    sample: Sample, days: dict[int, date], since: Feature, before: Feature, *, within: bool = False
) -> Iterator[Probe]:
    first, last, uids = min(days.values()), max(days.values()), frozenset(days)
    if not date.min + _TWO_DAYS < first <= last < date.max - _TWO_DAYS:
        return
    early, late = format_search_date(first - _TWO_DAYS), format_search_date(last + _TWO_DAYS)
    for feature, found, missed in ((since, early, late), (before, late, early)):
        key = feature.value.encode()
        yield Probe(feature=feature, command=sample.search(key, found, within=within), must=uids)
        none = sample.search(key, missed, within=within)
        yield Probe(feature=feature, command=none, must_not=uids)


def _sort_probes(sample: Sample, sizes: dict[int, int], days: dict[int, date]) -> Iterator[Probe]:
    def is_sorted_by_size(found: Sequence[int]) -> bool:
        known = [sizes[uid] for uid in found if uid in sizes]
        return all(before <= after * _SIZE_MARGIN for before, after in pairwise(known))

    def is_sorted_by_day(found: Sequence[int]) -> bool:
        known = [days[uid] for uid in found if uid in days]
        return all(before <= after + _TWO_DAYS for before, after in pairwise(known))

    for key, is_ordered in ((b"(SIZE)", is_sorted_by_size), (b"(ARRIVAL)", is_sorted_by_day)):
        arguments = [key, b"US-ASCII", b"UID", sample.sequence_set]
        command = Command(name="SORT", arguments=arguments, uid=True)
        yield Probe(feature=Feature.SORT, command=command, must=sample.uids, is_ordered=is_ordered)
