"""The process that reads one document: octets from stdin, a line of JSON to stdout, and a file after it.

Only `mailmcp.documents.process` starts it. It limits its resources, loads the parser, and restricts itself
before the parser sees the document.
"""

import importlib
import io
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Final

from mailmcp import limits
from mailmcp.documents import sandbox
from mailmcp.documents.extraction import Cause, Job, Task, UnreadableError
from mailmcp.documents.listing import read_file
from mailmcp.documents.writer import StopReading, Writer

FORMATS: Final = {
    "pdf": "pdf",
    "docx": "word",
    "xlsx": "sheet",
    "pptx": "slides",
    "odt": "open_document",
    "ods": "open_document",
    "odp": "open_document",
    "rtf": "rich_text",
    "doc": "old_word",
    "xls": "old_sheet",
    "ppt": "old_slides",
    "zip": "zip_archive",
    "tar": "tar_archive",
    "msg": "outlook_message",
    "tnef": "outlook_winmail",
}
"""The module of `mailmcp.documents.formats` for each kind: with `read`, and `files` if it has files in it."""

PICTURES: Final = {"image": "image", "pdf": "pdf_page"}
"""The module with `draw`."""

_INCOMPLETE: Final = {
    Cause.MALFORMED: "The document is damaged: only the text before the damage was read.",
    Cause.OUT_OF_MEMORY: "Reading the document took too much memory: only its beginning was read.",
    Cause.TOO_LARGE: "The document is too large: only its beginning was read.",
    Cause.ENCRYPTED: "Part of the document is encrypted: only the text before it was read.",
}
"""The notes for a text that is incomplete."""


def main() -> None:  # pragma: no cover - in a process whose limits keep it from writing coverage
    """Read the document on stdin as the first argument says."""
    job = Job(**json.loads(sys.argv[1]))
    content = sys.stdin.buffer.read()
    sandbox.limit_resources(memory_octets=job.memory_octets, cpu_s=2 * job.time_s + 1)
    reader = load_reader(job)  # before the audit hook, which refuses to load pdfium
    sandbox.install_audit_hook()
    logging.disable()
    out = Writer(max_chars=limits.EXTRACTED_CHARS_MAX, stop_at=time.monotonic() + job.time_s)
    sandbox.set_timer(job.time_s, out.interrupt)
    sys.stdout.buffer.write(answer(reader, content, job, out))
    sys.stdout.buffer.flush()
    os._exit(0)


def load_reader(job: Job) -> ModuleType:
    """Import the module that does the job."""
    names = PICTURES if job.task == Task.PICTURE else FORMATS
    return importlib.import_module(f"mailmcp.documents.formats.{names[job.kind]}")


def answer(reader: ModuleType, content: bytes, job: Job, out: Writer) -> bytes:
    """Read a document; never raises, since a failure is an answer too."""
    facts: dict[str, object] = {}
    octets = b""

    def read() -> None:
        nonlocal facts, octets
        match job.task:
            case Task.PICTURE:
                facts, octets = reader.draw(io.BytesIO(content), job.page)
            case Task.MEMBER:
                octets = read_file(reader.files(io.BytesIO(content), out), job.member)
                facts = {"notes": out.notes}
            case _:
                reader.read(io.BytesIO(content), out)

    cause = _attempt(read, out)
    if job.task == Task.TEXT:
        if cause is not None and not out.is_empty:
            out.truncated = True
            out.add_note(_INCOMPLETE[cause])
            cause = None
        facts = out.result()
    elif cause is None and out.truncated:  # stopped by the clock
        cause = Cause.TIMED_OUT
    if cause is not None:
        facts, octets = {"cause": cause.name}, b""
    return json.dumps(facts, ensure_ascii=False).encode() + b"\n" + octets


def _attempt(read: Callable[[], None], out: Writer) -> Cause | None:
    """Read the document; return why it is incomplete, or None."""
    try:
        try:
            read()
        finally:
            out.close()
    except StopReading:
        return None
    except UnreadableError as error:
        return error.cause
    except MemoryError:
        return Cause.OUT_OF_MEMORY
    except Exception:  # noqa: BLE001 - parsers raise anything on damaged files
        return Cause.MALFORMED
    return None
