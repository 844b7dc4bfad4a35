"""Text without what nobody can see: invisible and bidirectional control characters.

They hide instructions from people, reorder what people read, and pad tracking
texts. Joiners stay where scripts and emoji need them (Unicode 17, sections 9.2,
12 and 23.2; UTS 51). What is taken out is counted, so that a reply can say so.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

_ZWNJ: Final = "\u200c"
_ZWJ: Final = "\u200d"
_EMOJI_STYLE: Final = "\ufe0e\ufe0f"

_SUSPECT: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls but tab and newline
    "\u00ad\u034f\u061c\u180e\u3164\uffa0"  # soft hyphen, grapheme joiner, fillers
    "\u115f\u1160\u17b4\u17b5"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb"
    "\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    "]"
)
_LINE_SEPARATORS: Final = re.compile("\r\n|[\r\u2028\u2029]")
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SPACES: Final = re.compile(r"\s+")

# Arabic to Meetei Mayek extensions and presentation forms: scripts whose spelling uses joiners.
_JOINING: Final = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0e80-\u109f\u1700-\u18af\u1a20-\u1aaf\u1b00-\u1cff"
    "\ua840-\ua87f\ua8e0-\ua8ff\ua980-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010aff\U00010d00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_EMOJI: Final = re.compile(
    "[#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """Text as a person would see it."""

    text: str

    removed: int
    """Characters taken out, from 0; line ends that were only rewritten do not count."""


def clean_text(text: str) -> Cleaned:
    """Take invisible and bidirectional control characters out of text.

    Newline and tab stay; CRLF, lone CR and the Unicode line separators become
    newline. Zero-width joiners stay between emoji and in joining scripts,
    variation selectors after emoji and ideographs. Lone surrogates become
    U+FFFD, so that the text can always be encoded.
    """
    if _SUSPECT.search(text) is None:
        return Cleaned(text=text, removed=0)
    lines = _LINE_SEPARATORS.sub("\n", text)
    kept = _SUSPECT.sub(_keep_if_seen, lines)
    return Cleaned(text=kept, removed=len(lines) - len(kept))


def clean_line(text: str) -> Cleaned:
    """Make header-like text one clean line: as `clean_text`, with white space collapsed.

    Line ends, tabs and control characters become a space, so that no value can
    forge a second line; none at either end.
    """
    cleaned = clean_text(_CONTROLS.sub(" ", text))
    return Cleaned(text=_SPACES.sub(" ", cleaned.text).strip(), removed=cleaned.removed)


def blank_controls(text: str) -> str:
    """Put a space for each C0 and C1 control character, line ends included."""
    return _CONTROLS.sub(" ", text)


def _keep_if_seen(match: re.Match[str]) -> str:
    """Give the suspect character back where writing needs it, else nothing."""
    character, text = match.group(), match.string
    before = text[match.start() - 1] if match.start() else ""
    after = text[match.end() : match.end() + 1]
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    if character in (_ZWJ, _ZWNJ):
        return character if _joins(character, before, after, text[match.start() - 2 : match.start()]) else ""
    if character in _EMOJI_STYLE:
        return character if before and _EMOJI.match(before) else ""
    if "\ufe00" <= character <= "\ufe0d" or "\U000e0100" <= character <= "\U000e01ef":
        return character if before and _is_ideograph(before) else ""
    return ""


def _joins(joiner: str, before: str, after: str, two_before: str) -> bool:
    if before and _JOINING.match(before):
        return True
    if joiner == _ZWNJ or not after or not _EMOJI.match(after):
        return False
    base = two_before[:1] if before and before in _EMOJI_STYLE else before
    return bool(base) and _EMOJI.match(base) is not None


def _is_ideograph(character: str) -> bool:
    return unicodedata.name(character, "").startswith("CJK ")
