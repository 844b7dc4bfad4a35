"""Count copies of a message once, as a page of messages shows them once.

Where the server has no ids, two messages of one size that arrived in the same second may be copies. Only
those are fetched and compared in full: thousands of messages cost no more than their few suspects.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio

from mailmcp import limits
from mailmcp.imap.session import Session
from mailmcp.imap.thread import TextRequest, fetch_texts
from mailmcp.mail.duplicates import DUPLICATE_HEADER_FIELDS
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.search.page import copy_keys
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError

_ITEMS = (
    "UID",
    "INTERNALDATE",
    "RFC822.SIZE",
    "BODYSTRUCTURE",
    f"BODY.PEEK[HEADER.FIELDS ({DUPLICATE_HEADER_FIELDS})]",
)


@dataclass(frozen=True, slots=True)
class Counted:
    """What is kept of a message."""

    uid: int
    epoch: int | None
    """When it arrived, or with `dates=written` when it was written, in seconds since 1970."""

    arrived: int | None
    """INTERNALDATE in seconds since 1970."""

    size_octets: int | None
    is_unread: bool
    keys: tuple[str, ...]
    """Of its groups."""

    ids: tuple[Hashable, ...]
    """The server's ids, which only copies share; empty if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A mailbox and its messages."""

    account_id: str
    mailbox: str
    uidvalidity: int
    messages: Sequence[Counted]

    def ref(self, uid: int) -> MessageRef:
        """Return the id of a message."""
        return MessageRef(
            account_id=self.account_id, mailbox=self.mailbox, uidvalidity=self.uidvalidity, uid=uid
        )


Entry = list[tuple[Place, Counted]]
"""One message: where it is, the preferred place first."""


@dataclass(slots=True, kw_only=True)
class Folded:
    """The messages of all mailboxes, each once."""

    entries: list[Entry] = field(default_factory=list)
    unproven: int = 0
    """Messages that may be copies of others and were not compared."""


async def fold_copies(call: Call, places: Sequence[Place]) -> Folded:
    """Fold copies in different mailboxes into one entry; two equal messages in one mailbox are two.

    One round trip an account if some messages may be copies, and its server has no ids.

    Args:
        call: For the comparison.
        places: The mailboxes, those to prefer first.
    """
    folded = Folded()
    keys: dict[tuple[str, str, int], Hashable] = {}
    if len(places) > 1:
        suspects = _find_suspects(places)
        folded.unproven = max(len(suspects) - limits.GROUP_COPIES_MAX, 0)
        keys, failed = await _compare(call, suspects[: limits.GROUP_COPIES_MAX])
        folded.unproven += failed
    known: dict[tuple[Hashable, int], Entry] = {}
    for place in places:
        seen: dict[Hashable, int] = {}
        for message in place.messages:
            key = (place.account_id, message.ids) if message.ids else keys.get(_id(place, message))
            entry: Entry = []
            if key is not None:
                # The second of two equal messages in this mailbox is a copy of the second elsewhere.
                seen[key] = seen.get(key, 0) + 1
                entry = known.setdefault((key, seen[key]), entry)
            if not entry:
                folded.entries.append(entry)
            entry.append((place, message))
    return folded


def _id(place: Place, message: Counted) -> tuple[str, str, int]:
    return place.account_id, place.mailbox, message.uid


def _find_suspects(places: Sequence[Place]) -> list[tuple[Place, Counted]]:
    """Return the messages that may be copies of one in another mailbox, by INTERNALDATE and size."""
    alike: dict[tuple[int, int], list[tuple[Place, Counted]]] = {}
    for place in places:
        for each in place.messages:
            if not each.ids and each.arrived is not None and each.size_octets is not None:
                alike.setdefault((-each.arrived, each.size_octets), []).append((place, each))
    return [
        each
        for measures in sorted(alike)
        if len({(place.account_id, place.mailbox) for place, _ in alike[measures]}) > 1
        for each in alike[measures]
    ]


async def _compare(
    call: Call, suspects: Sequence[tuple[Place, Counted]]
) -> tuple[dict[tuple[str, str, int], Hashable], int]:
    """Fetch what proves a copy; return the keys that only copies share, and how many were not fetched."""
    by_account: dict[str, dict[str, list[tuple[Place, Counted]]]] = {}
    for each in suspects:
        by_account.setdefault(each[0].account_id, {}).setdefault(each[0].mailbox, []).append(each)
    keys: dict[tuple[str, str, int], Hashable] = {}
    missing = 0

    async def compare(account_id: str, mailboxes: Mapping[str, Sequence[tuple[Place, Counted]]]) -> None:
        nonlocal missing
        wanted = {
            name: TextRequest(
                uidvalidity=each[0][0].uidvalidity, jobs=(([message.uid for _, message in each], _ITEMS),)
            )
            for name, each in mailboxes.items()
        }

        def fetch(session: Session) -> Mapping[str, object]:
            return fetch_texts(session, wanted)

        try:
            results = await call.ask(fetch, mailbox=next(iter(mailboxes)), account_id=account_id)
        except ToolError:
            results = {}  # the groups are complete without; the reply says that copies weren't compared
        for name, each in mailboxes.items():
            fetched = results.get(name)
            rows = fetched[0].messages if isinstance(fetched, list) else {}
            missing += sum(message.uid not in rows for _, message in each)
            for place, message in each:
                found = copy_keys(account_id, rows[message.uid]) if message.uid in rows else ()
                if found:
                    keys[_id(place, message)] = found

    async with anyio.create_task_group() as tasks:
        for account_id, mailboxes in by_account.items():
            tasks.start_soon(compare, account_id, mailboxes)
    return keys, missing
