"""Group the matches of a search: who wrote most, which newsletters come, how much mail a month.

Each match is added to its group, latest first, as a search fetches it. A message that is in several
mailboxes counts in each.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import lru_cache, partial
from threading import Lock
from typing import Final

from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.search.verify import written_at
from mailmcp.mail.header.dates import format_rfc3339
from mailmcp.mail.header.fields import parse_headers
from mailmcp.tools.search.data import GroupRow
from mailmcp.tools.search.groups.keys import NO_KEY, GroupBy, Key, key_in_header, key_of_time
from mailmcp.tools.search.page import ref_of
from mailmcp.tools.search.sources import Searches, search_sources
from mailmcp.tools.search.state import Search
from mailmcp.tools.tool import Call

MESSAGES_MAX: Final = 10_000
"""Messages that one call groups: 1.5 to 3 MB. A year of a busy mailbox."""

LIGHT_MESSAGES_MAX: Final = 100_000
"""The same where flags and INTERNALDATE are enough: 9 MB, and 5 s."""

CHUNK_MESSAGES: Final = 2_000
"""Messages in one round trip: 10 MB of memory while they are read."""

LIGHT_CHUNK_MESSAGES: Final = 5_000
"""The same without header fields."""

_SHARE: Final = 4
"""Each of several mailboxes gets this part of a round trip, so that a large one leaves some to others."""

_NAMES_MAX: Final = 3
"""Names of one address that are shown: a list or a ticket system writes for many people."""

_UNKNOWN: Final = -(2**40)
"""Before every time."""


@dataclass(slots=True)
class Group:
    """One group."""

    count: int = 0
    unread: int = 0
    newest: tuple[int, int] = (_UNKNOWN, 0)
    """Time, and UID among those of one time."""

    message_id: str = ""
    """Of the newest message."""

    face: Key = NO_KEY
    """What the newest message says about the group."""

    names: dict[str, None] = field(default_factory=dict)
    """All that messages call it."""

    def add(self, other: "Group") -> None:
        """Add another one of the same key."""
        self.count += other.count
        self.unread += other.unread
        self.names |= other.names
        if other.newest > self.newest:
            self.newest, self.message_id, self.face = other.newest, other.message_id, other.face

    @property
    def name(self) -> str | None:
        """The newest name, and some of the others; None if it has none."""
        others = [each for each in self.names if each != self.face.name]
        shown = [*filter(None, [self.face.name]), *others][:_NAMES_MAX]
        return " / ".join(shown + ["…"] * (len(self.names) > len(shown))) or None


def new_budget(messages: int, *, chunk: int) -> Callable[[int], int]:
    """Return a function that says how many of some messages to fetch next, for all mailboxes."""
    lock, left = Lock(), messages

    def grant(wanted: int) -> int:
        nonlocal left
        with lock:
            granted = min(wanted, chunk, left)
            left -= granted
        return granted

    return grant


@lru_cache(maxsize=1_000)
def _key_in_octets(group_by: GroupBy, octets: bytes) -> Key:
    """Read header fields: most blocks repeat those of a few senders."""
    return key_in_header(group_by, parse_headers(octets))


@dataclass(slots=True, kw_only=True)
class GroupTally:
    """The groups of one mailbox; a `Tally` of its matches."""

    grant: Callable[[int], int]
    """Returns how many messages to fetch next."""

    group_by: GroupBy
    zone: tzinfo
    by_written: bool
    groups: dict[str, Group] = field(default_factory=dict)
    """By key; "" for messages that lack what they are grouped by."""

    def add(self, row: FetchedMessage) -> None:
        """Add a message; those with higher UIDs come first."""
        epoch = written_at(row) if self.by_written else row.internaldate_epoch
        if self.group_by.is_time:
            face = key_of_time(self.group_by, epoch, self.zone)
        else:
            face = _key_in_octets(self.group_by, row.sections.get("HEADER.FIELDS", b""))
        newest = (_UNKNOWN if epoch is None else epoch, row.uid)
        names = {face.name: None} if face.name else {}
        one = Group(1, int(not row.has_flag("\\Seen")), newest, face=face, names=names)
        self.groups.setdefault(face.key, Group()).add(one)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """The groups of a search."""

    rows: tuple[GroupRow, ...]
    """The first groups in order, and last the messages without a key if there are any."""

    group_count: int
    """Groups in all."""

    counted: int
    total: int
    """The messages that may match; some may not have been looked at."""

    total_exact: bool


async def group_matches(call: Call, search: Search, group_by: GroupBy) -> tuple[Searches, Grouped]:
    """Search all sources, and group the matches; a round trip for each chunk.

    The page size is the number of groups.
    """
    fields = [*filter(None, [group_by.header_fields]), *(["DATE"] if search.by_written else [])]
    headers = [f"BODY.PEEK[HEADER.FIELDS ({' '.join(fields)})]"] if fields else []
    items = ("UID", "FLAGS", "INTERNALDATE", *headers)
    messages, chunk = MESSAGES_MAX, CHUNK_MESSAGES
    if not fields:
        messages, chunk = LIGHT_MESSAGES_MAX, LIGHT_CHUNK_MESSAGES
    tally = partial(
        GroupTally,
        grant=new_budget(messages, chunk=chunk if search.one_mailbox else chunk // _SHARE),
        group_by=group_by,
        zone=call.preferences.zone,
        by_written=search.by_written,
    )
    newest_first = search.arguments.model_copy(update={"sort": "newest"})  # groups have an order of their own
    walked = replace(search, arguments=newest_first, page_size=messages)
    searches = await search_sources(call, walked, new_tally=tally, tally_items=items)
    searches.search = replace(searches.search, arguments=search.arguments, page_size=search.page_size)
    return searches, _group(searches.search, group_by, searches)


def _group(search: Search, group_by: GroupBy, searches: Searches) -> Grouped:
    """Add up the groups of all mailboxes."""
    groups: dict[str, Group] = {}
    accounts = {source.account_id for source in searches.pages}
    for source, walked in searches.pages.items():
        assert isinstance(walked.tally, GroupTally)  # noqa: S101 - see `group_matches`
        for key, group in walked.tally.groups.items():
            group.message_id = ref_of(walked, group.newest[1]).message_id
            name = key
            if group_by is GroupBy.MAILBOX:
                name = f"{source.account_id}: {source.mailbox}" if len(accounts) > 1 else source.mailbox
            groups.setdefault(name, Group()).add(group)
    count = sum(each.count for each in groups.values())
    lacking = groups.pop("", None)
    names = _in_order(groups, group_by, search.arguments.sort)
    shown = [(name, groups[name]) for name in names[: search.page_size]]
    shown += [("", lacking)] if lacking else []
    pages = searches.pages.values()
    # Where the connection was lost, the messages that didn't come are left.
    failed = sum(len(each.fetched.failures) for each in pages if not each.fetched.interrupted)
    left = failed + sum(each.left for each in pages)
    return Grouped(
        rows=tuple(_row(name, group) for name, group in shown),
        group_count=len(groups),
        counted=count,
        total=count + left,
        total_exact=all(each.total_exact for each in pages),
    )


def _in_order(groups: Mapping[str, Group], group_by: GroupBy, sort: str) -> list[str]:
    """Sort times by time, and all other groups by size; `sort` may change that."""
    if group_by.is_time and sort != "largest":
        return sorted(groups, reverse=sort == "newest")
    if sort == "oldest":
        return sorted(groups, key=lambda name: groups[name].newest)
    return sorted(groups, key=lambda name: (-groups[name].count, -groups[name].newest[0], name))


def _row(name: str, group: Group) -> GroupRow:
    epoch, face = group.newest[0], group.face
    return GroupRow(
        key=name,
        name=group.name,
        count=group.count,
        unread=group.unread,
        newest=None if epoch == _UNKNOWN else format_rfc3339(datetime.fromtimestamp(epoch, UTC)),
        message_id=group.message_id,
        unsubscribe=list(face.unsubscribe) or None,
        one_click=face.one_click or None,
    )
