"""The state of a search, which can be read from arguments or a cursor and written as either.

Texts and dates stay as the caller wrote them, and `last_days` keeps the day it starts on: a page asked for
tomorrow is a page of today's search. Days begin and end in the zone of the settings.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, Final

from mailmcp import limits
from mailmcp.imap.search.order import Order
from mailmcp.model.awaited_reply import AwaitedReply
from mailmcp.model.cursor import (
    SearchCursor,
    SourceCursor,
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
from mailmcp.tools.search.values import parse_day, parse_phrase, parse_words, start_of
from mcp_envelope import BaseReason, InvalidInputError, NextAction, Problem, read_arguments
from mcp_envelope.markdown import escape, unescape

_CODES: Final = {row.name: row.code for row in ARGUMENT_CRITERIA} | {
    "exclude_mailboxes": "xm",
    "last_days": "d",
    "dates": "dt",
    "sort": "z",
}
"""Of the arguments that make a search, in cursors."""

_FIRST_DAY, _MAILBOXES, _ACCOUNTS, _BY_ARRIVAL, _ANYWHERE = "n", "p", "j", "ba", "tx"
"""`n` is the day on which `last_days` starts; `p` says `*` or, for a list, `+`; `j` says `*`.

`ba` is 1 where the messages of one mailbox go by arrival, since its UIDs do not; `tx` is 1 where words were
looked for in names of files and all header fields, since they were nowhere else.
"""

_LIST = "+"

if len({*_CODES.values(), _FIRST_DAY, _MAILBOXES, _ACCOUNTS, _BY_ARRIVAL, _ANYWHERE}) < len(_CODES) + 5:
    raise TypeError("two fields of a cursor have the same code")


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search: what was asked, what that means, and where its next page begins."""

    arguments: SearchMessagesArguments
    """Those that make the same search; of a list of mailboxes, those that remain."""

    first_day: str = ""
    """The day on which `last_days` starts; "" without."""

    query: SearchQuery
    by_arrival: bool = False
    """Whether the messages of one mailbox go by arrival, since its UIDs do not."""

    sources: tuple[SourceCursor, ...]
    total: int = 0
    total_exact: bool = True
    incomplete: bool = False
    """Whether an earlier page missed something that no later one will show."""

    page_size: int
    is_first_page: bool = True

    @property
    def anywhere(self) -> bool:
        """Whether words were looked for in names of files and all header fields."""
        return bool(self.query.anywhere)

    def look_anywhere(self) -> "Search":
        """Return the search that looks for its words in names of files and all header fields."""
        query = self.query
        return replace(self, query=replace(query, query=(), anywhere=query.query or query.anywhere))

    @property
    def snippet_chars(self) -> int:
        """The longest snippet, in characters; 0 for none."""
        return self.arguments.snippet_max_chars

    @property
    def account_id(self) -> str:
        """The requested account; `*` for all."""
        return self.arguments.account_id

    @property
    def excluded(self) -> tuple[str, ...]:
        """The mailboxes that a search of all leaves out on request."""
        return self.arguments.exclude_mailboxes

    @property
    def all_accounts(self) -> bool:
        """Whether all accounts were requested."""
        return self.account_id == EVERYTHING

    @property
    def listed(self) -> bool:
        """Whether several mailboxes were named."""
        return bool(self.arguments.mailboxes)

    @property
    def mailboxes(self) -> tuple[str, ...]:
        """The mailboxes to search for this page, by name; `*` if all were requested."""
        names = (each.mailbox for each in self.sources)
        return (EVERYTHING,) if self.all_mailboxes else tuple(dict.fromkeys(names))

    @property
    def all_mailboxes(self) -> bool:
        """Whether all mailboxes were requested."""
        return self.arguments.mailbox == EVERYTHING

    @property
    def one_mailbox(self) -> bool:
        """Whether one mailbox of one account was requested by name."""
        return not (self.all_accounts or self.all_mailboxes or self.listed)

    @property
    def by_written(self) -> bool:
        """Whether times and order go by the Date header."""
        return self.arguments.dates == "written"

    @property
    def order(self) -> Order:
        """The order of the messages, the same on all pages."""
        order = Order(self.arguments.sort)
        if self.by_written:
            return order.by_written
        return order if self.one_mailbox and not self.by_arrival else order.by_arrival


def start_search(
    arguments: SearchMessagesArguments, account_ids: Sequence[str], *, today: date, zone: tzinfo
) -> Search:
    """Read a new search.

    Args:
        arguments: What was sent.
        account_ids: The accounts meant, at least one.
        today: In `zone`.
        zone: In which days begin and end.

    Raises:
        InvalidInputError: A text is meant as operators, a range is empty, or the criteria are too
            long for a cursor.
    """
    check_syntax(arguments, today=today)
    arguments = _unescaped(arguments)
    first_day = (today - timedelta(days=arguments.last_days)).isoformat() if arguments.last_days else ""
    query = read_query(arguments, first_day, zone)
    check_criteria(arguments, query)
    names = arguments.names
    search = Search(
        arguments=arguments.model_copy(
            update={
                "account_id": arguments.account_id if arguments.account_id == EVERYTHING else account_ids[0],
                "mailbox": "INBOX" if len(names) > 1 else names[0],
                "mailboxes": names if len(names) > 1 else (),
            }
        ),
        first_day=first_day,
        query=query,
        sources=tuple(SourceCursor(account_id=each, mailbox=name) for each in account_ids for name in names),
        page_size=arguments.limit or 1,
    )
    if len(search.sources) > limits.SEARCH_SOURCES_MAX:
        raise InvalidInputError.of(
            "mailboxes", BaseReason.OUT_OF_RANGE, "names too many mailboxes for so many accounts. Send fewer."
        )
    if len(format_cursor(search)) > limits.CURSOR_CHARS_MAX - limits.SEARCH_SOURCES_CHARS_MAX:
        # Nobody could request its next page: a cursor is an argument too.
        raise InvalidInputError.of(
            "query",
            BaseReason.OUT_OF_RANGE,
            "is too long together with the other criteria. Send fewer words.",
        )
    return search


def resume_search(text: str, zone: tzinfo) -> Search:
    """Read a cursor, which anyone may have made.

    Raises:
        InvalidInputError: With reason `cursor_malformed`: there can be no such search.
    """
    cursor = parse_search_cursor(text)
    fields = dict(cursor.criteria)
    mailboxes, accounts, by_arrival, anywhere, first_day = (
        fields.pop(code, "") for code in (_MAILBOXES, _ACCOUNTS, _BY_ARRIVAL, _ANYWHERE, _FIRST_DAY)
    )
    names = list(dict.fromkeys(each.mailbox for each in cursor.sources))
    account_ids = {each.account_id for each in cursor.sources}
    raw: dict[str, object] = {
        "account_id": EVERYTHING if accounts else cursor.sources[0].account_id,
        "limit": cursor.page_size,
        "snippet_max_chars": cursor.snippet_chars,
    }
    raw |= {"mailboxes": names} if mailboxes == _LIST else {"mailbox": mailboxes or names[0]}
    arguments_by_code = {code: name for name, code in _CODES.items()}
    flags = {row.code for row in ARGUMENT_CRITERIA if row.kind is Kind.FLAG}
    try:
        raw |= {
            arguments_by_code[code].rstrip("_"): True if code in flags and text == "1" else text
            for code, text in fields.items()
        }
        arguments = read_arguments(SearchMessagesArguments, raw)
        query = read_query(arguments, first_day, zone)
        check_criteria(arguments, query)
    except (LookupError, InvalidInputError):
        raise malformed_cursor() from None
    search = Search(
        arguments=arguments,
        first_day=first_day,
        query=query,
        by_arrival=bool(by_arrival),
        sources=cursor.sources,
        total=cursor.total,
        total_exact=cursor.total_exact,
        incomplete=cursor.incomplete,
        page_size=cursor.page_size,
        is_first_page=False,
    )
    search = search.look_anywhere() if anywhere else search
    named = all(each.mailbox != EVERYTHING for each in cursor.sources)
    listed = all(each.mailbox != EVERYTHING or not each.uidvalidity for each in cursor.sources)
    sound = (
        _fields(arguments) == fields
        and bool(arguments.last_days) == (parse_day(first_day) is not None)
        and bool(arguments.last_days) == bool(first_day)
        and mailboxes in {"", EVERYTHING, _LIST}
        and search.all_mailboxes == (mailboxes == EVERYTHING)
        and accounts in {"", EVERYTHING}
        and anywhere in ({"", "1"} if search.anywhere or query.query else {""})
        and by_arrival in ({"", "1"} if search.one_mailbox and not search.by_written else {""})
        and (len(cursor.sources) == 1 or not search.one_mailbox)
        and (len(account_ids) == 1 or search.all_accounts)
        and (listed if search.all_mailboxes else named)
    )
    if not sound:
        raise malformed_cursor()
    return search


def check_against_cursor(arguments: SearchMessagesArguments, search: Search) -> None:
    """Check that the arguments sent with a cursor agree with it.

    Raises:
        InvalidInputError: With reason `cursor_mismatch`, a problem for each argument.
    """
    meant = _fields(search.arguments)
    sent = _fields(_unescaped(arguments))
    wrong = [name for name, code in _CODES.items() if code in sent and sent[code] != meant.get(code)]
    if arguments.account_id not in {"", search.account_id}:
        wrong.append("account_id")
    named = "mailboxes" if arguments.mailboxes else "mailbox"
    if named in arguments.model_fields_set and getattr(arguments, named):
        same = (arguments.names == (EVERYTHING,), len(arguments.names) > 1) == (
            search.all_mailboxes,
            search.listed,
        )
        # Mailboxes of a list that have no more messages are not in the cursor.
        if not (same and (search.all_mailboxes or {*search.arguments.names} <= {*arguments.names})):
            wrong.append(named)
    if arguments.snippet_max_chars not in {0, search.snippet_chars}:
        wrong.append("snippet_max_chars")
    if wrong:
        message = "contradicts the cursor. Leave it out, or leave out the cursor to start a new search."
        raise InvalidInputError(
            [
                Problem(field=name.rstrip("_"), reason=Reason.CURSOR_MISMATCH, message=message)
                for name in wrong
            ]
        )


def format_cursor(search: Search) -> str:
    """Write the cursor that continues a search at its sources."""
    scope = {
        _FIRST_DAY: search.first_day,
        _MAILBOXES: EVERYTHING if search.all_mailboxes else _LIST if search.listed else "",
        _ACCOUNTS: EVERYTHING if search.all_accounts else "",
        _BY_ARRIVAL: "1" if search.by_arrival else "",
        _ANYWHERE: "1" if search.anywhere else "",
    }
    cursor = SearchCursor(
        sources=search.sources,
        total=search.total,
        total_exact=search.total_exact,
        incomplete=search.incomplete,
        page_size=search.page_size,
        snippet_chars=search.snippet_chars,
        criteria=_fields(search.arguments) | {code: text for code, text in scope.items() if text},
    )
    text = format_search_cursor(cursor)
    if len(text) > limits.CURSOR_CHARS_MAX:
        # Better to show a copy twice than to end the search here.
        sources = tuple(replace(each, skip=()) for each in search.sources)
        text = format_search_cursor(replace(cursor, sources=sources))
    return text


def arguments_of(search: Search) -> dict[str, object]:
    """Return the arguments that make the same search, from its first page."""
    arguments = search.arguments
    where: dict[str, object] = (
        {"mailboxes": list(arguments.names)} if search.listed else {"mailbox": arguments.mailbox}
    )
    sent: dict[str, object] = {"account_id": search.account_id} | where
    for name in _CODES:
        value = getattr(arguments, name)
        if value != SearchMessagesArguments.model_fields[name].default:
            shown = list(value) if isinstance(value, tuple) else value
            sent[name.rstrip("_")] = as_sent(name, value) if name in TEXTS else shown
    if search.snippet_chars:
        sent["snippet_max_chars"] = search.snippet_chars
    is_default = search.page_size == limits.PAGE_SIZE_DEFAULT
    if arguments.group_by is not None:
        sent["group_by"] = arguments.group_by
        is_default = "limit" not in arguments.model_fields_set  # which one it is depends on the groups
    if not is_default:
        sent["limit"] = search.page_size
    return sent


def repeat_search(
    search: Search, instruction: str, *, without: Collection[str] = (), **changes: object
) -> NextAction:
    """Suggest the same search from its first page, without some of its arguments and with others changed."""
    kept = {name: value for name, value in arguments_of(search).items() if name not in without}
    return NextAction(instruction=instruction, tool=SEARCH_MESSAGES, arguments=kept | changes)


def read_query(arguments: SearchMessagesArguments, first_day: str, zone: tzinfo) -> SearchQuery:
    """Build the query that arguments ask for.

    Args:
        arguments: With texts unescaped.
        first_day: The day on which `last_days` starts; "" without.
        zone: In which days begin and end.
    """
    values = {row.name: _value(row, getattr(arguments, row.name), zone) for row in ARGUMENT_CRITERIA}
    if first_day:
        values["since"] = start_of(first_day, zone)
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


def _fields(arguments: SearchMessagesArguments) -> dict[str, str]:
    """Write all arguments but the defaults as fields of a cursor."""
    fields = {}
    for name, code in _CODES.items():
        value = getattr(arguments, name)
        if value != SearchMessagesArguments.model_fields[name].default:
            text = json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else str(value)
            fields[code] = "1" if value is True else text
    return fields


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
