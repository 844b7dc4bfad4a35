"""Values of strangers inside Markdown: they stay values, whatever they contain.

A line of a reply is one item. A value may neither end its line nor look like the
structure around it, so line breaks become spaces and the characters with which
Markdown, HTML and our own layout begin something are escaped.
"""

import re

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SPECIAL = re.compile(r"([\\`*\[\]<>#|~]|(?<![^\W_])_|_(?![^\W_]))")
"""An underscore within a word begins nothing (CommonMark 6.2): names of files stay as they are."""

_ESCAPED = re.compile(r"\\([\\`*_\[\]<>#|~])")
_BACKTICKS = re.compile(r"`+")


def one_line(text: str) -> str:
    """Put a sentence of the server's own on one line, so that nothing in it can begin another."""
    return _BREAKS.sub(" ", text).strip()


def escape(value: str) -> str:
    """Write `value` on one line with Markdown's special characters escaped; may be empty."""
    return _SPECIAL.sub(r"\\\1", _BREAKS.sub(" ", value).strip())


def unescape(value: str) -> str:
    """Take the backslashes away that `escape` writes, from what a reader sends back.

    What `escape` would not have written so stays as it is: paths of Windows, and all with double quotes.
    """
    plain = _ESCAPED.sub(r"\1", value)
    return plain if '"' not in value and escape(plain) == value else value


def code(value: str) -> str:
    """Write `value` as a code span on one line (CommonMark 6.1): for ids and names that are to be copied.

    Spaces stay as they are, wide and doubled ones too; only what would end the line becomes a space.
    """
    line = _CONTROLS.sub(" ", value)
    longest = max((len(run) for run in _BACKTICKS.findall(line)), default=0)
    if not longest:
        return f"`{line}`"
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}"
