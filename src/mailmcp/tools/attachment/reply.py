"""What a reply says of an attachment: its data, and its text, file or path.

Names of files and sections are strangers' and stand in lines quoted; their text is fenced.
"""

import hashlib

from pydantic import BaseModel

from mailmcp import limits
from mailmcp.documents.extraction import Section
from mailmcp.mail.mime.structure import Part
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.content import FileContent, SavedContent
from mailmcp.tools.attachment.text import AttachmentText
from mailmcp.tools.errors import about_message
from mailmcp.tools.names import GET_ATTACHMENT
from mailmcp.tools.text_window import TextWindow
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
    Untrusted,
    code,
)
from mcp_envelope.markdown import quote


class SectionRow(BaseModel):
    """A page, sheet or slide."""

    name: str
    offset: int


class GetAttachmentData(BaseModel):
    """The attachment; what was not asked for is absent."""

    account_id: str
    message_id: str
    part_id: str
    filename: str
    content_type: str
    size_bytes: int
    text: str | None = None
    text_total_chars: int | None = None
    next_offset: int | None = None
    sections: list[SectionRow] | None = None
    uri: str | None = None
    saved_path: str | None = None
    sha256: str | None = None


AttachmentOutcome = Outcome[GetAttachmentData]


def _data(ref: MessageRef, part: Part, size_octets: int) -> GetAttachmentData:
    return GetAttachmentData(
        account_id=ref.account_id,
        message_id=ref.message_id,
        part_id=part.part_id,
        filename=part.filename,
        content_type=part.content_type,
        size_bytes=size_octets,
    )


def _line(data: GetAttachmentData) -> str:
    name = quote(data.filename) or "unnamed"
    return f"File: {name} ({quote(data.content_type)}, {data.size_bytes} bytes)"


def _where(ref: MessageRef, part: Part) -> str:
    return f"part {code(part.part_id)} of message {code(ref.message_id)}"


def no_text_error(ref: MessageRef, part: Part, issue: Issue, *, saving: bool) -> ToolError:
    """Build the error for an attachment without text that can be read; its next step gets the file itself.

    Args:
        ref: The message.
        part: The part.
        issue: Why there is no text.
        saving: Whether files can be saved.
    """
    next_action = _get_file(ref, part, saving=saving)
    match issue.code:
        case Code.TIMEOUT:
            return DeadlineError(issue.message, reason=Reason.COMMAND)
        case Code.INVALID_INPUT:
            return InvalidInputError.of(
                "mode", BaseReason.INVALID_VALUE, issue.message, next_action=next_action
            )
        case _:
            return InternalError(issue.message, reason=BaseReason.UNEXPECTED, next_action=next_action)


def text_outcome(ref: MessageRef, part: Part, read: AttachmentText, window: TextWindow) -> AttachmentOutcome:
    """Reply with a window of the text; the caller adds how the next one is had."""
    sections = _sections_of(window, read.sections)
    data = _data(ref, part, part.decoded_size).model_copy(
        update={
            "text": window.text,
            "text_total_chars": window.total_chars,
            "next_offset": window.next_offset,
            "sections": [SectionRow(name=each.name, offset=each.offset) for each in sections] or None,
        }
    )
    return Outcome(
        summary=f"Characters {window.offset} to {window.end} of {window.total_chars} of {_where(ref, part)}",
        data=data,
        blocks=(_line(data), *_section_lines(sections, len(read.sections)), *_quoted(window)),
        warnings=read.warnings,
        references={"message_id": ref.message_id},
    )


def _quoted(window: TextWindow) -> tuple[str | Untrusted, ...]:
    return (Untrusted(label="text", text=window.text),) if window.text else ("(no text)",)


def _sections_of(window: TextWindow, sections: tuple[Section, ...]) -> tuple[Section, ...]:
    """Choose what to name: everything there is with the first window, later what the window shows."""
    if window.offset and sections:
        ends = [each.offset for each in sections[1:]] + [window.total_chars]
        sections = tuple(
            each
            for each, end in zip(sections, ends, strict=True)
            if each.offset < window.end and end > window.offset
        )
    return sections[: limits.SECTIONS_SHOWN_MAX]


def _section_lines(shown: tuple[Section, ...], total: int) -> list[str]:
    if not shown:
        return []
    named = "; ".join(f"{quote(each.name)} at {each.offset}" for each in shown)
    return [f"Sections ({total}): {named}{'; …' if len(shown) < total else ''}"]


def _get_file(ref: MessageRef, part: Part, *, saving: bool) -> NextAction | None:
    """Say how the file itself is had; None if it is too large for every way."""
    if saving and part.size_octets <= limits.ATTACHMENT_SAVE_OCTETS_MAX:
        mode, instruction = "save", "Save the file for the user."
    elif part.decoded_size <= limits.ATTACHMENT_CONTENT_OCTETS_MAX:
        mode, instruction = "content", "Get the file itself."
    else:
        return None
    arguments = {"message_id": ref.message_id, "part_id": part.part_id, "mode": mode}
    return NextAction(instruction=instruction, tool=GET_ATTACHMENT, arguments=arguments)


def content_outcome(ref: MessageRef, content: FileContent) -> AttachmentOutcome:
    """Reply with the file itself."""
    uri = ref.attachment_uri(content.part.part_id)
    data = _data(ref, content.part, len(content.octets)).model_copy(
        update={"uri": uri, "sha256": hashlib.sha256(content.octets).hexdigest()}
    )
    return Outcome(
        summary=f"The file of {_where(ref, content.part)}, embedded",
        data=data,
        blocks=(_line(data), f"Resource {code(uri)}, SHA-256 {data.sha256}"),
        embedded=(Embedded(uri=uri, content_type=content.part.content_type, octets=content.octets),),
        issues=short_issues(ref, short=content.short),
        warnings=_malformed(content),
        references={"message_id": ref.message_id},
    )


def saved_outcome(ref: MessageRef, saved: SavedContent) -> AttachmentOutcome:
    """Reply with where the file is."""
    data = _data(ref, saved.part, saved.file.size_octets).model_copy(
        update={"saved_path": str(saved.file.path), "sha256": saved.file.sha256}
    )
    return Outcome(
        summary=f"Saved {_where(ref, saved.part)}",
        data=data,
        blocks=(_line(data), f"Saved as {code(str(saved.file.path))}, SHA-256 {data.sha256}"),
        issues=short_issues(ref, short=saved.short),
        warnings=_malformed(saved),
        references={"message_id": ref.message_id},
    )


def _malformed(content: FileContent | SavedContent) -> tuple[str, ...]:
    if not content.defects:
        return ()
    return (f"The attachment is malformed, and may be damaged: {'; '.join(content.defects)}.",)


def short_issues(ref: MessageRef, *, short: bool) -> tuple[Issue, ...]:
    """Say so if the server gave less than there is: the reply must not look complete."""
    if not short:
        return ()
    message = "The server gave less of the attachment than it says there is: it may be cut."
    return (Issue(code=Code.INTERNAL, stage="fetch", message=message, about=about_message(ref)),)
