"""imap_get_message_raw: a message as it is stored, a window of its octets at a time."""

from base64 import b64encode
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.partial_fetch import Window, fetch_window
from mailmcp.imap.session import Session
from mailmcp.mail.mime.transfer import NULS_LOST, may_lack_nuls
from mailmcp.mail.raw_source import read_source
from mailmcp.model.message_ref import UINT32_MAX, MessageRef
from mailmcp.tools.arguments import MessageArguments
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import GET_MESSAGE_RAW
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.wording import counted
from mcp_envelope import BaseReason, InvalidInputError, NextAction, Outcome, Untrusted, code


class GetMessageRawArguments(MessageArguments):
    """Which message, and which octets of it."""

    message_id: str
    offset: int = Field(0, ge=0, le=UINT32_MAX, description="First octet.")
    max_bytes: int = Field(limits.RAW_OCTETS_DEFAULT, ge=limits.RAW_OCTETS_MIN, le=limits.RAW_OCTETS_MAX)


class GetMessageRawData(BaseModel):
    """A window of the message."""

    account_id: str
    message_id: str
    message_uri: str
    message_raw_uri: str
    size_bytes: int
    offset: int
    returned_bytes: int
    next_offset: int | None = None
    encoding: Literal["utf-8", "base64"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """A window as the reply has it."""

    encoding: Literal["utf-8", "base64"]
    content: str
    octets_shown: int
    made_visible: int = 0


async def get_message_raw(arguments: GetMessageRawArguments, call: Call) -> Outcome[GetMessageRawData]:
    """Get a window of a message: one round trip."""
    ref = call.choose_message(parse_message_id(arguments.message_id), arguments.account_id)
    window = await call.ask(lambda session: _fetch(session, ref, arguments), message=ref)
    if not window.octets and window.offset and window.offset >= window.said_octets:
        raise InvalidInputError.of(
            "offset",
            BaseReason.OUT_OF_RANGE,
            f"is past the end: the message has {window.said_octets} octets. Send less, or leave it out.",
        )
    return _outcome(arguments, ref, window)


def _fetch(session: Session, ref: MessageRef, arguments: GetMessageRawArguments) -> Window:
    session.examine(ref.mailbox, uidvalidity=ref.uidvalidity)
    window = fetch_window(session, ref.uid, offset=arguments.offset, count=arguments.max_bytes)
    if isinstance(window, FetchFailure):
        raise fetch_error(ref, window)
    return window


def _outcome(
    arguments: GetMessageRawArguments, ref: MessageRef, window: Window
) -> Outcome[GetMessageRawData]:
    shown = _show(window)
    end = window.offset + shown.octets_shown
    more = end < window.size_octets
    what = "text" if shown.encoding == "utf-8" else "base64"
    return Outcome(
        summary=(
            f"Octets {window.offset} to {end} of {window.size_octets} of message "
            f"{code(ref.message_id)}, as {what}"
        ),
        data=GetMessageRawData(
            account_id=ref.account_id,
            message_id=ref.message_id,
            message_uri=ref.message_uri,
            message_raw_uri=ref.message_raw_uri,
            size_bytes=window.size_octets,
            offset=window.offset,
            returned_bytes=shown.octets_shown,
            next_offset=end if more else None,
            encoding=shown.encoding,
            content=shown.content,
        ),
        blocks=(Untrusted(label=f"raw_{what}", text=shown.content),) if shown.content else ("(nothing)",),
        warnings=_warnings(window, shown),
        next_action=_next_action(arguments, ref, end) if more else None,
        references={"message_id": ref.message_id},
    )


def _show(window: Window) -> _Shown:
    source = read_source(window.octets, more=window.end < window.size_octets)
    if source is None:
        content = b64encode(window.octets).decode("ascii")
        return _Shown(encoding="base64", content=content, octets_shown=len(window.octets))
    return _Shown(
        encoding="utf-8",
        content=source.text,
        octets_shown=source.octets_read,
        made_visible=source.shown,
    )


def _warnings(window: Window, shown: _Shown) -> tuple[str, ...]:
    warnings: list[str] = []
    if shown.made_visible:
        are = "is" if shown.made_visible == 1 else "are"
        warnings.append(
            f"{counted(shown.made_visible, 'invisible character')} {are} shown by code point, as <U+200B>; "
            "the resource message_raw_uri has the exact octets."
        )
    if shown.encoding == "base64" and may_lack_nuls(window.octets):
        warnings.append(f"{NULS_LOST}.")
    if window.said_octets > window.size_octets:
        warnings.append(
            f"The server says that the message has {window.said_octets} octets, and gives none from "
            f"{window.size_octets} on."
        )
    return tuple(warnings)


def _next_action(arguments: GetMessageRawArguments, ref: MessageRef, end: int) -> NextAction:
    sized = arguments.max_bytes != limits.RAW_OCTETS_DEFAULT
    return NextAction(
        instruction="Get the octets that follow.",
        tool=GET_MESSAGE_RAW,
        arguments={
            "message_id": ref.message_id,
            "offset": end,
            **({"max_bytes": arguments.max_bytes} if sized else {}),
        },
    )


TOOL = MailTool(
    name=GET_MESSAGE_RAW,
    title="Get a message's source",
    description=(
        "Get the source of a message as stored, headers and all, in windows of octets: text, or base64 "
        "where it is none. For reading mail use imap_get_message."
    ),
    arguments=GetMessageRawArguments,
    data=GetMessageRawData,
    run=get_message_raw,
)
