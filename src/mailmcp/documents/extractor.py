"""Reads documents for the server: a few processes at a time, with a cache of recent texts.

A reply shows a window of a text, and the next call asks for the next window, so texts are kept in memory by
the hash of their document. Nothing is written to disk.
"""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from mailmcp import limits
from mailmcp.documents.extraction import Cause, Extraction, Job, Member, Picture, Task, UnreadableError
from mailmcp.documents.kind import Kind
from mailmcp.documents.process import run_job

EXTRACT_PROCESSES: Final = 2
"""Documents read at once; others wait."""

EXTRACT_CACHE_OCTETS: Final = 8_388_608
"""Texts kept so that the next window of a document doesn't read it again."""

ResultT = TypeVar("ResultT")

_SHARE_OF_CALL: Final = 0.8
"""Share of a call's remaining time, so that it can still reply with what was read."""


class Extractor:
    """Shared by all calls of one event loop."""

    def __init__(
        self,
        *,
        processes: int = EXTRACT_PROCESSES,
        cache_octets: int = EXTRACT_CACHE_OCTETS,
        memory_octets: int = limits.EXTRACT_MEMORY_OCTETS,
    ) -> None:
        """Allow `processes` at a time, each with `memory_octets`, and keep `cache_octets` of texts."""
        self._slots = CapacityLimiter(processes)
        self._threads = CapacityLimiter(processes)
        self._cache_octets = cache_octets
        self._memory_octets = memory_octets
        self._cache: OrderedDict[tuple[Kind, bytes], tuple[Extraction, int]] = OrderedDict()
        self._cached_octets = 0

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
        digest = await to_thread.run_sync(lambda: hashlib.sha256(content).digest(), limiter=self._threads)
        key = (kind, digest)

        async def read(job: Job) -> Extraction:
            if (cached := self._cache.get(key)) is not None:
                self._cache.move_to_end(key)
                return cached[0]
            extraction = await run_job(content, job, Extraction)
            self._store(key, extraction)
            return extraction

        return await self._wait_and(read, Job(task=Task.TEXT, kind=kind), deadline)

    async def draw(self, content: bytes, kind: Kind, *, page: int, deadline: float = math.inf) -> Picture:
        """Return a picture of a page, from 1; waits and raises as `extract` does."""
        job = Job(task=Task.PICTURE, kind=kind, page=page)
        return await self._wait_and(partial(run_job, content, result=Picture), job, deadline)

    async def unpack(self, content: bytes, kind: Kind, *, member: str, deadline: float = math.inf) -> Member:
        """Return a file within a document, by its listed name; waits and raises as `extract` does."""
        job = Job(task=Task.MEMBER, kind=kind, member=member)
        return await self._wait_and(partial(run_job, content, result=Member), job, deadline)

    async def _wait_and(
        self, work: Callable[[Job], Awaitable[ResultT]], job: Job, deadline: float
    ) -> ResultT:
        """Wait until there may be another process, and do the work with the time that is left."""
        with anyio.CancelScope(deadline=deadline):
            async with self._slots:
                left_s = (deadline - anyio.current_time()) * _SHARE_OF_CALL
                time_s = min(limits.EXTRACT_TIMEOUT_S, left_s)
                return await work(replace(job, time_s=time_s, memory_octets=self._memory_octets))
        raise UnreadableError(Cause.TIMED_OUT)

    def _store(self, key: tuple[Kind, bytes], extraction: Extraction) -> None:
        """Cache a text, and drop the least recently used ones."""
        octets = 4 * len(extraction.text)
        self._cache[key] = (extraction, octets)
        self._cached_octets += octets
        while self._cached_octets > self._cache_octets:
            self._cached_octets -= self._cache.popitem(last=False)[1][1]
