"""What probes ask: searches, and which of a few known messages each must and must not find."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise

from mailmcp.imap.command import Command, quoted
from mailmcp.imap.fetch import sequence_sets
from mailmcp.imap.search.plan import format_search_date
from mailmcp.imap.workarounds.specimens import Specimen
from mailmcp.model.feature import Feature

_NOWHERE = "xqzwvkjyq"
"""A word in no message: servers that ignore a key find all of them."""

_TEXTS_PROBED = 3
_TWO_DAYS = timedelta(days=2)
"""Dates of SEARCH have no zone: only days that far from a message's are certain."""

_SIZE_MARGIN = 1.05
"""Sizes nearer than this are not told apart: some servers count line ends otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One search, and what its answer must be."""

    feature: Feature
    command: Command
    must: frozenset[int] = frozenset()
    must_not: frozenset[int] = frozenset()
    judge: Callable[[Sequence[int]], bool] | None = None
    """Holds more against an answer: the order of SORT."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Specimens of a mailbox."""

    specimens: Sequence[Specimen]
    whole_mailbox: bool
    """Whether searches go through all of it."""

    uids: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "uids", frozenset(each.uid for each in self.specimens))

    def search(self, *keys: bytes, within: bool = False) -> Command:
        """Write a SEARCH of the mailbox; of the specimens alone if it is large, or `within`."""
        restricted = within or not self.whole_mailbox
        return Command(
            name="SEARCH", arguments=[*keys, *([b"UID", self.sequence_set] if restricted else [])], uid=True
        )

    @property
    def sequence_set(self) -> bytes:
        """The UIDs as an argument."""
        return b",".join(sequence_sets(sorted(self.uids)))


def make_probes(sample: Sample, *, can_sort: bool) -> Iterator[Probe]:
    """Write probes about all features but ESEARCH; SORT only where it is offered."""
    yield Probe(feature=Feature.ALL, command=sample.search(b"ALL"), must=sample.uids)
    yield from _text_questions(sample)
    yield from _charset_questions(sample)
    yield from _negated_questions(sample)
    yield from _flag_questions(sample)
    yield from _size_questions(sample)
    yield from _date_questions(sample)
    if can_sort:
        yield from _sort_questions(sample)


def _text_questions(sample: Sample) -> Iterator[Probe]:
    """Each text must find its message; a text that is nowhere must find none."""
    texts: list[tuple[Feature, bytes, Callable[[Specimen], str], bool]] = [
        (Feature.SUBJECT, b"SUBJECT", lambda each: each.word, False),
        (Feature.FROM, b"FROM", lambda each: each.from_, False),
        (Feature.TO, b"TO", lambda each: each.to, False),
        (Feature.CC, b"CC", lambda each: each.cc, False),
        (Feature.HEADER, b"HEADER MESSAGE-ID", lambda each: each.message_id, False),
        # Through a whole mailbox it may take minutes.
        (Feature.TEXT, b"TEXT", lambda each: each.word, True),
        (Feature.BODY, b"BODY", lambda each: each.body_word, True),
    ]
    for feature, key, text_of, within in texts:
        known = {text_of(each): each.uid for each in sample.specimens if text_of(each)}
        for text, uid in list(known.items())[-_TEXTS_PROBED:]:
            command = sample.search(key, quoted(text), within=within)
            yield Probe(feature=feature, command=command, must=frozenset({uid}))
        if known:
            command = sample.search(key, quoted(_NOWHERE), within=within)
            yield Probe(feature=feature, command=command, must_not=sample.uids)


def _charset_questions(sample: Sample) -> Iterator[Probe]:
    """The charset must be accepted; words beyond ASCII must be found if there are any."""
    yield Probe(
        feature=Feature.CHARSET, command=sample.search(b"CHARSET", b"UTF-8", b"SUBJECT", quoted(_NOWHERE))
    )
    known = {each.foreign_word: each.uid for each in sample.specimens if each.foreign_word}
    for word, uid in list(known.items())[-_TEXTS_PROBED:]:
        command = sample.search(b"CHARSET", b"UTF-8", b"SUBJECT", quoted(word))
        yield Probe(feature=Feature.CHARSET, command=command, must=frozenset({uid}))


def _negated_questions(sample: Sample) -> Iterator[Probe]:
    """None is other than all of them, and none holds a word that is nowhere.

    NOT is asked with TEXT alone: where TEXT is wrong, which may speak against NOT here, no other is.
    """
    others = sample.search(b"NOT", b"UID", sample.sequence_set, within=True)
    yield Probe(feature=Feature.NOT, command=others, must_not=sample.uids)
    without = sample.search(b"NOT", b"TEXT", quoted(_NOWHERE), within=True)
    yield Probe(feature=Feature.NOT, command=without, must=sample.uids)


def _flag_questions(sample: Sample) -> Iterator[Probe]:
    """Each message is seen or is not. The other flags are rare: rows tell of them (`contradictions`)."""
    seen = frozenset(each.uid for each in sample.specimens if each.seen)
    unseen = sample.uids - seen
    for key, must, must_not in ((b"UNSEEN", unseen, seen), (b"SEEN", seen, unseen)):
        command = sample.search(key, within=True)
        yield Probe(feature=Feature.FLAGS, command=command, must=must, must_not=must_not)


def _size_questions(sample: Sample) -> Iterator[Probe]:
    """All are larger than half the smallest one; and those above the widest gap, if there is one."""
    sizes = {each.uid: each.size_octets for each in sample.specimens if each.size_octets}
    if not sizes:
        return
    ordered = sorted(sizes.values())
    limits_ = [ordered[0] // 2, 2 * ordered[-1]]
    _, low, high = max(((high / low, low, high) for low, high in pairwise(ordered)), default=(1.0, 0, 0))
    if high > low * _SIZE_MARGIN * _SIZE_MARGIN:
        limits_.append((low + high) // 2)
    for limit in limits_:
        above = frozenset(uid for uid, size in sizes.items() if size > limit)
        below = frozenset(sizes) - above
        number = b"%d" % limit
        yield Probe(
            feature=Feature.LARGER, command=sample.search(b"LARGER", number), must=above, must_not=below
        )
        yield Probe(
            feature=Feature.SMALLER, command=sample.search(b"SMALLER", number), must=below, must_not=above
        )


def _date_questions(sample: Sample) -> Iterator[Probe]:
    days = {each.uid: each.day for each in sample.specimens if each.day}
    if not days or not date.min + _TWO_DAYS < min(days.values()) <= max(days.values()) < date.max - _TWO_DAYS:
        return
    uids = frozenset(days)
    early = format_search_date(min(days.values()) - _TWO_DAYS)
    late = format_search_date(max(days.values()) + _TWO_DAYS)
    yield Probe(feature=Feature.SINCE, command=sample.search(b"SINCE", early), must=uids)
    yield Probe(feature=Feature.SINCE, command=sample.search(b"SINCE", late), must_not=uids)
    yield Probe(feature=Feature.BEFORE, command=sample.search(b"BEFORE", late), must=uids)
    yield Probe(feature=Feature.BEFORE, command=sample.search(b"BEFORE", early), must_not=uids)


def _sort_questions(sample: Sample) -> Iterator[Probe]:
    sizes = {each.uid: each.size_octets for each in sample.specimens if each.size_octets}
    days = {each.uid: each.day for each in sample.specimens if each.day}

    def rises_by_size(found: Sequence[int]) -> bool:
        known = [sizes[uid] for uid in found if uid in sizes]
        return all(before <= after * _SIZE_MARGIN for before, after in pairwise(known))

    def rises_by_day(found: Sequence[int]) -> bool:
        known = [days[uid] for uid in found if uid in days]
        return all(before <= after + _TWO_DAYS for before, after in pairwise(known))

    for key, judge in ((b"(SIZE)", rises_by_size), (b"(ARRIVAL)", rises_by_day)):
        arguments = [key, b"US-ASCII", b"UID", sample.sequence_set]
        command = Command(name="SORT", arguments=arguments, uid=True)
        yield Probe(feature=Feature.SORT, command=command, must=sample.uids, judge=judge)
