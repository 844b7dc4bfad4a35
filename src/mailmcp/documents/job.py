"""What the parent asks of the worker."""

import struct
from dataclasses import dataclass
from typing import Final

LENGTH: Final = struct.Struct(">Q")
"""Octets of the content; stands before it on the worker's stdin, which stays open after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One document to read; travels as a JSON argument."""

    kind: str
    max_chars: int

    time_s: float
    """After this long the reading ends with what is there; the parent waits a little longer."""

    memory_octets: int
    """Address space of the worker."""
