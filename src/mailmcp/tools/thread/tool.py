"""imap_get_thread: a whole conversation, oldest message first, within one budget of characters."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from itertools import chain
from typing import Final

from pydantic import BaseModel, Field

from mailmcp import limits
from mailmcp.mail.clean import clean_line, cut_text
from mailmcp.mail.people import people_of
from mailmcp.mail.removed_content import removal_warnings
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.model.thread_cursor import ThreadCursor, format_thread_cursor, parse_thread_cursor
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import MessageArguments
from mailmcp.tools.attachment_row import FirstAttachments, files_column, first_attachments
from mailmcp.tools.columns import (
    invitation_column,
    marks_of,
    people_column,
    places_line,
    time_column,
)
from mailmcp.tools.errors import all_failed_error, search_again
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import GET_MESSAGE, GET_MESSAGE_RAW, GET_THREAD
from mailmcp.tools.people import first_addresses_of
from mailmcp.tools.published import Row, Strings
from mailmcp.tools.rows import arrived_instead, date_of, flags_of, message_id_of, shown_ids
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.coverage import CoverageData
from mailmcp.tools.thread.conversation import Member, find_conversation
from mailmcp.tools.thread.texts import MemberText, read_texts
from mailmcp.tools.tool import Call, MailTool
from mailmcp.wording import counted
from mcp_envelope import (
    BaseReason,
    InvalidInputError,
    NextAction,
    Outcome,
    Page,
    Untrusted,
    code,
)
from mcp_envelope.markdown import quote

PAGE_SIZE: Final = 50
"""Messages in a reply; with more, each would show too little."""

_CHARS_DEFAULT: Final = 12_000
"""All texts in a reply: about 3,000 tokens."""

_MESSAGE_CHARS: Final = 200
"""Shown of each message at least, if it has as much; with a small budget a page has fewer messages."""

_PEOPLE_MAX: Final = 5
"""Addresses named in To and in Cc of each message; the others are counted."""

_DRAFT: Final = "\\Draft"

_NOT_ELSEWHERE: Final = f'; not in your other accounts, where account_id="{EVERYTHING}" looks too'


class GetThreadArguments(MessageArguments):
    """Which conversation, and how much of it."""

    account_id: str = Field("", description='"*": all accounts.')
    message_id: str = ""
    max_chars: int = Field(
        _CHARS_DEFAULT,
        ge=limits.THREAD_CHARS_MIN,
        le=limits.THREAD_CHARS_MAX,
        description="All texts together.",
    )
    cursor: str = Field("", description="From the previous page; enough on its own.")


class ThreadMessageRow(Row):
    """One message; `text` has no quoted history."""

    message_id: str
    date: str
    from_: str = Field(alias="from")
    to: str
    cc: str | None = None
    subject: str
    flags: Strings
    attachments: FirstAttachments | None = None
    attachments_total: int | None = None
    """If there are more."""

    text: str
    next_offset: int | None = None
    """If there is more: the body_offset with which imap_get_message reads on; 0 for a very long text."""

    total_chars: int | None = None
    """How long the text is, if there is more and that is known."""

    places: Strings | None = None
    """Ids of copies."""


class GetThreadData(BaseModel):
    """One page of a conversation, oldest message first."""

    account_id: str
    total: int
    messages: list[ThreadMessageRow]
    coverage: CoverageData


async def get_thread(arguments: GetThreadArguments, call: Call) -> Outcome[GetThreadData]:
    """Return a page of a conversation; about six round trips, however many mailboxes there are.

    What fails on the way is an issue: accounts, mailboxes, messages.
    """
    start = _start(arguments)
    call.choose_message(start.ref, "" if start.all_accounts else arguments.account_id)
    conversation = await find_conversation(call, start.ref, all_accounts=start.all_accounts)
    members, more = _cut(start, conversation.members)
    texts, unread = await read_texts(call, members)
    shown = [each for each in members if each.ref in texts]
    if unread and not shown:
        raise all_failed_error(unread, search_again(start.ref))
    for each in shown:
        call.message_id_cache.remember(each.ref.message_id, message_id_of(each.headers))
    shares = _share_out([len(texts[each.ref].read.text) for each in shown], start.max_chars)
    rows = [_row(each, texts[each.ref], share) for each, share in zip(shown, shares, strict=True)]
    cursor = format_thread_cursor(replace(start, after=members[-1].position)) if more else None
    zone, found, total = call.preferences.zone, conversation.found, len(conversation.members)

    def name_of(account_id: str, mailbox: str | None) -> str:
        name = mailbox or EVERYTHING
        return f"{account_id}: {name}" if start.all_accounts else name

    left_out = [name_of(*each) for each in found.left_out]
    lost = found.failed.get((start.ref.account_id, None))
    failed = [*found.message_issues, *unread]
    is_retryable = any(each.retryable for each in failed) or (lost is not None and lost.retryable)
    where = "all accounts" if start.all_accounts else start.ref.account_id
    summary = (
        f"{len(rows)} of {counted(total, 'message')} of a conversation, oldest first, times in {zone}; "
        f"found by {conversation.method} in {counted(len(found.looked), 'mailbox', 'mailboxes')} ({where})"
        f"{', not in ' if left_out else ''}{', '.join(map(code, left_out))}"
    )
    if not start.all_accounts and len(call.pool.accounts) > 1:
        summary += _NOT_ELSEWHERE
    return Outcome(
        summary=summary,
        data=GetThreadData(
            account_id=EVERYTHING if start.all_accounts else start.ref.account_id,
            total=total,
            messages=rows,
            coverage=CoverageData(
                complete=conversation.complete and not unread,
                mailboxes_searched=len(found.looked),
                mailboxes_failed=[name_of(*each) for each in found.failed],
                mailboxes_not_searched=left_out or None,
                method=" ".join([f"Found by {conversation.method}.", *found.statements]),
            ),
        ),
        blocks=tuple(
            chain.from_iterable(_blocks(*each, zone=zone) for each in zip(rows, shown, strict=True))
        ),
        issues=(*found.issues, *unread),
        warnings=(*found.statements, *_text_warnings([texts[each.ref] for each in shown])),
        page=Page(page_size=PAGE_SIZE, total_count=total, cursor=cursor),
        next_action=_next_action(start, rows, cursor, is_retryable=is_retryable),
        references={"message_id": start.ref.message_id},
    )


def _start(arguments: GetThreadArguments) -> ThreadCursor:
    """Return which conversation is requested, and where the page starts."""
    if not arguments.cursor:
        if not arguments.message_id:
            raise InvalidInputError.of("message_id", BaseReason.MISSING_PARAM, "is missing. Send it.")
        ref = parse_message_id(arguments.message_id)
        all_accounts = arguments.account_id == EVERYTHING
        return ThreadCursor(ref=ref, max_chars=arguments.max_chars, all_accounts=all_accounts)
    cursor = parse_thread_cursor(arguments.cursor)
    if arguments.message_id not in {"", cursor.ref.message_id}:
        raise InvalidInputError.of(
            "message_id", Reason.CURSOR_MISMATCH, "contradicts the cursor. Leave it out."
        )
    if arguments.account_id not in {"", EVERYTHING if cursor.all_accounts else cursor.ref.account_id}:
        raise InvalidInputError.of(
            "account_id", Reason.CURSOR_MISMATCH, "contradicts the cursor. Leave it out."
        )
    if "max_chars" in arguments.model_fields_set:
        return replace(cursor, max_chars=arguments.max_chars)
    return cursor


def _cut(start: ThreadCursor, members: Sequence[Member]) -> tuple[Sequence[Member], bool]:
    """Return the messages of one page, and whether there are more."""
    rest = [each for each in members if start.after is None or each.position > start.after]
    size = min(PAGE_SIZE, max(1, start.max_chars // _MESSAGE_CHARS))
    while size < len(rest) and rest[size].position == rest[size - 1].position:
        size += 1  # equal messages in one mailbox: a cursor can't tell them apart
    return rest[:size], len(rest) > size


def _share_out(lengths: Sequence[int], budget: int) -> list[int]:
    """Share a budget among texts: short ones are whole, and long ones share the rest evenly."""
    shares = [0] * len(lengths)
    by_length = sorted(range(len(lengths)), key=lambda place: (lengths[place], -place))
    for waiting, place in zip(range(len(lengths), 0, -1), by_length, strict=True):
        # Rounded up for the last ones, so that the remainder isn't lost.
        shares[place] = min(lengths[place], budget // waiting)
        budget -= shares[place]
    return shares


def _row(member: Member, found: MemberText, share: int) -> ThreadMessageRow:
    read = found.read
    text = cut_text(read.text, share)
    next_offset = len(text) if len(text) < len(read.text) else None
    if read.is_cut:
        next_offset = 0  # where quoted history ends, only the whole text shows
    headers = member.headers
    return ThreadMessageRow.model_validate(
        {
            "message_id": member.ref.message_id,
            "date": date_of(headers, member.row),
            "from": people_of(headers, "From", max_chars=limits.ROW_CHARS_MAX).text,
            "to": first_addresses_of(headers, "To", limit=_PEOPLE_MAX),
            "cc": first_addresses_of(headers, "Cc", limit=_PEOPLE_MAX) or None,
            "subject": make_snippet(clean_line(headers.get("Subject")).text, limits.ROW_CHARS_MAX),
            "flags": _flags(member),
            "attachments": first_attachments(found.files) or None,
            "attachments_total": len(found.files) if len(found.files) > limits.ROW_FILES_MAX else None,
            "text": text,
            "next_offset": next_offset,
            "total_chars": len(read.text) if next_offset else None,
            "places": shown_ids((each.message_id for each in member.copies), limits.ROW_PLACES_MAX) or None,
        }
    )


def _flags(member: Member) -> list[str]:
    """Return the flags, with the draft flag only if it applies; see `Member.draft`."""
    flags = [each for each in flags_of(member.row) if each.lower() != _DRAFT.lower()]
    return [*flags, _DRAFT] if member.draft else flags


def _blocks(row: ThreadMessageRow, member: Member, *, zone: tzinfo) -> tuple[str | Untrusted, ...]:
    sender, to, cc = map(people_column, (row.from_, row.to, row.cc or ""))
    subject = quote(row.subject) or "no subject"
    columns = [
        time_column(row.date, zone, arrived=arrived_instead(member.headers, member.row)),
        *marks_of(row.flags),
        *invitation_column(member.invitation),
        f"{sender or 'no sender'} to {to or 'unnamed recipients'}{f', cc {cc}' if cc else ''}: {subject}",
        *files_column(row.attachments or (), row.attachments_total),
        code(row.message_id),
    ]
    text = Untrusted(label="text", text=row.text) if row.text else "  (no text)"
    cut = [] if row.next_offset is None else [f"  (cut: more from body_offset {row.next_offset})"]
    return (f"- {' | '.join(columns)}", *places_line(row.places or ()), text, *cut)


def _text_warnings(texts: Sequence[MemberText]) -> Iterator[str]:
    yield from removal_warnings([each.read.body for each in texts], where="the texts", source=GET_MESSAGE_RAW)
    malformed = [each.defects for each in texts if each.defects]
    if malformed:
        defects = "; ".join(dict.fromkeys(chain.from_iterable(malformed)))
        yield f"{counted(len(malformed), 'message')} may lack text, being malformed: {defects}."


def _next_action(
    start: ThreadCursor, rows: Sequence[ThreadMessageRow], cursor: str | None, *, is_retryable: bool
) -> NextAction | None:
    if is_retryable:
        arguments: dict[str, object] = {"message_id": start.ref.message_id, "max_chars": start.max_chars}
        if start.all_accounts:
            arguments["account_id"] = EVERYTHING
        if start.after is not None:
            arguments = {"cursor": format_thread_cursor(start)}
        return NextAction(
            instruction="Get this page again for the missing messages.", tool=GET_THREAD, arguments=arguments
        )
    if cursor is not None:
        return NextAction(instruction="Get the next page.", tool=GET_THREAD, arguments={"cursor": cursor})
    cut = next((row for row in rows if row.next_offset is not None), None)
    if cut is None:
        return None
    return NextAction(
        instruction="Continue the first text that was cut.",
        tool=GET_MESSAGE,
        arguments={"message_id": cut.message_id, "body_offset": cut.next_offset},
    )


TOOL = MailTool(
    name=GET_THREAD,
    title="Get a conversation",
    description=(
        "Get a message's conversation from all mailboxes (Sent, archives too), oldest first, "
        "without quoted history."
    ),
    arguments=GetThreadArguments,
    data=GetThreadData,
    run=get_thread,
)
