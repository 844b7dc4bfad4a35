"""What a search asks for, in three forms: arguments, a cursor's fields, IMAP criteria.

Dates are kept as the caller sent them, and `last_days` with the day it starts on, so
that a page asked for tomorrow is a page of today's search.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from mailmcp.envelope import limits
from mailmcp.envelope.errors import InvalidInputError, Problem, Reason
from mailmcp.imap.search import Criteria
from mailmcp.mail.cursor import SearchCursor
from mailmcp.tools.arguments import Arguments


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
Words = Annotated[str, Field(max_length=500)]


class SearchMessagesArguments(Arguments):
    """Criteria, all of which must hold, and the shape of the page."""

    account_id: str = Field("", max_length=64, description="May be left out if there is one account.")
    mailbox: str = Field("INBOX", max_length=1000, description="Exact name from imap_list_mailboxes.")
    query: Words = Field("", description='Words, each anywhere in headers or body; "quoted phrase" as one.')
    from_: Words = Field("", alias="from", description="Part of sender name or address.")
    to: Words = Field("", description="Part of a To name or address.")
    subject: Words = Field("", description="Part of the subject.")
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
    cursor: str = Field("", max_length=8000, description="From the previous page; enough on its own.")

    exclusive = (("last_days", "start_date"), ("last_days", "end_date"))


_TEXT_FIELDS = {"query": "q", "from_": "f", "to": "t", "subject": "s", "start_date": "a", "end_date": "b"}
"""Attribute and short name in a cursor; `u` is unread_only, `d` last_days, `n` the first day of those."""


def start_search(arguments: SearchMessagesArguments, account_id: str, *, today: date) -> SearchCursor:
    """Write a new search as if it went on above its newest message.

    Raises:
        InvalidInputError: The range of dates is empty.
    """
    if arguments.start_date and arguments.end_date and arguments.end_date < arguments.start_date:
        raise InvalidInputError.of(
            "end_date", Reason.OUT_OF_RANGE, "lies before start_date. Send a day on or after it."
        )
    fields = _given_fields(arguments)
    if arguments.last_days:
        fields["n"] = (today - timedelta(days=arguments.last_days)).isoformat()
    return SearchCursor(
        account_id=account_id,
        mailbox=arguments.mailbox or "INBOX",
        uidvalidity=0,
        position=0,
        total=0,
        page_size=arguments.limit,
        snippet_chars=arguments.snippet_max_chars,
        criteria=fields,
    )


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
    if "mailbox" in arguments.model_fields_set and arguments.mailbox not in {"", cursor.mailbox}:
        wrong.append("mailbox")
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


def _given_fields(arguments: SearchMessagesArguments) -> dict[str, str]:
    fields = {short: str(getattr(arguments, name)) for name, short in _TEXT_FIELDS.items()}
    fields["u"] = "1" if arguments.unread_only else ""
    fields["d"] = str(arguments.last_days or "")
    return {short: value for short, value in fields.items() if value}


def criteria_of(fields: Mapping[str, str]) -> Criteria:
    """Read a cursor's fields as IMAP criteria."""
    since = fields.get("n") or fields.get("a")
    end = fields.get("b")
    return Criteria(
        query=fields.get("q", ""),
        from_=fields.get("f", ""),
        to=fields.get("t", ""),
        subject=fields.get("s", ""),
        unread_only="u" in fields,
        since=date.fromisoformat(since) if since else None,
        before=date.fromisoformat(end) + timedelta(days=1) if end else None,
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
