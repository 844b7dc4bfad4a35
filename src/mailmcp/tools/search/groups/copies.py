"""Count copies of a message once, as a page of messages shows them once.

Where the server has no ids, two messages of one size that arrived in the same second may be copies. Only
those are fetched and compared in full: thousands of messages cost no more than their few suspects.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from mailmcp import limits
from mailmcp.mail.duplicates import DUPLICATE_HEADER_FIELDS
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.search.page import copy_keys
from mailmcp.tools.tool import Call

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
class CountedMailbox:
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


Entry = list[tuple[CountedMailbox, Counted]]
"""One message: where it is, the preferred place first."""


@dataclass(slots=True, kw_only=True)
class Folded:
    """The messages of all mailboxes, each once."""

    entries: list[Entry] = field(default_factory=list)
    unproven: int = 0
    """Messages that may be copies of others and were not compared."""


async def fold_copies(call: Call, places: Sequence[CountedMailbox]) -> Folded:
    """Fold copies in different mailboxes into one entry; two equal messages in one mailbox are two.

    One round trip an account if some messages may be copies, and its server has no ids.

    Args:
        call: For the comparison.
        places: The mailboxes, those to prefer first.
    """
    suspects = _find_suspects(places)
    # What can't be fetched isn't compared; the reply says so.
    fetched = await fetch_parts(call, suspects[: limits.GROUP_COPIES_MAX], lambda _session, _ref: _ITEMS)
    keys: dict[tuple[str, str], dict[int, Hashable]] = {}
    for ref, row in fetched.messages.items():
        keys.setdefault((ref.account_id, ref.mailbox), {})[ref.uid] = copy_keys(ref.account_id, row)
    folded = Folded(unproven=len(suspects) - len(fetched.messages))
    known: dict[tuple[Hashable, int], Entry] = {}
    for place in places:
        proven = keys.get((place.account_id, place.mailbox), {})
        seen: dict[Hashable, int] = {}
        for message in place.messages:
            key = (place.account_id, message.ids) if message.ids else proven.get(message.uid)
            entry: Entry = []
            if key:
                # The second of two equal messages in this mailbox is a copy of the second elsewhere.
                seen[key] = seen.get(key, 0) + 1
                entry = known.setdefault((key, seen[key]), entry)
            if not entry:
                folded.entries.append(entry)
            entry.append((place, message))
    return folded


def _find_suspects(places: Sequence[CountedMailbox]) -> list[MessageRef]:
    """Return the messages that may be copies of one in another mailbox, by INTERNALDATE and size."""
    alike: dict[tuple[int, int], list[tuple[CountedMailbox, int]]] = {}
    for place in places:
        for each in place.messages:
            if not each.ids and each.arrived is not None and each.size_octets is not None:
                alike.setdefault((-each.arrived, each.size_octets), []).append((place, each.uid))
    return [
        place.ref(uid)
        for measures in sorted(alike)
        if len({id(place) for place, _ in alike[measures]}) > 1
        for place, uid in alike[measures]
    ]
