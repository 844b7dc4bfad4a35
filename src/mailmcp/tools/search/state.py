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
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments, check_criteria
from mailmcp.tools.search.syntax import TEXTS, accepts, check_syntax
from mailmcp.tools.search.values import parse_phrase, parse_words, start_of
from mcp_envelope import BaseReason, InvalidInputError, NextAction, Problem, read_arguments
from mcp_envelope.markdown import escape, unescape

_WHERE: Final = frozenset({"account_id", "mailbox", "mailboxes"})
_NOT_GIVEN: Final = _WHERE | {"cursor", "end_date", "group_by", "last_days"}
_GIVEN: Final = tuple(name for name in SearchMessagesArguments.model_fields if name not in _NOT_GIVEN)
_KEPT: Final = {"account_id", "mailbox", *(name.rstrip("_") for name in _GIVEN)}
"""The arguments in cursors, by the names under which they are sent."""


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
    def all_accounts(self) -> bool:
        """Whether all accounts were requested."""
        return self.arguments.account_id == EVERYTHING

    @property
    def all_mailboxes(self) -> bool:
        """Whether all mailboxes were requested."""
        return self.arguments.mailbox == EVERYTHING

    @property
    def one_mailbox(self) -> bool:
        """Whether one mailbox of one account was requested by name."""
        return not (self.all_accounts or self.all_mailboxes or self.arguments.mailboxes)

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


def start_search(
    arguments: SearchMessagesArguments, account_ids: Sequence[str], *, today: date, zone: tzinfo
) -> Search:
    """Read a new search in at least one account; days begin and end in `zone`.

    Raises:
        InvalidInputError: A text is meant as operators, a range is empty, or there are too many mailboxes.
    """
    check_syntax(arguments)
    names = arguments.names
    changes: dict[str, object] = {"mailbox": names[0], "mailboxes": ()}
    if len(names) > 1:
        changes = {"mailbox": "INBOX", "mailboxes": names}
    if arguments.account_id != EVERYTHING:
        changes["account_id"] = account_ids[0]
    if arguments.last_days:
        first_day = today - timedelta(days=arguments.last_days)
        changes |= {"since": first_day.isoformat(), "last_days": 0}
    sources = tuple(Position(account_id=each, mailbox=name) for each in account_ids for name in names)
    if len(sources) > limits.SEARCH_SOURCES_MAX:
        raise InvalidInputError.of(
            "mailboxes", BaseReason.OUT_OF_RANGE, "names too many mailboxes for so many accounts. Send fewer."
        )
    return _read_search(_unescaped(arguments).model_copy(update=changes), sources, zone)


def resume_search(text: str, zone: tzinfo) -> Search:
    """Read a cursor, which anyone may have made.

    Raises:
        InvalidInputError: With reason `cursor_malformed`: there can be no such search.
    """
    cursor = parse_search_cursor(text)
    names = list(dict.fromkeys(each.mailbox for each in cursor.sources))
    where: dict[str, object] = {"account_id": cursor.sources[0].account_id}
    if "mailbox" not in cursor.arguments:  # else it is all of them
        where |= {"mailboxes": names} if len(names) > 1 else {"mailbox": names[0]}
    if not cursor.arguments.keys() <= _KEPT:
        raise malformed_cursor()
    try:
        arguments = read_arguments(SearchMessagesArguments, {**where, **cursor.arguments})
        search = _read_search(arguments, cursor.sources, zone)
    except InvalidInputError:
        raise malformed_cursor() from None
    search = replace(
        search,
        total=cursor.total,
        total_exact=cursor.total_exact,
        incomplete=cursor.incomplete,
        is_first_page=False,
    )
    return search.look_anywhere() if cursor.anywhere else search


def _read_search(arguments: SearchMessagesArguments, sources: tuple[Position, ...], zone: tzinfo) -> Search:
    query = read_query(arguments, zone)
    check_criteria(arguments, query)
    return Search(arguments=arguments, query=query, sources=sources, page_size=arguments.limit or 1)


def check_against_cursor(arguments: SearchMessagesArguments, search: Search) -> None:
    """Check that the arguments sent with a cursor agree with it.

    Raises:
        InvalidInputError: With reason `cursor_mismatch`, a problem for each argument.
    """
    meant, sent = _given(search.arguments), _given(_unescaped(arguments))
    sent.pop("limit", None)
    if arguments.last_days and "since" not in meant:
        sent["last_days"] = arguments.last_days
    wrong = [name.rstrip("_") for name, value in sent.items() if meant.get(name) != value]
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
    given |= _given(arguments)
    given |= {"limit": search.page_size} if search.page_size != limits.PAGE_SIZE_DEFAULT else {}
    cursor = SearchCursor(
        sources=search.sources,
        arguments={
            name.rstrip("_"): value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
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


def arguments_of(search: Search) -> dict[str, object]:
    """Return the arguments that make the same search, from its first page."""
    arguments, names = search.arguments, search.arguments.mailboxes
    sent: dict[str, object] = {"account_id": arguments.account_id}
    sent |= {"mailboxes": list(names)} if names else {"mailbox": arguments.mailbox}
    for name, value in _given(arguments).items():
        shown = list(value) if isinstance(value, tuple) else value
        sent[name.rstrip("_")] = as_sent(name, str(value)) if name in TEXTS else shown
    if arguments.group_by is not None:
        sent["group_by"] = arguments.group_by
        if "limit" in arguments.model_fields_set:  # the default depends on the groups
            sent["limit"] = arguments.limit
    return sent


def _given(arguments: SearchMessagesArguments) -> dict[str, Any]:
    """Return the arguments that say what to look for, and how to show it, without defaults."""
    fields = SearchMessagesArguments.model_fields
    given = {name: getattr(arguments, name) for name in _GIVEN}
    return {name: value for name, value in given.items() if value != fields[name].default}


def repeat_search(
    search: Search, instruction: str, *, without: Collection[str] = (), **changes: object
) -> NextAction:
    """Suggest the same search from its first page, without some of its arguments and with others changed."""
    kept = {name: value for name, value in arguments_of(search).items() if name not in without}
    return NextAction(instruction=instruction, tool=SEARCH_MESSAGES, arguments=kept | changes)


def read_query(arguments: SearchMessagesArguments, zone: tzinfo) -> SearchQuery:
    """Build the query that arguments ask for, whose texts are unescaped."""
    values = {row.name: _value(row, getattr(arguments, row.name), zone) for row in ARGUMENT_CRITERIA}
    since: datetime | None = values["since"]
    before: datetime | None = values["before"]
    if since is not None and since.year <= limits.YEAR_FIRST:
        values["since"] = None
    if before is not None and before.year >= limits.YEAR_LAST:
        values["before"] = None
    if arguments.dates == "written":
        values["written_since"], values["written_before"] = values.pop("since"), values.pop("before")
    return SearchQuery(**values)


def _value(row: Criterion, sent: Any, zone: tzinfo) -> Any:
    match row.kind:
        case Kind.WORDS:
            return parse_words(sent, ignored=frozenset({"AND", "OR", "|"} if row.negated else {"AND"}))
        case Kind.PHRASE:
            return parse_phrase(sent)
        case Kind.MOMENT:
            return start_of(sent, zone)
        case Kind.MAIL_KIND:
            return WantedKind(kind=MailKind(sent)) if sent else None
        case Kind.AWAITED_REPLY:
            return AwaitedReply(side=sent) if sent else None
        case _:
            return sent


def _unescaped(arguments: SearchMessagesArguments) -> SearchMessagesArguments:
    """Undo the escaping of Markdown: models often send texts as a reply showed them."""
    return arguments.model_copy(update={name: unescape(getattr(arguments, name)) for name in TEXTS})


def as_sent(name: str, text: str) -> str:
    """Write a text so that it is read as the same: escaped if it was sent escaped, or in double quotes."""
    if unescape(text) == text and accepts(name, text):
        return text
    escaped = escape(text)
    return escaped if '"' in text or accepts(name, escaped) else f'"{text}"'


def can_be_sent(name: str, text: str) -> bool:
    """Return whether an argument reads a text, as `as_sent` writes it, as the same."""
    return parse_phrase(unescape(as_sent(name, text))) == text
