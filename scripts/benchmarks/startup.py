"""How long a host waits: from starting the process to the answer to its first `tools/list`.

And why: the modules that are loaded by then. And the same until a call right behind the list is answered.
"""

import os
import re
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from scripts.benchmarks.host import connected, serve_command
from scripts.benchmarks.plan import CALL_TIMEOUT_S, Plan
from scripts.benchmarks.rows import Row, Target, median_ratio
from scripts.benchmarks.site import Site

SECTION = "start-up"

RATIO_MAX = 1.40
"""Above the SDK's own imports, which nobody who uses it can avoid."""

HEAVY = frozenset(
    {"pypdf", "icalendar", "chardet", "publicsuffixlist", "cryptography", "openpyxl", "lxml", "bs4"}
)
"""Libraries for what few calls need; each is loaded when it is first needed."""

BARE = StdioServerParameters(
    command=sys.executable, args=[os.fspath(Path(__file__).with_name("bare_server.py"))]
)

_IMPORTED = re.compile(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)


async def measure_startup(site: Site, plan: Plan) -> list[Row]:
    """Measure start-up in pairs with the bare server, by turns before and after it."""
    ours = serve_command(site.host, site.port, site.login)
    taken: dict[str, list[float]] = {ours.command: [], BARE.command: []}
    for turn in range(plan.startup_pairs + 1):
        for server in (BARE, ours) if turn % 2 else (ours, BARE):
            taken[server.command].append(await _first_list_ms(server))
    # The first pair filled the caches of files.
    ours_ms, bare_ms = taken[ours.command][1:], taken[BARE.command][1:]
    ratio = median_ratio(ours_ms, bare_ms)
    called_ms = [await _first_call_ms(ours) for _ in range(plan.startup_pairs)]
    loaded, loaded_bare = await _modules(_by_module(ours)), await _modules(BARE)
    heavy = HEAVY & {name.partition(".")[0] for name in loaded - loaded_bare}  # the SDK has some itself
    return [
        Row(
            section=SECTION,
            name="spawn to tools/list",
            value=median(ours_ms),
            unit="ms",
            floor=median(bare_ms),
            ratio=ratio,
            targets=(Target(text=f"≤ {RATIO_MAX:.2f} x", found=ratio, limit=RATIO_MAX),),
        ),
        Row(section=SECTION, name="spawn to a call behind it", value=median(called_ms), unit="ms"),
        Row(
            section=SECTION,
            name="modules loaded",
            value=len(loaded),
            unit="",
            floor=len(loaded_bare),
            targets=(Target(text=" ".join(("no heavy library", *sorted(heavy))), found=len(heavy), limit=0),),
        ),
    ]


async def _first_list_ms(server: StdioServerParameters) -> float:
    began = perf_counter()
    async with connected(server) as client:
        await client.list_tools()
        return (perf_counter() - began) * 1000


async def _first_call_ms(server: StdioServerParameters) -> float:
    began = perf_counter()
    async with connected(server) as client:
        await client.list_tools()
        await client.call_tool("imap_list_accounts", {})
        return (perf_counter() - began) * 1000


def _by_module(server: StdioServerParameters) -> StdioServerParameters:
    """Start mailmcp by its module, so that options can be given to Python."""
    return StdioServerParameters(command=sys.executable, args=["-m", "mailmcp", *server.args], env=server.env)


async def _modules(server: StdioServerParameters) -> frozenset[str]:
    """List what a server has imported when it has answered `tools/list`."""
    timed = server.model_copy(update={"args": ["-X", "importtime", *server.args]})
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        async with Client(stdio_client(timed, errlog=log), read_timeout_seconds=CALL_TIMEOUT_S) as client:
            await client.list_tools()
        log.seek(0)
        modules = frozenset(_IMPORTED.findall(log.read()))
    if "mcp" not in modules:
        raise RuntimeError("Python does not say what it imports")
    return modules
