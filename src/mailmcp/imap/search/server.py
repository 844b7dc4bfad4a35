"""SEARCH and SORT: what the server is asked, and what its responses say.

RFC 9051 sections 6.4.4 and 7.3.4; extended results by RFC 4731, SORT by RFC 5256, limits by RFC 9738. An
extension that a server refuses or gets wrong is not used again for a while; what stands in for it is here.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import lt
from typing import Final

from mailmcp.imap.command import Command, RefusedError, Response
from mailmcp.imap.errors import protocol_error, refused_error
from mailmcp.imap.fetch import NUMBER_DIGITS, expand_sequence_set
from mailmcp.imap.pipeline import MailboxTask, Replies, Steps, run_pipelined
from mailmcp.imap.rows import parse_rows
from mailmcp.imap.search.plan import Plan, make_plan, search_command
from mailmcp.imap.session import Session
from mailmcp.model.query import Criterion, SearchQuery
from mcp_envelope import InvalidInputError, ToolError

SEARCH_UIDS_MAX: Final = 2_000_000
"""UIDs in one result that are expanded from ranges: 72 MB while reading. Twice the largest mailbox tested."""

HIDDEN_MESSAGES_MAX: Final = 5
"""Messages that a mailbox may lack before it counts as hiding some: mail comes and goes between two
responses, and an index may have lost a message."""

UidRange = tuple[int, int | None]
"""The lowest and the highest UID; None for no end."""

EVERY_UID: UidRange = (1, None)

_UID_MAX: Final = 2**32 - 1
_LIMITED: Final = "The server searches a limited number of messages: older ones were not searched."

_NUMBERS: Final = re.compile(rb"\d+")
_ESEARCH_ALL: Final = re.compile(rb"\bALL (\d+(?::\d+)?(?:,\d+(?::\d+)?)*)(?= |$)", re.IGNORECASE)
_ESEARCH_COUNT: Final = re.compile(rb"\bCOUNT (\d{1,10})(?= |$)", re.IGNORECASE)
_LOWEST_SEARCHED: Final = re.compile(rb"\d{1,10} (\d{1,10})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The messages that the server found."""

    uids: "array[int]"
    """Each once; in the order of the sort key if `is_sorted`, otherwise ascending."""

    counted: int | None = None
    """Matches in the range that was only to be counted; None if the server didn't count them."""

    is_sorted: bool = False
    searched_from: int | None = None
    """The lowest UID that the server looked at, if it stopped on the way down (MESSAGELIMIT); 0 if it doesn't
    say; None if it looked at all."""

    @property
    def statements(self) -> tuple[str, ...]:
        """Sentences: what the server didn't search."""
        return () if self.searched_from is None else (_LIMITED,)


def plan_search(session: Session, query: SearchQuery, doubted: Collection[str] = ()) -> Plan:
    """Divide a query between the server and us.

    Raises:
        InvalidInputError: The server lacks the capability that a criterion needs.
    """
    quirks = session.quirks
    noisy = {row.name for row in query.criteria if not quirks.allows(noise_of(row))}
    return make_plan(
        query, can=session.can, doubted={*doubted, *noisy}, ascii_only=not quirks.allows("CHARSET")
    )


def noise_of(row: Criterion) -> str:
    """Return what `Quirks` call a criterion by which the server finds what isn't there."""
    return f"search by {row.name}"


def search(
    session: Session,
    plan: Plan,
    uids: UidRange = EVERY_UID,
    *,
    sort: bytes = b"",
    count: UidRange | None = None,
) -> Steps[Found | None]:
    """Search the mailbox of the steps; one round trip, and another where an extension is refused.

    Args:
        session: Used for what the server can, and to record what it can't.
        plan: What to search for.
        uids: The UIDs to search. SORT looks at all, whatever they are.
        sort: A key of SORT, if the server is to sort. The result is unsorted where it can't.
        count: Other UIDs, in which to count the matches at the same time if the server can.

    Returns:
        None if the search must be planned again: the server refuses text that isn't ASCII.

    Raises:
        InternalError: The server refused the search, or its response makes no sense.
    """
    quirks = session.quirks
    if plan.lists_all:
        return (yield from _list(session, uids))
    found: Found | RefusedError | None = (yield from _sort(session, plan, sort)) if sort else None
    extended = session.can("ESEARCH")
    if found is None:
        found = yield from _search_once(session, plan, uids, extended=extended, count=count)
    if extended and (found is None or (isinstance(found, RefusedError) and found.is_unsupported)):
        found = yield from _search_once(session, plan, uids, extended=False)
        if isinstance(found, Found):
            quirks.refuse("ESEARCH")
    account_id = session.account.account_id
    if isinstance(found, RefusedError):
        if plan.needs_utf8 and found.is_unsupported:
            quirks.refuse("CHARSET")
            return None
        raise refused_error(account_id, found) from found
    if found is None:
        raise protocol_error(account_id, "sent a search result that can't be read")
    if not plan.keys and uids == EVERY_UID and found.searched_from is None and found.uids:
        assert session.mailbox is not None  # noqa: S101 - it was searched
        quirks.hidden[session.mailbox.name] = session.mailbox.exists - len(found.uids)
    return found


def _search_once(
    session: Session, plan: Plan, uids: UidRange, *, extended: bool, count: UidRange | None = None
) -> Steps[Found | RefusedError | None]:
    """Search a range of UIDs; None if the response can't be read."""
    commands = [_write(plan, uids, b"(COUNT ALL)" if extended else b"")]
    commands += [_write(plan, count, b"(COUNT)")] if count and extended else []
    replies = (yield commands).replies
    reply = replies[0]
    if isinstance(reply, RefusedError):
        return reply
    if extended and "SEARCH" in reply.untagged:  # some send a plain response anyhow
        session.quirks.refuse("ESEARCH")
        extended = False
    numbers = parse_found(replies, reply, extended=extended)
    if numbers is None:
        return None
    lowest = _parse_lowest_searched(reply)
    return Found(
        uids=_valid_uids(session, part_of(_ascending(numbers), uids)),
        counted=_parse_count(replies, replies[-1]) if len(commands) > 1 else None,
        searched_from=None if lowest and lowest <= uids[0] else lowest,
    )


def _sort(session: Session, plan: Plan, key: bytes) -> Steps[Found | None]:
    """Let the server sort; None if it turns out that it can't, or sorted only some (MESSAGELIMIT)."""
    charset = b"UTF-8" if plan.needs_utf8 else b"US-ASCII"
    arguments = [b"(" + key + b")", charset, *(plan.keys or [b"ALL"])]
    responses = yield [Command(name="SORT", arguments=arguments, uid=True)]
    [reply] = responses.replies
    if isinstance(reply, RefusedError):
        if reply.is_unsupported and not plan.needs_utf8:
            session.quirks.refuse("SORT")
        return None
    uids = _valid_uids(session, array("Q", dict.fromkeys(parse_search(reply.untagged.get("SORT", ())))))
    is_whole = _parse_lowest_searched(reply) is None and (plan.keys or len(uids) >= responses.mailbox.exists)
    return Found(uids=uids, is_sorted=True) if is_whole else None


def _list(session: Session, uids: UidRange) -> Steps[Found]:
    """Find all messages by FETCH, where SEARCH doesn't (Strato)."""
    [reply] = (yield [Command(name="FETCH", arguments=[_format_range(uids), b"(UID)"], uid=True)]).replies
    if isinstance(reply, RefusedError):
        raise refused_error(session.account.account_id, reply)
    rows, _ = parse_rows(reply)
    # `n:*` includes the highest UID even if it is below n.
    return Found(uids=part_of(array("I", sorted(rows)), uids))


def _valid_uids(session: Session, numbers: "array[int]") -> "array[int]":
    """Return numbers as UIDs."""
    if numbers and not 0 < min(numbers) <= max(numbers) <= _UID_MAX:
        account_id = session.account.account_id
        raise protocol_error(account_id, "found a message with an impossible UID")
    return array("I", numbers)


def describe_hidden(session: Session, mailbox: str, exists: int) -> str:
    """Write a sentence about messages that the server is known to hide (Yahoo); "" if it hides none."""
    hidden = session.quirks.hidden.get(mailbox, 0)
    if hidden <= HIDDEN_MESSAGES_MAX:
        return ""
    shown = max(exists - hidden, 0)
    return f"The server shows {shown} of the {exists} messages that it says are in the mailbox."


def count_matches(
    session: Session, queries: Mapping[str, Sequence[SearchQuery]]
) -> list[tuple[int, ...] | ToolError]:
    """Count the matches of some queries in each mailbox, by its name; one round trip for twenty mailboxes.

    Counts are hints: nothing is verified. Without ESEARCH nothing is counted: plain responses would list all
    matches, and don't say whose they are.

    Returns:
        For each mailbox the matches of each query, 0 for what can't be counted; or its error.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    tasks = [
        MailboxTask(mailbox=name, uidvalidity=None, steps=_count(session, some))
        for name, some in queries.items()
    ]
    return run_pipelined(session, tasks)


def _count(session: Session, queries: Sequence[SearchQuery]) -> Steps[tuple[int, ...]]:
    counts = [0] * len(queries)
    asked: list[tuple[int, Command]] = []
    for number, query in enumerate(queries if session.can("ESEARCH") else ()):
        try:
            command = search_command(make_plan(query, can=session.can).keys, returning=b"(COUNT)")
        except InvalidInputError:
            continue
        asked.append((number, command))
    replies = (yield [command for _, command in asked]).replies
    for (number, _), reply in zip(asked, replies, strict=True):
        counts[number] = _parse_count(replies, reply) or 0
    return tuple(counts)


def _write(plan: Plan, uids: UidRange, options: bytes) -> Command:
    """Write a search; without `options` the response is to be a plain one."""
    within = () if uids == EVERY_UID else (b"UID", _format_range(uids))
    return search_command(plan.keys, within=within, returning=options)


def _format_range(uids: UidRange) -> bytes:
    """Format a range of UIDs as a sequence set."""
    low, high = uids
    return b"%d:%b" % (low, b"*" if high is None else b"%d" % high)


def part_of(uids: "array[int]", wanted: UidRange) -> "array[int]":
    """Return the part of ascending UIDs that is in a range."""
    low, high = wanted
    first, end = bisect_left(uids, low), len(uids) if high is None else bisect_right(uids, high)
    return uids if end - first == len(uids) else uids[first:end]


def _ascending(numbers: "array[int]") -> "array[int]":
    """Return the numbers ascending, each once; nearly all servers send them so."""
    if all(map(lt, numbers, islice(numbers, 1, None))):
        return numbers
    return array("Q", sorted(set(numbers)))


def parse_found(replies: Replies, reply: Response | RefusedError, *, extended: bool) -> "array[int] | None":
    """Parse what one of the searches of a burst found.

    Args:
        replies: Those of the burst: a server may run searches in parallel and mix their responses.
        reply: That of the search.
        extended: Whether it must be an ESEARCH response.

    Returns:
        None if the search was refused, or its response can't be read.
    """
    if isinstance(reply, RefusedError):
        return None
    if extended:
        return _parse_esearch(_lines_for(replies, reply.tag), reply.tag)
    return parse_search(reply.untagged.get("SEARCH", ()))


def parse_search(lines: Iterable[object]) -> "array[int]":
    """Parse untagged SEARCH or SORT responses: any number, some empty, a MODSEQ at the end.

    iCloud splits a result over several; RFC 7162 section 3.1.5 adds `(MODSEQ n)`.
    """
    uids = array("Q")
    for line in lines:
        if isinstance(line, bytes):
            numbers = _NUMBERS.finditer(line.partition(b"(")[0])
            uids.extend(int(number[0][:NUMBER_DIGITS]) for number in numbers)
    return uids


def _lines_for(replies: Replies, tag: bytes) -> list[bytes]:
    """Return the ESEARCH responses for a tag."""
    responses = (each.response if isinstance(each, RefusedError) else each for each in replies)
    lines = [line for each in responses for line in each.untagged.get("ESEARCH", ())]
    return [line for line in lines if isinstance(line, bytes) and b'"' + tag + b'"' in line]


def _parse_esearch(lines: Sequence[bytes], tag: bytes) -> "array[int] | None":
    """Parse an ESEARCH response (RFC 4731 section 3.1).

    Returns:
        None unless it is exactly one, for our tag and for UIDs, and agrees with itself.
    """
    if len(lines) != 1:
        return None
    head, _, rest = lines[0].rpartition(b")")
    if not head.endswith(b'"' + tag + b'"') or b"UID" not in rest.upper().split():
        return None
    count = _ESEARCH_COUNT.search(rest)
    if count is None or int(count[1]) > SEARCH_UIDS_MAX:
        return None
    ranges = _ESEARCH_ALL.search(rest)
    uids = expand_sequence_set(ranges[1], limit=int(count[1])) if ranges else array("Q")
    return uids if len(uids) == int(count[1]) else None


def _parse_count(replies: Replies, reply: Response | RefusedError) -> int | None:
    """Parse the COUNT of one of some extended searches; None if the server didn't count all."""
    if isinstance(reply, RefusedError) or "MESSAGELIMIT" in reply.untagged:
        return None
    counts = (_ESEARCH_COUNT.search(line) for line in _lines_for(replies, reply.tag))
    return next((int(count[1]) for count in counts if count), None)


def _parse_lowest_searched(reply: Response) -> int | None:
    """Parse how far down the server looked if it stopped on the way (RFC 9738); 0 if it doesn't say."""
    if "MESSAGELIMIT" not in reply.untagged:
        return None
    limit = reply.untagged["MESSAGELIMIT"][-1]
    match = _LOWEST_SEARCHED.fullmatch(limit) if isinstance(limit, bytes) else None
    return int(match[1]) if match else 0
