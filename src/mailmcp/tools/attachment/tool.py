"""imap_get_attachment: one part of a message, as text, as a picture, as a file in the reply, or saved.

Only the part is fetched, in ranges if it is large. Saving is off until the user names a folder for it.
"""

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote as quote_uri

from anyio import CapacityLimiter, to_thread
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from mailmcp import limits
from mailmcp.documents.extraction import Picture
from mailmcp.imap.session import Session
from mailmcp.mail.mime.structure import Part
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import MessageArguments
from mailmcp.tools.attachment.content import Content, member_content, read_content, save_content
from mailmcp.tools.attachment.data import GetAttachmentData, SectionRow
from mailmcp.tools.attachment.errors import error_of
from mailmcp.tools.attachment.inside import FetchedFile, open_member
from mailmcp.tools.attachment.part import open_part
from mailmcp.tools.attachment.picture import draw_file
from mailmcp.tools.attachment.render import attachment_blocks
from mailmcp.tools.attachment.text import (
    DOCUMENT_OCTETS_MAX,
    AttachmentText,
    octets_wanted,
    read_attachment_text,
)
from mailmcp.tools.errors import about_message
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import GET_ATTACHMENT
from mailmcp.tools.text_window import TextWindow, cut_window
from mailmcp.tools.tool import Call, MailTool
from mcp_envelope import BaseReason, Code, Embedded, InvalidInputError, Issue, NextAction, Outcome, code

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
    part_id: Annotated[str, AfterValidator(_check_part_id)] = Field(description="As listed.")
    mode: Literal["text", "image", "content", "save"] = Field(
        "text",
        description="image: also PDF pages; content: the file; save: to the user's folder, if set.",
    )
    member: str = Field("", description="A file listed inside.")
    page: int = Field(1, ge=1)
    text_offset: int = Field(0, ge=0)
    text_max_chars: int = Field(limits.BODY_CHARS_DEFAULT, ge=100, le=limits.ATTACHMENT_TEXT_CHARS_MAX)


async def get_attachment(arguments: GetAttachmentArguments, call: Call) -> AttachmentOutcome:
    """Get an attachment: one round trip up to 1 MiB, and one for each further MiB."""
    ref = call.choose_message(parse_message_id(arguments.message_id), arguments.account_id)
    folder = _folder_for(arguments, call)
    if arguments.page > 1 and arguments.mode != "image":
        raise InvalidInputError.of(
            "page",
            BaseReason.EXCLUSIVE_PARAMS,
            "needs mode=image. For text, send the offset of the page, from sections, as text_offset.",
        )
    if arguments.mode in {"content", "save"} and not arguments.member:

        def fetch_content(session: Session) -> Content:
            opened = open_part(session, ref, arguments.part_id, call.report)
            return read_content(opened) if folder is None else save_content(opened, folder)

        return content_outcome(ref, await call.ask(fetch_content, message=ref))

    def fetch(session: Session) -> FetchedFile:
        opened = open_part(session, ref, arguments.part_id, call.report)
        is_text = arguments.mode == "text" and not arguments.member
        limit = octets_wanted(opened.part) if is_text else DOCUMENT_OCTETS_MAX
        return FetchedFile.of(opened, limit_octets=limit)

    file = await call.ask(fetch, message=ref)
    if arguments.member:
        file = await open_member(call, file, arguments.member)
    if arguments.mode == "text":
        return await _get_text(arguments, call, file)
    if arguments.mode == "image":
        return picture_outcome(file, await draw_file(call, file, arguments.page), arguments.page)
    content = await to_thread.run_sync(member_content, file, folder, limiter=CapacityLimiter(1))
    return content_outcome(ref, content, member=arguments.member, notes=file.notes)


def _folder_for(arguments: GetAttachmentArguments, call: Call) -> Path | None:
    """Return where to save the file; None if it isn't to be saved.

    Raises:
        InvalidInputError: Saving is switched off.
    """
    folder = call.preferences.save_folder if arguments.mode == "save" else None
    if arguments.mode == "save" and folder is None:
        raise InvalidInputError.of(
            "mode",
            Reason.SWITCHED_OFF,
            "save is switched off: the user must name a folder as save_folder in [attachments], or as "
            "MAILMCP_SAVE_FOLDER. Send text or content.",
        )
    return folder


def content_outcome(
    ref: MessageRef, content: Content, *, member: str = "", notes: tuple[str, ...] = ()
) -> AttachmentOutcome:
    """Reply with the file itself, or with where it was saved."""
    part = content.part
    data = _data(ref, part, content.size_octets)
    data.sha256 = content.sha256
    where = _where(ref, part, member)
    embedded: tuple[Embedded, ...] = ()
    if content.path is not None:
        data.saved_path = str(content.path)
        summary = f"Saved {where}"
    else:
        data.uri = ref.attachment_uri(part.part_id) + (f"#{quote_uri(member, safe='')}" if member else "")
        summary = f"The file of {where}, embedded"
        embedded = (Embedded(uri=data.uri, content_type=part.content_type, octets=content.octets),)
    defects = "; ".join(content.defects)
    return Outcome(
        summary=summary,
        data=data,
        blocks=attachment_blocks(data),
        embedded=embedded,
        issues=short_issues(ref, short=content.short),
        warnings=(
            *notes,
            *((f"The attachment is malformed and may be damaged: {defects}.",) if defects else ()),
        ),
        references={"message_id": ref.message_id},
    )


def picture_outcome(file: FetchedFile, picture: Picture, page: int) -> AttachmentOutcome:
    """Reply with a picture."""
    ref = file.ref
    data = _data(ref, file.part, file.part.decoded_size)
    data.width, data.height = picture.width, picture.height
    shown = f"Page {page} of {picture.pages} of " if picture.pages > 1 else ""
    source = (picture.source_width, picture.source_height)
    scaled_from = source if source[0] and source != (picture.width, picture.height) else None
    next_action = None
    if page < picture.pages:
        next_action = file.get("Show the next page.", mode="image", page=page + 1)
    return Outcome(
        summary=f"Picture of {shown.lower()}{_where(ref, file.part, file.member)}",
        data=data,
        blocks=attachment_blocks(data, scaled_from=scaled_from),
        embedded=(
            Embedded(
                uri=ref.attachment_uri(file.part.part_id),
                content_type=picture.content_type,
                octets=picture.octets,
                is_image=True,
            ),
        ),
        issues=short_issues(ref, short=file.short),
        warnings=(*file.notes, *picture.notes),
        next_action=next_action,
        references={"message_id": ref.message_id},
    )


async def _get_text(arguments: GetAttachmentArguments, call: Call, file: FetchedFile) -> AttachmentOutcome:
    read = await read_attachment_text(call, file.part, file.octets, cut=file.cut)
    if read.issue is not None:
        if read.is_picture:
            next_action: NextAction | None = file.get("Show the image.", mode="image")
        else:
            next_action = file.get_whole(saving=call.preferences.save_folder is not None)
        raise error_of(read.issue.code, read.issue.message, "mode", next_action)
    window = cut_window(read.text, offset=arguments.text_offset, max_chars=arguments.text_max_chars)
    return text_outcome(file, read, window, arguments=arguments)


def text_outcome(
    file: FetchedFile, read: AttachmentText, window: TextWindow, *, arguments: GetAttachmentArguments
) -> AttachmentOutcome:
    """Reply with a window of the text."""
    ref, part = file.ref, file.part
    data = _data(ref, part, part.decoded_size)
    data.text = window.text
    data.text_total_chars = window.total_chars
    data.next_offset = window.next_offset
    data.sections = _sections_of(window, read) or None
    warnings = [*file.notes, *read.warnings]
    if data.sections and not window.offset and len(data.sections) < len(read.sections):
        warnings.append(
            f"Named {len(data.sections)} of {len(read.sections)} sections; later windows name theirs."
        )
    next_action = None
    if window.next_offset is not None:
        is_default = arguments.text_max_chars == limits.BODY_CHARS_DEFAULT
        size = {} if is_default else {"text_max_chars": arguments.text_max_chars}
        next_action = file.get("Get more of the text.", text_offset=window.next_offset, **size)
    elif read.is_picture:
        next_action = file.get("Show the first page.", mode="image")
    return Outcome(
        summary=f"Characters {window.offset} to {window.end} of {window.total_chars} of "
        f"{_where(ref, part, file.member)}",
        data=data,
        blocks=attachment_blocks(data, sections_total=len(read.sections)),
        issues=short_issues(ref, short=file.short),
        warnings=tuple(warnings),
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


def _where(ref: MessageRef, part: Part, member: str) -> str:
    within = f"{code(member)} in " if member else ""
    return f"{within}part {code(part.part_id)} of message {code(ref.message_id)}"


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


TOOL = MailTool(
    name=GET_ATTACHMENT,
    title="Get an attachment",
    description=(
        "Get one attachment: text in windows (documents, mail, archived files), a picture, or the file."
    ),
    arguments=GetAttachmentArguments,
    data=GetAttachmentData,
    run=get_attachment,
    saves_files=True,
)
