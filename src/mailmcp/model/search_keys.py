"""Keys of SEARCH that are made of others (RFC 9051 section 6.4.4)."""

from collections.abc import Sequence
from typing import TypeVar

WordT = TypeVar("WordT", bound=bytes | str)


def any_of(keys: Sequence[tuple[WordT, ...]]) -> tuple[WordT | bytes, ...]:
    """Join keys by OR in a balanced tree, since servers limit how deep it may be; no keys make none."""
    if len(keys) <= 1:
        return keys[0] if keys else ()
    middle = len(keys) // 2
    return (b"OR", *any_of(keys[:middle]), *any_of(keys[middle:]))
