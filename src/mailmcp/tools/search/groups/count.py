"""Group the matches of a search: who wrote most, which newsletters come, how much mail a month.

The mailboxes are walked (`imap/search/walk.py`), copies of a message are counted once (`copies`), and the
groups of `keys` are added up and put in order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from time import monotonic
from typing import Final

import anyio

from mailmcp import limits
from mailmcp.imap.object_ids import id_items
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.page import PageRequest
from mailmcp.imap.search.server import SearchServer
from mailmcp.imap.search.walk import Budget, WalkedMailbox, walk_mailboxes
from mailmcp.imap.session import Session
from mailmcp.mail.header.fields import parse_headers
from mailmcp.tools.copies import server_keys
from mailmcp.tools.search.data import GroupRow
from mailmcp.tools.search.groups.copies import Counted, CountedMailbox, fold_copies
from mailmcp.tools.search.groups.keys import GroupBy, Key, keys_in_header, period_of
from mailmcp.tools.search.groups.rows import format_moment
from mailmcp.tools.search.proof import PROOFS
from mailmcp.tools.search.sources import PageResults, Searches, search_sources
from mailmcp.tools.search.state import Search
from mailmcp.tools.tool import Call

_UNKNOWN: Final = -(2**40)
"""Before every time."""


def _rank(epoch: int | None) -> int:
    return _UNKNOWN if epoch is None else epoch


@dataclass(slots=True)
class Group:
    """One group."""

    count: int = 0
    unread: int = 0
    newest: tuple[int, int] = (_UNKNOWN, 0)
    """Time, and UID among those of one time."""

    place: CountedMailbox | None = None
    """The mailbox of the newest message; None for that of the tally."""

    def add(self, message: Counted, place: CountedMailbox | None = None) -> None:
        """Add a message."""
        self.count += 1
        self.unread += message.is_unread
        newest = (_rank(message.epoch), message.uid)
        if newest > self.newest:
            self.newest, self.place = newest, place


@dataclass(slots=True, kw_only=True)
class GroupTally:
    """The messages of one mailbox, and what the newest of each group says about it.

    Messages are kept only where others may be copies of them.
    """

    account_id: str
    group_by: GroupBy
    zone: tzinfo
    by_written: bool
    keeps_messages: bool
    messages: list[Counted] = field(default_factory=list)
    groups: dict[str, Group] = field(default_factory=dict)
    count: int = 0
    """Messages in `groups`."""

    earliest: int | None = None
    """The earliest INTERNALDATE among those."""

    follows_arrival: bool = True
    """Whether each message arrived before those that were added earlier, within ORDER_SLACK_S."""

    faces: dict[str, tuple[int, Key]] = field(default_factory=dict)
    """By key; with the time of the message."""

    _read: dict[bytes, tuple[Key, ...]] = field(default_factory=dict)
    """Headers that were read: a few senders write most mail."""

    def add(self, row: FetchedMessage) -> None:
        """Add a message; those with higher UIDs come first."""
        arrived = row.internaldate_epoch
        epoch = PROOFS.written(row) if self.by_written else arrived
        for each in (keys := self._keys(row)):
            if each.key not in self.faces or _rank(epoch) > self.faces[each.key][0]:
                self.faces[each.key] = (_rank(epoch), each)
        if self.group_by.is_time and epoch is not None:
            names: tuple[str, ...] = (period_of(self.group_by, epoch, self.zone),)
        else:
            names = tuple(each.key for each in keys)
        message = Counted(
            uid=row.uid,
            epoch=epoch,
            arrived=arrived,
            size_octets=row.size_octets,
            is_unread=not row.has_flag("\\Seen"),
            keys=names,
            ids=server_keys(account_id=self.account_id, email_id=row.email_id, gmail_id=row.gmail_id),
        )
        if self.keeps_messages:
            self.messages.append(message)
            return
        self.count += 1
        for name in names or ("",):
            self.groups.setdefault(name, Group()).add(message)
        if arrived is not None:
            if self.earliest is not None and arrived > self.earliest + limits.ORDER_SLACK_S:
                self.follows_arrival = False
            self.earliest = min(arrived, arrived if self.earliest is None else self.earliest)

    def _keys(self, row: FetchedMessage) -> tuple[Key, ...]:
        if not self.group_by.header_fields:
            return ()
        octets = row.sections.get("HEADER.FIELDS", b"")
        if octets not in self._read:
            if len(self._read) == limits.GROUP_HEADERS_KEPT:
                self._read.clear()
            self._read[octets] = keys_in_header(self.group_by, parse_headers(octets))
        return self._read[octets]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """The groups of a search."""

    rows: tuple[GroupRow, ...]
    """The first groups in order, and last the messages without a key if there are any."""

    top: Key | None
    """The key of the first group as its newest message has it; None for times and mailboxes."""

    group_count: int
    """Groups in all."""

    counted: int
    total: int
    total_exact: bool
    left: int
    """Messages that may match and weren't looked at."""

    back_to: int | None
    """When the earliest counted message arrived, if those that were left arrived earlier."""

    unproven_copies: int


async def group_matches(call: Call, search: Search, group_by: GroupBy) -> tuple[Searches, Grouped]:
    """Search all sources, and group the matches; see `walk_mailboxes` for the round trips.

    Args:
        call: The call.
        search: What to search for; its page size is the number of groups.
        group_by: The kind of group.
    """
    zone, alone = call.preferences.zone, search.one_mailbox
    light = alone and not (group_by.header_fields or search.by_written)
    messages = limits.GROUP_LIGHT_MESSAGES_MAX if light else limits.GROUP_MESSAGES_MAX
    over_at = monotonic() + (call.deadline - anyio.current_time()) * limits.GROUP_DEADLINE_SHARE
    budget = Budget(messages=messages, is_over=lambda: monotonic() > over_at)

    def work(
        session: Session, requests: Sequence[PageRequest], keep: Callable[[PageResults], None]
    ) -> PageResults:
        return walk_mailboxes(
            SearchServer(session),
            requests,
            new_tally=lambda: GroupTally(
                account_id=session.account.account_id,
                group_by=group_by,
                zone=zone,
                by_written=search.by_written,
                keeps_messages=not alone,
            ),
            budget=budget,
            chunk=limits.WALK_LIGHT_CHUNK_MESSAGES if light else limits.WALK_CHUNK_MESSAGES,
            report=lambda: call.report(messages - budget.messages, 0, "messages counted"),
            keep=keep,
        )

    searches = await search_sources(call, search, _items(group_by, search), work)
    return searches, await _group(call, search, group_by, searches)


def _items(group_by: GroupBy, search: Search) -> Callable[[Session], Sequence[str]]:
    """Choose what to fetch of each message: its keys, and with several mailboxes what shows copies."""

    def items(session: Session) -> Sequence[str]:
        chosen = ["UID", "FLAGS", "INTERNALDATE"]
        if not search.one_mailbox:
            chosen += ["RFC822.SIZE", *id_items(session)]
        fields = [*filter(None, [group_by.header_fields]), *(["DATE"] if search.by_written else [])]
        if fields:
            chosen.append(f"BODY.PEEK[HEADER.FIELDS ({' '.join(fields)})]")
        return chosen

    return items


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sum:
    """Messages, added up by group."""

    groups: dict[str, Group]
    """By key; "" for messages without one."""

    count: int
    """Messages, each once."""

    back_to: int | None = None
    unproven_copies: int = 0


async def _group(call: Call, search: Search, group_by: GroupBy, searches: Searches) -> Grouped:
    walks: list[tuple[CountedMailbox, WalkedMailbox, GroupTally]] = []
    for source, walked in searches.pages:
        assert isinstance(walked, WalkedMailbox)  # noqa: S101 - see `group_matches`
        assert isinstance(walked.tally, GroupTally)  # noqa: S101 - it was made there
        place = CountedMailbox(
            account_id=source.account_id,
            mailbox=walked.mailbox,
            uidvalidity=walked.uidvalidity,
            messages=walked.tally.messages,
        )
        walks.append((place, walked, walked.tally))
    if search.one_mailbox and walks:
        summed = _sum_one(*walks[0], group_by, by_written=search.by_written)
    else:
        summed = _sum_several(*await fold_copies(call, [place for place, _, _ in walks]), group_by)
    dated: dict[str, tuple[int, Key]] = {}
    for _, _, tally in walks:
        for key, face in tally.faces.items():
            dated[key] = max(dated.get(key, face), face, key=lambda each: each[0])
    faces = {key: face for key, (_, face) in dated.items()}
    lacking = summed.groups.pop("", None)
    names = _in_order(summed.groups, group_by, search.arguments.sort)
    shown = [(name, summed.groups[name]) for name in names[: search.page_size]]
    shown += [("", lacking)] if lacking else []
    left = sum(walked.left + len(walked.fetched.failures) for _, walked, _ in walks)
    inexact = summed.unproven_copies or (left and len(walks) > 1)
    return Grouped(
        rows=tuple(_row(name, group, faces.get(name)) for name, group in shown),
        top=faces.get(names[0]) if names else None,
        group_count=len(summed.groups),
        counted=summed.count,
        total=summed.count + left,
        total_exact=not inexact and all(walked.total_exact for _, walked, _ in walks),
        left=left,
        back_to=summed.back_to,
        unproven_copies=summed.unproven_copies,
    )


def _sum_one(
    place: CountedMailbox, walked: WalkedMailbox, tally: GroupTally, group_by: GroupBy, *, by_written: bool
) -> _Sum:
    """Return the sums of the only mailbox, whose tally added up the messages."""
    groups = tally.groups
    if group_by is GroupBy.MAILBOX and groups:
        groups = {place.mailbox: groups[""]}
    for group in groups.values():
        group.place = place
    goes_back = walked.left and tally.follows_arrival and not by_written
    return _Sum(groups=groups, count=tally.count, back_to=tally.earliest if goes_back else None)


def _sum_several(
    messages: Sequence[Mapping[CountedMailbox, Counted]], unproven: int, group_by: GroupBy
) -> _Sum:
    """Add up the messages of several mailboxes."""
    accounts = {place.account_id for copies in messages for place in copies}
    groups: dict[str, Group] = {}
    for copies in messages:
        for name, place, message in _memberships(copies, group_by, several_accounts=len(accounts) > 1):
            groups.setdefault(name, Group()).add(message, place)
    return _Sum(groups=groups, count=len(messages), unproven_copies=unproven)


def _memberships(
    copies: Mapping[CountedMailbox, Counted], group_by: GroupBy, *, several_accounts: bool
) -> Iterator[tuple[str, CountedMailbox, Counted]]:
    """Yield the groups of a message: by mailbox those of all its copies; "" if it lacks a key."""
    if group_by is GroupBy.MAILBOX:
        for place, message in copies.items():
            name = f"{place.account_id}: {place.mailbox}" if several_accounts else place.mailbox
            yield name, place, message
        return
    place, message = next(iter(copies.items()))
    for key in message.keys or ("",):
        yield key, place, message


def _in_order(groups: Mapping[str, Group], group_by: GroupBy, sort: str) -> list[str]:
    """Sort times by time, and all other groups by size; `sort` may change that."""
    by_size = sorted(groups, key=lambda name: (-groups[name].count, -groups[name].newest[0], name))
    match sort:
        case "largest":
            return by_size
        case "oldest":
            oldest_first = sorted(by_size, key=lambda name: groups[name].newest)
            return sorted(groups) if group_by.is_time else oldest_first
        case _:
            return sorted(groups, reverse=True) if group_by.is_time else by_size


def _row(name: str, group: Group, face: Key | None) -> GroupRow:
    epoch, uid = group.newest
    assert group.place is not None  # noqa: S101 - see `_group`
    return GroupRow(
        key=name,
        name=(face.name or None) if face else None,
        count=group.count,
        unread=group.unread,
        newest=None if epoch == _UNKNOWN else format_moment(epoch),
        message_id=group.place.ref(uid).message_id,
        unsubscribe=(list(face.unsubscribe) or None) if face else None,
        one_click=(face.one_click or None) if face else None,
    )
