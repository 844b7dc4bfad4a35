"""Numbers of things in English, as summaries and warnings have them."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """Write `1 message` or `3 messages`; the plural only where it is more than an s."""
    return f"1 {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def were(count: int, noun: str) -> str:
    """Write `1 hidden passage was` or `3 hidden passages were`."""
    return f"{counted(count, noun)} {'was' if count == 1 else 'were'}"
