"""imap_get_message: one message, its text bounded, its attachments listed."""

from typing import Final, Literal

from pydantic import BaseModel, Field

from mailmcp import limits
from mailmcp.imap.session import Session
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.html.convert import sanitize_html
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.read import ReadMessage, parts_to_fetch, read_message
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.arguments import MessageArguments
from mailmcp.tools.attachment.listing import ShownAttachments, Told, choose_documents, show_attachments
from mailmcp.tools.errors import has_moved, search_for
from mailmcp.tools.lookup import LookedUp, look_up
from mailmcp.tools.message.detail import MessageDetail, detail_blocks, head_fields
from mailmcp.tools.message.headers import header_object, header_rows, people_warnings
from mailmcp.tools.message.warnings import message_warnings
from mailmcp.tools.message_id import is_header_id, parse_message_id
from mailmcp.tools.message_parts import MessageParts, WantedPart, fetch_parts
from mailmcp.tools.names import GET_MESSAGE
from mailmcp.tools.text_window import TextWindow, cut_window
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.wording import counted
from mcp_envelope import ConflictError, NextAction, NotFoundError, Outcome, ToolError, code


class GetMessageArguments(MessageArguments):
    """Which message, and how much of it."""

    message_id: str = Field(description="From imap_search_messages.")
    header_message_id: str = Field("", description="Its Message-ID header: finds it again if it has moved.")
    body_max_chars: int = Field(limits.BODY_CHARS_DEFAULT, ge=100, le=limits.BODY_CHARS_MAX)
    body_offset: int = Field(0, ge=0, description="For the rest of a long body.")
    body_mode: Literal["text", "html", "both"] = Field(
        "text", description="text: plain text, made from HTML if need be; html: sanitised HTML."
    )
    quotes: Literal["collapse", "keep"] = Field("collapse", description="Quoted history of replies.")
    include_headers: bool = Field(
        default=False, description="Add the headers that matter for replies and lists."
    )
    include_all_headers: bool = Field(default=False, description="Add every header.")
    attachment_mode: Literal["none", "metadata", "extract_text"] = "metadata"
    attachment_text_max_chars: int = Field(
        limits.ATTACHMENT_TEXT_CHARS_DEFAULT, ge=100, le=limits.ATTACHMENT_TEXT_CHARS_MAX
    )


class GetMessageData(BaseModel):
    """The message asked for."""

    account_id: str
    message: MessageDetail


_OTHERS: Final = "{} with the same Message-ID: imap_search_messages finds them by header_message_id."


async def get_message(arguments: GetMessageArguments, call: Call) -> Outcome[GetMessageData]:
    """Get a message: one round trip up to 128 KiB, at most two beyond; four more if it has moved."""
    ref = call.choose_message(parse_message_id(arguments.message_id), arguments.account_id)
    moved: tuple[str, ...] = ()
    try:
        parts, message = await _read(arguments, call, ref)
    except (NotFoundError, ConflictError) as error:
        if not has_moved(error):
            raise
        found = await _find_again(arguments, call, ref, error)
        moved = (f"The message is no longer {code(ref.message_id)}; it was found again by its Message-ID.",)
        if found.others:
            moved += (_OTHERS.format(counted(found.others, "other message")),)
        ref = found.ref
        parts, message = await _read(arguments, call, ref)
    attachments = await show_attachments(
        call,
        ref,
        parts,
        mode=arguments.attachment_mode,
        max_chars=arguments.attachment_text_max_chars,
        told=Told(notices=message.notices, body=message.text),
    )
    attachments.warnings[:0] = moved
    return _outcome(arguments, ref, parts, message, attachments)


async def _read(
    arguments: GetMessageArguments, call: Call, ref: MessageRef
) -> tuple[MessageParts, ReadMessage]:
    def read(session: Session) -> tuple[MessageParts, ReadMessage]:
        parts = fetch_parts(session, ref, lambda root: _wanted(arguments, root))
        return parts, read_message(
            parts.view,
            parts.octets,
            cut=parts.cut,
            owner=call.preferences.owner_of(ref.account_id),
            collapse=arguments.quotes == "collapse",
        )

    return await call.ask(read, message=ref)


async def _find_again(
    arguments: GetMessageArguments, call: Call, ref: MessageRef, error: ToolError
) -> LookedUp:
    """Find a message that has moved, or raise the error that said so."""
    header_message_id = arguments.header_message_id
    if not is_header_id(header_message_id.strip().strip("<>")):  # don't repeat prose in a next action
        raise error
    found = await call.ask(lambda session: look_up(session, ref.account_id, header_message_id))
    if found is None:
        raise error.replace(next_action=search_for(ref.account_id, header_message_id))
    return found


def _wanted(arguments: GetMessageArguments, root: Part) -> list[WantedPart]:
    """Choose the leaves whose content the reply shows."""
    wanted = [WantedPart(part) for part in parts_to_fetch(root, with_html=arguments.body_mode != "text")]
    if arguments.attachment_mode == "extract_text":
        wanted += choose_documents(root)
    return wanted


def _outcome(
    arguments: GetMessageArguments,
    ref: MessageRef,
    parts: MessageParts,
    message: ReadMessage,
    attachments: ShownAttachments,
) -> Outcome[GetMessageData]:
    html = sanitize_html(message.body.html) if arguments.body_mode != "text" and message.body.html else ""
    text = message.text if arguments.body_mode != "html" or not html else ""
    # Both are cut alike; the longer one says whether there is more.
    window = cut_window(
        max(text, html, key=len),
        offset=arguments.body_offset,
        max_chars=arguments.body_max_chars,
        argument="body_offset",
    )
    headers, header_warnings = _headers(arguments, parts.view.headers)
    detail = MessageDetail.model_validate(
        {
            **head_fields(ref, parts, message),
            "headers": headers,
            "body_text": text[window.offset : window.end] if text or not html else None,
            "body_html": html[window.offset : window.end] or None,
            "body_truncated": window.next_offset is not None,
            "body_total_chars": window.total_chars,
            "quoted_lines_collapsed": message.quoted_lines if text and message.quoted_lines else None,
            "attachments": attachments.rows,
        }
    )
    return Outcome(
        summary=f"Message {code(ref.message_id)}",
        data=GetMessageData(account_id=ref.account_id, message=detail),
        blocks=detail_blocks(detail),
        issues=tuple(attachments.issues),
        warnings=(
            *message_warnings(parts, message),
            *header_warnings,
            *_cut_warnings(window),
            *attachments.warnings,
        ),
        next_action=_rest(arguments, window),
        references={"message_id": ref.message_id},
    )


def _headers(
    arguments: GetMessageArguments, headers: Headers
) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    """Return the header fields that were asked for, and warnings of what is cut of any that are shown."""
    people = () if arguments.include_all_headers else people_warnings(headers)
    if not (arguments.include_headers or arguments.include_all_headers):
        return None, people
    rows, cut = header_rows(headers, everything=arguments.include_all_headers)
    return header_object(rows), (*people, *cut)


def _cut_warnings(window: TextWindow) -> tuple[str, ...]:
    if window.next_offset is None:
        return ()
    shown = f"characters {window.offset} to {window.end}" if window.offset else f"the first {window.end}"
    return (
        f"The body was cut: this is {shown} of {window.total_chars} characters; "
        f"send body_offset {window.next_offset} for more.",
    )


def _rest(arguments: GetMessageArguments, window: TextWindow) -> NextAction | None:
    if window.next_offset is None:
        return None
    sent = arguments.model_dump(exclude_defaults=True, by_alias=True)
    return NextAction(
        instruction="Read on in this message.",
        tool=GET_MESSAGE,
        arguments=sent | {"body_offset": window.next_offset},
    )


TOOL = MailTool(
    name=GET_MESSAGE,
    title="Get a message",
    description=(
        "Get one message: headers, text (from HTML if there is no plain text) and a list of its "
        "attachments. Does not mark it as read."
    ),
    arguments=GetMessageArguments,
    data=GetMessageData,
    run=get_message,
)
