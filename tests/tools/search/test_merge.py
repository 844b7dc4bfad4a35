"""Pages of several mailboxes: each row once, in order, whatever the pages and the mailboxes are."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.tools.search.merge import Entry, Merged, Source, Waiting, merge


def row(uid: int, rank: int, *keys: Hashable) -> Waiting:
    return Waiting(uid=uid, rank=rank, keys=keys)


def places(merged: Merged) -> list[tuple[tuple[int, int], ...]]:
    return [entry.places for entry in merged.entries]


def test_rows_are_ordered_by_rank_and_then_by_source() -> None:
    merged = merge([Source(rows=[row(1, 30), row(2, 10)]), Source(rows=[row(7, 30), row(8, 20)])], size=9)
    assert places(merged) == [((0, 1),), ((1, 7),), ((1, 8),), ((0, 2),)]
    assert merged.taken == (2, 2)


def test_ranks_may_rise() -> None:
    merged = merge([Source(rows=[row(1, 10)]), Source(rows=[row(7, 5)])], size=9, ascending=True)
    assert places(merged) == [((1, 7),), ((0, 1),)]


def test_rows_beyond_the_page_wait() -> None:
    merged = merge([Source(rows=[row(1, 30), row(2, 10)]), Source(rows=[row(7, 20)])], size=2)
    assert places(merged) == [((0, 1),), ((1, 7),)]
    assert merged.taken == (1, 1)


def test_a_copy_is_another_place_of_its_message_and_the_preferred_source_leads() -> None:
    merged = merge([Source(rows=[row(1, 20, "k")]), Source(rows=[row(7, 21, "k"), row(8, 5)])], size=9)
    assert places(merged) == [((0, 1), (1, 7)), ((1, 8),)]


def test_copies_are_known_by_any_key_they_share() -> None:
    sources = [
        Source(rows=[row(1, 9, "a")]),
        Source(rows=[row(2, 8, "a", "b")]),
        Source(rows=[row(3, 7, "b")]),
    ]
    assert places(merge(sources, size=9)) == [((0, 1), (1, 2), (2, 3))]


def test_equal_messages_in_one_mailbox_are_two_and_so_are_their_copies() -> None:
    twice = [row(1, 9, "k"), row(2, 8, "k")]
    assert places(merge([Source(rows=twice), Source(rows=twice)], size=9)) == [
        ((0, 1), (1, 1)),
        ((0, 2), (1, 2)),
    ]


def test_rows_without_keys_have_no_copies() -> None:
    assert len(merge([Source(rows=[row(1, 9)]), Source(rows=[row(1, 9)])], size=9).entries) == 2


def test_copies_at_the_end_of_a_page_are_taken_with_it() -> None:
    merged = merge([Source(rows=[row(1, 9, "k")]), Source(rows=[row(5, 9, "k"), row(6, 3)])], size=1)
    assert (places(merged), merged.taken, merged.skip) == ([((0, 1), (1, 5))], (1, 1), ((), ()))


def test_later_copies_are_remembered_and_not_shown_again() -> None:
    behind = [row(5, 8), row(6, 7, "k"), row(7, 6)]
    first = merge([Source(rows=[row(1, 9, "k")]), Source(rows=behind)], size=1)
    assert (places(first), first.taken, first.skip) == ([((0, 1), (1, 6))], (1, 0), ((), (6,)))
    second = merge([Source(rows=behind, skip=frozenset(first.skip[1]))], size=2)
    assert (places(second), second.taken, second.skip) == ([((0, 5),), ((0, 7),)], (3,), ((),))


def test_remembered_copies_stay_remembered_beyond_the_rows_at_hand() -> None:
    merged = merge([Source(rows=[row(5, 8)], skip=frozenset({9}))], size=1)
    assert merged.skip == ((9,),)


def test_a_page_ends_where_a_mailbox_does_not_know_what_comes_next() -> None:
    sources = [Source(rows=[row(1, 9)], frontier=7), Source(rows=[row(2, 8), row(3, 6)])]
    merged = merge(sources, size=9)
    assert places(merged) == [((0, 1),), ((1, 2),)]
    assert merged.taken == (1, 1)


def test_no_rows_make_an_empty_page() -> None:
    assert merge([], size=1) == Merged(entries=(), taken=(), skip=())
    assert merge([Source(rows=[])], size=1).entries == ()
    assert merge([Source(rows=[], frontier=3)], size=1).taken == (0,)


@dataclass
class Box:
    """A mailbox that is paged through: what it holds in order, and where the search stands."""

    rows: list[Waiting]
    taken: int = 0
    skip: frozenset[int] = frozenset()
    down: list[bool] = field(default_factory=list)
    """Whether it fails, for the next pages."""


messages = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from(["", "a", "b", "c", "d", "e"])), max_size=12
)
failures = st.lists(st.booleans(), max_size=4)


@given(
    boxes=st.lists(st.tuples(messages, failures), min_size=1, max_size=5),
    size=st.integers(1, 6),
    ascending=st.booleans(),
)
def test_the_pages_together_have_each_row_once_in_order(
    boxes: list[tuple[list[tuple[int, str]], list[bool]]], *, size: int, ascending: bool
) -> None:
    """Whatever fails on the way, comes back later, and is copied to where."""
    mailboxes = [Box(ordered(content, ascending=ascending), down=list(down)) for content, down in boxes]
    given_rows: list[tuple[int, int]] = []
    turns = sum(len(box.rows) + len(box.down) for box in mailboxes) + 1
    for _ in range(turns):
        up = [number for number, box in enumerate(mailboxes) if not (box.down and box.down.pop())]
        sources = [window(mailboxes[number], size) for number in up]
        merged = merge(sources, size=size, ascending=ascending)
        assert merge(sources, size=size, ascending=ascending) == merged
        assert len(merged.entries) <= size
        check_order(merged.entries, sources, ascending=ascending)
        for entry in merged.entries:
            assert len({number for number, _ in entry.places}) == len(entry.places)
            given_rows += [(up[number], uid) for number, uid in entry.places]
        for number, taken, skip in zip(up, merged.taken, merged.skip, strict=True):
            mailboxes[number].taken += taken
            mailboxes[number].skip = frozenset(skip)
    everything = [(number, each.uid) for number, box in enumerate(mailboxes) for each in box.rows]
    assert sorted(given_rows) == sorted(everything)


def ordered(content: Sequence[tuple[int, str]], *, ascending: bool) -> list[Waiting]:
    rows = [row(uid, rank, *filter(None, [key])) for uid, (rank, key) in enumerate(content, start=1)]
    return sorted(rows, key=lambda each: (each.rank, each.uid), reverse=not ascending)


def window(box: Box, size: int) -> Source:
    rows = box.rows[box.taken : box.taken + size]
    more = len(box.rows) > box.taken + size
    return Source(rows=rows, skip=box.skip, frontier=rows[-1].rank if more else None)


def check_order(entries: Sequence[Entry], sources: Sequence[Source], *, ascending: bool) -> None:
    """Each message stands where the best of its places does, among the rows of the page."""
    ranks = {(number, each.uid): each.rank for number, source in enumerate(sources) for each in source.rows}
    best = [
        (min if ascending else max)(ranks[place] for place in entry.places if place in ranks)
        for entry in entries
    ]
    assert best == sorted(best, reverse=not ascending)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_copies_of_one_second_are_one_message_over_all_pages(size: int) -> None:
    """As COPY makes them: equal in rank, so that they always meet."""
    boxes = [Box([row(uid, uid // 2, uid) for uid in range(40, 0, -step)]) for step in (1, 2, 3)]
    shown: list[Hashable] = []
    while any(box.taken < len(box.rows) for box in boxes):
        sources = [window(box, size) for box in boxes]
        merged = merge(sources, size=size)
        shown += [entry.places[0][1] for entry in merged.entries]
        for box, taken, skip in zip(boxes, merged.taken, merged.skip, strict=True):
            box.taken += taken
            box.skip = frozenset(skip)
    assert shown == list(range(40, 0, -1))
