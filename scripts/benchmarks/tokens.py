"""What the list of tools and replies cost a model, in tokens.

Hosts show a model the text, the structured content, or both.
"""

from scripts.benchmarks.cases import GET, SEARCH
from scripts.benchmarks.host import hosted, text_of
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.site import Site
from scripts.benchmarks.vocabulary import count_json_tokens, count_listed_tokens, count_tokens

from mcp_envelope import Dialect

SECTION = "tokens"

TOOL_MAX = 650
"""On average; a short list of tools is worth more than a complete one."""

PAGE_TEXT_MAX = 600
FULL_PAGE_MAX = 2_000
LEAN_PAGE_MAX = 1_000
ERROR_MAX = 150


async def measure_tokens(site: Site) -> list[Row]:
    """Count the tokens of the published tools, of a page with full and with lean rows, and of an error."""
    async with hosted(site.host, site.port, site.login) as host:
        page, _ = await host.call(SEARCH, {})
        error, _ = await host.call(GET, {"message_id": "17"})
    async with hosted(site.host, site.port, site.login, variables={"MAILMCP_ROWS": "lean"}) as host:
        lean, _ = await host.call(SEARCH, {})
    return [
        *[await _tools(site, dialect) for dialect in Dialect],
        _row("page of ten: text", count_tokens(text_of(page)), limit=PAGE_TEXT_MAX),
        _row(
            "page of ten: structured, full rows",
            count_json_tokens(page.structured_content),
            limit=FULL_PAGE_MAX,
        ),
        _row(
            "page of ten: structured, lean rows",
            count_json_tokens(lean.structured_content),
            limit=LEAN_PAGE_MAX,
        ),
        _row("error: text", count_tokens(text_of(error)), limit=ERROR_MAX),
        _row("error: structured", count_json_tokens(error.structured_content), limit=ERROR_MAX),
    ]


async def _tools(site: Site, dialect: Dialect) -> Row:
    """Count what `tools/list` costs in a dialect; the target is on that of the default."""
    variables = {"MAILMCP_ENVELOPE": dialect.value}
    async with hosted(site.host, site.port, site.login, variables=variables) as host:
        tools, tokens = await count_listed_tokens(host.client)
    target = Target(text=f"≤ {TOOL_MAX} a tool", found=tokens / tools, limit=TOOL_MAX)
    return Row(
        section=SECTION,
        name=f"tools/list, {tools} tools, {dialect.value}",
        value=tokens,
        unit="",
        targets=(target,) if dialect is Dialect.SUMMARY else (),
    )


def _row(name: str, tokens: int, *, limit: int) -> Row:
    target = Target(text=f"≤ {limit:,}", found=tokens, limit=limit)
    return Row(section=SECTION, name=name, value=tokens, unit="", targets=(target,))
