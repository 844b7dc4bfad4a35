"""Paragraphs out of format=flowed text (RFC 3676)."""

from typing import Final

_SIGNATURE: Final = "-- "


def unflow(text: str, *, delete_space: bool) -> str:
    """Join soft-broken lines, so that a paragraph is one line again.

    Args:
        text: Lines parted by newlines, as sent, trailing spaces included.
        delete_space: The DelSp parameter: the space that marks a soft break is
            not part of the text (section 4.1).

    Returns:
        The text; quoted paragraphs begin with their ``>`` marks and a space.
        A signature line (``-- ``) is never joined (section 4.3).
    """
    paragraphs: list[str] = []
    open_depth = -1  # quote depth of the paragraph that goes on, or -1
    for line in text.split("\n"):
        depth, content = _unquote(line)
        signature = content == _SIGNATURE
        flows = content.endswith(" ") and not signature
        piece = content[:-1] if flows and delete_space else content
        if open_depth == depth and not signature:
            paragraphs[-1] += piece
        else:
            paragraphs.append(_quote(depth, piece))
        open_depth = depth if flows else -1
    return "\n".join(line.rstrip(" ") if line != _SIGNATURE else line for line in paragraphs)


def _unquote(line: str) -> tuple[int, str]:
    """Split a line into its quote depth and its content, unstuffed (section 4.4)."""
    content = line.lstrip(">")
    return len(line) - len(content), content.removeprefix(" ")


def _quote(depth: int, content: str) -> str:
    return f"{'>' * depth} {content}" if depth else content
