"""What a search asks for, in three forms: arguments, a cursor's fields, IMAP criteria.

Dates are kept as the caller sent them, and `last_days` with the day it starts on, so
that a page asked for tomorrow is a page of today's search.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from mailmcp.envelope import limits
from mailmcp.envelope.errors import InvalidInputError, Problem, Reason
from mailmcp.imap.search import Criteria
from mailmcp.mail.cursor import SearchCursor, format_search_cursor, malformed_cursor
from mailmcp.mail.ids import UINT32_MAX
from mailmcp.tools.arguments import Arguments, read_arguments


def _check_date(text: str) -> str:
    if text:
        try:
            parsed = date.fromisoformat(text)
        except ValueError:
            parsed = None
        if parsed is None or parsed.isoformat() != text:
            raise PydanticCustomError(Reason.INVALID_VALUE.value, "is not a date. Send YYYY-MM-DD.")
    return text


def _check_snippet_chars(count: int) -> int:
    if 0 < count < limits.SNIPPET_CHARS_MIN:
        raise PydanticCustomError(
            Reason.OUT_OF_RANGE.value, "is out of range. Send 50 to 500, or 0 for no snippets."
        )
    return count


Day = Annotated[str, AfterValidator(_check_date)]


class SearchMessagesArguments(Arguments):
    """Criteria, all of which must hold, and the shape of the page."""

    account_id: str = Field("", description="May be left out if there is one account.")
    mailbox: str = Field("INBOX", description="Exact name from imap_list_mailboxes.")
    query: str = Field("", description='Words, each anywhere in headers or body; "quoted phrase" as one.')
    from_: str = Field("", alias="from", description="Part of sender name or address.")
    to: str = Field("", description="Part of a To name or address.")
    subject: str = Field("", description="Part of the subject.")
    unread_only: bool = False
    last_days: int = Field(0, ge=0, le=limits.LAST_DAYS_MAX, description="1 is since yesterday; 0 any time.")
    start_date: Day = Field("", description="YYYY-MM-DD, included.")
    end_date: Day = Field("", description="YYYY-MM-DD, included.")
    limit: int = Field(
        limits.PAGE_SIZE_DEFAULT, ge=1, le=limits.PAGE_SIZE_MAX, description="Messages a page."
    )
    snippet_max_chars: Annotated[int, AfterValidator(_check_snippet_chars)] = Field(
        0, ge=0, le=limits.SNIPPET_CHARS_MAX, description="50 to 500: show the start of each text; 0: none."
    )
    cursor: str = Field("", description="From the previous page; enough on its own.")

    exclusive = (("last_days", "start_date"), ("last_days", "end_date"))


_TEXT_FIELDS = {"query": "q", "from_": "f", "to": "t", "subject": "s", "start_date": "a", "end_date": "b"}
"""Attribute and short name in a cursor; `u` is unread_only, `d` last_days, `n` the first day of those."""


def start_search(arguments: SearchMessagesArguments, account_id: str, *, today: date) -> SearchCursor:
    """Write a new search as if it went on above its newest message.

    Raises:
        InvalidInputError: The range of dates is empty, or the criteria are too long for a cursor.
    """
    if arguments.start_date and arguments.end_date and arguments.end_date < arguments.start_date:
        raise InvalidInputError.of(
            "end_date", Reason.OUT_OF_RANGE, "lies before start_date. Send a day on or after it."
        )
    fields = _given_fields(arguments)
    if arguments.last_days:
        fields["n"] = (today - timedelta(days=arguments.last_days)).isoformat()
    search = SearchCursor(
        account_id=account_id,
        mailbox=_mailbox_meant(arguments),
        uidvalidity=0,
        position=0,
        total=0,
        page_size=arguments.limit,
        snippet_chars=arguments.snippet_max_chars,
        criteria=fields,
    )
    longest = replace(search, uidvalidity=UINT32_MAX, position=UINT32_MAX, total=UINT32_MAX)
    if len(format_search_cursor(longest)) > limits.CURSOR_CHARS_MAX:
        # Its next page could not be asked for: a cursor is an argument too.
        raise InvalidInputError.of(
            "query", Reason.OUT_OF_RANGE, "is too long together with the other criteria. Send fewer words."
        )
    return search


def check_against_cursor(arguments: SearchMessagesArguments, cursor: SearchCursor) -> None:
    """Make sure that what was sent beside a cursor says the same as the cursor.

    Raises:
        InvalidInputError: With reason `cursor_mismatch`, a problem for each argument.
    """
    given = _given_fields(arguments)
    names = {short: name.rstrip("_") for name, short in _TEXT_FIELDS.items()}
    names |= {"u": "unread_only", "d": "last_days"}
    wrong = [names[short] for short, value in given.items() if cursor.criteria.get(short, "") != value]
    if arguments.account_id not in {"", cursor.account_id}:
        wrong.append("account_id")
    if "mailbox" in arguments.model_fields_set and arguments.mailbox:
        wrong += ["mailbox"] * (_mailbox_meant(arguments) != cursor.mailbox)
    if arguments.snippet_max_chars not in {0, cursor.snippet_chars}:
        wrong.append("snippet_max_chars")
    if wrong:
        raise InvalidInputError(
            [
                Problem(
                    field=name,
                    reason=Reason.CURSOR_MISMATCH,
                    message="contradicts the cursor. Leave it out, or leave the cursor out to search anew.",
                )
                for name in wrong
            ]
        )


def check_criteria(cursor: SearchCursor) -> None:
    """Make sure that a cursor's criteria are such as a search can have: whoever sends one may have made it.

    Raises:
        InvalidInputError: With reason `cursor_malformed`.
    """
    fields = cursor.criteria
    try:
        arguments = read_arguments(SearchMessagesArguments, arguments_of(cursor))
        written = _given_fields(arguments)
        first_day = fields.get("n", "")
        _check_date(first_day)
    except (ValueError, InvalidInputError):
        raise malformed_cursor() from None
    if written | ({"n": first_day} if "d" in fields else {}) != dict(fields):
        raise malformed_cursor()


def _mailbox_meant(arguments: SearchMessagesArguments) -> str:
    """Give the mailbox's one name: INBOX is called so in any case (RFC 9051 section 5.1)."""
    return "INBOX" if arguments.mailbox.upper() in {"", "INBOX"} else arguments.mailbox


def _given_fields(arguments: SearchMessagesArguments) -> dict[str, str]:
    fields = {short: str(getattr(arguments, name)) for name, short in _TEXT_FIELDS.items()}
    fields["u"] = "1" if arguments.unread_only else ""
    fields["d"] = str(arguments.last_days or "")
    return {short: value for short, value in fields.items() if value}


def criteria_of(fields: Mapping[str, str]) -> Criteria:
    """Read a cursor's fields as IMAP criteria."""
    since = fields.get("n") or fields.get("a")
    end = date.fromisoformat(fields["b"]) if "b" in fields else date.max
    return Criteria(
        query=fields.get("q", ""),
        from_=fields.get("f", ""),
        to=fields.get("t", ""),
        subject=fields.get("s", ""),
        unread_only="u" in fields,
        since=date.fromisoformat(since) if since else None,
        before=end + timedelta(days=1) if end < date.max else None,
    )


def arguments_of(cursor: SearchCursor) -> dict[str, object]:
    """Write the arguments that make the search of a cursor anew, from its first page."""
    names = {short: name.rstrip("_") for name, short in _TEXT_FIELDS.items()}
    sent: dict[str, object] = {"account_id": cursor.account_id, "mailbox": cursor.mailbox}
    sent |= {names[short]: value for short, value in cursor.criteria.items() if short in names}
    if "u" in cursor.criteria:
        sent["unread_only"] = True
    if "d" in cursor.criteria:
        sent["last_days"] = int(cursor.criteria["d"])
    return sent | {"limit": cursor.page_size}
