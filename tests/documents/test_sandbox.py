"""What a process cannot do any more once it has shut itself in: asked of a process that has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from documents.stand_in import unmeasured_environment

posix = pytest.mark.skipif(os.name != "posix", reason="these limits are those of POSIX systems")

_SHUT_IN = """
import sys, os, io, socket, subprocess, resource, threading
from mailmcp.documents import sandbox
if {limits}:
    sandbox.limit_resources(memory_octets=500_000_000, cpu_s=1)
if {hook}:
    sandbox.install_audit_hook()
try:
    {deed}
except BaseException as error:
    sys.stdout.write(type(error).__name__)
else:
    sys.stdout.write("done")
"""


def shut_in(deed: str, *, limits: bool = False, hook: bool = True) -> subprocess.CompletedProcess[str]:
    """Let a process that is shut in do a deed; it says what came of it."""
    script = _SHUT_IN.format(deed=deed, limits=limits, hook=hook)
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=unmeasured_environment(),
    )


@pytest.mark.parametrize(
    "deed",
    [
        "socket.socket()",
        "subprocess.run(['true'])",
        "os.execv('/bin/true', ['true'])",
        "os.kill(os.getpid(), 9)",
        "open({path!r}, 'w')",
        "os.open({path!r}, os.O_WRONLY | os.O_CREAT)",
        "os.remove({path!r})",
        "__import__('ctypes').CDLL(None)",
    ],
)
@posix
def test_ways_out_are_refused(deed: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("kept", encoding="utf-8")
    assert shut_in(deed.format(path=str(file))).stdout == "PermissionError"
    assert file.read_text(encoding="utf-8") == "kept"


def test_reading_and_loading_modules_go_on(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("text", encoding="utf-8")
    assert shut_in(f"open({str(file)!r}).read(); os.open({str(file)!r}, os.O_RDONLY)").stdout == "done"
    assert shut_in("import pypdf, cryptography.hazmat.primitives.ciphers").stdout == "done"


@posix
def test_time_is_limited_and_the_signal_says_so() -> None:
    run = shut_in("while True: pass", limits=True)
    assert -run.returncode == 24


@posix
@pytest.mark.parametrize("seconds", ["0.2", "0", "-1"])
def test_a_timer_breaks_off_what_runs(seconds: str) -> None:
    deed = f"sandbox.set_timer({seconds}, lambda: sys.exit())\n    while True: pass"
    assert shut_in(deed).stdout == "SystemExit"


@posix
def test_limits_cannot_be_raised_again_by_an_ordinary_user() -> None:
    names = "('FSIZE', 'CORE', 'NOFILE', 'CPU')"
    limits = f"[resource.getrlimit(getattr(resource, 'RLIMIT_' + name)) for name in {names}]"
    deed = f"assert {limits} == [(0, 0), (0, 0), (64, 64), (1, 2)], {limits}"
    assert shut_in(deed, limits=True).stdout == "done"
