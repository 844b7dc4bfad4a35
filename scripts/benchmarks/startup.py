"""How long a host waits: from starting the process to the answer to its first `tools/list`."""

import os
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from mcp import StdioServerParameters
from scripts.benchmarks.host import connected, serve_command
from scripts.benchmarks.plan import Plan
from scripts.benchmarks.rows import Row, Target, median_ratio
from scripts.benchmarks.site import Site

RATIO_MAX = 1.15
"""Above the SDK's own imports, which nobody who uses it can avoid."""

BARE = StdioServerParameters(
    command=sys.executable, args=[os.fspath(Path(__file__).with_name("bare_server.py"))]
)


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
    return [
        Row(
            section="start-up",
            name="spawn to tools/list",
            value=median(ours_ms),
            unit="ms",
            floor=median(bare_ms),
            ratio=ratio,
            targets=(Target(text=f"≤ {RATIO_MAX} x", found=ratio, most=RATIO_MAX),),
        )
    ]


async def _first_list_ms(server: StdioServerParameters) -> float:
    began = perf_counter()
    async with connected(server) as client:
        await client.list_tools()
        return (perf_counter() - began) * 1000
