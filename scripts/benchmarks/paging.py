"""Memory after a whole mailbox was paged through, and whether every message came by once."""

from time import perf_counter

from scripts.benchmarks.cases import SEARCH
from scripts.benchmarks.host import hosted
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.site import Site

PAGE_SIZE = 100
RSS_MAX_MB = 120.0
"""A host runs a dozen servers beside a browser; imports alone take half of this."""

_MB = 1e6


async def measure_paging(site: Site) -> list[Row]:
    """Follow cursors from the newest message to the oldest."""
    ids: set[str] = set()
    given = pages = 0
    async with hosted(site.host, site.port, site.login) as host:
        await host.call_well("imap_list_accounts", {})  # asks no mail server, and needs all to be loaded
        at_start_mb = host.process.memory_info().rss / _MB
        began = perf_counter()
        arguments: dict[str, object] = {"limit": PAGE_SIZE}
        while arguments:
            page, _ = await host.call_well(SEARCH, arguments)
            ids.update(row["message_id"] for row in page["messages"])
            given += len(page["messages"])
            pages += 1
            cursor = page.get("next_cursor")
            arguments = {"cursor": cursor} if cursor and pages <= site.messages else {}
        took_s = perf_counter() - began
        rss_mb = host.process.memory_info().rss / _MB
    return [
        Row(section="memory", name="RSS before any mail", value=at_start_mb, unit="MB"),
        Row(
            section="memory",
            name=f"RSS after {pages} pages of {PAGE_SIZE}",
            value=rss_mb,
            unit="MB",
            targets=(Target(text=f"≤ {RSS_MAX_MB:.0f} MB", found=rss_mb, limit=RSS_MAX_MB),),
        ),
        Row(
            section="memory",
            name="different messages there",
            value=len(ids),
            unit="",
            targets=(
                Target(
                    text=f"all {site.messages:,} once",
                    found=abs(site.messages - len(ids)) + given - len(ids),
                    limit=0,
                ),
            ),
        ),
        Row(section="memory", name="time for these pages", value=took_s, unit="s"),
    ]
