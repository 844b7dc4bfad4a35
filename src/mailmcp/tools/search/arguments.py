"""The arguments of imap_search_messages, and which of them contradict each other."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from mailmcp import limits
from mailmcp.imap.command import canonical_name
from mailmcp.limits import YEAR_LAST
from mailmcp.model.awaited_reply import REPLY_SIDES
from mailmcp.model.mail_kind import MailKind
from mailmcp.model.message_ref import UINT32_MAX
from mailmcp.model.query import ARGUMENT_CRITERIA, KEYWORD, Kind, SearchQuery
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.message_id import is_message_id
from mailmcp.tools.search.values import has_no_offset, parse_day, parse_moment, parse_octets
from mcp_envelope import BaseReason, InvalidInputError, Problem

SNIPPET_CHARS_MIN: Final = 50

SNIPPET_CHARS_MAX: Final = 500

EVERYTHING = "*"
"""As `mailbox` or `account_id`: all of them."""

_UNPUBLISHED = SkipJsonSchema()  # type: ignore[type-arg] # it is generic for type checkers alone

_SNIPPET_RANGE = f"{SNIPPET_CHARS_MIN} to {SNIPPET_CHARS_MAX}"


def _date_hint(info: ValidationInfo, otherwise: str = "") -> str:
    call = (info.context or {}).get("call")
    today = f"{call.today} ({call.preferences.zone})" if call else ""
    date_like = f"Today is {today}. Send a date like that" if today else "Send YYYY-MM-DD"
    days = ", or last_days" if info.field_name == "since" else ""
    return f"{date_like}{otherwise}{days}."


def _check_day(text: str, info: ValidationInfo) -> str:
    if text and parse_day(text) is None:
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE.value, "is not a date. {send}", {"send": _date_hint(info)}
        )
    return text


def _check_moment(text: str, info: ValidationInfo) -> str:
    if not text or parse_day(text) is not None or parse_moment(text) is not None:
        return text
    if has_no_offset(text):
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE.value,
            "has no offset. Add it: 2026-11-05T09:30:00+01:00, or Z for UTC.",
        )
    raise PydanticCustomError(
        BaseReason.INVALID_VALUE.value,
        "is neither a date nor a time. {send}",
        {"send": _date_hint(info, " or 2026-11-05T09:30:00+01:00")},
    )


def _check_snippet_chars(count: int) -> int:
    if 0 < count < SNIPPET_CHARS_MIN:
        raise PydanticCustomError(
            BaseReason.OUT_OF_RANGE.value, f"is out of range. Send {_SNIPPET_RANGE}, or 0 for no snippets."
        )
    return count


def _refuse_units(value: object) -> object:
    octets = parse_octets(value) if isinstance(value, str) else None
    if octets is None:
        return value
    raise PydanticCustomError(
        BaseReason.INVALID_TYPE.value, "must be a number of octets. Send {octets}.", {"octets": octets}
    )


def _check_octets(count: int) -> int:
    if not 0 <= count <= UINT32_MAX:
        raise PydanticCustomError(BaseReason.OUT_OF_RANGE.value, f"is out of range. Send 0 to {UINT32_MAX}.")
    return count


def _check_header_message_id(text: str) -> str:
    if is_message_id(text):
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE.value,
            "is the id of a message, not its Message-ID header. Send it to imap_get_message as message_id.",
        )
    return text


def _check_keyword(text: str) -> str:
    if text and not KEYWORD.fullmatch(text):
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE.value,
            "is not a keyword. Send one such as $Forwarded; for system flags use unread_only or flagged.",
        )
    return text


def _check_mail_kind(name: str) -> str:
    if name and name not in [*MailKind]:
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE.value, "must be one of: {kinds}.", {"kinds": ", ".join(MailKind)}
        )
    return name


def _check_reply_side(side: str) -> str:
    if side and side not in REPLY_SIDES:
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE.value, "must be one of: {sides}.", {"sides": ", ".join(REPLY_SIDES)}
        )
    return side


def _check_mailboxes(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > limits.SEARCH_SOURCES_MAX:
        raise PydanticCustomError(
            BaseReason.OUT_OF_RANGE.value,
            f"names more than {limits.SEARCH_SOURCES_MAX} mailboxes. Send fewer, or mailbox *.",
        )
    if not all(names) or EVERYTHING in names:
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE.value,
            "contains an empty name or *. Send exact names; for all mailboxes send mailbox *.",
        )
    return tuple(dict.fromkeys(map(canonical_name, names)))


Day = Annotated[str, AfterValidator(_check_day)]
Moment = Annotated[str, AfterValidator(_check_moment)]
Octets = Annotated[int, BeforeValidator(_refuse_units), AfterValidator(_check_octets)]


MailKindName = Annotated[
    str, AfterValidator(_check_mail_kind), WithJsonSchema({"type": "string", "enum": [*MailKind]})
]

ReplySide = Annotated[
    str, AfterValidator(_check_reply_side), WithJsonSchema({"type": "string", "enum": [*REPLY_SIDES]})
]


class _WhereArguments(Arguments):
    account_id: str = Field("", description='"*": all accounts.')
    mailbox: str = Field("INBOX", description='Exact name; "*": all but Junk and Trash.')
    mailboxes: Annotated[tuple[str, ...], AfterValidator(_check_mailboxes)] = Field(
        (), description="Several, instead of mailbox."
    )
    exclude_mailboxes: Annotated[tuple[str, ...], AfterValidator(_check_mailboxes)] = Field(
        (), description='Needs mailbox "*".'
    )


_TYPES: Mapping[Kind, tuple[Any, object]] = {
    Kind.WORDS: (str, ""),
    Kind.PHRASE: (str, ""),
    Kind.KEYWORD: (Annotated[str, AfterValidator(_check_keyword)], ""),
    Kind.MESSAGE_ID: (Annotated[str, AfterValidator(_check_header_message_id)], ""),
    Kind.FOREIGN: (str, ""),
    Kind.FLAG: (bool, False),
    Kind.OCTETS: (Octets, 0),
    Kind.MOMENT: (Moment, ""),
    Kind.MAIL_KIND: (MailKindName, ""),
    Kind.AWAITED_REPLY: (ReplySide, ""),
}
"""The type and the default of the argument for each kind of criterion."""


def _criterion_fields() -> dict[str, Any]:
    return {
        row.name: (
            _TYPES[row.kind][0] if row.published else Annotated[_TYPES[row.kind][0], _UNPUBLISHED],
            Field(
                _TYPES[row.kind][1],
                alias=row.argument if row.argument != row.name else None,
                description=row.description or None,
            ),
        )
        for row in ARGUMENT_CRITERIA
    }


if TYPE_CHECKING:
    _CriteriaArguments = _WhereArguments
else:
    _CriteriaArguments = create_model(
        "_CriteriaArguments", __base__=_WhereArguments, __module__=__name__, **_criterion_fields()
    )


class SearchMessagesArguments(_CriteriaArguments):
    """Where to search, criteria that must all hold, and the shape of the page."""

    last_days: int = Field(0, ge=0, le=limits.LAST_DAYS_MAX, description="1: since yesterday.")
    end_date: SkipJsonSchema[Day] = ""
    """The day before `before`; always empty, see `_read_end_date`."""

    dates: Literal["received", "written"] = Field("received", description="written: use the Date header.")
    sort: Literal["newest", "oldest", "largest"] = "newest"
    limit: int = Field(
        limits.PAGE_SIZE_DEFAULT, ge=0, le=limits.PAGE_SIZE_MAX, description="Messages a page; 0 counts only."
    )
    group_by: Literal["sender", "domain", "list", "mailbox", "day", "month", "year"] | None = None
    snippet_max_chars: Annotated[int, AfterValidator(_check_snippet_chars)] = Field(
        0,
        ge=0,
        le=SNIPPET_CHARS_MAX,
        description=f"{_SNIPPET_RANGE}: show the text around a match.",
    )
    cursor: str = Field("", description="From the previous page; enough on its own.")

    exclusive = (
        ("unanswered_only", "answered"),
        ("awaiting_reply", "answered"),
        ("awaiting_reply", "group_by"),
        ("mailboxes", "mailbox"),
        ("last_days", "end_date"),
        ("last_days", "since"),
        ("last_days", "before"),
        ("before", "end_date"),
        ("group_by", "cursor"),
    )
    plurals = {"mailbox": "mailboxes"}  # noqa: RUF012 - pydantic knows it as a ClassVar of the base
    aliases = {"start_date": "since"}  # noqa: RUF012

    @model_validator(mode="before")
    @classmethod
    def _read_end_date(cls, given: dict[str, object]) -> dict[str, object]:
        """Read the last day of a range as the next one's `before`."""
        last = parse_day(str(given.get("end_date", "")))
        if last is None:
            return given
        following = (min(last, date(YEAR_LAST, 12, 30)) + timedelta(days=1)).isoformat()
        return {name: value for name, value in given.items() if name != "end_date"} | {"before": following}

    @property
    def names(self) -> tuple[str, ...]:
        """The mailboxes meant, each once; INBOX has one name in any case (RFC 9051 section 5.1)."""
        names = self.mailboxes or (self.mailbox or "INBOX",)
        return tuple(dict.fromkeys(map(canonical_name, names)))


def check_criteria(arguments: SearchMessagesArguments, query: SearchQuery) -> None:
    """Check that some mailbox is searched, that texts have words, and that some message could match.

    Args:
        arguments: What was sent.
        query: The query that they make.

    Raises:
        InvalidInputError: A text or a range of times or sizes is empty, or mailboxes are left out of a few.
    """
    problems: list[Problem] = []
    for row in ARGUMENT_CRITERIA:
        text = getattr(arguments, row.name) if row.kind in {Kind.WORDS, Kind.PHRASE} else ""
        # Asterisks mean any text, so there is nothing to search for.
        if not query[row] and (text if row.negated else text.replace("*", "")).strip():
            message = "has no words to search for. Send words, or leave it out."
            problems.append(Problem(field=row.argument, reason=BaseReason.INVALID_VALUE, message=message))
    if arguments.exclude_mailboxes and arguments.names != (EVERYTHING,):
        message = f'needs mailbox "{EVERYTHING}". Send both, or leave it out.'
        problems.append(
            Problem(field="exclude_mailboxes", reason=BaseReason.EXCLUSIVE_PARAMS, message=message)
        )
    since, before = query.since or query.written_since, query.before or query.written_before
    if since is not None and before is not None and before <= since:
        message = "is not after since. Send a later one."
        problems.append(Problem(field="before", reason=BaseReason.OUT_OF_RANGE, message=message))
    if 0 < query.smaller_than <= query.larger_than + 1:
        message = "leaves no size above larger_than. Send more octets."
        problems.append(Problem(field="smaller_than", reason=BaseReason.OUT_OF_RANGE, message=message))
    if problems:
        raise InvalidInputError(problems)
