"""Restricts the worker process before it reads a document.

Uses the operating system's limits where there are any (Linux has all, macOS doesn't enforce the memory limit,
Windows has none) and, on every platform, an audit hook that refuses sockets, programs and writing. The
parent's limits on time and output hold everywhere.

A restricted process can't write coverage data, hence the `no cover` marks. The tests ask such a process what
it can still do.
"""

import math
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

_OPEN_FILES_MAX: Final = 64
_TIMER_MIN_S: Final = 0.001
"""A timer of 0 would never fire."""

_REFUSED_PREFIXES: Final = ("socket.", "subprocess.", "os.exec", "os.spawn", "os.posix_spawn", "ctypes.")
_REFUSED: Final = frozenset(
    {
        "os.system",
        "os.fork",
        "os.forkpty",
        "os.startfile",
        "os.kill",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.mkdir",
        "os.chmod",
        "os.chown",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.putenv",
        "shutil.rmtree",
    }
)


def set_timer(seconds: float, interrupt: Callable[[], None]) -> None:  # pragma: no cover - see above
    """Call `interrupt`, which may raise, after some time, whatever runs then; does nothing on Windows."""
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, lambda *_: interrupt())
        signal.setitimer(signal.ITIMER_REAL, max(seconds, _TIMER_MIN_S))


def limit_resources(*, memory_octets: int, cpu_s: float) -> None:  # pragma: no cover - see above
    """Set the limits that the platform has. They are hard limits, which can't be raised again."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    seconds = math.ceil(cpu_s)
    wanted = {
        "RLIMIT_AS": (memory_octets, memory_octets),
        # SIGXCPU at the soft limit tells the parent why the process ended.
        "RLIMIT_CPU": (seconds, seconds + 1),
        "RLIMIT_FSIZE": (0, 0),
        "RLIMIT_NOFILE": (_OPEN_FILES_MAX, _OPEN_FILES_MAX),
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_NPROC": (0, 0),
    }
    for name, (soft, hard) in wanted.items():
        # Some systems lack some, and macOS refuses some. The parent's limits hold there too.
        with suppress(AttributeError, ValueError, OSError):
            number: int = getattr(resource, name)
            inherited = resource.getrlimit(number)[1]
            limit = hard if inherited == resource.RLIM_INFINITY else inherited
            resource.setrlimit(number, (min(soft, limit), min(hard, limit)))


def install_audit_hook() -> None:  # pragma: no cover - see above
    """Refuse sockets, other programs and writing to files until this process ends."""
    sys.addaudithook(refuse)


def refuse(event: str, arguments: tuple[object, ...]) -> None:
    """Check one audit event.

    Raises:
        PermissionError: The event is not allowed.
    """
    if event in _REFUSED or event.startswith(_REFUSED_PREFIXES):
        raise PermissionError(f"not allowed while a document is read: {event}")
    if event == "open" and _would_write(arguments):
        raise PermissionError("not allowed while a document is read: writing to a file")


def _would_write(arguments: tuple[object, ...]) -> bool:
    """Check the arguments of `open`: path, mode, flags; `os.open` has no mode."""
    mode, flags = arguments[1], arguments[2]
    if isinstance(mode, str) and set(mode) & set("wax+"):
        return True
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
