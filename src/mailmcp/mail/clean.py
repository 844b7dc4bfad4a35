"""Strangers' text without what nobody can see: invisible and bidirectional control characters.

They hide instructions from people, reorder what people read, and pad tracking texts. Suspects are all of
Default_Ignorable_Code_Point and Bidi_Control, and whatever else draws nothing. A suspect
stays where scripts and emoji need it (Unicode 17, sections 9.2, 12, 13.5 and 23.2; UTS 51). What
is removed is counted, so that a reply can say so.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from mailmcp.limits import NOTICE_CHARS_MAX

_ZWNJ: Final = "\u200c"
_ZWJ: Final = "\u200d"
_EMOJI_STYLE: Final = "\ufe0e\ufe0f"
_BRAILLE_BLANK: Final = "\u2800"
_IDEOGRAPH_VARIANT_MAX: Final = "\U000e011f"  # registered variants use fewer (UTS 37); more only smuggle

INVISIBLE: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls except tab and newline
    "\u00ad\u034f\u061c\u180b-\u180f\u2800\u3164\uffa0"  # soft hyphen, grapheme joiner, blanks, fillers
    "\u115f\u1160\u17b4\u17b5"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2d7f\U0001107f\U00016fe4"  # joiners and fillers of Tifinagh, Brahmi and Khitan
    "\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\ufff0-\ufffb"
    "\U00013430-\U00013442\U00013447-\U00013455\U0001bc9d\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a"
    "\U0001da9b-\U0001da9f\U0001daa1-\U0001daaf\U000e0000-\U000e0fff"
    + "".join(f"{chr(end - 1)}{chr(end)}" for end in range(0xFFFF, 0x110000, 0x10000))  # noncharacters
)
"""The suspects, as the inside of a character class."""

_FLAG_TAGS: Final = tuple(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")  # all that Unicode recommends: England, Scotland, Wales
)
_SUSPECT: Final = re.compile(f"(?<=\U0001f3f4)(?:{'|'.join(_FLAG_TAGS)})|[{INVISIBLE}\ud800-\udfff]")
_BLANK: Final = re.compile(rf"[\s{INVISIBLE}]*+")
_SUSPECT_ASCII: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
"""The suspects in ASCII, found ten times as fast."""

_LINE_SEPARATORS: Final = re.compile("\r\n|[\r\u2028\u2029]")
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SPACES: Final = re.compile(r"\s+")
# Arabic to Meetei Mayek extensions and presentation forms: scripts whose spelling uses joiners.
_JOINING: Final = re.compile(
    f"(?![{INVISIBLE}])"
    "[\u0600-\u08ff\u0900-\u0dff\u0e80-\u109f\u1700-\u18af\u1a20-\u1aaf\u1b00-\u1cff"
    "\ua840-\ua87f\ua8e0-\ua8ff\ua980-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010aff\U00010d00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_EMOJI: Final = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_KEYCAP: Final = re.compile("(?<=[#*0-9])\ufe0f(?=\u20e3)")
"""A digit is drawn on a key only by the mark that follows; elsewhere its selector does nothing."""

_IDEOGRAPH: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_BRAILLE: Final = re.compile("[\u2801-\u28ff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """Text as a person would see it."""

    text: str

    removed: int
    """How many characters were removed. Line ends that were only rewritten do not count."""


def clean_text(text: str) -> Cleaned:
    """Remove invisible and bidirectional control characters.

    Newline and tab stay. CRLF, lone CR and the Unicode line separators become newline.
    Zero-width joiners stay between emoji and in joining scripts; variation selectors stay after
    emoji, ideographs and letters of their own script. The blank of Braille becomes a space
    outside Braille. No combining mark stays at the start, where it would be drawn on whatever comes before
    the text. Lone surrogates become U+FFFD, so that the text can always be encoded.
    """
    lines = kept = text
    suspect = _SUSPECT_ASCII if text.isascii() else _SUSPECT
    if suspect.search(text) is not None:
        lines = _LINE_SEPARATORS.sub("\n", text)
        kept = _SUSPECT.sub(_keep_if_seen, lines)
    if not kept.isascii():
        kept = strip_leading_marks(kept)
    return Cleaned(text=kept, removed=len(lines) - len(kept))


def is_blank(text: str) -> bool:
    """Return whether a text shows nothing but white space; ends at the first character that does."""
    return _BLANK.fullmatch(text) is not None


def clean_line(text: str) -> Cleaned:
    """Clean header-like text as `clean_text` does, and collapse it to one line.

    Line ends, tabs and control characters become a space, so that no value can forge a second
    line. Neither end has a space.
    """
    if text.isascii() and text.isprintable():  # most values
        return Cleaned(text=" ".join(text.split()), removed=0)
    cleaned = clean_text(_CONTROLS.sub(" ", text))
    line = _SPACES.sub(" ", cleaned.text).strip()
    kept = strip_leading_marks(line)
    return Cleaned(text=kept, removed=cleaned.removed + len(line) - len(kept))


def bounded_line(value: str) -> str:
    """Clean a value to one line of at most NOTICE_CHARS_MAX characters; "…" ends what was cut."""
    # Four times as much leaves room for what is removed, and bounds the work.
    return cut_end(clean_line(value[: NOTICE_CHARS_MAX * 4]).text, NOTICE_CHARS_MAX)


def cut_end(text: str, max_chars: int) -> str:
    """Return at most `max_chars` characters: the beginning of a clean text and "…"."""
    return text if len(text) <= max_chars else clean_line(text[: max_chars - 1]).text + "…"


def cut_start(text: str, max_chars: int) -> str:
    """Return at most `max_chars` characters: "…" and the end of a clean text."""
    return text if len(text) <= max_chars else "…" + clean_line(text[1 - max_chars :]).text


def blank_controls(text: str) -> str:
    """Replace each C0 and C1 control character, line ends included, with a space."""
    return _CONTROLS.sub(" ", text)


def strip_leading_marks(text: str) -> str:
    """Remove combining marks from the start of a text, and the spaces and joiners between and after them."""
    end = 0
    for character in text:
        is_mark = character > "\u02ff" and unicodedata.category(character).startswith("M")
        if not is_mark and not (end and character in (" ", _ZWNJ, _ZWJ)):
            break
        end += 1
    return text[end:]


def _keep_if_seen(match: re.Match[str]) -> str:
    """Return the suspect characters where writing needs them, else nothing."""
    character, text = match.group(), match.string
    before = text[match.start() - 1] if match.start() else ""
    after = text[match.end() : match.end() + 1]
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    if character == _BRAILLE_BLANK:
        return character if _BRAILLE.match(before) or _BRAILLE.match(after) else " "
    if character in (_ZWJ, _ZWNJ):
        return character if _joins(character, before, after, text[match.start() - 2 : match.start()]) else ""
    is_keycap = _KEYCAP.match(text, match.start()) is not None
    return character if character in _FLAG_TAGS or is_keycap or _selects(character, before) else ""


def _selects(character: str, before: str) -> bool:
    """Return whether a character chooses how the one before it is drawn."""
    if character in _EMOJI_STYLE:
        return _EMOJI.match(before) is not None
    if "\u180b" <= character <= "\u180f":
        return "\u1820" <= before <= "\u18aa"  # Mongolian letters
    is_variant = "\ufe00" <= character <= "\ufe0d" or "\U000e0100" <= character <= _IDEOGRAPH_VARIANT_MAX
    return is_variant and _IDEOGRAPH.match(before) is not None


def _joins(joiner: str, before: str, after: str, two_before: str) -> bool:
    if before and _JOINING.match(before):
        kind = unicodedata.category(before)
        return kind[0] in "LM" or (kind == "Nd" and joiner == _ZWNJ)  # Persian suffixes follow digits
    if joiner == _ZWNJ or not after or not _EMOJI.match(after):
        return False
    base = two_before[:1] if before and before in _EMOJI_STYLE else before
    return bool(base) and _EMOJI.match(base) is not None
