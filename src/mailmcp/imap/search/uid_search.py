"""UID SEARCH and UID SORT: one search sent, its response read.

RFC 9051 section 6.4.4; extended results by RFC 4731, SORT by RFC 5256, limits by RFC 9738.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from operator import lt

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.errors import protocol_error
from mailmcp.imap.pipeline import Replies, Steps
from mailmcp.imap.search.order import Position
from mailmcp.imap.search.plan import Plan
from mailmcp.imap.session import Session

UidRange = tuple[int, int | None]
"""The lowest and the highest UID; None for no end."""

EVERY_UID: UidRange = (1, None)

COUNT_ALL = Command(name="SEARCH", arguments=[b"RETURN", b"(COUNT)", b"ALL"], uid=True)
"""Counts the messages that can be found; `parse_count` reads the response."""

_UID_MAX = 2**32 - 1
_UID_DIGITS = 19
"""Digits to read of a number: enough to see that it isn't a UID, and no more than an array holds."""

_NUMBERS = re.compile(rb"\d+")
_ESEARCH_ALL = re.compile(rb"\bALL (\d+(?::\d+)?(?:,\d+(?::\d+)?)*)(?= |$)", re.IGNORECASE)
_ESEARCH_PARTIAL = re.compile(rb"\bPARTIAL \(1:\d{1,10} (NIL|[\d:,]+)\)", re.IGNORECASE)
_ESEARCH_COUNT = re.compile(rb"\bCOUNT (\d{1,10})(?= |$)", re.IGNORECASE)
_LOWEST_SEARCHED = re.compile(rb"\d{1,10} (\d{1,10})")
_LIMITED = "The server searches a limited number of messages: older ones were not searched."


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The messages that the server found."""

    uids: "array[int]"
    """Each once; in the order of the sort key if `is_sorted`, otherwise ascending."""

    exists: int
    """Messages in the mailbox at that time."""

    counted: int | None = None
    """Matches in the range that was only to be counted; None if the server didn't count them."""

    is_sorted: bool = False
    is_extended: bool = False
    """Whether the response was an ESEARCH."""

    statements: tuple[str, ...] = ()
    complete: bool = True


def uid_search(
    session: Session,
    plan: Plan,
    uids: UidRange = EVERY_UID,
    *,
    extended: bool,
    count: UidRange | None = None,
) -> Steps[Found | RefusedError | None]:
    """Search for the keys of a plan in a range of UIDs.

    One round trip. A server that stops on the way down (MESSAGELIMIT) is asked again below.

    Args:
        session: Used for its account only; another mailbox may be selected meanwhile.
        plan: Supplies the keys.
        uids: The UIDs to search.
        extended: Whether to ask for an ESEARCH response: ranges, so it is short whatever it finds.
        count: Other UIDs, in which to count the matches in the same round trip; only if `extended`.

    Returns:
        None if the response can't be read.
    """
    low, high = uids
    found = array("Q")
    counted: int | None = None
    rounds = limits.SEARCH_ROUNDS_MAX
    counting = [_search_command(plan, count, b"(COUNT)")] if count and extended else []
    while True:
        command = _search_command(plan, (low, high), b"(COUNT ALL)" if extended else b"")
        responses = yield [command, *counting]
        reply, *counts = responses.replies
        if isinstance(reply, RefusedError):
            return reply
        # A server may run searches in parallel and mix their responses.
        lines = [line for each in (reply, *counts) for line in _esearch_lines(each)]
        for each in counts:
            if not isinstance(each, RefusedError) and "MESSAGELIMIT" not in each.untagged:
                counted = parse_count(lines, tag=each.tag)
        counting = []
        # Some servers send a plain response whatever was requested.
        is_extended = extended and "SEARCH" not in reply.untagged
        if is_extended:
            own = [
                line for line in lines if not counts or (isinstance(line, bytes) and _is_for(line, reply.tag))
            ]
            numbers = parse_esearch(own, tag=reply.tag)
        else:
            numbers = parse_search(reply.untagged.get("SEARCH", ()))
        if numbers is None:
            return None
        found = part_of(_in_order(numbers), (low, high)) + found
        lowest = _lowest_searched(reply)
        limited = lowest is not None and not 0 < lowest <= low
        rounds -= 1
        if not (limited and lowest and rounds):
            break
        high = lowest - 1
    return Found(
        uids=_checked_uids(session, found, found[:1] + found[-1:]),
        exists=responses.mailbox.exists,
        counted=counted,
        is_extended=is_extended,
        statements=(_LIMITED,) if limited else (),
        complete=not limited,
    )


def uid_count(plan: Plan, uids: UidRange) -> Steps[int | None]:
    """Count the matches in a range of UIDs, by ESEARCH; one round trip. None if the server doesn't count."""
    [reply] = (yield [_search_command(plan, uids, b"(COUNT)")]).replies
    if isinstance(reply, RefusedError) or "MESSAGELIMIT" in reply.untagged:
        return None
    return parse_count(_esearch_lines(reply), tag=reply.tag)


def uid_sort(session: Session, plan: Plan, key: bytes) -> Steps[Found | RefusedError | None]:
    """Let the server sort the messages that match a plan; one round trip.

    Returns:
        None if the server sorted only some of them (MESSAGELIMIT).
    """
    charset = b"UTF-8" if plan.needs_utf8 else b"US-ASCII"
    arguments = [b"(" + key + b")", charset, *(plan.keys or [b"ALL"])]
    responses = yield [Command(name="SORT", arguments=arguments, uid=True)]
    [reply] = responses.replies
    if isinstance(reply, RefusedError):
        return reply
    if _lowest_searched(reply) is not None:
        return None
    numbers = array("Q", dict.fromkeys(parse_search(reply.untagged.get("SORT", ()))))
    uids = _checked_uids(session, numbers, numbers)
    return Found(uids=uids, exists=responses.mailbox.exists, is_sorted=True)


def uid_sort_largest(
    session: Session, plan: Plan, after: Position | None, limit: int
) -> Steps[Found | RefusedError | None]:
    """Let the server find the largest messages after a position; one round trip (RFC 5267).

    Messages of one size come by UID, lowest first (RFC 5256 section 3).

    Args:
        session: As for `uid_search`.
        plan: Supplies the keys.
        after: UID and size; None for none.
        limit: How many messages to find; `Found.counted` has how many follow.

    Returns:
        None if the response can't be read.
    """
    charset = b"UTF-8" if plan.needs_utf8 else b"US-ASCII"
    keys = list(plan.keys)
    if after is not None:
        higher = format_range((after.uid + 1, _UID_MAX))
        keys += [b"SMALLER", b"%d" % (after.rank + 1), b"OR", b"SMALLER", b"%d" % after.rank, b"UID", higher]
    options = [b"RETURN", b"(COUNT PARTIAL 1:%d)" % limit, b"(REVERSE SIZE)", charset]
    responses = yield [Command(name="SORT", arguments=[*options, *(keys or [b"ALL"])], uid=True)]
    [reply] = responses.replies
    if isinstance(reply, RefusedError):
        return reply
    lines = [line for line in _esearch_lines(reply) if isinstance(line, bytes) and _is_for(line, reply.tag)]
    partial = _ESEARCH_PARTIAL.search(lines[0]) if len(lines) == 1 else None
    count = parse_count(lines, tag=reply.tag)
    if partial is None or count is None:
        return None
    numbers = array("Q") if partial[1].upper() == b"NIL" else _expand(partial[1], limit=limit)
    if len(numbers) != min(limit, count) or len(set(numbers)) < len(numbers):
        return None
    return Found(
        uids=_checked_uids(session, numbers, numbers),
        exists=responses.mailbox.exists,
        counted=count - len(numbers),
        is_sorted=True,
    )


def _search_command(plan: Plan, uids: UidRange, options: bytes) -> Command:
    """Write a search; without `options` the response is to be a plain one."""
    arguments = [b"RETURN", options] if options else []
    if plan.needs_utf8:
        arguments += [b"CHARSET", b"UTF-8"]
    if uids != EVERY_UID:
        arguments += [b"UID", format_range(uids)]
    return Command(name="SEARCH", arguments=[*arguments, *(plan.keys or [b"ALL"])], uid=True)


def format_range(uids: UidRange) -> bytes:
    """Format a range of UIDs as a sequence set."""
    low, high = uids
    return b"%d:%b" % (low, b"*" if high is None else b"%d" % high)


def part_of(uids: "array[int]", wanted: UidRange) -> "array[int]":
    """Return the part of ascending UIDs that is in a range."""
    low, high = wanted
    return uids[bisect_left(uids, low) : None if high is None else bisect_right(uids, high)]


def _lowest_searched(reply: Response) -> int | None:
    """Return how far down the server looked if it stopped on the way (RFC 9738); 0 if it doesn't say."""
    if "MESSAGELIMIT" not in reply.untagged:
        return None
    limit = reply.untagged["MESSAGELIMIT"][-1]
    match = _LOWEST_SEARCHED.fullmatch(limit) if isinstance(limit, bytes) else None
    return int(match[1]) if match else 0


def _checked_uids(session: Session, numbers: "array[int]", extremes: "array[int]") -> "array[int]":
    """Return numbers as UIDs. `extremes` are some of them, with the lowest and the highest."""
    if extremes and not 0 < min(extremes) <= max(extremes) <= _UID_MAX:
        raise protocol_error(session.account.account_id, "found a message with an impossible UID")
    return array("I", numbers)


def _in_order(numbers: "array[int]") -> "array[int]":
    """Return the numbers ascending, each once; nearly all servers send them so."""
    if all(map(lt, numbers, islice(numbers, 1, None))):
        return numbers
    return array("Q", sorted(set(numbers)))


def _esearch_lines(reply: Response | RefusedError) -> Sequence[object]:
    response = reply.response if isinstance(reply, RefusedError) else reply
    return response.untagged.get("ESEARCH", ())


def _is_for(line: bytes, tag: bytes) -> bool:
    return b'"' + tag + b'"' in line


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
    if count is None or int(count[1]) > limits.SEARCH_UIDS_MAX:
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
    responses = [each.response if isinstance(each, RefusedError) else each for each in replies]
    lines = [
        line for each in responses for line in each.untagged.get("ESEARCH", ()) if isinstance(line, bytes)
    ]
    own = replies[len(replies) - count :] if len(replies) >= count else []
    return [
        None
        if isinstance(reply, RefusedError)
        else parse_esearch([line for line in lines if b'"' + reply.tag + b'"' in line], tag=reply.tag)
        for reply in own
    ]


def parse_count(lines: Sequence[object], *, tag: bytes) -> int | None:
    """Parse the COUNT of the ESEARCH response for `tag`; None if there is none."""
    for line in lines:
        if isinstance(line, bytes) and _is_for(line, tag) and (count := _ESEARCH_COUNT.search(line)):
            return int(count[1])
    return None


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
