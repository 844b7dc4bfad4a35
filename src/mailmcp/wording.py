"""Counts of things in English, wherever users or models read them."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return `1 message` or `3 messages`; send `plural` if it is not the noun with an s."""
    return f"1 {noun}" if count == 1 else f"{count} {plural or noun + 's'}"
