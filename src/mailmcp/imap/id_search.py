"""Search many mailboxes at once for messages that have some ids or refer to them; blocking.

Conversations, mail without a reply and messages that have moved are all found this way: by Message-ID,
References and In-Reply-To (RFC 5322 section 3.6.4), and by the server's own thread ids (RFC 8474, and Gmail's
X-GM-THRID). THREAD (RFC 5256) is not used: it works in one mailbox, returns all of it, and joins messages
with the same subject.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from mailmcp.imap.command import quoted
from mailmcp.imap.fetch import Fetched, fetch_steps, id_items
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.search.plan import Plan, format_search_date
from mailmcp.imap.search.server import search
from mailmcp.imap.session import Session
from mailmcp.model.search_keys import any_of_each
from mcp_envelope import ToolError, code

ROWS_MAX: Final = 400
"""Messages fetched from one mailbox at once, about 500 octets each."""

_KEYS_OCTETS: Final = 6_000
"""Keys of one SEARCH: some servers accept lines of at most 8 KB."""

_HEADERS: Final = (b"MESSAGE-ID", b"REFERENCES", b"IN-REPLY-TO")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdQuery:
    """What to search for."""

    ids: Sequence[str] = ()
    """Without angle brackets. Those that are not searchable are ignored."""

    known: Collection[str] = ()
    """Those of them whose messages were found already: only references to them are searched for."""

    thread_id: str = ""
    """The server's own id of a conversation; "" for none."""

    since: date | None = None
    """Only what arrived on this day or later, in the server's time zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundByIds:
    """What was found in one mailbox."""

    uidvalidity: int
    uids: frozenset[int]
    """All of it."""

    fetched: Fetched
    """Rows or failures of the messages that were not known before."""

    statements: tuple[str, ...] = ()
    """What may be missing, in English sentences."""


def is_searchable(message_id: str) -> bool:
    """Return whether a Message-ID, perhaps "", can be searched for: ASCII, as RFC 5322 wants it."""
    return bool(message_id) and message_id.isascii()


def find_by_ids(
    session: Session,
    mailboxes: Mapping[str, int | None],
    query: IdQuery,
    *,
    items: Sequence[str],
    known: Mapping[str, Collection[int]],
) -> dict[str, FoundByIds | ToolError]:
    """Search many mailboxes and fetch what is new; two round trips for twenty, one if nothing is new.

    One more for each 6 KB of ids beyond the first.

    Args:
        session: Any mailbox may be open.
        mailboxes: Names, each with the UIDVALIDITY it must have; None for any.
        query: What to search for.
        items: What to fetch of new messages, besides the server's own ids.
        known: UIDs by mailbox that need not be fetched.

    Returns:
        By mailbox what was found, or why the mailbox could not be searched; nothing if there is nothing to
        search for.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    since = (b"SINCE", format_search_date(query.since)) if query.since else ()
    searches = [(*since, *keys) for keys in any_of_each(_keys(session, query), octets_max=_KEYS_OCTETS)]
    if not searches:
        return {}
    items = (*items, *id_items(session, threads=True))
    tasks: list[MailboxTask[FoundByIds | ToolError]] = []
    for name, uidvalidity in mailboxes.items():
        steps = _steps(session, name, searches, items=items, known=known.get(name, ()))
        tasks.append(MailboxTask(mailbox=name, uidvalidity=uidvalidity, steps=steps))
    return dict(zip(mailboxes, run_pipelined(session, tasks), strict=True))


def _keys(session: Session, query: IdQuery) -> Iterator[tuple[bytes, ...]]:
    if query.thread_id:
        yield (b"X-GM-THRID" if session.can("X-GM-EXT-1") else b"THREADID", query.thread_id.encode())
    for each in filter(is_searchable, query.ids):
        for header in _HEADERS[1 if each in query.known else 0 :]:
            yield (b"HEADER", header, quoted(each))


def _steps(
    session: Session,
    name: str,
    searches: Sequence[tuple[bytes, ...]],
    *,
    items: Sequence[str],
    known: Collection[int],
) -> Steps[FoundByIds]:
    uids: set[int] = set()
    statements: dict[str, None] = {}
    for keys in searches:
        found = yield from search(session, Plan(keys=keys))
        assert found is not None  # noqa: S101 - the keys are ASCII
        uids.update(found.uids)
        statements |= dict.fromkeys(found.statements)
    new = sorted(uids.difference(known))
    if len(new) > ROWS_MAX:
        statements[f"In {code(name)}, only the newest {ROWS_MAX} of very many messages were read."] = None
    [fetched] = yield from fetch_steps(session, (new[-ROWS_MAX:], items))
    assert session.mailbox is not None  # noqa: S101 - it was searched
    return FoundByIds(
        uidvalidity=session.mailbox.uidvalidity,
        uids=frozenset(uids),
        fetched=fetched,
        statements=tuple(statements),
    )
