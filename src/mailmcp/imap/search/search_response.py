"""The responses to searches: SEARCH and SORT (RFC 9051 section 7.3.4), ESEARCH (RFC 4731), limits (RFC 9738).

A server may work on several commands at a time and mix up their responses. Those of ESEARCH have tags.
"""

import re
from array import array
from collections.abc import Iterable, Sequence
from typing import Final

from mailmcp.imap.command import RefusedError, Response
from mailmcp.imap.pipeline import Replies

SEARCH_UIDS_MAX: Final = 2_000_000
"""UIDs in one result that are expanded from ranges: 72 MB while reading. Twice the largest mailbox tested."""

_UID_DIGITS = 19
"""Digits to read of a number: enough to see that it isn't a UID, and no more than an array holds."""

_NUMBERS = re.compile(rb"\d+")
_ESEARCH_ALL = re.compile(rb"\bALL (\d+(?::\d+)?(?:,\d+(?::\d+)?)*)(?= |$)", re.IGNORECASE)
_ESEARCH_COUNT = re.compile(rb"\bCOUNT (\d{1,10})(?= |$)", re.IGNORECASE)
_LOWEST_SEARCHED = re.compile(rb"\d{1,10} (\d{1,10})")


def esearch_lines(replies: Iterable[Response | RefusedError]) -> list[object]:
    """Return the ESEARCH responses that came with some replies, whosever they are."""
    responses = (each.response if isinstance(each, RefusedError) else each for each in replies)
    return [line for each in responses for line in each.untagged.get("ESEARCH", ())]


def lines_for(lines: Iterable[object], tag: bytes) -> list[bytes]:
    """Return the ESEARCH responses for a tag."""
    return [line for line in lines if isinstance(line, bytes) and b'"' + tag + b'"' in line]


def parse_search(lines: Sequence[object]) -> "array[int]":
    """Parse untagged SEARCH or SORT responses: any number, some empty, a MODSEQ at the end.

    iCloud splits a result over several; RFC 7162 section 3.1.5 adds `(MODSEQ n)`.
    """
    uids = array("Q")
    for line in lines:
        if isinstance(line, bytes):
            end = line.find(b"(")
            numbers = _NUMBERS.finditer(line, 0, end if end >= 0 else len(line))
            uids.extend(int(number[0][:_UID_DIGITS]) for number in numbers)
    return uids


def parse_esearch(lines: Sequence[object], *, tag: bytes) -> "array[int] | None":
    """Parse an ESEARCH response (RFC 4731 section 3.1).

    Returns:
        None unless it is exactly one, for our `tag` and for UIDs, and agrees with itself.
    """
    if len(lines) != 1 or not isinstance(lines[0], bytes):
        return None
    head, _, rest = lines[0].rpartition(b")")
    if not head.endswith(b'"' + tag + b'"') or b"UID" not in rest.upper().split():
        return None
    count = _ESEARCH_COUNT.search(rest)
    if count is None or int(count[1]) > SEARCH_UIDS_MAX:
        return None
    ranges = _ESEARCH_ALL.search(rest)
    uids = _expand(ranges[1], limit=int(count[1])) if ranges else array("Q")
    return uids if len(uids) == int(count[1]) else None


def parse_esearches(replies: Replies, count: int) -> list[Sequence[int] | None]:
    """Parse the responses to the last `count` commands of a burst, all extended searches for UIDs.

    Dovecot works on several commands at a time and mixes their responses, but these have tags.

    Returns:
        For each command what it found; None if it was refused or its response can't be read.
    """
    lines = esearch_lines(replies)
    own = replies[len(replies) - count :] if len(replies) >= count else []
    return [
        None if isinstance(reply, RefusedError) else parse_esearch(lines_for(lines, reply.tag), tag=reply.tag)
        for reply in own
    ]


def parse_count(lines: Sequence[object], *, tag: bytes) -> int | None:
    """Parse the COUNT of the ESEARCH response for `tag`; None if there is none."""
    counts = (_ESEARCH_COUNT.search(line) for line in lines_for(lines, tag))
    return next((int(count[1]) for count in counts if count), None)


def _expand(sequence_set: bytes, *, limit: int) -> "array[int]":
    """List the numbers of a sequence set. Stops past `limit`, so that a false range takes no memory."""
    numbers = array("Q")
    for each in sequence_set.split(b","):
        low, _, high = each.partition(b":")
        first = int(low[:_UID_DIGITS])
        last = int(high[:_UID_DIGITS]) if high else first
        if last < first:
            first, last = last, first
        numbers.extend(range(first, min(last, first + limit) + 1))
        if len(numbers) > limit:
            break
    return numbers


def parse_lowest_searched(reply: Response) -> int | None:
    """Parse how far down the server looked if it stopped on the way (RFC 9738); 0 if it doesn't say."""
    if "MESSAGELIMIT" not in reply.untagged:
        return None
    limit = reply.untagged["MESSAGELIMIT"][-1]
    match = _LOWEST_SEARCHED.fullmatch(limit) if isinstance(limit, bytes) else None
    return int(match[1]) if match else 0
