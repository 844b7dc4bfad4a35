"""Counting tokens, of one current vocabulary (o200k_base)."""

import json

import bpe_openai
from mcp import Client

_ENCODING = bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Count what a text costs a model."""
    return len(_ENCODING.encode_ordinary(text))


def count_json_tokens(value: object) -> int:
    """Count what a value costs as compact JSON."""
    return count_tokens(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


async def count_listed_tokens(client: Client) -> tuple[int, int]:
    """Count what the list of tools costs as it arrives: on the way the keys of schemas change their order.

    Returns:
        How many tools there are, and the tokens of all.
    """
    tools = (await client.list_tools()).tools
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    return len(listed), count_json_tokens(listed)
