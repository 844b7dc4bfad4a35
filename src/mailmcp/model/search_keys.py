"""Keys of SEARCH that are made of others (RFC 9051 section 6.4.4)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

WordT = TypeVar("WordT", bound=bytes | str)


def any_of(keys: Sequence[tuple[WordT, ...]]) -> tuple[WordT | bytes, ...]:
    """Join keys by OR in a balanced tree, since servers limit how deep it may be; no keys make none."""
    if len(keys) <= 1:
        return keys[0] if keys else ()
    middle = len(keys) // 2
    return (b"OR", *any_of(keys[:middle]), *any_of(keys[middle:]))


def any_of_each(keys: Iterable[tuple[bytes, ...]], *, octets_max: int) -> Iterator[tuple[bytes, ...]]:
    """Join keys by OR into as few searches as lines of some length allow."""
    batch: list[tuple[bytes, ...]] = []
    octets = 0
    for each in keys:
        size = sum(map(len, each)) + len(each) + 3  # spaces, and an OR
        if batch and octets + size > octets_max:
            yield any_of(batch)
            batch, octets = [], 0
        batch.append(each)
        octets += size
    if batch:
        yield any_of(batch)
