"""Runs one worker process for each document, and always reaps it.

The worker gets almost no environment, the root folder and a time limit. It is killed when the limit passes,
and when the call is cancelled. `mailmcp.documents.sandbox` limits what its parsers can do.
"""

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from mailmcp import limits
from mailmcp.documents.extraction import CONTENT_LENGTH, Cause, Extraction, ExtractionError, Job, Section
from mailmcp.documents.kind import UNREADABLE, Kind

_log = logging.getLogger(__name__)

_START: Final = "import sys; sys.path[:] = sys.argv[2:]; from mailmcp.documents.worker import main; main()"
"""The worker imports from where the server does: a venv, the user site or PYTHONPATH."""

_ENVIRONMENT: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What an interpreter may need to start. Other variables may contain passwords."""

_CHAR_OCTETS_MAX: Final = 6
"""Octets of a character in the worker's JSON."""

_ANSWER_OVERHEAD_OCTETS: Final = 4_194_304
"""Room for section names and notes."""

_ANSWER_OCTETS_MAX: Final = limits.EXTRACTED_CHARS_MAX * _CHAR_OCTETS_MAX + _ANSWER_OVERHEAD_OCTETS
"""The longest answer of a worker that isn't compromised."""

_SIGKILL: Final = 9
_SIGXCPU: Final = int(getattr(signal, "SIGXCPU", 24))

_STDERR_OCTETS_MAX: Final = 4_096
_CHUNK_OCTETS: Final = 65_536

_MESSAGES: Final = {
    Cause.CRASHED: "The process that reads documents crashed on this one. "
    "The file itself can still be downloaded.",
    Cause.TIMED_OUT: "Reading the document took too long and was stopped. "
    "The file itself can still be downloaded.",
    Cause.OUT_OF_MEMORY: "Reading the document took too much memory and was stopped. "
    "The file itself can still be downloaded.",
    Cause.TOO_LARGE: "The document is too large to extract its text. "
    "The file itself can still be downloaded, in parts if necessary.",
    Cause.MALFORMED: "The document is damaged or mislabelled, so its text can't be read. "
    "Ask the sender for another copy.",
    Cause.ENCRYPTED: "The document is encrypted, and its text can't be read without the password. "
    "Ask the user to open it, or the sender for an unencrypted copy.",
    Cause.UNSUPPORTED: "DOC, XLS and PPT, the formats of Office before 2007, aren't supported. "
    "Ask the sender for DOCX, XLSX, PPTX or PDF.",
}
"""What happened, and what to do instead."""


@dataclass(slots=True)
class _Run:
    """The result of a worker: its output, and how it ended."""

    answer: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    overflowed: bool = False
    timed_out: bool = False
    returncode: int = 0


def worker_command(job: Job) -> list[str]:
    """Build a command line that ignores the environment, the current folder and start-up files."""
    places = [path for path in sys.path if Path(path).is_absolute()]
    return [sys.executable, "-I", "-S", "-W", "ignore", "-c", _START, json.dumps(asdict(job)), *places]


async def extract_text(
    content: bytes,
    kind: Kind,
    *,
    time_limit_s: float = limits.EXTRACT_TIMEOUT_S,
    memory_octets: int = limits.EXTRACT_MEMORY_OCTETS,
    command: Sequence[str] | None = None,
) -> Extraction:
    """Read the text of one document in a new process, which is gone when this returns.

    Args:
        content: The decoded file, whole.
        kind: From `detect_kind`.
        time_limit_s: Reading stops after it, with the text so far; `EXTRACT_GRACE_S` later the process is
            killed.
        memory_octets: Address space of the process, where the platform limits it.
        command: Started instead of the worker.

    Raises:
        ExtractionError: There is no text.
    """
    if kind in UNREADABLE:
        raise failure(Cause.ENCRYPTED if kind is Kind.ENCRYPTED_OFFICE else Cause.UNSUPPORTED)
    if len(content) > limits.EXTRACT_OCTETS_MAX:
        raise failure(Cause.TOO_LARGE)
    job = Job(
        kind=kind.value,
        max_chars=limits.EXTRACTED_CHARS_MAX,
        time_s=time_limit_s,
        memory_octets=memory_octets,
    )
    run = _Run()
    try:
        process = await anyio.open_process(
            worker_command(job) if command is None else command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=Path(sys.executable).anchor,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        _log.warning("can't start the process that reads documents: %s", type(error).__name__)
        raise failure(Cause.CRASHED) from error
    try:
        with anyio.move_on_after(time_limit_s + limits.EXTRACT_GRACE_S) as scope:
            await _exchange(process, content, run, _ANSWER_OCTETS_MAX)
        run.timed_out = scope.cancelled_caught
    finally:
        run.returncode = await _reap(process)
    _log.debug(
        "document read: kind=%s octets=%d returncode=%d stderr=%s",
        kind.value,
        len(content),
        run.returncode,
        bytes(run.stderr).decode("utf-8", "replace"),
    )
    return _parse_answer(run)


def failure(cause: Cause) -> ExtractionError:
    """Build the error for a cause."""
    return ExtractionError(_MESSAGES[cause], cause=cause)


async def _exchange(process: Process, content: bytes, run: _Run, octets_max: int) -> None:
    """Send the document and read the answer, until the worker ends."""
    assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018 - all three are pipes
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_read_stderr, process.stderr, run)
        tasks.start_soon(_send, process.stdin, content)
        run.overflowed = not await _receive(process.stdout, run.answer, octets_max)
        if run.overflowed:
            tasks.cancel_scope.cancel()
        else:
            await process.wait()


async def _send(stream: ByteSendStream, content: bytes) -> None:
    """Send the content, and leave the pipe open: the worker exits when it closes."""
    # The exit status of a worker that is gone says why.
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await stream.send(CONTENT_LENGTH.pack(len(content)))
        for start in range(0, len(content), _CHUNK_OCTETS):
            await stream.send(content[start : start + _CHUNK_OCTETS])


async def _receive(stream: ByteReceiveStream, into: bytearray, octets_max: int) -> bool:
    """Read to the end of the stream; return False if it has more than `octets_max`."""
    async for chunk in stream:
        into += chunk
        if len(into) > octets_max:
            return False
    return True


async def _read_stderr(stream: ByteReceiveStream, run: _Run) -> None:
    """Read stderr to its end, so that the worker doesn't block on it, and keep the beginning."""
    async for chunk in stream:
        run.stderr += chunk[: max(0, _STDERR_OCTETS_MAX - len(run.stderr))]


async def _reap(process: Process) -> int:
    """Kill the process if it still runs, and close its pipes."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        returncode = await process.wait()
        await process.aclose()
    return returncode


def _parse_answer(run: _Run) -> Extraction:
    """Turn the output and the exit status into an extraction or an error."""
    if run.timed_out or run.returncode == -_SIGXCPU:
        raise failure(Cause.TIMED_OUT)
    if run.returncode == -_SIGKILL and not run.overflowed:
        # Not by us: Linux kills processes when the machine runs out of memory.
        raise failure(Cause.OUT_OF_MEMORY)
    if run.overflowed or run.returncode != 0:
        raise failure(Cause.CRASHED)
    try:
        answer = json.loads(run.answer)
        if "cause" in answer:
            raise failure(Cause(answer["cause"]))
        return _extraction(answer)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise failure(Cause.CRASHED) from error


def _extraction(answer: dict[str, Any]) -> Extraction:
    """Build an extraction from the known keys of the worker's answer."""
    return Extraction(
        text=str(answer["text"]),
        sections=tuple(Section(name=str(name), offset=int(offset)) for name, offset in answer["sections"]),
        truncated=bool(answer["truncated"]),
        notes=tuple(str(note) for note in answer["notes"]),
    )
