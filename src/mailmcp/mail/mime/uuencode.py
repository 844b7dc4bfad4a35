"""Files that stand uuencoded inside a text, as programs sent them before MIME.

Each is replaced by one line that names it, so that it does not flood the text.
"""

import re
from collections.abc import Sequence
from typing import Final

from mailmcp.mail.clean import clean_line
from mailmcp.mail.mime.structure import clean_filename

_BEGIN: Final = re.compile(r"begin(?:-base64)? [0-7]{3,4} (\S.{0,254})")
_LINES_MIN: Final = 2  # "begin 644 x" may be prose; two lines of the right length are not
_OCTETS_A_LINE_MAX: Final = 45


def replace_uuencoded(text: str) -> str:
    """Replace each uuencoded file by ``[uuencoded file "note.txt", 12 lines]``; the rest stays.

    A block counts from ``begin`` on, as far as its lines have the length that their
    first character says (POSIX uuencode); the final ``end`` may be missing.

    Args:
        text: Lines parted by newlines.
    """
    if "begin" not in text:
        return text
    lines = text.split("\n")
    kept: list[str] = []
    at = 0
    while at < len(lines):
        begin = _BEGIN.fullmatch(lines[at].rstrip("\r "))
        end = _block_end(lines, at + 1) if begin else at
        if begin is None or end - at <= _LINES_MIN:
            kept.append(lines[at])
            at += 1
            continue
        name = clean_filename(begin[1]) or clean_line(begin[1]).text
        kept.append(f'[uuencoded file "{name}", {end - at} lines]')
        at = end
    return "\n".join(kept)


def _block_end(lines: Sequence[str], at: int) -> int:
    """Find the number of the first line after the block whose data begin at line `at`."""
    while at < len(lines) and _is_data(lines[at]):
        at += 1
    # The last line of data is of length 0, written "`" or " "; mailers make it empty.
    last = at + 1 if at < len(lines) and lines[at].strip() in ("`", "") else at
    if last < len(lines) and lines[last].rstrip() == "end":
        return last + 1
    return last if last > at and lines[at].strip() else at


def _is_data(line: str) -> bool:
    """Tell whether a line has the length that its first character says; trailing spaces may be lost."""
    if not line or not " " < line[0] < "`":
        return False
    octets = ord(line[0]) - ord(" ")
    if octets > _OCTETS_A_LINE_MAX or not all(" " <= character <= "`" for character in line):
        return False
    digits = -(-octets // 3) * 4
    # Some encoders leave the padding out, some add one check character; mailers strip spaces at the end.
    return len(line) - 1 <= digits + 1 and len(line) - 1 >= digits - 3
