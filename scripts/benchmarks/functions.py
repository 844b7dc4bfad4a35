"""How many functions and files of ours a call runs through: what somebody has to follow who reads it."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

from scripts.benchmarks.calls import Row

import mailmcp
from servers.dovecot import Dovecot
from tools.desk import Desk
from tools.stores import dovecot_store

_SOURCE = str(Path(mailmcp.__file__).parent)

LIMITS = {"search by subject": (190, 40), "message": (220, 45)}
"""Functions, and files."""


@contextmanager
def _recording() -> Iterator[tuple[set[CodeType], threading.Event]]:
    """Record the functions that run while the event is set, in threads that begin in the block."""
    seen: set[CodeType] = set()
    is_on = threading.Event()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and is_on.is_set():
            seen.add(frame.f_code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield seen, is_on
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def count_functions(server: Dovecot) -> list[Row]:
    """Count them for warm calls of each kind, without lambdas and comprehensions."""
    rows = []
    store = dovecot_store(server, server.user("ann"))
    with _recording() as (seen, is_on), Desk([store.account]) as desk:
        newest = desk.search(limit=1).data["messages"][0]
        calls: dict[str, Callable[[], object]] = {
            "search by subject": lambda: desk.search(subject=newest["subject"]),
            "message": lambda: desk.get(newest["message_id"]),
        }
        for name, call in calls.items():
            call()
            is_on.set()
            call()
            is_on.clear()
            named = [each for each in seen if not each.co_name.startswith("<")]
            ours = [each for each in named if each.co_filename.startswith(_SOURCE)]
            functions, files = LIMITS[name]
            found = {"functions": len(ours), "files": len({each.co_filename for each in ours})}
            rows += [
                Row(section=name, name=what, value=found[what], unit="", limit=limit)
                for what, limit in (("functions", functions), ("files", files))
            ]
            seen.clear()
    return rows
