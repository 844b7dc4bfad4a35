"""Counting tokens, of one current vocabulary (o200k_base)."""

import json

import bpe_openai

_ENCODING = bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Count what a text costs a model."""
    return len(_ENCODING.encode_ordinary(text))


def count_json_tokens(value: object) -> int:
    """Count what a value costs as compact JSON."""
    return count_tokens(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
