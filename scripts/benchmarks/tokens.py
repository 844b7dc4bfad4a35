"""What replies cost a model, in tokens of one current vocabulary (o200k_base).

Hosts show a model the text, the structured content, or both.
"""

import json

import bpe_openai
from mcp.types import CallToolResult
from scripts.benchmarks.cases import GET, SEARCH
from scripts.benchmarks.host import hosted, text_of
from scripts.benchmarks.rows import Row
from scripts.benchmarks.site import Site

SECTION = "tokens"


async def measure_tokens(site: Site) -> list[Row]:
    """Count the tokens of the published tools, of a page and of an error."""
    async with hosted(site.host, site.port, site.login) as host:
        listed = await host.client.list_tools()
        page, _ = await host.call(SEARCH, {})
        error, _ = await host.call(GET, {"message_id": "17"})
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
    return [
        _row(f"tools/list, {len(tools)} tools", _json(tools)),
        *_both("page of ten", page),
        *_both("error", error),
    ]


def _both(name: str, result: CallToolResult) -> list[Row]:
    return [
        _row(f"{name}: text", text_of(result)),
        _row(f"{name}: structured", _json(result.structured_content)),
    ]


def _row(name: str, text: str) -> Row:
    tokens = bpe_openai.get_encoding("o200k_base").encode_ordinary(text)
    return Row(section=SECTION, name=name, value=len(tokens), unit="")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
