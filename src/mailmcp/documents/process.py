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
from dataclasses import asdict
from pathlib import Path
from typing import Final, TypeVar

import anyio
from anyio.abc import ByteSendStream, Process
from pydantic import TypeAdapter

from mailmcp import limits
from mailmcp.documents.extraction import PNG_MAGIC, Cause, Job, Picture, UnreadableError
from mailmcp.documents.kind import UNREADABLE, Kind

EXTRACT_GRACE_S: Final = 3.0
"""Added to that for the process to start, and to finish a step that can't be interrupted."""

ResultT = TypeVar("ResultT")

_log = logging.getLogger(__name__)

_START: Final = "import sys; sys.path[:] = sys.argv[2:]; from mailmcp.documents.worker import main; main()"
"""The worker imports from where the server does: a venv, the user site or PYTHONPATH."""

_ENVIRONMENT: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What an interpreter may need to start. Other variables may contain passwords."""

_ANSWER_OCTETS_MAX: Final = limits.EXTRACT_OCTETS_MAX + 4_194_304
"""A file, with room for notes: the longest answer of a worker that isn't compromised."""

_PICTURE_MAGIC: Final = (PNG_MAGIC, b"\xff\xd8\xff")

_SIGKILL: Final = 9
_SIGXCPU: Final = int(getattr(signal, "SIGXCPU", 24))


def worker_command(job: Job) -> list[str]:
    """Build a command line that ignores the environment, the current folder and start-up files."""
    places = [path for path in sys.path if Path(path).is_absolute()]
    return [sys.executable, "-I", "-S", "-W", "ignore", "-c", _START, json.dumps(asdict(job)), *places]


async def run_job(
    content: bytes, job: Job, result: type[ResultT], command: Sequence[str] | None = None
) -> ResultT:
    """Read one document in a new process, which is gone when this returns.

    Args:
        content: The decoded file, whole.
        job: What to read. Reading stops after its time, with the text so far; `EXTRACT_GRACE_S` later the
            process is killed. There is no picture of a page that doesn't exist, only the number of pages.
        result: `Extraction`, `Picture` or `Member`, as the job's task says.
        command: Started instead of the worker.

    Raises:
        UnreadableError: There is no such text, picture or file, or the process can't be started.
    """
    if job.kind in UNREADABLE:
        raise UnreadableError(UNREADABLE[Kind(job.kind)])
    if len(content) > limits.EXTRACT_OCTETS_MAX:
        raise UnreadableError(Cause.TOO_LARGE)
    try:
        process = await anyio.open_process(
            worker_command(job) if command is None else command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(sys.executable).anchor,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        _log.warning("can't start the process that reads documents: %s", type(error).__name__)
        raise UnreadableError(Cause.CRASHED) from error
    answer = bytearray()
    try:
        with anyio.move_on_after(job.time_s + EXTRACT_GRACE_S) as scope:
            await _exchange(process, content, answer)
    finally:
        returncode = await _reap(process)
    if scope.cancelled_caught or returncode == -_SIGXCPU:
        raise UnreadableError(Cause.TIMED_OUT)
    is_too_long = len(answer) > _ANSWER_OCTETS_MAX
    if returncode == -_SIGKILL and not is_too_long:
        # Not by us: Linux kills processes when the machine runs out of memory.
        raise UnreadableError(Cause.OUT_OF_MEMORY)
    if returncode != 0 or is_too_long:
        raise UnreadableError(Cause.CRASHED)
    return _parse(answer, result)


async def _exchange(process: Process, content: bytes, answer: bytearray) -> None:
    """Send the document and read the answer, until the worker ends or has written more than it may."""
    assert process.stdin and process.stdout  # noqa: S101, PT018 - both are pipes
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_send, process.stdin, content)
        async for chunk in process.stdout:
            answer += chunk
            if len(answer) > _ANSWER_OCTETS_MAX:
                tasks.cancel_scope.cancel()
                return
        await process.wait()


async def _send(stream: ByteSendStream, content: bytes) -> None:
    # The exit status of a worker that is gone says why.
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        await stream.send(content)
        await stream.aclose()


async def _reap(process: Process) -> int:
    """Kill the process if it still runs, and close its pipes."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        returncode = await process.wait()
        await process.aclose()
    return returncode


def _parse(output: bytearray, result: type[ResultT]) -> ResultT:
    """Turn the output, a line of JSON with a picture or a file after it, into a result or an error."""
    line, _, octets = output.partition(b"\n")
    try:
        answer = json.loads(line)
        if "cause" in answer:
            raise UnreadableError(Cause[answer["cause"]])
        read = TypeAdapter(result).validate_python(answer | {"octets": bytes(octets)})
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise UnreadableError(Cause.CRASHED) from error
    if isinstance(read, Picture) and read.octets and not read.octets.startswith(_PICTURE_MAGIC):
        raise UnreadableError(Cause.CRASHED)
    return read
