"""Hints after a search that found nothing: counts of similar searches, and headers of the newest messages.

All of it comes in one burst. It is a hint, not a result: only the newest messages are looked at, and nothing
is verified.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.rows import parse_rows
from mailmcp.imap.search.opaque import looks_inside
from mailmcp.imap.search.plan import search_command
from mailmcp.imap.search.search_response import esearch_lines, parse_count
from mailmcp.imap.search.server import SearchServer
from mailmcp.model.query import SearchQuery
from mcp_envelope import InvalidInputError, ToolError

_ITEMS = b"(UID BODY.PEEK[HEADER.FIELDS (CC FROM SUBJECT TO)])"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarRequest:
    """What to look for in one mailbox."""

    mailbox: str
    uidvalidity: int
    exists: int
    """Messages in the mailbox, at least 1."""

    queries: tuple[SearchQuery, ...]
    """Searches to count."""

    sample: int
    """Newest messages whose headers to fetch, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """What was found in one mailbox."""

    counts: tuple[int, ...]
    """Matches of each query among the newest messages; 0 for what the server didn't count."""

    headers: tuple[bytes, ...]
    """From, To, Cc and Subject of the newest messages."""


def find_similar(server: SearchServer, requests: Sequence[SimilarRequest]) -> list[Similar | ToolError]:
    """Count searches and fetch headers; one round trip for up to `limits.BURST_MAILBOXES` mailboxes.

    Without ESEARCH nothing is counted: plain responses would list all matches, and don't say whose they are.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    return run_pipelined(
        server.session,
        [
            MailboxTask(mailbox=each.mailbox, uidvalidity=each.uidvalidity, steps=_look(server, each))
            for each in requests
        ],
    )


def _look(server: SearchServer, request: SimilarRequest) -> Steps[Similar]:
    newest = b"%d:*" % max(request.exists - request.sample + 1, 1)
    fetches = [Command(name="FETCH", arguments=[newest, _ITEMS])] if request.sample else []
    searches = [_count(server, each, request.exists) for each in request.queries]
    replies = (yield [*fetches, *filter(None, searches)]).replies
    responses = [each.response if isinstance(each, RefusedError) else each for each in replies]
    # The server may run several commands at a time and mix their untagged responses.
    lines = esearch_lines(replies)
    tags = iter([each.tag for each in responses[len(fetches) :]])
    counts = [parse_count(lines, tag=next(tags)) or 0 if each else 0 for each in searches]
    rows = [row for each in responses for row in parse_rows(each)[0].values()]
    headers = tuple(row.sections.get("HEADER.FIELDS", b"") for row in rows)
    return Similar(counts=tuple(counts), headers=headers)


def _count(server: SearchServer, query: SearchQuery, exists: int) -> Command | None:
    """Write the search that counts a query; None if the server can't count it at once."""
    session = server.session
    if not session.can("ESEARCH"):
        return None
    try:
        plan = server.plan(query)
    except InvalidInputError:
        return None  # such as other letters than ASCII, where the server knows no charset
    in_text = any(map(looks_inside, query.criteria))
    looked_at = limits.SPELLING_TEXTS_SEARCHED if in_text else limits.SPELLING_HEADERS_SEARCHED
    newest = b"%d:*" % max(exists - looked_at + 1, 1)
    command = search_command(plan.keys, within=(newest,), returning=b"(COUNT)")
    return command if session.connection.sends_at_once(command) else None
