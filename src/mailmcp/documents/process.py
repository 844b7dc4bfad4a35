"""Runs the worker process: started for one document, fed, watched, and always reaped.

The worker gets no environment worth having, an empty place to stand and a time
limit; it is killed when that passes, and when the call that wants it is cancelled.
What its parsers may do to themselves is `mailmcp.documents.sandbox`'s to bound.
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
from mailmcp.documents.extraction import Cause, Extraction, ExtractionError, Section
from mailmcp.documents.job import LENGTH, Job
from mailmcp.documents.kind import UNREADABLE, Kind

_log = logging.getLogger(__name__)

_START: Final = "import sys; sys.path[:] = sys.argv[2:]; from mailmcp.documents.worker import main; main()"
"""The worker imports from where the server does, be that a venv, a user's site or PYTHONPATH."""

_ENVIRONMENT: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What an interpreter may need to start at all; passwords may stand in the rest."""

_CHAR_OCTETS_MAX: Final = 6
"""Octets of a character in the worker's JSON."""

_ANSWER_OCTETS_BESIDE: Final = 4_194_304
"""What names of sections and notes may take."""

_ANSWER_OCTETS_MAX: Final = limits.EXTRACTED_CHARS_MAX * _CHAR_OCTETS_MAX + _ANSWER_OCTETS_BESIDE
"""Most that an honest worker answers."""

_SIGKILL: Final = 9
_SIGXCPU: Final = int(getattr(signal, "SIGXCPU", 24))

_STDERR_OCTETS_MAX: Final = 4_096
_CHUNK_OCTETS: Final = 65_536

_MESSAGES: Final = {
    Cause.CRASHED: "The process that reads documents ended before it answered, so this one has no text here. "
    "The file itself can still be downloaded.",
    Cause.TIMED_OUT: "Reading the document took too long and was ended. "
    "The file itself can still be downloaded.",
    Cause.OUT_OF_MEMORY: "Reading the document took too much memory and was ended. "
    "The file itself can still be downloaded.",
    Cause.TOO_LARGE: "The document is too large to be read for its text. "
    "The file itself can still be downloaded, in parts if need be.",
    Cause.MALFORMED: "The document is damaged, or not what it claims to be, so that its text cannot be read. "
    "Ask the sender for another copy.",
    Cause.ENCRYPTED: "The document is encrypted: its text cannot be read without the password. "
    "Ask the user to open it, or the sender for an open copy.",
    Cause.UNSUPPORTED: "The text of this kind of document cannot be read here: DOC, XLS and PPT are "
    "the formats of Office before 2007. Ask the sender for DOCX, XLSX, PPTX or PDF.",
}
"""What is said of each cause, and what to do instead."""


@dataclass(slots=True)
class _Ended:
    """What a worker left behind."""

    answer: bytearray = field(default_factory=bytearray)
    said: bytearray = field(default_factory=bytearray)
    overflowed: bool = False
    timed_out: bool = False
    returncode: int = 0


def worker_command(job: Job) -> list[str]:
    """Build the command line: apart from the environment, the current folder and start-up files."""
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
        kind: As `detect_kind` tells it.
        time_limit_s: What is read within it is given; `EXTRACT_GRACE_S` later the process is killed.
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
    ended = _Ended()
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
        _log.warning("the process that reads documents cannot be started: %s", type(error).__name__)
        raise failure(Cause.CRASHED) from error
    try:
        with anyio.move_on_after(time_limit_s + limits.EXTRACT_GRACE_S) as scope:
            await _converse(process, content, ended, _ANSWER_OCTETS_MAX)
        ended.timed_out = scope.cancelled_caught
    finally:
        ended.returncode = await _reap(process)
    _log.debug(
        "document read: kind=%s octets=%d returncode=%d stderr=%s",
        kind.value,
        len(content),
        ended.returncode,
        bytes(ended.said).decode("utf-8", "replace"),
    )
    return _judge(ended)


def failure(cause: Cause) -> ExtractionError:
    """Make the error that says a cause in a sentence."""
    return ExtractionError(_MESSAGES[cause], cause=cause)


async def _converse(process: Process, content: bytes, ended: _Ended, octets_max: int) -> None:
    """Send the document and take the answer, until the worker closes its end."""
    assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018 - all three are pipes
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, process.stderr, ended)
        tasks.start_soon(_send, process.stdin, content)
        ended.overflowed = not await _receive(process.stdout, ended.answer, octets_max)
        if ended.overflowed:
            tasks.cancel_scope.cancel()
        else:
            await process.wait()


async def _send(stream: ByteSendStream, content: bytes) -> None:
    """Send the content and leave the pipe open: the worker ends when it closes."""
    # A worker that is gone is judged by how it ended.
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await stream.send(LENGTH.pack(len(content)))
        for start in range(0, len(content), _CHUNK_OCTETS):
            await stream.send(content[start : start + _CHUNK_OCTETS])


async def _receive(stream: ByteReceiveStream, into: bytearray, octets_max: int) -> bool:
    """Read to the end of the stream; False when it gives more than `octets_max`."""
    async for chunk in stream:
        into += chunk
        if len(into) > octets_max:
            return False
    return True


async def _listen(stream: ByteReceiveStream, ended: _Ended) -> None:
    """Read stderr to its end, so that nobody blocks on it, and keep its beginning."""
    async for chunk in stream:
        ended.said += chunk[: max(0, _STDERR_OCTETS_MAX - len(ended.said))]


async def _reap(process: Process) -> int:
    """Make sure that the process is gone, and its pipes are closed, whatever happens."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        returncode = await process.wait()
        await process.aclose()
    return returncode


def _judge(ended: _Ended) -> Extraction:
    """Make the extraction of the answer, or the error of its absence."""
    if ended.timed_out or ended.returncode == -_SIGXCPU:
        raise failure(Cause.TIMED_OUT)
    if ended.returncode == -_SIGKILL and not ended.overflowed:
        # Not by us: Linux ends what takes the machine's last memory.
        raise failure(Cause.OUT_OF_MEMORY)
    if ended.overflowed or ended.returncode != 0:
        raise failure(Cause.CRASHED)
    try:
        answer = json.loads(ended.answer)
        if "cause" in answer:
            raise failure(Cause(answer["cause"]))
        return _extraction(answer)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise failure(Cause.CRASHED) from error


def _extraction(answer: dict[str, Any]) -> Extraction:
    """Take the worker's answer apart; nothing else that it may hold is passed on."""
    return Extraction(
        text=str(answer["text"]),
        sections=tuple(Section(name=str(name), offset=int(offset)) for name, offset in answer["sections"]),
        truncated=bool(answer["truncated"]),
        notes=tuple(str(note) for note in answer["notes"]),
    )
