"""Readers run within the test, as the worker runs them."""

import io
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.listing import File, read_file
from mailmcp.documents.writer import StopReading, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader wrote."""

    text: str
    sections: list[tuple[str, int]]
    truncated: bool
    notes: list[str]
    is_scanned: bool = False
    files: list[str] = field(default_factory=list)


def read_with(
    reader: Callable[[BinaryIO, Writer], None], content: bytes, *, max_chars: int = 100_000
) -> Reading:
    """Read `content` to its end or to the ceiling."""
    out = writer(max_chars=max_chars)
    try:
        reader(io.BytesIO(content), out)
    except StopReading:
        assert out.truncated
    result: dict[str, Any] = out.result()
    json.dumps(result)
    return Reading(**result)


def file_inside(
    files: Callable[[BinaryIO, Writer], Iterable[File]], content: bytes, name: str
) -> bytes | Cause:
    """Read a file by its listed name, or return why it can't be read."""
    try:
        return read_file(files(io.BytesIO(content), writer()), name)
    except UnreadableError as error:
        return error.cause


def writer(*, max_chars: int = 100_000, time_s: float = 60) -> Writer:
    """Make a writer with time to spare."""
    return Writer(max_chars=max_chars, stop_at=time.monotonic() + time_s)
