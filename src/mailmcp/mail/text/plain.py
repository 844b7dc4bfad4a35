"""Plain text as it was sent to plain text as it is read.

Joins format=flowed paragraphs (RFC 3676), takes text out of its cleartext OpenPGP signature
(RFC 9580 section 7) and replaces the uuencoded files that programs sent before MIME. Signatures
are not checked.
"""

import re
from collections.abc import Sequence
from typing import Final

from mailmcp.mail.clean import clean_line
from mailmcp.mail.mime.structure import clean_filename

_SEPARATOR: Final = "-- "

_SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE: Final = "-----BEGIN PGP SIGNATURE-----"
_END: Final = "-----END PGP SIGNATURE-----"
_ENCRYPTED: Final = re.compile(
    r"^-----BEGIN PGP MESSAGE(?:, PART \d{1,4}(?:/\d{1,4})?)?-----[ \t\r]*$", re.MULTILINE
)
_ARMOUR_HEADER: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,40}: ")
_ARMOUR_HEADERS_MAX: Final = 20

_UU_BEGIN: Final = re.compile(r"begin(?:-base64)? [0-7]{3,4} (\S.{0,254})")
_UU_LINES_MIN: Final = 2  # "begin 644 x" may be prose; two lines of the right length are not
_UU_LINE_OCTETS_MAX: Final = 45


def unflow(text: str, *, delete_space: bool) -> str:
    """Join soft-broken lines, so that a paragraph is one line again.

    Args:
        text: With newlines; as sent, trailing spaces included.
        delete_space: The DelSp parameter: the space that marks a soft break is not part of the text
            (section 4.1).

    Returns:
        The text. Quoted paragraphs begin with their ``>`` marks and a space. A signature separator
        (``-- ``) is never joined (section 4.3).
    """
    paragraphs: list[str] = []
    open_depth = -1  # quote depth of the paragraph that goes on, or -1
    for line in text.split("\n"):
        depth, content = _split_quote(line)
        signature = content == _SEPARATOR
        flows = content.endswith(" ") and not signature
        piece = content[:-1] if flows and delete_space else content
        if open_depth == depth and not signature:
            paragraphs[-1] += piece
        else:
            paragraphs.append(_join_quote(depth, piece))
        open_depth = depth if flows else -1
    return "\n".join(line.rstrip(" ") if line != _SEPARATOR else line for line in paragraphs)


def read_clear_signed(text: str) -> tuple[str, bool]:
    """Remove cleartext signatures, their armour and dash-escapes; the text before and after stays.

    Returns:
        The text, and whether any of it was clear-signed.
    """
    if _SIGNED not in text:
        return text, False
    lines = text.split("\n")
    kept: list[str] = []
    signed = False
    at = 0
    while at < len(lines):
        if lines[at].rstrip() != _SIGNED:
            kept.append(lines[at])
            at += 1
            continue
        signed = True
        at = _after_headers(lines, at + 1)
        while at < len(lines) and lines[at].rstrip() != _SIGNATURE:
            kept.append(lines[at].removeprefix("- "))
            at += 1
        while at < len(lines) and lines[at].rstrip() != _END:
            at += 1
        at += 1
    return "\n".join(kept), signed


def holds_encrypted(text: str) -> bool:
    """Return whether the text holds an encrypted OpenPGP message."""
    return "-----BEGIN PGP MESSAGE" in text and _ENCRYPTED.search(text) is not None


def replace_uuencoded(text: str) -> str:
    """Replace each uuencoded file with ``[uuencoded file "note.txt", 12 lines]``.

    A block runs from ``begin`` as far as its lines have the length that their first character
    gives (POSIX uuencode). The final ``end`` may be missing.

    Args:
        text: With newlines.
    """
    if "begin" not in text:
        return text
    lines = text.split("\n")
    kept: list[str] = []
    at = 0
    while at < len(lines):
        begin = _UU_BEGIN.fullmatch(lines[at].rstrip("\r "))
        end = _block_end(lines, at + 1) if begin else at
        if begin is None or end - at <= _UU_LINES_MIN:
            kept.append(lines[at])
            at += 1
            continue
        name = clean_filename(begin[1]) or clean_line(begin[1]).text
        kept.append(f'[uuencoded file "{name}", {end - at} lines]')
        at = end
    return "\n".join(kept)


def _split_quote(line: str) -> tuple[int, str]:
    """Split a line into its quote depth and its content, unstuffed (section 4.4)."""
    content = line.lstrip(">")
    return len(line) - len(content), content.removeprefix(" ")


def _join_quote(depth: int, content: str) -> str:
    return f"{'>' * depth} {content}" if depth else content


def _after_headers(lines: list[str], at: int) -> int:
    """Skip the armour headers (``Hash: SHA512``) and the empty line that ends them."""
    for _ in range(_ARMOUR_HEADERS_MAX):
        if at >= len(lines) or _ARMOUR_HEADER.match(lines[at]) is None:
            break
        at += 1
    return at + 1 if at < len(lines) and not lines[at].strip() else at


def _block_end(lines: Sequence[str], at: int) -> int:
    """Return the number of the first line after the block whose data begin at line `at`."""
    while at < len(lines) and _is_data(lines[at]):
        at += 1
    # The last line of data has length 0, written "`" or " "; mailers empty it.
    last = at + 1 if at < len(lines) and lines[at].strip() in ("`", "") else at
    if last < len(lines) and lines[last].rstrip() == "end":
        return last + 1
    return last if last > at and lines[at].strip() else at


def _is_data(line: str) -> bool:
    """Return whether a line has the length that its first character gives, but for lost trailing spaces."""
    if not line or not " " < line[0] < "`":
        return False
    octets = ord(line[0]) - ord(" ")
    if octets > _UU_LINE_OCTETS_MAX or not all(" " <= character <= "`" for character in line):
        return False
    digits = -(-octets // 3) * 4
    # Some encoders omit the padding, some add a check character; mailers strip trailing spaces.
    return len(line) - 1 <= digits + 1 and len(line) - 1 >= digits - 3
