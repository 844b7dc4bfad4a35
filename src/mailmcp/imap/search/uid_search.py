"""UID SEARCH and UID SORT: what to send, and what the server found; `search_response` reads the responses.

RFC 9051 section 6.4.4; extended results by RFC 4731, SORT by RFC 5256, limits by RFC 9738.
"""

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import islice
from operator import lt
from typing import Final

from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.errors import protocol_error
from mailmcp.imap.pipeline import Steps
from mailmcp.imap.search.plan import Plan, search_command
from mailmcp.imap.search.search_response import (
    esearch_lines,
    lines_for,
    parse_count,
    parse_esearch,
    parse_lowest_searched,
    parse_search,
)
from mailmcp.imap.session import Session

SEARCH_ROUNDS_MAX: Final = 20
"""Searches for one result on servers that look at a limited number of messages (RFC 9738)."""

UidRange = tuple[int, int | None]
"""The lowest and the highest UID; None for no end."""

EVERY_UID: UidRange = (1, None)

_UID_MAX = 2**32 - 1
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
    rounds = SEARCH_ROUNDS_MAX
    counting = [_search_command(plan, count, b"(COUNT)")] if count and extended else []
    while True:
        command = _search_command(plan, (low, high), b"(COUNT ALL)" if extended else b"")
        responses = yield [command, *counting]
        reply, *counts = responses.replies
        if isinstance(reply, RefusedError):
            return reply
        # A server may run searches in parallel and mix their responses.
        lines = esearch_lines(responses.replies)
        for each in counts:
            if not isinstance(each, RefusedError) and "MESSAGELIMIT" not in each.untagged:
                counted = parse_count(lines, tag=each.tag)
        counting = []
        # Some servers send a plain response whatever was requested.
        is_extended = extended and "SEARCH" not in reply.untagged
        if is_extended:
            own = lines_for(lines, reply.tag) if counts else lines
            numbers = parse_esearch(own, tag=reply.tag)
        else:
            numbers = parse_search(reply.untagged.get("SEARCH", ()))
        if numbers is None:
            return None
        part = part_of(_in_order(numbers), (low, high))
        found = part + found if found else part  # most searches have one part, and it may be large
        lowest = parse_lowest_searched(reply)
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
    return parse_count(esearch_lines([reply]), tag=reply.tag)


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
    if parse_lowest_searched(reply) is not None:
        return None
    numbers = array("Q", dict.fromkeys(parse_search(reply.untagged.get("SORT", ()))))
    uids = _checked_uids(session, numbers, numbers)
    return Found(uids=uids, exists=responses.mailbox.exists, is_sorted=True)


def _search_command(plan: Plan, uids: UidRange, options: bytes) -> Command:
    """Write a search; without `options` the response is to be a plain one."""
    within = () if uids == EVERY_UID else (b"UID", format_range(uids))
    return search_command(plan.keys, within=within, returning=options)


def format_range(uids: UidRange) -> bytes:
    """Format a range of UIDs as a sequence set."""
    low, high = uids
    return b"%d:%b" % (low, b"*" if high is None else b"%d" % high)


def part_of(uids: "array[int]", wanted: UidRange) -> "array[int]":
    """Return the part of ascending UIDs that is in a range."""
    low, high = wanted
    first, end = bisect_left(uids, low), len(uids) if high is None else bisect_right(uids, high)
    return uids if end - first == len(uids) else uids[first:end]


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
