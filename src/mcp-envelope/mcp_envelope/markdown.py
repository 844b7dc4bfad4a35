"""Writes other people's text into the server's own lines, so that it can't be mistaken for them.

Such text is between double quotes (`quote`) or, if it is to be copied exactly, in a code span (`code`,
`code_json`). It can't end its line or its quotes, and what has a meaning in Markdown or HTML is escaped,
since clients render it. They may also normalize it, which turns a few other characters into ASCII.
"""

import json
import re
import unicodedata

_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LINE_ENDS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_MARKUP = re.compile(
    r"(?P<plain>(?<=\ )(?:\*+|_+|~+)(?=\ )|(?<=[^\W_])_+(?=[^\W_]))"
    r"|[\\`*_\[~]|<(?=[A-Za-z/!?]|[^\s<>@]+@)|&(?=#?\w{1,31};)"
)
"""What has a meaning in a line. `plain` has none (CommonMark 6.2): delimiters between spaces, and underscores
in a word. Nor has a bar: no value can be the second line that a table needs. An address in angle brackets is
a link (6.5), whatever it begins with."""

_ESCAPED = re.compile(r"\\([\\`*_\[\]<>#|~&])")
_BIDI_OR_INVISIBLE = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
"""Characters that no value needs: they are invisible, or change the direction of the text."""

_INVISIBLE = (
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u2d7f\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001107f\U00013430-\U00013442\U00013447-\U00013455\U00016fe4\U0001bc9d\U0001bca0-\U0001bca3"
    "\U0001d159\U0001d173-\U0001d17a\U0001da9b-\U0001da9f\U0001daa1-\U0001daaf\U000e0000-\U000e0fff"
    + "".join(f"{chr(end - 1)}{chr(end)}" for end in range(0xFFFF, 0x110000, 0x10000))  # noncharacters
)
"""Controls, line breaks and what draws nothing (Default_Ignorable_Code_Point, Bidi_Control, fillers …)."""

_OTHER_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f"
"""Spaces that look like the one in ASCII: whoever copies a name would write that one."""

_BACKTICKS = "`\u1fef\uff40"
"""The one that is meant, and those that become one when text is normalized (NFC, NFKC)."""

_NOT_IN_CODE = re.compile(f"[{_BACKTICKS}{_INVISIBLE}{_OTHER_SPACES}]")


def quote(value: str) -> str:
    """Write `value` between double quotes, escaped, on one line; "" if it is blank."""
    text = escape(_BIDI_OR_INVISIBLE.sub("\ufffd", value)).replace('"', '\\"')
    return f'"{text}"' if text else ""


def one_line(text: str, *, indented: bool = False) -> str:
    """Put a sentence on one line; spaces stay as they are, because a code span in it is to be copied.

    Spaces in front of an `indented` line stay, too.
    """
    line = _LINE_ENDS.sub(" ", text)
    return line.rstrip() if indented else line.strip()


def escape(value: str) -> str:
    """Write `value` in NFC on one line with Markdown's special characters escaped; may be empty."""
    line = unicodedata.normalize("NFC", _BREAKS.sub(" ", value).strip())
    return _MARKUP.sub(lambda match: match[0] if match["plain"] else f"\\{match[0]}", line)


def unescape(value: str) -> str:
    """Remove the backslashes of `escape` from a value that a reader sends back.

    Anything that `escape` wouldn't write is returned unchanged: Windows paths, anything with double quotes.
    """
    plain = _ESCAPED.sub(r"\1", value)
    return plain if '"' not in value and escape(plain) == value else value


def code(value: str) -> str:
    """Write `value` as a code span on one line (CommonMark 6.1), for ids and names that are to be copied.

    It is a JSON string if it is empty, contains a backtick or its like, invisible characters or odd spaces,
    starts with a double quote, starts or ends with a space, or isn't in NFC.
    """
    is_plain = (
        value == value.strip() and not value.startswith('"') and unicodedata.is_normalized("NFC", value)
    )
    return f"`{value}`" if value and is_plain and not _NOT_IN_CODE.search(value) else code_json(value)


def code_json(value: object) -> str:
    """Write JSON as a code span, with backticks, invisible characters and odd spaces escaped.

    If it isn't in NFC, in which it would look like another one, all but ASCII is escaped.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if not unicodedata.is_normalized("NFC", text):
        text = json.dumps(value, separators=(",", ":"))
    return f"`{_NOT_IN_CODE.sub(_escape_json, text)}`"


def _escape_json(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True))
