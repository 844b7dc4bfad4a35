"""The server's one way to the text of documents: a few processes at once, recent texts kept.

A reply shows a window of a text, and the next call asks for the next window: the
text is kept in memory until then, by the content it came from. Nothing is written to disk.
"""

import hashlib
import math
from collections import OrderedDict
from typing import Final

import anyio
from anyio import CapacityLimiter, to_thread

from mailmcp import limits
from mailmcp.documents.extraction import Cause, Extraction
from mailmcp.documents.kind import Kind
from mailmcp.documents.process import extract_text, failure

_SHARE_OF_CALL: Final = 0.8
"""Of the time that a call has left, so that what was read by then can still be given."""


class Extractor:
    """Made once, and shared by all calls of one event loop."""

    def __init__(
        self,
        *,
        processes: int = limits.EXTRACT_PROCESSES,
        cache_octets: int = limits.EXTRACT_CACHE_OCTETS,
        memory_octets: int = limits.EXTRACT_MEMORY_OCTETS,
    ) -> None:
        """Run at most `processes` at once, each with `memory_octets`, and keep `cache_octets` of texts."""
        self._slots = CapacityLimiter(processes)
        self._threads = CapacityLimiter(processes)
        self._cache_octets = cache_octets
        self._memory_octets = memory_octets
        self._cache: OrderedDict[tuple[Kind, bytes], tuple[Extraction, int]] = OrderedDict()
        self._held_octets = 0

    async def extract(self, content: bytes, kind: Kind, *, deadline: float = math.inf) -> Extraction:
        """Read the text of a document, or remember it.

        Args:
            content: The decoded file, whole.
            kind: As `detect_kind` tells it.
            deadline: On the event loop's clock (`anyio.current_time`); waiting for other documents counts.

        Raises:
            ExtractionError: There is no text; its message says what to do instead.
        """
        # In a thread: a large document takes the hash longer than other calls should wait.
        digest = await to_thread.run_sync(lambda: hashlib.sha256(content).digest(), limiter=self._threads)
        key = (kind, digest)
        with anyio.CancelScope(deadline=deadline):
            async with self._slots:
                if (kept := self._cache.get(key)) is not None:
                    self._cache.move_to_end(key)
                    return kept[0]
                left_s = (deadline - anyio.current_time()) * _SHARE_OF_CALL
                limit_s = min(limits.EXTRACT_TIMEOUT_S, left_s)
                extraction = await extract_text(
                    content, kind, time_limit_s=limit_s, memory_octets=self._memory_octets
                )
                self._keep(key, extraction)
                return extraction
        raise failure(Cause.TIMED_OUT)

    def _keep(self, key: tuple[Kind, bytes], extraction: Extraction) -> None:
        """Keep a text, and let go of those that were not asked for the longest."""
        octets = 4 * len(extraction.text)
        self._cache[key] = (extraction, octets)
        self._held_octets += octets
        while self._held_octets > self._cache_octets:
            self._held_octets -= self._cache.popitem(last=False)[1][1]
