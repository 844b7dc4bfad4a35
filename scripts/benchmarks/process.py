"""What a process costs: its start beside a bare server of the SDK, its list of tools, its memory."""

import os
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from mcp import StdioServerParameters
from scripts.benchmarks.calls import SEARCH, Site
from scripts.benchmarks.host import connected, hosted, serve_command
from scripts.benchmarks.rows import Row
from scripts.benchmarks.vocabulary import count_listed_tokens

START_RATIO_MAX = 1.4
"""Above the SDK's own imports, which nobody who uses it can avoid."""

TOKENS_A_TOOL_MAX = 650
RSS_MAX_MB = 120
"""A host runs a dozen servers beside a browser; imports alone take half of this."""

PAGE_SIZE = 100
_MB = 1e6
_BARE = StdioServerParameters(
    command=sys.executable, args=[os.fspath(Path(__file__).with_name("bare_server.py"))]
)


async def measure_start(site: Site, *, pairs: int) -> list[Row]:
    """Measure start-up in pairs with the bare server; the first pair fills the caches of files."""
    ours = serve_command(site.server.host, site.server.plain_port, site.ann)
    taken = [
        [await _first_list_ms(server) for server in ((_BARE, ours) if turn % 2 else (ours, _BARE))][
            :: -1 if turn % 2 else 1
        ]
        for turn in range(pairs + 1)
    ][1:]
    async with connected(ours) as client:
        tools, tokens = await count_listed_tokens(client)
    ratio = median(mine / bare for mine, bare in taken)
    section = "process"
    return [
        Row(section=section, name="spawn to tools/list", value=median(mine for mine, _ in taken), unit="ms"),
        Row(section=section, name="times a bare server", value=ratio, unit="x", limit=START_RATIO_MAX),
        Row(
            section=section,
            name="tokens of tools/list, a tool",
            value=tokens / tools,
            unit="",
            limit=TOKENS_A_TOOL_MAX,
        ),
    ]


async def _first_list_ms(server: StdioServerParameters) -> float:
    began = perf_counter()
    async with connected(server) as client:
        await client.list_tools()
        return (perf_counter() - began) * 1000


async def measure_paging(site: Site, messages: int) -> list[Row]:
    """Follow cursors to the oldest message: each comes by once, and the memory stays small."""
    ids: list[str] = []
    arguments: dict[str, object] = {"limit": PAGE_SIZE}
    async with hosted(site.server.host, site.server.plain_port, site.ann) as host:
        while arguments:
            page = await host.data(SEARCH, arguments)
            ids += [row["message_id"] for row in page["messages"]]
            cursor = page.get("next_cursor")
            arguments = {"cursor": cursor} if cursor and len(ids) <= messages else {}
        rss_mb = host.process.memory_info().rss / _MB
    wrong = abs(messages - len(set(ids))) + len(ids) - len(set(ids))
    name = f"memory after {messages // PAGE_SIZE} pages"
    return [
        Row(section="process", name=name, value=rss_mb, unit="MB", limit=RSS_MAX_MB),
        Row(section="process", name="messages missing or twice there", value=wrong, unit="", limit=0),
    ]
