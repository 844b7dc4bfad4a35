"""A search: what was asked, and where its next page begins; read from arguments or a cursor.

The state of a search is its validated arguments, and what the first page chose: where each mailbox goes on,
and whether words are looked for everywhere. The same arguments are in cursors and in next actions. Texts and
dates stay as the caller wrote them, apart from `last_days`, which becomes the day on which it starts: a page
asked for tomorrow is a page of today's search. Days begin and end in the zone of the settings.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, Final

from mailmcp import limits
from mailmcp.imap.search.order import Order, RankBy
from mailmcp.model.awaited_reply import AwaitedReply
from mailmcp.model.cursor import (
    Position,
    SearchCursor,
    format_search_cursor,
    malformed_cursor,
    parse_search_cursor,
)
from mailmcp.model.mail_kind import MailKind, WantedKind
from mailmcp.model.query import ARGUMENT_CRITERIA, Criterion, Kind, SearchQuery
from mailmcp.reasons import Reason
from mailmcp.tools.names import SEARCH_MESSAGES
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments
from mailmcp.tools.search.syntax import check_syntax
from mailmcp.tools.search.values import parse_phrase, parse_words, start_of
from mcp_envelope import BaseReason, InvalidInputError, NextAction, Problem, read_arguments
from mcp_envelope.markdown import unescape

_WHERE: Final = {"account_id", "mailbox", "mailboxes", "cursor"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search: what was asked, what that means, and where its next page begins."""

    arguments: SearchMessagesArguments
    """Those that make the same search; of a list of mailboxes, those that remain."""

    query: SearchQuery
    sources: tuple[Position, ...]
    total: int = 0
    total_exact: bool = True
    incomplete: bool = False
    """Whether an earlier page missed something that no later one will show."""

    anywhere: bool = False
    """Whether words are looked for in names of files and all header fields."""

    page_size: int
    is_first_page: bool = True

    def look_anywhere(self) -> "Search":
        """Return the search that looks for its words in names of files and all header fields."""
        query = replace(self.query, query=(), anywhere=self.query.query or self.query.anywhere)
        return replace(self, query=query, anywhere=True)

    @property
    def one_mailbox(self) -> bool:
        """Whether one mailbox of one account was requested by name."""
        where = (self.arguments.account_id, self.arguments.mailbox)
        return EVERYTHING not in where and not self.arguments.mailboxes

    @property
    def by_written(self) -> bool:
        """Whether times and order go by the Date header."""
        return self.arguments.dates == "written"

    @property
    def order(self) -> Order:
        """The order of the messages, the same on all pages."""
        if self.arguments.sort == "largest":
            return Order(RankBy.SIZE)
        rank = RankBy.WRITTEN if self.by_written else RankBy.ARRIVED
        return Order(rank, ascending=self.arguments.sort == "oldest")


def where(names: Sequence[str]) -> dict[str, object]:
    """Return the arguments that name some mailboxes, of which one has no list."""
    if len(names) == 1:
        return {"mailbox": names[0], "mailboxes": ()}
    return {"mailbox": "INBOX", "mailboxes": tuple(names)}


def start_search(
    arguments: SearchMessagesArguments, account_ids: Sequence[str], *, today: date, zone: tzinfo
) -> Search:
    """Read a new search in at least one account; days begin and end in `zone`.

    Raises:
        InvalidInputError: A text is meant as operators or has no words, a range of times is empty, there are
            too many mailboxes, or some are left out of a few.
    """
    check_syntax(arguments)
    names = arguments.names
    if arguments.exclude_mailboxes and names != (EVERYTHING,):
        message = f'needs mailbox "{EVERYTHING}". Send both, or leave it out.'
        raise InvalidInputError.of("exclude_mailboxes", BaseReason.EXCLUSIVE_PARAMS, message)
    sources = tuple(Position(account_id=each, mailbox=name) for each in account_ids for name in names)
    if len(sources) > limits.SEARCH_SOURCES_MAX:
        message = f"names more than {limits.SEARCH_SOURCES_MAX} mailboxes in all. Send fewer, or mailbox *."
        raise InvalidInputError.of("mailboxes", BaseReason.OUT_OF_RANGE, message)
    changes = where(names)
    if arguments.account_id != EVERYTHING:
        changes["account_id"] = account_ids[0]
    if arguments.last_days:
        first_day = today - timedelta(days=arguments.last_days)
        changes |= {"since": first_day.isoformat(), "last_days": 0}
    arguments = arguments.model_copy(update=changes)
    query = read_query(arguments, zone)
    return Search(arguments=arguments, query=query, sources=sources, page_size=arguments.limit or 1)


def resume_search(text: str, zone: tzinfo) -> Search:
    """Read a cursor, which anyone may have made.

    Raises:
        InvalidInputError: With reason `cursor_malformed`: there can be no such search.
    """
    cursor = parse_search_cursor(text)
    names = tuple(dict.fromkeys(each.mailbox for each in cursor.sources))
    given: dict[str, object] = {"account_id": cursor.sources[0].account_id, **cursor.arguments}
    try:
        arguments = read_arguments(SearchMessagesArguments, given)
        if "mailbox" not in cursor.arguments:  # else it is all of them
            arguments = arguments.model_copy(update=where(names))
        query = read_query(arguments, zone)
    except InvalidInputError:
        raise malformed_cursor() from None
    search = Search(
        arguments=arguments,
        query=query,
        sources=cursor.sources,
        total=cursor.total,
        total_exact=cursor.total_exact,
        incomplete=cursor.incomplete,
        page_size=arguments.limit or 1,
        is_first_page=False,
    )
    return search.look_anywhere() if cursor.anywhere else search


def check_against_cursor(arguments: SearchMessagesArguments, search: Search) -> None:
    """Check that the arguments sent with a cursor agree with it.

    Raises:
        InvalidInputError: With reason `cursor_mismatch`, a problem for each argument.
    """
    meant, sent = _given(search.arguments), _given(arguments)
    if sent.pop("last_days", None) and "since" not in meant:
        sent["last_days"] = arguments.last_days
    wrong = [
        name for name, value in sent.items() if name not in {"limit", "cursor"} and meant.get(name) != value
    ]
    if arguments.account_id not in {"", search.arguments.account_id}:
        wrong.append("account_id")
    is_named = arguments.mailboxes or "mailbox" in arguments.model_fields_set
    # Mailboxes of a list that have no more messages are not in the cursor.
    if is_named and not {*search.arguments.names} <= {*arguments.names}:
        wrong.append("mailboxes" if arguments.mailboxes else "mailbox")
    if wrong:
        message = "contradicts the cursor. Leave it out, or leave out the cursor to start a new search."
        raise InvalidInputError(
            [Problem(field=name, reason=Reason.CURSOR_MISMATCH, message=message) for name in wrong]
        )


def format_cursor(search: Search) -> str:
    """Write the cursor that continues a search at its sources."""
    arguments = search.arguments
    scope = {"account_id": arguments.account_id, "mailbox": arguments.mailbox}
    given: dict[str, object] = {name: value for name, value in scope.items() if value == EVERYTHING}
    given |= _given(arguments) | {"limit": search.page_size}
    if search.page_size == limits.PAGE_SIZE_DEFAULT:
        del given["limit"]
    cursor = SearchCursor(
        sources=search.sources,
        arguments={
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for name, value in given.items()
        },
        total=search.total,
        total_exact=search.total_exact,
        incomplete=search.incomplete,
        anywhere=search.anywhere,
    )
    text = format_search_cursor(cursor)
    if len(text) > limits.CURSOR_CHARS_MAX:
        # Better to show a copy twice than to end the search here.
        sources = tuple(replace(each, skip=()) for each in search.sources)
        text = format_search_cursor(replace(cursor, sources=sources))
    return text


def _given(arguments: SearchMessagesArguments) -> dict[str, Any]:
    """Return what was sent to say what to look for, and how to show it, without defaults."""
    return arguments.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude=_WHERE)


def repeat_search(
    search: Search, instruction: str, *, without: Collection[str] = (), **changes: object
) -> NextAction:
    """Suggest the same search from its first page, without some of its arguments and with others changed."""
    arguments, names = search.arguments, search.arguments.mailboxes
    sent: dict[str, object] = {"account_id": arguments.account_id}
    sent |= {"mailboxes": list(names)} if names else {"mailbox": arguments.mailbox}
    sent |= _given(arguments)
    kept = {name: value for name, value in sent.items() if name not in without}
    return NextAction(instruction=instruction, tool=SEARCH_MESSAGES, arguments=kept | changes)


def read_query(arguments: SearchMessagesArguments, zone: tzinfo) -> SearchQuery:
    """Build the query that arguments ask for.

    Raises:
        InvalidInputError: A text has no words, or a range of times is empty.
    """
    values = {row.name: _read_value(row, getattr(arguments, row.name), zone) for row in ARGUMENT_CRITERIA}
    since: datetime | None = values["since"]
    before: datetime | None = values["before"]
    problems = []
    for row in ARGUMENT_CRITERIA:
        text = getattr(arguments, row.name) if row.kind in {Kind.WORDS, Kind.PHRASE} else ""
        # Asterisks mean any text, so there is nothing to search for.
        if not values[row.name] and text.replace("*", "").strip():
            message = "has no words to search for. Send words, or leave it out."
            problems.append(Problem(field=row.argument, reason=BaseReason.INVALID_VALUE, message=message))
    if since is not None and before is not None and before <= since:
        message = "is not after since. Send a later one."
        problems.append(Problem(field="before", reason=BaseReason.OUT_OF_RANGE, message=message))
    if problems:
        raise InvalidInputError(problems)
    if since is not None and since.year <= limits.YEAR_FIRST:
        values["since"] = None
    if before is not None and before.year >= limits.YEAR_LAST:
        values["before"] = None
    if arguments.dates == "written":
        values["written_since"], values["written_before"] = values.pop("since"), values.pop("before")
    return SearchQuery(**values)


def _read_value(row: Criterion, sent: Any, zone: tzinfo) -> Any:
    match row.kind:
        case Kind.WORDS:
            # Models often send texts as a reply showed them: with Markdown's escapes.
            return parse_words(unescape(sent), ignored={"AND", "OR", "|"} if row.negated else {"AND"})
        case Kind.PHRASE:
            return parse_phrase(unescape(sent))
        case Kind.MOMENT:
            return start_of(sent, zone)
        case Kind.MAIL_KIND:
            return WantedKind(kind=MailKind(sent)) if sent else None
        case Kind.AWAITED_REPLY:
            return AwaitedReply(side=sent) if sent else None
        case _:
            return sent
