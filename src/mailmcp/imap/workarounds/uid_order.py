"""Whether UIDs go by the time of arrival: what was moved or imported has a high UID and an old date.

The highest UID is the newest message in most mailboxes, and costs nothing to find. A few times that
come along with the rows of a page tell where it is not.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from mailmcp import limits
from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.search.verify import internaldate_epoch
from mailmcp.imap.session import Session
from mailmcp.model.feature import Feature

_DAYS_S = 2 * 86_400
"""Servers may sort by days, in a zone of their own."""


class UnorderedError(Exception):
    """UIDs turned out not to go by arrival: the search has to be made again in that order."""

    def __init__(self, uids: Sequence[int]) -> None:
        """Take along what the server found, in any order."""
        super().__init__()
        self.uids = uids


class UnarrangedError(Exception):
    """The messages turned out to be too many to be put in order here, and the server does not do it."""


def sample_of(uids: Sequence[int]) -> Sequence[int]:
    """Choose messages to compare: all if they are few, else some from all over, the last one among them."""
    count = min(len(uids), limits.ORDER_SAMPLE_MESSAGES)
    return [uids[len(uids) * number // count - 1] for number in range(1, count + 1)]


def is_in_order(rows: Iterable[FetchedMessage]) -> bool:
    """Whether higher UIDs came later, but for ORDER_SLACK_S; messages without a time do not count."""
    latest: int | None = None
    for row in sorted(rows, key=lambda row: row.uid):
        received = internaldate_epoch(row)
        if received is None:
            continue
        if latest is not None and received < latest - limits.ORDER_SLACK_S:
            return False
        latest = max(received, latest or received)
    return True


def goes_by(ranks: Sequence[int], *, ascending: bool) -> bool:
    """Whether seconds of arrival follow each other as they should, as far as days tell."""
    steps = pairwise(ranks if ascending else reversed(ranks))
    return all(before <= after + _DAYS_S for before, after in steps)


def can_arrange(session: Session, candidates: int, *, exists: int) -> bool:
    """Whether messages may all be put in the order of arrival: by the server, or here if they are few."""
    sorts = session.can("SORT") and session.quirks.trusts(Feature.SORT) and exists <= limits.SEARCH_WINDOW
    return sorts or candidates <= limits.SORT_CANDIDATES_MAX


def compare(
    session: Session, name: str, rows: Iterable[FetchedMessage], *, uids: Sequence[int], exists: int
) -> bool:
    """Tell whether the UIDs of a mailbox go by arrival, as far as some rows tell.

    Args:
        session: For what is known of the server, and what is learned.
        name: The mailbox.
        rows: With INTERNALDATE.
        uids: What the server found.
        exists: Messages in the mailbox.

    Raises:
        UnorderedError: They do not, and the messages can be put in order.
    """
    if is_in_order(rows):
        return True
    session.quirks.uids_out_of_order.add(name)
    if can_arrange(session, len(uids), exists=exists):
        raise UnorderedError(uids)
    return False
