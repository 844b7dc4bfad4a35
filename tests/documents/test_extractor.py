"""A few at once, and recent texts kept."""

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from documents.documents import docx, paragraph
from documents.stand_in import children, program
from mailmcp.documents import process
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.extractor import Extractor
from mailmcp.documents.kind import Kind

pytestmark = pytest.mark.skipif(os.name != "posix", reason="named pipes")


def _letter(text: str) -> bytes:
    return docx(paragraph(text))


async def _cause(work: Callable[[], Awaitable[object]]) -> Cause:
    with pytest.raises(UnreadableError) as raised:
        await work()
    return raised.value.cause


def test_a_text_is_kept_by_content_and_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process can be started any more, and what was read is there."""

    async def run() -> None:
        extractor = Extractor()
        first = await extractor.extract(_letter("a"), Kind.DOCX)
        monkeypatch.setattr(sys, "executable", "/no/such/python")
        assert await extractor.extract(_letter("a"), Kind.DOCX) is first
        assert await _cause(lambda: extractor.extract(_letter("b"), Kind.DOCX)) is Cause.CRASHED
        assert await _cause(lambda: extractor.extract(_letter("a"), Kind.ODT)) is Cause.CRASHED

    anyio.run(run)


@pytest.mark.parametrize("several", [False, True], ids=["one extractor", "two that share readers"])
def test_waiting_ends_at_the_deadline_and_a_cancelled_call_makes_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, several: bool
) -> None:
    door = tmp_path / "door"
    os.mkfifo(door)
    hanging = program(f"open({str(door)!r}, 'w').close()\nwhile True: time.sleep(60)")

    async def run() -> None:
        if several:
            readers = anyio.CapacityLimiter(1)
            first, extractor = Extractor(readers=readers), Extractor(readers=readers)
        else:
            monkeypatch.setattr("mailmcp.documents.extractor.EXTRACT_PROCESSES", 1)
            first = extractor = Extractor()
        with monkeypatch.context() as patched:
            patched.setattr(process, "worker_command", lambda _: hanging)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(first.extract, _letter("a"), Kind.DOCX)
                await to_thread.run_sync(door.read_bytes)
                # Whoever doesn't wait now, crashes at once.
                patched.setattr(process, "worker_command", lambda _: ["/no/such/program"])
                soon = anyio.current_time() + 0.05
                waited = await _cause(lambda: extractor.extract(_letter("b"), Kind.DOCX, deadline=soon))
                assert waited is Cause.TIMED_OUT
                assert len(children()) == 1
                tasks.cancel_scope.cancel()
        assert children() == []
        assert (await extractor.extract(_letter("b"), Kind.DOCX)).text == "b"

    anyio.run(run)
