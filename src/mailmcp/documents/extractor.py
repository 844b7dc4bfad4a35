"""Reads documents for the server: a few processes at a time, with a cache of recent texts.

A reply shows a window of a text, and the next call asks for the next window, so texts are kept in memory by
the hash of their document. Nothing is written to disk.
"""

import hashlib
import math
from collections import OrderedDict
from dataclasses import replace
from typing import Final, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from mailmcp import limits
from mailmcp.documents.extraction import Cause, Extraction, Job, Member, Picture, Task, UnreadableError
from mailmcp.documents.kind import Kind
from mailmcp.documents.process import run_job

EXTRACT_PROCESSES: Final = 2
"""Documents read at once; others wait."""

EXTRACT_CACHE_CHARS: Final = 2_000_000
"""Of texts kept so that the next window of a document doesn't read it again."""

ResultT = TypeVar("ResultT")

_SHARE_OF_CALL: Final = 0.8
"""Share of a call's remaining time, so that it can still reply with what was read."""


class Extractor:
    """Shared by all calls of one event loop."""

    def __init__(self, *, readers: CapacityLimiter | None = None) -> None:
        """Begin with an empty cache; `readers` bounds the processes of several extractors together."""
        self._readers = readers or CapacityLimiter(EXTRACT_PROCESSES)
        self._slots = CapacityLimiter(EXTRACT_PROCESSES)
        self._cache: OrderedDict[tuple[Kind, bytes], Extraction] = OrderedDict()

    async def extract(self, content: bytes, kind: Kind, *, deadline: float = math.inf) -> Extraction:
        """Return the text of a document, from the cache if it is there.

        Args:
            content: The decoded file, whole.
            kind: From `detect_kind`.
            deadline: On the event loop's clock (`anyio.current_time`); includes waiting for other documents.

        Raises:
            UnreadableError: There is no text; its message says what to do instead.
        """
        # In a thread: other calls shouldn't wait for the hash of a large document.
        key = (kind, await to_thread.run_sync(lambda: hashlib.sha256(content).digest()))
        if key not in self._cache:
            job = Job(task=Task.TEXT, kind=kind)
            self._cache[key] = await self._run(content, job, Extraction, deadline)
        extraction = self._cache[key]
        self._cache.move_to_end(key)
        while sum(len(each.text) for each in self._cache.values()) > EXTRACT_CACHE_CHARS:
            self._cache.popitem(last=False)
        return extraction

    async def draw(self, content: bytes, kind: Kind, *, page: int, deadline: float = math.inf) -> Picture:
        """Return a picture of a page, from 1; waits and raises as `extract` does."""
        return await self._run(content, Job(task=Task.PICTURE, kind=kind, page=page), Picture, deadline)

    async def unpack(self, content: bytes, kind: Kind, *, member: str, deadline: float = math.inf) -> Member:
        """Return a file within a document, by its listed name; waits and raises as `extract` does."""
        return await self._run(content, Job(task=Task.MEMBER, kind=kind, member=member), Member, deadline)

    async def _run(self, content: bytes, job: Job, result: type[ResultT], deadline: float) -> ResultT:
        """Wait until there may be another process, and read the document in the time that is left."""
        with anyio.CancelScope(deadline=deadline):
            async with self._slots, self._readers:
                left_s = (deadline - anyio.current_time()) * _SHARE_OF_CALL
                time_s = min(limits.EXTRACT_TIMEOUT_S, left_s)
                job = replace(job, time_s=time_s, memory_octets=limits.EXTRACT_MEMORY_OCTETS)
                return await run_job(content, job, result)
        raise UnreadableError(Cause.TIMED_OUT)
