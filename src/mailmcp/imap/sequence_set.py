"""Sequence sets (RFC 9051 section 9, sequence-set): UIDs with ranges, none longer than a line may be."""

from collections.abc import Iterator, Sequence
from typing import Final

SEQUENCE_SET_OCTETS: Final = 6_000
"""UIDs in one command: Dovecot and others refuse lines over 8 KB."""


def sequence_sets(uids: Sequence[int], *, uid_limit: int = 0) -> Iterator[bytes]:
    """Format UIDs as sequence sets with ranges, none longer than a command line may be.

    Args:
        uids: In any order.
        uid_limit: How many UIDs one set may have; 0 for no limit.
    """
    ordered = sorted(set(uids))
    step = uid_limit or len(ordered) or 1
    for start in range(0, len(ordered), step):
        chunk = ordered[start : start + step]
        firsts = [uid for uid, before in zip(chunk, [None, *chunk], strict=False) if uid - 1 != before]
        lasts = [uid for uid, after in zip(chunk, [*chunk[1:], None], strict=True) if uid + 1 != after]
        sequence_set = b""
        for first, last in zip(firsts, lasts, strict=True):
            numbers = b"%d" % first if first == last else b"%d:%d" % (first, last)
            if sequence_set and len(sequence_set) + len(numbers) >= SEQUENCE_SET_OCTETS:
                yield sequence_set
                sequence_set = b""
            sequence_set += b"," * bool(sequence_set) + numbers
        yield sequence_set
