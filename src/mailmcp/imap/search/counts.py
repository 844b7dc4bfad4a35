"""Counts of searches, many in one round trip: hints about what else there is. Nothing is verified."""

from collections.abc import Sequence
from dataclasses import dataclass

from mailmcp.imap.command import Command, Response
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.search.plan import make_plan, search_command
from mailmcp.imap.search.search_response import esearch_lines, parse_count
from mailmcp.imap.session import Session
from mailmcp.model.query import SearchQuery
from mcp_envelope import InvalidInputError, ToolError


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRequest:
    """What to count in one mailbox."""

    mailbox: str
    queries: tuple[SearchQuery, ...]


def count_matches(session: Session, requests: Sequence[CountRequest]) -> list[tuple[int, ...] | ToolError]:
    """Count the matches of some queries in each mailbox; one round trip for twenty mailboxes.

    Without ESEARCH nothing is counted: plain responses would list all matches, and don't say whose they are.

    Returns:
        For each mailbox the matches of each query, 0 for what can't be counted; or its error.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    return run_pipelined(
        session,
        [
            MailboxTask(mailbox=each.mailbox, uidvalidity=None, steps=_count(session, each.queries))
            for each in requests
        ],
    )


def _count(session: Session, queries: Sequence[SearchQuery]) -> Steps[tuple[int, ...]]:
    commands = [_command(session, each) for each in queries]
    replies = iter((yield [each for each in commands if each]).replies)
    answers = [next(replies) if each else None for each in commands]
    # A server may run searches in parallel and mix their responses.
    lines = esearch_lines([each for each in answers if each])
    return tuple(
        parse_count(lines, tag=each.tag) or 0 if isinstance(each, Response) else 0 for each in answers
    )


def _command(session: Session, query: SearchQuery) -> Command | None:
    """Write the search that counts a query; None if the server can't count it at once."""
    if not session.can("ESEARCH"):
        return None
    try:
        plan = make_plan(query, can=session.can)
    except InvalidInputError:
        return None
    command = search_command(plan.keys, returning=b"(COUNT)")
    return command if session.connection.sends_at_once(command) else None
