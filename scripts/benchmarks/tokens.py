"""What replies cost a model, in tokens of one current vocabulary (o200k_base).

Hosts show a model the text, the structured content, or both.
"""

import json

import bpe_openai
from scripts.benchmarks.cases import GET, SEARCH
from scripts.benchmarks.host import hosted, text_of
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.site import Site

SECTION = "tokens"

TOOLS_MAX = 3_000
PAGE_TEXT_MAX = 600
FULL_PAGE_MAX = 2_000
LEAN_PAGE_MAX = 1_000
ERROR_MAX = 150


async def measure_tokens(site: Site) -> list[Row]:
    """Count the tokens of the published tools, of a page with full and with lean rows, and of an error."""
    async with hosted(site.host, site.port, site.login) as host:
        listed = await host.client.list_tools()
        page, _ = await host.call(SEARCH, {})
        error, _ = await host.call(GET, {"message_id": "17"})
    async with hosted(site.host, site.port, site.login, variables={"MAILMCP_ROWS": "lean"}) as host:
        lean, _ = await host.call(SEARCH, {})
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
    return [
        _row(f"tools/list, {len(tools)} tools", _json(tools), most=TOOLS_MAX),
        _row("page of ten: text", text_of(page), most=PAGE_TEXT_MAX),
        _row("page of ten: structured, full rows", _json(page.structured_content), most=FULL_PAGE_MAX),
        _row("page of ten: structured, lean rows", _json(lean.structured_content), most=LEAN_PAGE_MAX),
        _row("error: text", text_of(error), most=ERROR_MAX),
        _row("error: structured", _json(error.structured_content), most=ERROR_MAX),
    ]


def _row(name: str, text: str, *, most: int) -> Row:
    tokens = len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))
    target = Target(text=f"≤ {most:,}", found=tokens, most=most)
    return Row(section=SECTION, name=name, value=tokens, unit="", targets=(target,))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
