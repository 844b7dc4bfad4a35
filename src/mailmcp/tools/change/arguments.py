"""The arguments of imap_change_messages, and the search that they may contain."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from mailmcp.model.query import KEYWORD
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.search.arguments import EVERYTHING, SearchMessagesArguments
from mailmcp.tools.search.state import Search, start_search
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, InvalidInputError, Problem, read_arguments

KEYWORDS_MAX: Final = 16
"""In one call: some servers keep no more than 26 for a whole mailbox."""

_NOT_FOR_CHANGES: Final = ("cursor", "limit", "sort", "group_by", "snippet_max_chars", "awaiting_reply")
"""Arguments of a search that choose a part of what matches, or how to show it; and one that isn't sure."""


class ChangeAction(StrEnum):
    """What is done to messages."""

    MARK_READ = "mark_read"
    MARK_UNREAD = "mark_unread"
    FLAG = "flag"
    UNFLAG = "unflag"
    ADD_KEYWORDS = "add_keywords"
    REMOVE_KEYWORDS = "remove_keywords"
    MOVE = "move"
    COPY = "copy"
    ARCHIVE = "archive"
    JUNK = "junk"
    NOT_JUNK = "not_junk"
    TRASH = "trash"
    DELETE_FOREVER = "delete_forever"


_WITH_MAILBOX: Final = {ChangeAction.MOVE, ChangeAction.COPY}
_WITH_KEYWORDS: Final = {ChangeAction.ADD_KEYWORDS, ChangeAction.REMOVE_KEYWORDS}


def _check_keywords(keywords: tuple[str, ...]) -> tuple[str, ...]:
    if len(keywords) > KEYWORDS_MAX or not all(map(KEYWORD.fullmatch, keywords)):
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE.value,
            f"must be at most {KEYWORDS_MAX} IMAP keywords such as $Later; other actions set system flags.",
        )
    return keywords


class ChangeMessagesArguments(Arguments):
    """What to do, and to which messages."""

    account_id: SkipJsonSchema[str] = ""
    """The ids or the search name it."""

    action: ChangeAction
    message_ids: tuple[str, ...] = ()
    search: Annotated[dict[str, Any], WithJsonSchema({"type": "object"})] = Field(
        {}, description="Or arguments of imap_search_messages: all that match."
    )
    mailbox: str = Field("", description="Where to move or copy.")
    keywords: Annotated[tuple[str, ...], AfterValidator(_check_keywords)] = ()
    confirm: str = Field("", description="From the reply that asks for it.")

    exclusive = (("message_ids", "search"),)
    aliases = {"message_id": "message_ids"}  # noqa: RUF012 - pydantic knows it as a ClassVar of the base


def check_arguments(arguments: ChangeMessagesArguments) -> None:
    """Check that there is what the action needs, and nothing that it has no use for.

    Raises:
        InvalidInputError: A problem for each argument.
    """
    action, problems = arguments.action, []
    if not (arguments.message_ids or arguments.search):
        message = "is missing. Send the ids of messages, or a search."
        problems.append(Problem(field="message_ids", reason=BaseReason.MISSING_PARAM, message=message))
    for name, sent, takers in (
        ("mailbox", arguments.mailbox, _WITH_MAILBOX),
        ("keywords", arguments.keywords, _WITH_KEYWORDS),
    ):
        if action in takers and not sent:
            message = f"is missing. Send it for {action}."
            problems.append(Problem(field=name, reason=BaseReason.MISSING_PARAM, message=message))
        elif sent and action not in takers:
            message = f"is only for {' and '.join(sorted(takers))}. Leave it out."
            problems.append(Problem(field=name, reason=BaseReason.EXCLUSIVE_PARAMS, message=message))
    if problems:
        raise InvalidInputError(problems)


def read_search(sent: Mapping[str, object], call: Call, account_id: str) -> Search:
    """Read the search of a change, in one account.

    Args:
        sent: As for imap_search_messages.
        call: Names the account, if there is only one.
        account_id: If the search names none.

    Raises:
        InvalidInputError: Its fields are called `search.from` and so on.
        NotFoundError: There is no such account.
    """
    try:
        arguments = read_arguments(SearchMessagesArguments, sent, context={"call": call})
        _check_search(arguments, one_account=len(call.pool.accounts) == 1)
        named = account_id if arguments.account_id in {"", EVERYTHING} else arguments.account_id
        chosen = call.choose_account(named).account_id
        return start_search(arguments, [chosen], today=call.today, zone=call.preferences.zone)
    except InvalidInputError as error:
        raise within_search(error) from None


def _check_search(arguments: SearchMessagesArguments, *, one_account: bool) -> None:
    message = "is not for a change, which is of all that match. Leave it out, or send message_ids."
    problems = [
        Problem(field=name, reason=BaseReason.EXCLUSIVE_PARAMS, message=message)
        for name in _NOT_FOR_CHANGES
        if name in arguments.model_fields_set
    ]
    if arguments.account_id == EVERYTHING and not one_account:
        message = "is more than one account. Send a call for each."
        problems.append(Problem(field="account_id", reason=BaseReason.OUT_OF_RANGE, message=message))
    if problems:
        raise InvalidInputError(problems)


def within_search(error: InvalidInputError) -> InvalidInputError:
    """Return an error about the arguments of a search as one about the argument `search`."""
    return InvalidInputError(
        [
            Problem(field=f"search.{each.field}", reason=each.reason, message=each.message)
            for each in error.problems
        ]
    )
