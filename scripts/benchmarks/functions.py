"""How many functions and files of the project one warm call runs through, from request to reply."""

import json
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table
from scripts.benchmarks.cases import GET, SEARCH
from scripts.benchmarks.host import Host, hosted
from scripts.benchmarks.made_mail import make_messages
from scripts.benchmarks.plan import CALL_TIMEOUT_S
from scripts.benchmarks.site import MAILBOX, USER

from servers.dovecot import Dovecot

_MESSAGES = 200
_WORDS = ("report", "budget")
_COLUMNS = {"mailmcp": "src/mailmcp/", "mcp-envelope": "src/mcp-envelope/", "together": "src/"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function that ran."""

    file: str
    line: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmCall:
    """A call, and the functions that ran in the server between request and reply, by file and line."""

    name: str
    functions: Sequence[Function]

    def count(self, folder: str) -> str:
        """Return "functions / files" of one folder."""
        files = [function.file for function in self.functions if function.file.startswith(folder)]
        return f"{len(files)} / {len(set(files))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _CountingHost:
    host: Host
    fifo: Path

    async def call(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], Sequence[Function]]:
        """Call a tool; return its data and the functions that ran."""
        await self._read()
        data, _ = await self.host.call_well(tool, arguments)
        return data, await self._read()

    async def _read(self) -> Sequence[Function]:
        """Read what has run since the last time."""
        self.host.process.send_signal(signal.SIGUSR1)
        with anyio.fail_after(CALL_TIMEOUT_S):
            text = await to_thread.run_sync(self.fifo.read_text, abandon_on_cancel=True)
        return [Function(file=file, line=line, name=name) for file, line, name in json.loads(text)]


async def count_functions() -> list[WarmCall]:
    """Make four calls twice, with other arguments, and count the functions of the second round."""
    with tempfile.TemporaryDirectory() as folder, Dovecot() as server:
        server.fill_before_login(USER, MAILBOX, make_messages(_MESSAGES), flags=[b"\\Seen"])
        fifo = Path(folder) / "functions"
        os.mkfifo(fifo)
        program = (sys.executable, os.fspath(Path(__file__).with_name("counting_server.py")), os.fspath(fifo))
        async with hosted(server.host, server.plain_port, server.user(USER), program=program) as host:
            counting = _CountingHost(host=host, fifo=fifo)
            calls = []
            for word in _WORDS:
                page, search = await counting.call(SEARCH, subject=word)
                _, next_page = await counting.call(SEARCH, cursor=page["next_cursor"])
                _, message = await counting.call(GET, message_id=page["messages"][0]["message_id"])
                _, mailboxes = await counting.call("imap_list_mailboxes")
                calls = [
                    WarmCall(name="search by subject", functions=search),
                    WarmCall(name="next page", functions=next_page),
                    WarmCall(name="get message", functions=message),
                    WarmCall(name="list mailboxes", functions=mailboxes),
                ]
    return calls


def print_functions(calls: Sequence[WarmCall], *, names: bool) -> None:
    """Print the counts as a table; with `names`, each call's functions by file as well."""
    console = Console(soft_wrap=True)
    if names:
        for call in calls:
            console.print(f"{call.name}:", highlight=False, markup=False)
            for file, functions in groupby(call.functions, key=attrgetter("file")):
                listed = ", ".join(f"{function.name}:{function.line}" for function in functions)
                console.print(f"  {file}: {listed}", highlight=False, markup=False)
    table = Table(box=MARKDOWN)
    table.add_column("functions / files of a warm call")
    for column in _COLUMNS:
        table.add_column(column, justify="right")
    for call in calls:
        table.add_row(call.name, *[call.count(folder) for folder in _COLUMNS.values()])
    console.print(table)
