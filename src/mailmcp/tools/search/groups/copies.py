"""Count copies of a message once (`mailmcp.tools.copies`).

Where the server has no ids, two messages of one size that arrived in the same second may be copies. Only
those are fetched and compared in full: thousands of messages cost no more than their few suspects.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from mailmcp import limits
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import COPY_ITEMS, Folded, copy_keys
from mailmcp.tools.fetch_parts import fetch_parts
from mailmcp.tools.tool import Call


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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


async def fold_copies(
    call: Call, places: Sequence[CountedMailbox]
) -> tuple[list[dict[CountedMailbox, Counted]], int]:
    """Fold copies in different mailboxes; one round trip for each account with suspects.

    Args:
        call: For the comparison.
        places: The mailboxes, those to prefer first.

    Returns:
        Each message once, as `Folded`, and how many may be copies of others and were not compared.
    """
    suspects = _find_suspects(places)
    # What can't be fetched isn't compared; the reply says so.
    fetched = await fetch_parts(call, suspects[: limits.GROUP_COPIES_MAX], lambda _session, _ref: COPY_ITEMS)
    proven = {ref: copy_keys(ref.account_id, row) for ref, row in fetched.messages.items()}
    folded = Folded[CountedMailbox, Counted]()
    for place in places:
        for each in place.messages:
            folded.add(place, each, each.ids or proven.get(place.ref(each.uid), ()))
    return folded.messages, len(suspects) - len(fetched.messages)


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
