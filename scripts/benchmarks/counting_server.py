"""`mailmcp serve`, counting its own functions as they are called; started by `functions.py`.

At SIGUSR1 it writes the functions called since the last one, as JSON, into the FIFO that its first argument
names, and starts again from nothing. The other arguments are those of `mailmcp`.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_ROOT = Path(__file__).parents[2]
_PACKAGES = tuple(f"{_ROOT / folder}{os.sep}" for folder in ("src/mailmcp", "src/mcp-envelope/mcp_envelope"))
_INLINED = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"}
"""Comprehensions, which later versions of Python don't call, and generators that are written like them."""

_called: set[CodeType] = set()


def _note(frame: FrameType, event: str, _argument: Any) -> None:
    if event == "call":
        _called.add(frame.f_code)


def _report(_number: int, _frame: FrameType | None) -> None:
    codes = {code for code in _called.copy() if code.co_filename.startswith(_PACKAGES)}
    functions = sorted(
        (str(Path(code.co_filename).relative_to(_ROOT)), code.co_firstlineno, code.co_qualname)
        for code in codes
        if code.co_name not in _INLINED
    )
    with Path(sys.argv[1]).open("w", encoding="utf-8") as fifo:
        json.dump(functions, fifo)
    _called.clear()


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, _report)
    threading.setprofile(_note)
    sys.setprofile(_note)

    from mailmcp.cli.main import cli

    cli(sys.argv[2:], prog_name="mailmcp")
