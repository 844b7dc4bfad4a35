"""How long a host waits: from starting the process to the answer to its first `tools/list`."""

import os
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from mcp import StdioServerParameters

from scripts.benchmarks.host import connected, serve_command
from scripts.benchmarks.plan import Plan
from scripts.benchmarks.rows import Pair, Row, Target, median_ratio
from scripts.benchmarks.site import Site

RATIO_MAX = 1.15
"""Above the SDK's own imports, which nobody who uses it can avoid."""

BARE = StdioServerParameters(
    command=sys.executable, args=[os.fspath(Path(__file__).with_name("bare_server.py"))]
)


async def measure_startup(site: Site, plan: Plan) -> list[Row]:
    """Measure start-up in pairs with the bare server, by turns before and after it."""
    ours = serve_command(site.host, site.port, site.login)
    pairs: list[Pair] = []
    # The first pair fills the caches of files and is dropped.
    for turn in range(plan.startup_pairs + 1):
        order = (BARE, ours) if turn % 2 else (ours, BARE)
        taken = {server.command: await _first_list_ms(server) for server in order}
        pairs.append(Pair(ours_ms=taken[ours.command], floor_ms=taken[BARE.command]))
    del pairs[0]
    ratio = median_ratio(pairs)
    return [
        Row(
            section="start-up",
            name="process to first tools/list",
            value=median(pair.ours_ms for pair in pairs),
            unit="ms",
            floor=median(pair.floor_ms for pair in pairs),
            ratio=ratio,
            targets=(Target(text=f"≤ {RATIO_MAX} x", found=ratio, most=RATIO_MAX),),
        )
    ]


async def _first_list_ms(server: StdioServerParameters) -> float:
    began = perf_counter()
    async with connected(server) as client:
        await client.list_tools()
        return (perf_counter() - began) * 1000
