"""What a search asks for, in three forms: arguments, a cursor's fields, IMAP criteria.

Dates are kept as the caller sent them, and `last_days` with the day it starts on, so
that a page asked for tomorrow is a page of today's search. A day begins and ends in the
zone of the settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta, tzinfo

from mailmcp import limits
from mailmcp.imap.search.order import Order
from mailmcp.model.cursor import SearchCursor, SourceCursor, format_search_cursor, malformed_cursor
from mailmcp.model.query import SearchQuery, read_phrase
from mailmcp.reasons import Reason
from mailmcp.tools.search.arguments import (
    EVERYTHING,
    PHRASES,
    TEXTS,
    SearchMessagesArguments,
    check_ranges,
    read_day,
)
from mailmcp.tools.search.days import begin_of
from mailmcp.tools.search.syntax import accepts, check_syntax
from mcp_envelope import BaseReason, InvalidInputError, Problem, read_arguments
from mcp_envelope.markdown import escape, unescape

_TEXTS = {
    "query": "q",
    "exclude": "x",
    "from_": "f",
    "to": "t",
    "cc": "c",
    "any_address": "y",
    "subject": "s",
    "body": "o",
    "keyword": "k",
    "header_message_id": "i",
    "gmail_query": "g",
    "since": "v",
    "before": "w",
    "start_date": "a",
    "end_date": "b",
}
_FLAGS = {
    "unread_only": "u",
    "flagged": "l",
    "answered": "r",
    "unanswered_only": "ua",
    "has_attachment": "h",
}
_NUMBERS = {"last_days": "d", "larger_than": "m", "smaller_than": "e"}
_SORT, _FIRST_DAY, _MAILBOXES, _ACCOUNTS, _BY_ARRIVAL = "z", "n", "p", "j", "ba"
"""`n` is the day on which `last_days` starts; `p` says `*` or, for a list, `+`; `j` says `*`.

`ba` is 1 where the messages of one mailbox go by arrival, since its UIDs do not.
"""

_LIST = "+"
_NAMES = {short: name for names in (_TEXTS, _FLAGS, _NUMBERS) for name, short in names.items()}


def start_search(
    arguments: SearchMessagesArguments, account_ids: Sequence[str], *, today: date, zone: tzinfo
) -> SearchCursor:
    """Write a new search as if it went on where it begins.

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
    fields = _given_fields(arguments)
    if arguments.last_days:
        fields[_FIRST_DAY] = (today - timedelta(days=arguments.last_days)).isoformat()
    criteria = criteria_of(fields, zone)
    check_ranges(arguments, first=criteria.since, end=criteria.before)
    names = arguments.names
    search = SearchCursor(
        sources=tuple(SourceCursor(account_id=each, mailbox=name) for each in account_ids for name in names),
        total=0,
        page_size=arguments.limit,
        snippet_chars=arguments.snippet_max_chars,
        criteria=fields | _scope(arguments),
    )
    if len(search.sources) > limits.SEARCH_SOURCES_MAX:
        raise InvalidInputError.of(
            "mailboxes", BaseReason.OUT_OF_RANGE, "names too many mailboxes for so many accounts. Send fewer."
        )
    if len(format_search_cursor(search)) > limits.CURSOR_CHARS_MAX - limits.SEARCH_SOURCES_CHARS_MAX:
        # Its next page could not be asked for: a cursor is an argument too.
        raise InvalidInputError.of(
            "query",
            BaseReason.OUT_OF_RANGE,
            "is too long together with the other criteria. Send fewer words.",
        )
    return search


def _scope(arguments: SearchMessagesArguments) -> dict[str, str]:
    """Say where is searched, as far as that makes the order of the messages and the search itself."""
    scope = {}
    if arguments.names == (EVERYTHING,):
        scope[_MAILBOXES] = EVERYTHING
    elif len(arguments.names) > 1:
        scope[_MAILBOXES] = _LIST
    if arguments.account_id == EVERYTHING:
        scope[_ACCOUNTS] = EVERYTHING
    return scope


def is_of_one_mailbox(search: SearchCursor) -> bool:
    """Tell whether one mailbox of one account was asked for by its name."""
    return _MAILBOXES not in search.criteria and _ACCOUNTS not in search.criteria


def is_of_all_mailboxes(search: SearchCursor) -> bool:
    """Tell whether all mailboxes were asked for."""
    return search.criteria.get(_MAILBOXES) == EVERYTHING


def is_of_all_accounts(search: SearchCursor) -> bool:
    """Tell whether all accounts were asked for."""
    return _ACCOUNTS in search.criteria


def order_of(search: SearchCursor) -> Order:
    """Give the order of the messages, the same on all pages."""
    match search.criteria.get(_SORT):
        case "largest":
            return Order.LARGEST
        case "oldest":
            order = Order.OLDEST
        case _:
            order = Order.NEWEST
    return order if is_of_one_mailbox(search) and _BY_ARRIVAL not in search.criteria else order.by_arrival


def by_arrival(search: SearchCursor) -> SearchCursor:
    """Say that the messages of one mailbox go by arrival."""
    return replace(search, criteria={**search.criteria, _BY_ARRIVAL: "1"})


def check_against_cursor(arguments: SearchMessagesArguments, cursor: SearchCursor) -> None:
    """Make sure that what was sent beside a cursor says the same as the cursor.

    Raises:
        InvalidInputError: With reason `cursor_mismatch`, a problem for each argument.
    """
    given = _given_fields(arguments)
    names = _NAMES | {_SORT: "sort"}
    wrong = [
        names[short].rstrip("_") for short, value in given.items() if cursor.criteria.get(short, "") != value
    ]
    account_id = EVERYTHING if is_of_all_accounts(cursor) else cursor.sources[0].account_id
    if arguments.account_id not in {"", account_id}:
        wrong.append("account_id")
    named = "mailboxes" if arguments.mailboxes else "mailbox"
    if (
        named in arguments.model_fields_set
        and getattr(arguments, named)
        and not _same_scope(arguments, cursor)
    ):
        wrong.append(named)
    if arguments.snippet_max_chars not in {0, cursor.snippet_chars}:
        wrong.append("snippet_max_chars")
    if wrong:
        message = "contradicts the cursor. Leave it out, or leave the cursor out to search anew."
        raise InvalidInputError(
            [Problem(field=name, reason=Reason.CURSOR_MISMATCH, message=message) for name in wrong]
        )


def _same_scope(arguments: SearchMessagesArguments, cursor: SearchCursor) -> bool:
    """Compare mailboxes; those of a list that have no more are not in the cursor."""
    if cursor.criteria.get(_MAILBOXES, "") != _scope(arguments).get(_MAILBOXES, ""):
        return False
    if is_of_all_mailboxes(cursor):
        return True
    return {each.mailbox for each in cursor.sources} <= set(arguments.names)


def check_criteria(cursor: SearchCursor, zone: tzinfo) -> None:
    """Make sure that a cursor is of a search there can be: whoever sends one may have made it.

    Raises:
        InvalidInputError: With reason `cursor_malformed`.
    """
    fields = dict(cursor.criteria)
    scope = {short: fields.pop(short) for short in (_MAILBOXES, _ACCOUNTS, _BY_ARRIVAL) if short in fields}
    first_day = fields.pop(_FIRST_DAY, "")
    try:
        arguments = read_arguments(SearchMessagesArguments, arguments_of(cursor))
        criteria = criteria_of(cursor.criteria, zone)
        check_ranges(arguments, first=criteria.since, end=criteria.before)
    except (ValueError, InvalidInputError):
        raise malformed_cursor() from None
    sound = (
        _given_fields(arguments) == fields
        and ("d" in fields) == (read_day(first_day) is not None)
        and scope.get(_MAILBOXES) in {None, EVERYTHING, _LIST}
        and scope.get(_ACCOUNTS) in {None, EVERYTHING}
        and scope.get(_BY_ARRIVAL) in ({None, "1"} if is_of_one_mailbox(cursor) else {None})
        and _sources_fit(cursor)
    )
    if not sound:
        raise malformed_cursor()


def _sources_fit(cursor: SearchCursor) -> bool:
    """Tell whether the mailboxes are such as the scope can mean."""
    if is_of_one_mailbox(cursor) and len(cursor.sources) != 1:
        return False
    if not is_of_all_accounts(cursor) and len({each.account_id for each in cursor.sources}) != 1:
        return False
    listed = all(each.mailbox != EVERYTHING or not each.uidvalidity for each in cursor.sources)
    return listed and (
        is_of_all_mailboxes(cursor) or all(each.mailbox != EVERYTHING for each in cursor.sources)
    )


def _given_fields(arguments: SearchMessagesArguments) -> dict[str, str]:
    fields = {short: str(getattr(arguments, name)) for name, short in _TEXTS.items()}
    # What a reply showed is often sent as it stood there.
    fields |= {_TEXTS[name]: unescape(fields[_TEXTS[name]]) for name in TEXTS}
    fields |= {short: "1" if getattr(arguments, name) else "" for name, short in _FLAGS.items()}
    fields |= {short: str(getattr(arguments, name) or "") for name, short in _NUMBERS.items()}
    fields[_SORT] = "" if arguments.sort == "newest" else arguments.sort
    return {short: value for short, value in fields.items() if value}


def criteria_of(fields: Mapping[str, str], zone: tzinfo) -> SearchQuery:
    """Read a cursor's fields as IMAP criteria."""
    texts = {
        name: read_phrase(text) if name in PHRASES else text
        for name, short in _TEXTS.items()
        if name not in {"since", "before", "start_date", "end_date"}
        for text in [fields.get(short, "")]
    }
    since = begin_of(fields.get("v") or fields.get(_FIRST_DAY) or fields.get("a", ""), zone)
    before = (
        begin_of(fields["b"], zone, days_later=1) if "b" in fields else begin_of(fields.get("w", ""), zone)
    )
    return SearchQuery(
        **texts,
        unread_only=_FLAGS["unread_only"] in fields,
        flagged=_FLAGS["flagged"] in fields,
        answered=_FLAGS["answered"] in fields,
        unanswered_only=_FLAGS["unanswered_only"] in fields,
        has_attachment=_FLAGS["has_attachment"] in fields,
        larger_than=int(fields.get("m", 0)),
        smaller_than=int(fields.get("e", 0)),
        since=None if since is None or since.year <= limits.YEAR_FIRST else since,
        before=None if before is None or before.year >= limits.YEAR_LAST else before,
    )


def arguments_of(cursor: SearchCursor) -> dict[str, object]:
    """Write the arguments that make the search of a cursor anew, from its first page."""
    fields = cursor.criteria
    sent: dict[str, object] = {
        "account_id": EVERYTHING if is_of_all_accounts(cursor) else cursor.sources[0].account_id
    }
    if is_of_all_mailboxes(cursor):
        sent["mailbox"] = EVERYTHING
    elif fields.get(_MAILBOXES) == _LIST:
        sent["mailboxes"] = list(dict.fromkeys(each.mailbox for each in cursor.sources))
    else:
        sent["mailbox"] = cursor.sources[0].mailbox
    sent |= {
        name.rstrip("_"): _as_sent(name, fields[short]) for name, short in _TEXTS.items() if short in fields
    }
    sent |= {name: fields[short] == "1" for name, short in _FLAGS.items() if short in fields}
    sent |= {name: int(fields[short]) for name, short in _NUMBERS.items() if short in fields}
    if _SORT in fields:
        sent["sort"] = fields[_SORT]
    if cursor.snippet_chars:
        sent["snippet_max_chars"] = cursor.snippet_chars
    return sent | {"limit": cursor.page_size}


def _as_sent(name: str, text: str) -> str:
    """Write a text so that it is read as that: escaped if it was sent so."""
    if name not in TEXTS:
        return text
    return text if unescape(text) == text and accepts(name, text) else escape(text)
