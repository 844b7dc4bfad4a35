"""Whether UIDs go by the time of arrival: what was moved or imported has a high UID and an old date.

The highest UID is the newest message in most mailboxes, and costs nothing to find. A few times that
come along with the rows of a page tell where it is not.
"""

from collections.abc import Iterable, Sequence

from mailmcp import limits
from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.quirks import Feature
from mailmcp.imap.search.verify import received_s
from mailmcp.imap.session import Session

_BY_UID = (
    "The server cannot sort so many messages: they are in the order in which they were put into the mailbox, "
    "which is not that of their arrival."
)


class UnorderedError(Exception):
    """UIDs turned out not to go by arrival: the search has to be made again in that order."""


def sample_of(uids: Sequence[int]) -> Sequence[int]:
    """Choose messages to compare: all if they are few, else some from all over, the last one among them."""
    count = min(len(uids), limits.ORDER_SAMPLE_MESSAGES)
    return [uids[len(uids) * number // count - 1] for number in range(1, count + 1)]


def is_in_order(rows: Iterable[FetchedMessage]) -> bool:
    """Whether higher UIDs came later, but for ORDER_SLACK_S; messages without a time do not count."""
    latest: int | None = None
    for row in sorted(rows, key=lambda row: row.uid):
        received = received_s(row)
        if received is None:
            continue
        if latest is not None and received < latest - limits.ORDER_SLACK_S:
            return False
        latest = max(received, latest or received)
    return True


def can_arrange(session: Session, candidates: int, *, exists: int) -> bool:
    """Whether messages can all be put in the order of arrival: by the server, or here if they are few."""
    sorts = session.can("SORT") and session.quirks.trusts(Feature.SORT) and exists <= limits.SEARCH_WINDOW
    return sorts or candidates <= limits.SORT_CANDIDATES_MAX


def compare(
    session: Session, name: str, rows: Iterable[FetchedMessage], *, candidates: int, exists: int
) -> tuple[str, ...]:
    """Make sure that the UIDs of a mailbox go by arrival, as far as some rows tell.

    Args:
        session: For what is known of the server, and what is learned.
        name: The mailbox.
        rows: With INTERNALDATE.
        candidates: Messages that may match the search.
        exists: Messages in the mailbox.

    Returns:
        A sentence for the reader of the result, if they do not and nothing can be done.

    Raises:
        UnorderedError: They do not, and the messages can be put in order.
    """
    if is_in_order(rows):
        return ()
    session.quirks.unordered.add(name)
    if can_arrange(session, candidates, exists=exists):
        raise UnorderedError
    return (_BY_UID,)
