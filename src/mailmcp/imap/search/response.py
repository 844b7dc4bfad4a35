"""Answers to SEARCH as servers give them: plain, extended (RFC 4731), odd."""

import re
from collections.abc import Sequence

from mailmcp import limits
from mailmcp.imap.command import Command

_NUMBERS = re.compile(rb"\d+")
_ESEARCH_ALL = re.compile(rb"\bALL (\d+(?::\d+)?(?:,\d+(?::\d+)?)*)(?= |$)", re.IGNORECASE)
_ESEARCH_COUNT = re.compile(rb"\bCOUNT (\d{1,10})(?= |$)", re.IGNORECASE)
_UID_DIGITS = 20
"""As many are read: enough to see that a number is no UID."""


COUNT_ALL = Command(name="SEARCH", arguments=[b"RETURN", b"(COUNT)", b"ALL"], uid=True)
"""Asks how many messages there are to be found; `parse_count` reads the answer."""


def parse_search(lines: Sequence[object]) -> list[int]:
    """Read untagged SEARCH responses: none, one, several, with empty lines or a MODSEQ at the end.

    iCloud sends odd ones; RFC 7162 section 3.1.5 adds `(MODSEQ n)`. SORT is answered likewise.
    """
    uids: list[int] = []
    for line in lines:
        if isinstance(line, bytes):
            numbers = _NUMBERS.findall(line.partition(b"(")[0])
            uids += (int(number[:_UID_DIGITS]) for number in numbers)
    return uids


def parse_esearch(lines: Sequence[object], *, tag: bytes) -> list[int] | None:
    """Read an ESEARCH response (RFC 4731 section 3.1).

    None if it is not one, or not for our `tag` and for UIDs, or contradicts itself.
    """
    if len(lines) != 1 or not isinstance(lines[0], bytes):
        return None
    head, _, rest = lines[0].rpartition(b")")
    if not head.endswith(b'"' + tag + b'"') or b"UID" not in rest.upper().split():
        return None
    count = _ESEARCH_COUNT.search(rest)
    if count is None or int(count[1]) > limits.SEARCH_UIDS_MAX:
        return None
    ranges = _ESEARCH_ALL.search(rest)
    uids = _expand(ranges[1], most=int(count[1])) if ranges else []
    return uids if len(uids) == int(count[1]) else None


def parse_count(lines: Sequence[object], *, tag: bytes) -> int | None:
    """Read how many an ESEARCH response for `tag` counts; None if it does not say."""
    for line in lines:
        if isinstance(line, bytes) and b'"' + tag + b'"' in line and (count := _ESEARCH_COUNT.search(line)):
            return int(count[1])
    return None


def _expand(sequence_set: bytes, *, most: int) -> list[int]:
    """Name each number of a sequence-set; stops one past `most`, so that a lie costs no memory."""
    numbers: list[int] = []
    for each in sequence_set.split(b","):
        low, _, high = each.partition(b":")
        first = int(low[:_UID_DIGITS])
        last = int(high[:_UID_DIGITS]) if high else first
        if last < first:
            first, last = last, first
        numbers.extend(range(first, min(last, first + most) + 1))
        if len(numbers) > most:
            break
    return numbers
