"""One page of a search: which messages it holds, and what the server tells of them.

Blocking; runs on a session in a pool's thread.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mailmcp.imap.fetch import Fetched, fetch_messages
from mailmcp.imap.search import Criteria, search_uids
from mailmcp.imap.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """Where an earlier page of the same search ended."""

    uidvalidity: int
    below: int
    """UID of the last message given; the page begins under it."""

    known: "array[int] | None" = None
    """The matches, ascending, complete under `below`; None to search again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """What a page is to hold."""

    mailbox: str
    criteria: Criteria
    size: int
    items: Callable[[Session], Sequence[str]]
    """Chooses the data items to fetch by what the server can do."""

    resume: Resume | None = None
    """None for the first page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """Some of the messages that match, newest UID first."""

    uidvalidity: int
    exists: int
    """Messages in the mailbox, matching or not."""

    uids: tuple[int, ...]
    """Of this page, descending; empty past the end."""

    matches: "array[int]"
    """All UIDs that matched, ascending; complete under `resume.below`, if the request had one."""

    older: int
    """Matches below this page."""

    fetched: Fetched


def fetch_page(session: Session, request: PageRequest) -> FoundPage:
    """Search and fetch one page.

    Two round trips on a session that has the mailbox open; one if the matches are known.

    Raises:
        NotFoundError: There is no such mailbox.
        ConflictError: The mailbox's UIDVALIDITY is not that of `request.resume`.
        InvalidInputError, InternalError: As `search_uids`.
    """
    resume = request.resume
    opened = session.examine(request.mailbox, uidvalidity=resume.uidvalidity if resume else None)
    if resume is not None and resume.known is not None:
        matches = resume.known
    else:
        matches = search_uids(session, request.criteria, below=resume.below if resume else None)
    end = bisect_left(matches, resume.below) if resume else len(matches)
    begin = max(0, end - request.size)
    uids = tuple(reversed(matches[begin:end]))
    fetched = fetch_messages(session, uids, request.items(session))
    session.confirm()
    return FoundPage(
        uidvalidity=opened.uidvalidity,
        exists=opened.exists,
        uids=uids,
        matches=matches,
        older=begin,
        fetched=fetched,
    )
