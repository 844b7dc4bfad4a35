"""imap_get_attachment: one part of a message, as text, as a file in the reply, or saved.

Only the part is fetched, in ranges if it is large. Saving is off until the user names a folder for it.
"""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from mailmcp import limits
from mailmcp.imap.session import Session
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.mime.transfer import NULS_LOST
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import MessageArguments
from mailmcp.tools.attachment.content import Content, read_content, save_content
from mailmcp.tools.attachment.data import GetAttachmentData, SectionRow
from mailmcp.tools.attachment.part import OpenPart, open_part
from mailmcp.tools.attachment.render import attachment_blocks
from mailmcp.tools.attachment.text import AttachmentText, octets_wanted, read_attachment_text
from mailmcp.tools.errors import about_message
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import GET_ATTACHMENT
from mailmcp.tools.text_window import TextWindow, cut_window
from mailmcp.tools.tool import Call, MailTool
from mcp_envelope import (
    BaseReason,
    Code,
    DeadlineError,
    Embedded,
    InternalError,
    InvalidInputError,
    Issue,
    NextAction,
    Outcome,
    ToolError,
    code,
)

AttachmentOutcome = Outcome[GetAttachmentData]

_PART_ID = re.compile(r"[1-9][0-9]{0,4}(\.[1-9][0-9]{0,4}){0,63}")
"""Section numbers (RFC 9051 section 6.4.5.1). They are sent to the server as they are."""


def _check_part_id(part_id: str) -> str:
    if not _PART_ID.fullmatch(part_id):
        raise PydanticCustomError(
            BaseReason.INVALID_VALUE,
            "is not a part_id. Send one that imap_get_message lists, such as 2 or 3.1.",
        )
    return part_id


class GetAttachmentArguments(MessageArguments):
    """Which part of which message, and in what form."""

    message_id: str
    part_id: Annotated[str, AfterValidator(_check_part_id)] = Field(
        description="As imap_get_message lists it."
    )
    mode: Literal["text", "content", "save"] = Field(
        "text",
        description="content: the file in the reply; save: to the user's folder, if set.",
    )
    text_offset: int = Field(0, ge=0)
    text_max_chars: int = Field(limits.BODY_CHARS_DEFAULT, ge=100, le=limits.ATTACHMENT_TEXT_CHARS_MAX)


async def get_attachment(arguments: GetAttachmentArguments, call: Call) -> AttachmentOutcome:
    """Get an attachment: one round trip up to 1 MiB, and one for each further MiB."""
    ref = call.choose_message(parse_message_id(arguments.message_id), arguments.account_id)
    if arguments.mode == "text":
        return await _get_text(arguments, call, ref)
    folder = call.preferences.save_folder if arguments.mode == "save" else None
    if arguments.mode == "save" and folder is None:
        raise InvalidInputError.of(
            "mode",
            Reason.SWITCHED_OFF,
            "save is switched off: the user must name a folder as save_folder in [attachments], or as "
            "MAILMCP_SAVE_FOLDER. Send text or content.",
        )

    def fetch(session: Session) -> Content:
        opened = open_part(session, ref, arguments.part_id, call.report)
        return read_content(opened) if folder is None else save_content(opened, folder)

    return content_outcome(ref, await call.ask(fetch, message=ref))


def content_outcome(ref: MessageRef, content: Content) -> AttachmentOutcome:
    """Reply with the file itself, or with where it was saved."""
    part = content.part
    data = _data(ref, part, content.size_octets)
    data.sha256 = content.sha256
    where = _where(ref, part)
    embedded: tuple[Embedded, ...] = ()
    if content.path is not None:
        data.saved_path = str(content.path)
        summary = f"Saved {where}"
    else:
        data.uri = ref.attachment_uri(part.part_id)
        summary = f"The file of {where}, embedded"
        embedded = (Embedded(uri=data.uri, content_type=part.content_type, octets=content.octets),)
    defects = "; ".join(content.defects)
    return Outcome(
        summary=summary,
        data=data,
        blocks=attachment_blocks(data),
        embedded=embedded,
        issues=short_issues(ref, short=content.short),
        warnings=(f"The attachment is malformed and may be damaged: {defects}.",) if defects else (),
        references={"message_id": ref.message_id},
    )


async def _get_text(arguments: GetAttachmentArguments, call: Call, ref: MessageRef) -> AttachmentOutcome:
    def fetch(session: Session) -> tuple[OpenPart, bytes]:
        opened = open_part(session, ref, arguments.part_id, call.report)
        return opened, opened.read(octets_wanted(opened.part))

    opened, octets = await call.ask(fetch, message=ref)
    read = await read_attachment_text(call, opened.part, octets, cut=opened.cut)
    if read.issue is not None:
        raise _no_text_error(ref, opened.part, read.issue, saving=call.preferences.save_folder is not None)
    window = cut_window(read.text, offset=arguments.text_offset, max_chars=arguments.text_max_chars)
    return text_outcome(
        ref, opened.part, read, window, arguments=arguments, short=opened.short, lacks_nuls=opened.lacks_nuls
    )


def text_outcome(
    ref: MessageRef,
    part: Part,
    read: AttachmentText,
    window: TextWindow,
    *,
    arguments: GetAttachmentArguments,
    short: bool = False,
    lacks_nuls: bool = False,
) -> AttachmentOutcome:
    """Reply with a window of the text."""
    data = _data(ref, part, part.decoded_size)
    data.text = window.text
    data.text_total_chars = window.total_chars
    data.next_offset = window.next_offset
    data.sections = _sections_of(window, read) or None
    next_action = None
    if window.next_offset is not None:
        is_default = arguments.text_max_chars == limits.BODY_CHARS_DEFAULT
        next_action = NextAction(
            instruction="Get more of the text.",
            tool=GET_ATTACHMENT,
            arguments={
                "message_id": ref.message_id,
                "part_id": part.part_id,
                "text_offset": window.next_offset,
                **({} if is_default else {"text_max_chars": arguments.text_max_chars}),
            },
        )
    return Outcome(
        summary=f"Characters {window.offset} to {window.end} of {window.total_chars} of {_where(ref, part)}",
        data=data,
        blocks=attachment_blocks(data, sections_total=len(read.sections)),
        issues=short_issues(ref, short=short),
        warnings=(*read.warnings, *([f"{NULS_LOST}."] if lacks_nuls else [])),
        next_action=next_action,
        references={"message_id": ref.message_id},
    )


def _data(ref: MessageRef, part: Part, size_octets: int) -> GetAttachmentData:
    return GetAttachmentData(
        account_id=ref.account_id,
        message_id=ref.message_id,
        part_id=part.part_id,
        filename=part.filename,
        content_type=part.content_type,
        size_bytes=size_octets,
    )


def _where(ref: MessageRef, part: Part) -> str:
    return f"part {code(part.part_id)} of message {code(ref.message_id)}"


def _sections_of(window: TextWindow, read: AttachmentText) -> list[SectionRow]:
    """Choose the sections to name: all with the first window, later those that the window shows."""
    sections = read.sections
    if window.offset:
        ends = [each.offset for each in sections[1:]] + [window.total_chars]
        pairs = zip(sections, ends, strict=False)  # one end even if there are no sections
        sections = tuple(each for each, end in pairs if each.offset < window.end and end > window.offset)
    return [SectionRow(name=each.name, offset=each.offset) for each in sections[: limits.SECTIONS_SHOWN_MAX]]


def short_issues(ref: MessageRef, *, short: bool) -> tuple[Issue, ...]:
    """Build the issue for an attachment that is shorter than the server announced."""
    if not short:
        return ()
    message = "The server sent less of the attachment than it announced: it may be cut."
    return (Issue(code=Code.INTERNAL, stage="fetch", message=message, about=about_message(ref)),)


def _no_text_error(ref: MessageRef, part: Part, issue: Issue, *, saving: bool) -> ToolError:
    """Build the error for an attachment without readable text; its next action gets the file itself."""
    next_action = None
    can_save = saving and part.size_octets <= limits.ATTACHMENT_SAVE_OCTETS_MAX
    if can_save or part.decoded_size <= limits.ATTACHMENT_CONTENT_OCTETS_MAX:
        next_action = NextAction(
            instruction="Save the file for the user." if can_save else "Get the file itself.",
            tool=GET_ATTACHMENT,
            arguments={
                "message_id": ref.message_id,
                "part_id": part.part_id,
                "mode": "save" if can_save else "content",
            },
        )
    match issue.code:
        case Code.TIMEOUT:
            return DeadlineError(issue.message, reason=Reason.COMMAND)
        case Code.INVALID_INPUT:
            return InvalidInputError.of(
                "mode", BaseReason.INVALID_VALUE, issue.message, next_action=next_action
            )
        case _:
            return InternalError(issue.message, reason=BaseReason.UNEXPECTED, next_action=next_action)


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
