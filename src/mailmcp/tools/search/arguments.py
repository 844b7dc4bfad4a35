"""The arguments of imap_search_messages, and which of them contradict each other."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ByteSize,
    Field,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from mailmcp import limits
from mailmcp.imap.command import canonical_name
from mailmcp.model.awaited_reply import REPLY_SIDES
from mailmcp.model.mail_kind import MailKind
from mailmcp.model.message_ref import UINT32_MAX
from mailmcp.model.query import ARGUMENT_CRITERIA, KEYWORD, Kind
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.message_id import is_message_id
from mailmcp.tools.search.values import day_after, parse_time
from mcp_envelope import BaseReason

LAST_DAYS_MAX: Final = 365
"""Longer ranges take since and before."""

SNIPPET_CHARS_MAX: Final = 500

EVERYTHING: Final = "*"
"""As `mailbox` or `account_id`: all of them."""

_UNPUBLISHED: Final = SkipJsonSchema()  # type: ignore[type-arg] # it is generic for type checkers alone
_SIZE: Final = TypeAdapter(ByteSize)


def _refusal(message: str, reason: BaseReason = BaseReason.INVALID_VALUE) -> PydanticCustomError:
    return PydanticCustomError(reason.value, "{message}", {"message": message})


def _check_time(text: str, info: ValidationInfo) -> str:
    parsed = parse_time(text)
    if isinstance(parsed, datetime) and parsed.tzinfo is None:
        raise _refusal("has no offset. Add it: 2026-11-05T09:30:00+01:00, or Z for UTC.")
    if text and (parsed is None or info.field_name == "end_date"):  # a day of `end_date` became `before`
        call = (info.context or {}).get("call")
        today = f" Today is {call.today} ({call.preferences.zone})." if call else ""
        raise _refusal(f"is not a date.{today} Send YYYY-MM-DD, or a time such as 2026-11-05T09:30:00+01:00.")
    return text


def _read_octets(value: object) -> object:
    """Read a size with a unit: `200 kB`, `1.5 MiB`."""
    try:
        return int(_SIZE.validate_python(value)) if isinstance(value, str) else value
    except ValidationError:
        return value


def _check_octets(count: int) -> int:
    if not 0 <= count <= UINT32_MAX:
        raise _refusal(f"is out of range. Send 0 to {UINT32_MAX}.", BaseReason.OUT_OF_RANGE)
    return count


def _check_header_message_id(text: str) -> str:
    if is_message_id(text):
        raise _refusal(
            "is the id of a message, not its Message-ID header. Send it to imap_get_message as message_id."
        )
    return text


def _check_keyword(text: str) -> str:
    if text and not KEYWORD.fullmatch(text):
        raise _refusal(
            "is not a keyword. Send one such as $Forwarded; for system flags use unread_only or flagged."
        )
    return text


def _check_mailboxes(names: tuple[str, ...]) -> tuple[str, ...]:
    if not all(names) or EVERYTHING in names:
        raise _refusal("contains an empty name or *. Send exact names; for all mailboxes send mailbox *.")
    return tuple(dict.fromkeys(map(canonical_name, names)))


class _WhereArguments(Arguments):
    account_id: str = Field("", description='"*": all accounts.')
    mailbox: str = Field("INBOX", description='Exact name; "*": all but Junk and Trash.')
    mailboxes: Annotated[tuple[str, ...], AfterValidator(_check_mailboxes)] = Field(
        (), description="Instead of mailbox."
    )
    exclude_mailboxes: Annotated[tuple[str, ...], AfterValidator(_check_mailboxes)] = Field(
        (), description='Needs mailbox "*".'
    )


_TYPES: Final[Mapping[Kind, tuple[Any, object]]] = {
    Kind.WORDS: (str, ""),
    Kind.PHRASE: (str, ""),
    Kind.KEYWORD: (Annotated[str, AfterValidator(_check_keyword)], ""),
    Kind.MESSAGE_ID: (Annotated[str, AfterValidator(_check_header_message_id)], ""),
    Kind.FOREIGN: (str, ""),
    Kind.FLAG: (bool, False),
    Kind.OCTETS: (Annotated[int, BeforeValidator(_read_octets), AfterValidator(_check_octets)], 0),
    Kind.MOMENT: (Annotated[str, AfterValidator(_check_time)], ""),
    Kind.MAIL_KIND: (Literal[*(each.value for each in MailKind)] | None, None),
    Kind.AWAITED_REPLY: (Literal[*REPLY_SIDES] | None, None),
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

    last_days: int = Field(0, ge=0, le=LAST_DAYS_MAX, description="1: since yesterday.")
    end_date: SkipJsonSchema[Annotated[str, AfterValidator(_check_time)]] = ""
    """The day before `before`; always empty, see `_read_end_date`."""

    dates: Literal["received", "written"] = Field("received", description="written: use the Date header.")
    sort: Literal["newest", "oldest", "largest"] = "newest"
    limit: int = Field(
        limits.PAGE_SIZE_DEFAULT, ge=0, le=limits.PAGE_SIZE_MAX, description="Messages a page; 0 counts only."
    )
    group_by: Literal["sender", "domain", "list", "mailbox", "day", "month", "year"] | None = None
    snippet_max_chars: int = Field(
        0, ge=0, le=SNIPPET_CHARS_MAX, description="Show so much text around a match."
    )
    cursor: str = Field("", description="From the previous page.")

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
        following = day_after(str(given.get("end_date", "")))
        if following is None:
            return given
        return {name: value for name, value in given.items() if name != "end_date"} | {"before": following}

    @property
    def names(self) -> tuple[str, ...]:
        """The mailboxes meant, each once; INBOX has one name in any case (RFC 9051 section 5.1)."""
        names = self.mailboxes or (self.mailbox or "INBOX",)
        return tuple(dict.fromkeys(map(canonical_name, names)))
