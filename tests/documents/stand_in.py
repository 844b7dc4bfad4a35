"""Programs that stand in for the worker, to end as no honest worker does."""

import os
import sys

import psutil

ANSWER = '{"text": "t", "sections": [["A", 0]], "truncated": true, "notes": ["n"]}'


def program(script: str) -> list[str]:
    """Run a script; `answer()` prints a good answer."""
    preface = f"import sys, os, signal, time, json\ndef answer(): sys.stdout.write({ANSWER!r})\n"
    return [sys.executable, "-c", preface + script]


def children() -> list[psutil.Process]:
    """List the child processes of this one, the dead and unburied included; no servers of other tests."""
    return [each for each in psutil.Process().children() if each.pid not in _OTHERS]


_OTHERS: set[int] = set()


def leave_aside_what_runs() -> None:
    """Count none of the present child processes from now on."""
    _OTHERS.update(each.pid for each in psutil.Process().children())


def unmeasured_environment() -> dict[str, str]:
    """Give this environment without what makes a child measure its coverage."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
