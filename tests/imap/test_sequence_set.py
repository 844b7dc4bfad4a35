"""Sequence sets: ranges, and no more of them than a line holds."""

import pytest

from mailmcp.imap.fetch import SEQUENCE_SET_OCTETS, sequence_sets


@pytest.mark.parametrize(
    ("uids", "sets"),
    [
        ([], []),
        ([5], [b"5"]),
        ([3, 1, 2, 2], [b"1:3"]),
        ([1, 2, 4, 9, 10], [b"1:2,4,9:10"]),
    ],
)
def test_runs_are_written_as_ranges(uids: list[int], sets: list[bytes]) -> None:
    assert list(sequence_sets(uids)) == sets


def test_no_set_is_longer_than_a_command_line() -> None:
    """Dovecot refuses lines over 8 KB."""
    uids = range(1_000_000_000, 1_000_010_000, 2)
    sets = list(sequence_sets(uids))
    assert len(sets) > 1
    assert max(map(len, sets)) <= SEQUENCE_SET_OCTETS
    assert [int(each) for each in b",".join(sets).split(b",")] == list(uids)
    assert list(sequence_sets(range(1, 8), uid_limit=3)) == [b"1:3", b"4:6", b"7"]
