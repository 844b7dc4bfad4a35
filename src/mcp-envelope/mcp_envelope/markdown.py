"""Values of strangers in our lines: whatever they contain, they stay values.

A line of a reply is ours. What someone else wrote stands in it between double quotes
(`quote`) or, where it is to be copied exactly, in a code span (`code`, `code_json`); what
stands outside of both is ours. A value can end neither its line nor its quotes, and
what begins something in Markdown or HTML is escaped, since clients render it.
"""

import json
import re

_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_SPECIAL = re.compile(r"([\\`*\[<|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w{1,31};))")
"""What begins something within a line; an underscore within a word begins nothing (CommonMark 6.2)."""

_ESCAPED = re.compile(r"\\([\\`*_\[\]<>#|~&])")
_TURNING = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
"""No value needs these: they draw nothing, or turn the direction of what follows."""

_UNSEEN = (
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff"
)
"""Controls, ends of lines, and all that draws nothing (Default_Ignorable_Code_Point, Bidi_Control)."""

_NOT_IN_CODE = re.compile(f"[`{_UNSEEN}]")


def quote(value: str) -> str:
    """Write `value` between double quotes, escaped, on one line; "" if there is nothing in it to show."""
    text = escape(_TURNING.sub("\ufffd", value)).replace('"', '\\"')
    return f'"{text}"' if text else ""


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

    As it is, or as a JSON string where it is empty, holds a backtick or what nobody sees, begins
    with a double quote, or has space at an end.
    """
    if not value or _NOT_IN_CODE.search(value) or value.startswith('"') or value != value.strip():
        return code_json(value)
    return f"`{value}`"


def code_json(value: object) -> str:
    """Write JSON as a code span; a backtick, and what nobody sees, is escaped as JSON escapes it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f"`{_NOT_IN_CODE.sub(_escape_json, text)}`"


def _escape_json(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True))
