"""What the worker takes from itself before it looks at a document.

Limits of the operating system where it has them (Linux has all; macOS does not hold
the memory limit; Windows has none), and on every platform an audit hook that refuses
the ways out of the process. The parent's limits on time and output hold everywhere.

A process that is shut in cannot write what coverage measured, so that the functions
that do it count as not measured; their tests ask such a process what it can still do.
"""

import math
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

_LISTENED_ON: Final = 0
"""stdin: the parent keeps it open for as long as it wants the result."""

_OPEN_FILES_MAX: Final = 64
_SOONEST_S: Final = 0.001
"""A timer of no time would never go off."""

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


def die_with_parent() -> None:  # pragma: no cover - see above
    """End this process when the parent closes the other end of stdin, or dies."""
    threading.Thread(target=_wait_for_end, daemon=True).start()


def _wait_for_end() -> NoReturn:  # pragma: no cover - see above
    while os.read(_LISTENED_ON, 1):
        continue
    os._exit(0)


def call_after(seconds: float, interrupt: Callable[[], None]) -> None:  # pragma: no cover - see above
    """Call `interrupt`, which may raise, in the midst of what runs then; nothing on Windows."""
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, lambda *_: interrupt())
        signal.setitimer(signal.ITIMER_REAL, max(seconds, _SOONEST_S))


def limit_resources(*, memory_octets: int, cpu_s: float) -> None:  # pragma: no cover - see above
    """Set the limits that the platform has, hard: they cannot be raised again."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    seconds = math.ceil(cpu_s)
    wanted = {
        "RLIMIT_AS": (memory_octets, memory_octets),
        # At the soft limit SIGXCPU ends the process, which tells the parent why.
        "RLIMIT_CPU": (seconds, seconds + 1),
        "RLIMIT_FSIZE": (0, 0),
        "RLIMIT_NOFILE": (_OPEN_FILES_MAX, _OPEN_FILES_MAX),
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_NPROC": (0, 0),
    }
    for name, (soft, hard) in wanted.items():
        # Some systems lack some, and macOS refuses some; the parent's limits hold there.
        with suppress(AttributeError, ValueError, OSError):
            number: int = getattr(resource, name)
            inherited = resource.getrlimit(number)[1]
            most = hard if inherited == resource.RLIM_INFINITY else inherited
            resource.setrlimit(number, (min(soft, most), min(hard, most)))


def refuse_ways_out() -> None:  # pragma: no cover - see above
    """Refuse sockets, other programs and writing to files, for the rest of this process's life."""
    sys.addaudithook(refuse)


def refuse(event: str, arguments: tuple[object, ...]) -> None:
    """Judge one audit event.

    Raises:
        PermissionError: It leads out of the process.
    """
    if event in _REFUSED or event.startswith(_REFUSED_PREFIXES):
        raise PermissionError(f"not allowed while a document is read: {event}")
    if event == "open" and _would_write(arguments):
        raise PermissionError("not allowed while a document is read: writing to a file")


def _would_write(arguments: tuple[object, ...]) -> bool:
    """Judge the arguments of `open`: path, mode, flags; `os.open` gives no mode."""
    mode, flags = arguments[1], arguments[2]
    if isinstance(mode, str) and set(mode) & set("wax+"):
        return True
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
