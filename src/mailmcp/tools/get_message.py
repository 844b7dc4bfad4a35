"""imap_get_message: one message, its text bounded, its attachments listed."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

from mailmcp.envelope import limits
from mailmcp.envelope.errors import ConflictError
from mailmcp.envelope.markdown import code, escape
from mailmcp.envelope.outcome import Outcome, Untrusted
from mailmcp.mail.attachment import list_attachments
from mailmcp.mail.body import BodyText, body_text
from mailmcp.mail.charset import WRONG_CHARSET
from mailmcp.mail.clean import clean_line
from mailmcp.mail.html import sanitize_html
from mailmcp.mail.ids import MessageRef, parse_message_id
from mailmcp.mail.structure import Part
from mailmcp.mail.text_parts import choose_text_parts
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.attachments import (
    AttachmentRow,
    attachment_lines,
    extractable,
    show_attachments,
    taken_out,
)
from mailmcp.tools.message_parts import MessageParts, fetch_parts, search_again
from mailmcp.tools.rows import addresses_of, date_of
from mailmcp.tools.tool import Call, Tool

NAME = "imap_get_message"

_BLANK_OCTETS = 256
"""Plain text this short may be blank: senders of HTML put it there for form's sake."""

_USEFUL_HEADERS = frozenset(
    {
        "message-id",
        "in-reply-to",
        "references",
        "reply-to",
        "sender",
        "list-id",
        "list-unsubscribe",
        "auto-submitted",
        "precedence",
    }
)
"""Headers that say something which the message's own fields do not."""


class GetMessageArguments(Arguments):
    """Which message, and how much of it."""

    message_id: str = Field(description="From imap_search_messages.")
    body_max_chars: int = Field(limits.BODY_CHARS_DEFAULT, ge=100, le=limits.BODY_CHARS_MAX)
    body_mode: Literal["text", "html", "both"] = Field(
        "text", description="text: plain text, made from HTML if need be; html: sanitised HTML."
    )
    include_headers: bool = Field(
        default=False, description="Add the headers that matter for replies and lists."
    )
    include_all_headers: bool = Field(default=False, description="Add every header.")
    attachment_mode: Literal["none", "metadata", "extract_text"] = "metadata"
    attachment_text_max_chars: int = Field(
        limits.ATTACHMENT_TEXT_CHARS_DEFAULT, ge=100, le=limits.ATTACHMENT_TEXT_CHARS_MAX
    )


class HeaderRow(BaseModel):
    """One header field, decoded."""

    name: str
    value: str


class MessageDetail(BaseModel):
    """One message."""

    message_id: str
    message_uri: str
    message_raw_uri: str
    mailbox: str
    uidvalidity: int
    uid: int
    date: str
    from_: str = Field(alias="from")
    to: str
    cc: str
    subject: str
    flags: list[str]
    size_bytes: int | None = None
    headers: list[HeaderRow] | None = None
    body_text: str | None = None
    body_html: str | None = None
    body_truncated: bool = Field(description="true: more can be had with a larger body_max_chars.")
    body_total_chars: int
    attachments: list[AttachmentRow]


class GetMessageData(BaseModel):
    """The message asked for."""

    account_id: str
    message: MessageDetail


async def get_message(arguments: GetMessageArguments, call: Call) -> Outcome[GetMessageData]:
    """Get a message: one round trip up to 128 KiB, at most two beyond."""
    ref = parse_message_id(arguments.message_id)
    call.choose_account(ref.account_id)
    call.mailbox = ref.mailbox
    try:
        return await call.ask(
            lambda session: _outcome(
                arguments, ref, fetch_parts(session, ref, lambda root: _wanted(arguments, root))
            ),
            mailbox=ref.mailbox,
        )
    except ConflictError as error:
        error.next_action = search_again(ref)
        raise


def _wanted(arguments: GetMessageArguments, root: Part) -> Sequence[Part]:
    """Choose the leaves whose content the reply shows."""
    text = choose_text_parts(root)
    almost_blank = sum(part.size_octets for part in text.plain) < _BLANK_OCTETS
    wanted = list(text.all if arguments.body_mode != "text" or almost_blank else text.plain)
    if arguments.attachment_mode == "extract_text":
        wanted += extractable(list_attachments(root, text), root)
    return wanted


def _outcome(arguments: GetMessageArguments, ref: MessageRef, parts: MessageParts) -> Outcome[GetMessageData]:
    text_parts = choose_text_parts(parts.view.structure)
    body = body_text(text_parts, parts.octets)
    attachments = show_attachments(arguments.attachment_mode, arguments.attachment_text_max_chars, parts)
    limit = arguments.body_max_chars
    shown_html = sanitize_html(body.html) if arguments.body_mode != "text" and body.html else ""
    shown_text = body.text if arguments.body_mode != "html" or not shown_html else ""
    total = max(len(shown_text), len(shown_html))
    detail = MessageDetail.model_validate(
        {
            **_head(ref, parts),
            "headers": _headers(arguments, parts),
            "body_text": shown_text[:limit] if shown_text or not shown_html else None,
            "body_html": shown_html[:limit] or None,
            "body_truncated": total > limit,
            "body_total_chars": total,
            "attachments": attachments.rows,
        }
    )
    return Outcome(
        summary=f"Message {code(ref.message_id)}",
        data=GetMessageData(account_id=ref.account_id, message=detail),
        blocks=_blocks(detail),
        warnings=(*_warnings(arguments, parts, body, detail), *attachments.warnings),
        references={"message_id": ref.message_id},
    )


def _head(ref: MessageRef, parts: MessageParts) -> dict[str, object]:
    headers = parts.view.headers
    return {
        "message_id": ref.message_id,
        "message_uri": ref.message_uri,
        "message_raw_uri": ref.message_raw_uri,
        "mailbox": ref.mailbox,
        "uidvalidity": ref.uidvalidity,
        "uid": ref.uid,
        "date": date_of(headers, parts.fetched),
        "from": addresses_of(headers, "From"),
        "to": addresses_of(headers, "To"),
        "cc": addresses_of(headers, "Cc"),
        "subject": clean_line(headers.get("Subject")).text[: limits.HEADER_CHARS_MAX],
        "flags": list(parts.fetched.flags),
        "size_bytes": parts.fetched.size_octets,
    }


def _headers(arguments: GetMessageArguments, parts: MessageParts) -> list[HeaderRow] | None:
    if not (arguments.include_headers or arguments.include_all_headers):
        return None
    return [
        HeaderRow(name=name, value=clean_line(value).text[: limits.HEADER_CHARS_MAX])
        for name, value in parts.view.headers.items()
        if arguments.include_all_headers or name.lower() in _USEFUL_HEADERS
    ]


def _blocks(detail: MessageDetail) -> tuple[str | Untrusted, ...]:
    lines = [
        f"{name}: {escape(value)}"
        for name, value in (
            ("Date", detail.date),
            ("From", detail.from_),
            ("To", detail.to),
            ("Cc", detail.cc),
            ("Subject", detail.subject),
            ("Flags", " ".join(detail.flags)),
        )
        if value
    ]
    lines += [f"{escape(header.name)}: {escape(header.value)}" for header in detail.headers or ()]
    bodies = [
        Untrusted(label=label, text=text)
        for label, text in (("body_text", detail.body_text), ("body_html", detail.body_html))
        if text
    ]
    if not bodies:
        lines.append("(no text)")
    return (*lines, *bodies, *attachment_lines(detail.attachments))


def _warnings(
    arguments: GetMessageArguments, parts: MessageParts, body: BodyText, detail: MessageDetail
) -> tuple[str, ...]:
    warnings: list[str] = []
    if detail.body_truncated:
        limit, total = arguments.body_max_chars, detail.body_total_chars
        warnings.append(
            f"The body was cut after {limit} of {total} characters; "
            f"send body_max_chars up to {limits.BODY_CHARS_MAX} for more."
        )
    if parts.cut:
        warnings.append(f"Only the first {limits.TEXT_PART_OCTETS_MAX} octets of a very long text were read.")
    warnings += taken_out(body, "the body")
    defects = dict.fromkeys((*parts.defects, *body.defects))
    if 0 < body.text.count("\ufffd") <= len(parts.cut):
        defects.pop(WRONG_CHARSET, None)  # the character that was cut in two
    if defects:
        warnings.append(f"The message is malformed: {'; '.join(defects)}.")
    return tuple(warnings)


TOOL = Tool(
    name=NAME,
    title="Get a message",
    description=(
        "Get one message by message_id: headers, text (made from HTML if there is no plain text) and "
        "a list of its attachments. Does not mark it as read."
    ),
    arguments=GetMessageArguments,
    data=GetMessageData,
    run=get_message,
)
