"""imap_get_attachment: one part of a message, as text, as a file in the reply, or saved.

Only the part is fetched, in ranges if it is large. The mail stays as it is; saving is off
until the user names a folder for it.
"""

import re
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from mailmcp import limits
from mailmcp.imap.session import Session
from mailmcp.mail.mime.transfer import NULS_LOST
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import MessageArguments
from mailmcp.tools.attachment.content import read_content, save_content
from mailmcp.tools.attachment.part import OpenPart, open_part
from mailmcp.tools.attachment.reply import (
    AttachmentOutcome,
    GetAttachmentData,
    content_outcome,
    no_text_error,
    saved_outcome,
    short_issues,
    text_outcome,
)
from mailmcp.tools.attachment.text import octets_wanted, read_attachment_text
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import GET_ATTACHMENT
from mailmcp.tools.text_window import TextWindow, cut_window
from mailmcp.tools.tool import Call, MailTool
from mcp_envelope import BaseReason, InvalidInputError, NextAction

Mode = Literal["text", "content", "save"]

_PART_ID = re.compile(r"[1-9][0-9]{0,4}(\.[1-9][0-9]{0,4}){0,63}")
"""Numbers of RFC 9051 section 6.4.5.1, which go into a command as they are."""


def _check_part_id(part_id: str) -> str:
    if not _PART_ID.fullmatch(part_id):
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE,
            "is no part_id. Send one as imap_get_message lists it, such as 2 or 3.1.",
        )
    return part_id


class GetAttachmentArguments(MessageArguments):
    """Which part of which message, and what is wanted of it."""

    message_id: str
    part_id: Annotated[str, AfterValidator(_check_part_id)] = Field(
        description="As imap_get_message lists it."
    )
    mode: Mode = Field(
        "text",
        description="content: the file in the reply; save: to the user's folder, if set.",
    )
    text_offset: int = Field(0, ge=0)
    text_max_chars: int = Field(limits.BODY_CHARS_DEFAULT, ge=100, le=limits.ATTACHMENT_TEXT_CHARS_MAX)


async def get_attachment(arguments: GetAttachmentArguments, call: Call) -> AttachmentOutcome:
    """Get an attachment: one round trip up to 1 MiB, and one for each further MiB."""
    ref = call.choose_message(parse_message_id(arguments.message_id), arguments.account_id)
    if arguments.mode == "save" and call.preferences.save_folder is None:
        raise _switched_off()
    if arguments.mode == "text":
        return await _text(arguments, call, ref)
    return await call.ask(lambda session: _file(session, ref, arguments, call), message=ref)


def _file(
    session: Session, ref: MessageRef, arguments: GetAttachmentArguments, call: Call
) -> AttachmentOutcome:
    folder = call.preferences.save_folder
    opened = open_part(session, ref, arguments.part_id, call.report)
    if arguments.mode == "save" and folder is not None:
        return saved_outcome(ref, save_content(opened, folder))
    return content_outcome(ref, read_content(opened))


async def _text(arguments: GetAttachmentArguments, call: Call, ref: MessageRef) -> AttachmentOutcome:
    def fetch(session: Session) -> tuple[OpenPart, bytes]:
        opened = open_part(session, ref, arguments.part_id, call.report)
        return opened, opened.read(octets_wanted(opened.part))

    opened, octets = await call.ask(fetch, message=ref)
    part = opened.part
    read = await read_attachment_text(call, part, octets, cut=opened.cut)
    if read.issue is not None:
        raise no_text_error(ref, part, read.issue, saving=call.preferences.save_folder is not None)
    window = cut_window(read.text, offset=arguments.text_offset, max_chars=arguments.text_max_chars)
    if opened.lacks_nuls:
        read = replace(read, warnings=(*read.warnings, f"{NULS_LOST}."))
    return replace(
        text_outcome(ref, part, read, window),
        issues=short_issues(ref, short=opened.short),
        next_action=_next_window(arguments, ref, window),
    )


def _next_window(arguments: GetAttachmentArguments, ref: MessageRef, window: TextWindow) -> NextAction | None:
    if window.next_offset is None:
        return None
    sized = arguments.text_max_chars != limits.BODY_CHARS_DEFAULT
    return NextAction(
        instruction="Get the text that follows.",
        tool=GET_ATTACHMENT,
        arguments={
            "message_id": ref.message_id,
            "part_id": arguments.part_id,
            "text_offset": window.next_offset,
            **({"text_max_chars": arguments.text_max_chars} if sized else {}),
        },
    )


def _switched_off() -> InvalidInputError:
    return InvalidInputError.of(
        "mode",
        Reason.SWITCHED_OFF,
        "save is switched off: the user must name a folder as save_folder in [attachments], or as "
        "MAILMCP_SAVE_FOLDER. Send text or content.",
    )


TOOL = MailTool(
    name=GET_ATTACHMENT,
    title="Get an attachment",
    description=(
        "Get one attachment: its text (PDF, Office, OpenDocument, RTF, HTML, calendars, mail, plain text) "
        "in windows, or the file itself."
    ),
    arguments=GetAttachmentArguments,
    data=GetAttachmentData,
    run=get_attachment,
    saves_files=True,
)
