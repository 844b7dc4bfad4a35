"""imap_get_message: one message, its text bounded, its attachments listed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field
from pydantic.json_schema import SkipJsonSchema

from mailmcp import limits
from mailmcp.imap.session import Session
from mailmcp.imap.special_use import is_draft, usual_use
from mailmcp.mail.clean import clean_line
from mailmcp.mail.html.links import numbered_links
from mailmcp.mail.kinds import is_of_kind
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.read import ReadMessage, parts_to_fetch, read_message
from mailmcp.mail.removed_content import Removed
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.model.mail_kind import MailKind, WantedKind
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.query import bare_message_id
from mailmcp.tools.arguments import MessageArguments
from mailmcp.tools.message.attachments import AttachmentRows, choose_documents, list_rows
from mailmcp.tools.message.data import (
    GetMessageData,
    MessageDetail,
    NoticeRow,
    header_fields,
    message_blocks,
    people_fields,
)
from mailmcp.tools.message.fetch import MessageParts, WantedPart, fetch_parts
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import GET_ATTACHMENT, GET_MESSAGE, GET_MESSAGE_RAW
from mailmcp.tools.rows import arrived_instead, date_of, flags_of, id_values
from mailmcp.tools.text_window import cut_window
from mailmcp.tools.tool import Call, MailTool
from mailmcp.wording import counted
from mcp_envelope import NextAction, Outcome, code

if TYPE_CHECKING:
    from mailmcp.mail.html.convert import HtmlText

PLAIN_ONLY_CHARS_MAX: Final = 80
"""Of a line quoted from text that people don't see: enough to tell an advertisement from an order."""


def _map_both(mode: object) -> object:
    """HTML says what the text does: `both`, which is no longer published, means it."""
    return "html" if mode == "both" else mode


class GetMessageArguments(MessageArguments):
    """Which message, and how much of it."""

    aliases: ClassVar[Mapping[str, str]] = {"include_all_headers": "include_headers"}

    message_id: str
    header_message_id: SkipJsonSchema[str] = Field("", exclude=True)
    """For the next action if the message has moved; no longer published."""

    body_max_chars: int = Field(limits.BODY_CHARS_DEFAULT, ge=100, le=limits.BODY_CHARS_MAX)
    body_offset: int = Field(0, description="Negative: from the end.")
    body_mode: Annotated[Literal["text", "html"], BeforeValidator(_map_both)] = "text"
    quotes: Literal["collapse", "keep"] = "collapse"
    include_headers: bool = False
    attachment_mode: Literal["none", "metadata", "extract_text"] = "metadata"


async def get_message(arguments: GetMessageArguments, call: Call) -> Outcome[GetMessageData]:
    """Get a message: one round trip up to 128 KiB, at most two beyond."""
    ref = call.choose_message(parse_message_id(arguments.message_id), arguments.account_id)
    call.message_id_cache.remember(ref.message_id, bare_message_id(arguments.header_message_id))
    with_texts = arguments.attachment_mode == "extract_text"

    def choose(root: Part) -> list[WantedPart]:
        wanted = [WantedPart(part) for part in parts_to_fetch(root, with_html=arguments.body_mode == "html")]
        return wanted + (choose_documents(root) if with_texts else [])

    def read(session: Session) -> tuple[MessageParts, ReadMessage]:
        parts = fetch_parts(session, ref, choose)
        return parts, read_message(
            parts.view,
            parts.octets,
            cut=parts.cut,
            zone=call.preferences.zone,
            owner=call.preferences.owner_of(ref.account_id),
            collapse=arguments.quotes == "collapse",
        )

    parts, message = await call.ask(read, message=ref)
    call.note_read([ref.message_id])
    attachments = AttachmentRows()
    if arguments.attachment_mode != "none":
        attachments = await list_rows(call, ref, parts, texts=with_texts)
    return _build_outcome(arguments, call, ref, parts, message, attachments)


def _build_outcome(
    arguments: GetMessageArguments,
    call: Call,
    ref: MessageRef,
    parts: MessageParts,
    message: ReadMessage,
    attachments: AttachmentRows,
) -> Outcome[GetMessageData]:
    safe: list[HtmlText] = []
    if arguments.body_mode == "html":
        from mailmcp.mail.html.convert import sanitize_html  # noqa: PLC0415 - as in `mailmcp.mail.text.body`

        safe = [sanitize_html(each) for each in message.body.html]
    html = "\n".join(each.text for each in safe)
    window = cut_window(
        html or message.text,
        offset=arguments.body_offset,
        max_chars=arguments.body_max_chars,
        argument="body_offset",
    )
    headers = parts.view.headers
    people, people_warnings = people_fields(headers)
    shown_headers, header_warnings = header_fields(headers) if arguments.include_headers else (None, [])
    warnings = _warnings(parts, message, safe if html else ())
    warnings += people_warnings + header_warnings
    place = f"characters {window.offset} to {window.end} of {window.total_chars}"
    next_action = None
    if window.next_offset is not None:
        warnings.append(f"The body was cut: this is {place}; send body_offset {window.next_offset} for more.")
        sent = arguments.model_dump(exclude_defaults=True, by_alias=True)
        next_action = NextAction(
            instruction="Get more of the body.",
            tool=GET_MESSAGE,
            arguments=sent | {"body_offset": window.next_offset},
        )
    elif attachments.winmail and not window.total_chars:
        next_action = NextAction(
            instruction="Read winmail.dat, which holds the message.",
            tool=GET_ATTACHMENT,
            arguments={"message_id": ref.message_id, "part_id": attachments.winmail},
        )
    kinds = [
        kind.value
        for kind in (MailKind.NEWSLETTER, MailKind.AUTOMATIC)
        if is_of_kind(headers, parts.view.structure, WantedKind(kind=kind))
    ]
    detail = MessageDetail.model_validate(
        {
            **id_values(ref),
            "date": date_of(headers, parts.fetched),
            **people,
            "subject": make_snippet(clean_line(headers.get("Subject")).text, limits.HEADER_CHARS_MAX),
            "flags": flags_of(parts.fetched, is_draft=is_draft(parts.fetched, usual_use(ref.mailbox))),
            "kinds": kinds or None,
            "size_bytes": parts.fetched.size_octets,
            "authentication": message.authentication,
            "suspicions": [each.kind for each in message.suspicions] or None,
            "headers": shown_headers,
            "notices": [
                NoticeRow(kind=each.kind, part_id=each.part_id, fields=dict(each.fields))
                for each in message.notices
            ]
            or None,
            "body_text": None if html else window.text,
            "links": None if html else numbered_links(window.text, message.body.links) or None,
            "body_html": window.text if html else None,
            "body_offset": window.offset or None,
            "body_truncated": window.next_offset is not None,
            "body_total_chars": window.total_chars,
            "not_in_html": make_snippet(message.not_in_html.first, PLAIN_ONLY_CHARS_MAX) or None,
            "quoted_lines_collapsed": None if html else message.quoted_lines or None,
            "attachments": attachments.rows,
        }
    )
    arrived = arrived_instead(headers, parts.fetched)
    return Outcome(
        summary=f"Message {code(ref.message_id)}" + (f", {place} of its body" if window.offset else ""),
        data=GetMessageData(account_id=ref.account_id, message=detail),
        blocks=message_blocks(detail, zone=call.preferences.zone, arrived=arrived),
        issues=tuple(attachments.issues),
        warnings=(*warnings, *attachments.warnings),
        next_action=next_action,
        references={"message_id": ref.message_id},
    )


def _warnings(parts: MessageParts, message: ReadMessage, html: "Sequence[HtmlText]") -> list[str]:
    """List what a reader must know; `html` is what the reply has of the HTML, empty if it has the text."""
    warnings = [each.message for each in message.suspicions]
    if message.protection_note:
        warnings.append(message.protection_note)
    if parts.cut:
        warnings.append(f"Only the first {limits.TEXT_PART_OCTETS_MAX} octets of a very long text were read.")
    removed = Removed.total(each.removed for each in html) if html else message.body.removed
    warnings += removed.warnings(where="the HTML" if html else "the body", source=GET_MESSAGE_RAW)
    not_in_html = replace(message.not_in_html, html_lines=0) if html else message.not_in_html
    warnings += not_in_html.warnings(html_shown_by="body_mode=html")
    if message.invisible_in_headers:
        characters = counted(message.invisible_in_headers, "invisible character")
        warnings.append(f"Removed {characters} from the header fields.")
    if arrived_instead(parts.view.headers, parts.fetched):
        warnings.append("The message has no readable date: the date shown is when the server received it.")
    defects = dict.fromkeys((*parts.defects, *message.defects))
    if defects:
        warnings.append(f"The message is malformed: {'; '.join(defects)}.")
    return warnings


TOOL = MailTool(
    name=GET_MESSAGE,
    title="Get a message",
    description=("Get a message: its text and attachments. Leaves it unread."),
    arguments=GetMessageArguments,
    data=GetMessageData,
    run=get_message,
)
