"""imap_get_message_raw: a message exactly as stored, one window of octets at a time."""

from base64 import b64encode
from typing import Final, Literal

from pydantic import BaseModel, Field

from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.parts import Window, fetch_window
from mailmcp.imap.session import Session
from mailmcp.mail.raw_source import read_source
from mailmcp.model.message_ref import UINT32_MAX
from mailmcp.tools.arguments import MessageArguments
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import GET_MESSAGE_RAW
from mailmcp.tools.tool import Call, MailTool
from mailmcp.wording import counted
from mcp_envelope import BaseReason, InvalidInputError, NextAction, Outcome, Untrusted, code

_OCTETS_DEFAULT: Final = 8_000
"""2,000 to 3,000 tokens, like a body."""

_OCTETS_MIN: Final = 100
"""Fewer might not hold a line, or even a character."""

_OCTETS_MAX: Final = 100_000


class GetMessageRawArguments(MessageArguments):
    """Which message, and which octets of it."""

    message_id: str
    offset: int = Field(0, ge=0, le=UINT32_MAX, description="First octet.")
    max_bytes: int = Field(_OCTETS_DEFAULT, ge=_OCTETS_MIN, le=_OCTETS_MAX)


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


async def get_message_raw(arguments: GetMessageRawArguments, call: Call) -> Outcome[GetMessageRawData]:
    """Get a window of a message: one round trip."""
    ref = call.choose_message(parse_message_id(arguments.message_id), arguments.account_id)

    def fetch(session: Session) -> Window:
        session.choose(ref.mailbox, uidvalidity=ref.uidvalidity)
        window = fetch_window(session, ref.uid, offset=arguments.offset, count=arguments.max_bytes)
        if isinstance(window, FetchFailure):
            raise fetch_error(ref, window)
        return window

    window = await call.ask(fetch, message=ref)
    call.note_read([ref.message_id])
    if not window.octets and window.offset and window.offset >= window.said_octets:
        raise InvalidInputError.of(
            "offset",
            BaseReason.OUT_OF_RANGE,
            f"is past the end: the message has {window.said_octets} octets. Send less, or leave it out.",
        )
    warnings: list[str] = []
    source = read_source(window.octets, more=window.end < window.size_octets)
    content = source.text if source else b64encode(window.octets).decode("ascii")
    end = window.offset + (source.octets_read if source else len(window.octets))
    if source and source.shown:
        warnings.append(
            f"{counted(source.shown, 'invisible character')} shown by code point, as <U+200B>; "
            "the resource message_raw_uri has the exact octets."
        )
    if window.said_octets > window.size_octets:
        warnings.append(
            f"The server announced {window.said_octets} octets but sends none from {window.size_octets} on."
        )
    next_action = None
    if end < window.size_octets:
        sent = arguments.model_dump(exclude_defaults=True)
        next_action = NextAction(
            instruction="Get the next octets.",
            tool=GET_MESSAGE_RAW,
            arguments=sent | {"message_id": ref.message_id, "offset": end},
        )
    kind = "text" if source else "base64"
    return Outcome(
        summary=f"Octets {window.offset} to {end} of {window.size_octets} of message "
        f"{code(ref.message_id)}, as {kind}",
        data=GetMessageRawData(
            account_id=ref.account_id,
            message_id=ref.message_id,
            message_uri=ref.message_uri,
            message_raw_uri=ref.message_raw_uri,
            size_bytes=window.size_octets,
            offset=window.offset,
            returned_bytes=end - window.offset,
            next_offset=end if next_action else None,
            encoding="utf-8" if source else "base64",
            content=content,
        ),
        blocks=(Untrusted(label=f"raw_{kind}", text=content),) if content else ("(nothing)",),
        warnings=tuple(warnings),
        next_action=next_action,
        references={"message_id": ref.message_id},
    )


TOOL = MailTool(
    name=GET_MESSAGE_RAW,
    title="Get a message's source",
    description=("Get a message's source in windows of octets."),
    arguments=GetMessageRawArguments,
    data=GetMessageRawData,
    run=get_message_raw,
)
