"""imap_get_thread: a whole conversation, oldest message first, within one budget of characters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import chain

from pydantic import BaseModel, Field

from mailmcp import limits
from mailmcp.mail.clean import clean_line, cut_text
from mailmcp.mail.people import people_of
from mailmcp.mail.removed_content import Removed
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
from mailmcp.tools.errors import all_failed_error, mailbox_issue, search_again
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import GET_MESSAGE, GET_MESSAGE_RAW, GET_THREAD
from mailmcp.tools.people import first_addresses_of
from mailmcp.tools.published import Row, Strings
from mailmcp.tools.rows import arrived_instead, date_of, flags_of, message_id_of, shown_ids
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.coverage import CoverageData
from mailmcp.tools.thread.all_accounts import find_in_account, find_in_all_accounts
from mailmcp.tools.thread.member import Member
from mailmcp.tools.thread.search import FoundThread
from mailmcp.tools.thread.text_budget import share_out
from mailmcp.tools.thread.texts import ReadText, ReadTexts, read_texts
from mailmcp.tools.tool import Call, MailTool
from mailmcp.wording import counted
from mcp_envelope import (
    BaseReason,
    InvalidInputError,
    Issue,
    NextAction,
    Outcome,
    Page,
    Untrusted,
    code,
)
from mcp_envelope.markdown import quote

_DRAFT = "\\Draft"

_NOT_ELSEWHERE = f'; not in your other accounts, where account_id="{EVERYTHING}" looks too'


class GetThreadArguments(MessageArguments):
    """Which conversation, and how much of it."""

    account_id: str = Field("", description='"*": all accounts.')
    message_id: str = ""
    max_chars: int = Field(
        limits.THREAD_CHARS_DEFAULT,
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
    truncated: bool
    body_offset: int | None = None
    """Where imap_get_message reads on."""

    places: Strings | None = None
    """Ids of copies."""


class GetThreadData(BaseModel):
    """One page of a conversation, oldest message first."""

    account_id: str
    total: int
    messages: list[ThreadMessageRow]
    continued_in: Strings | None = None
    """Ids of messages that may continue it, though none refers to it."""

    coverage: CoverageData


@dataclass(frozen=True, slots=True, kw_only=True)
class _ThreadPage:
    """A conversation, and the texts of the messages of one page."""

    thread: FoundThread
    members: Sequence[Member]
    more: bool
    read: ReadTexts


async def get_thread(arguments: GetThreadArguments, call: Call) -> Outcome[GetThreadData]:
    """Return a page of a conversation; about six round trips, however many mailboxes there are.

    What fails on the way is an issue: accounts, mailboxes, messages.
    """
    start = _start(arguments)
    call.choose_message(start.ref, "" if start.all_accounts else arguments.account_id)
    find = find_in_all_accounts if start.all_accounts else find_in_account
    thread = await find(call, start.ref)
    members, more = _cut(start, thread)
    read = await read_texts(call, members)
    return _outcome(start, _ThreadPage(thread=thread, members=members, more=more, read=read), call)


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


def _cut(start: ThreadCursor, thread: FoundThread) -> tuple[Sequence[Member], bool]:
    """Return the messages of one page, and whether there are more."""
    rest = [each for each in thread.members if start.after is None or each.place > start.after]
    size = min(limits.THREAD_PAGE_SIZE, max(1, start.max_chars // limits.THREAD_MESSAGE_CHARS))
    while size < len(rest) and rest[size].place == rest[size - 1].place:
        size += 1  # equal messages in one mailbox: a cursor can't tell them apart
    return rest[:size], len(rest) > size


def _outcome(start: ThreadCursor, page: _ThreadPage, call: Call) -> Outcome[GetThreadData]:
    for each in page.members:
        call.message_id_cache.remember(each.ref.message_id, message_id_of(each.headers))
    zone = call.preferences.zone
    thread, shown = page.thread, [each for each in page.members if each.ref in page.read.texts]
    if page.read.issues and not shown:
        raise all_failed_error(page.read.issues, search_again(start.ref))
    texts = [page.read.texts[each.ref] for each in shown]
    shares = share_out([len(each.text) for each in texts], start.max_chars)
    rows = [_row(*each) for each in zip(shown, texts, shares, strict=True)]
    cursor = None
    if page.more:
        last = page.members[-1].place
        cursor = format_thread_cursor(replace(start, after=last))
    total, account_id = len(thread.members), start.ref.account_id
    continuations = () if page.more else thread.continuations
    where = "all accounts" if start.all_accounts else account_id
    others = (
        [] if start.all_accounts else [each for each in call.pool.accounts if each.account_id != account_id]
    )
    return Outcome(
        summary=_summary(len(rows), thread, zone, where, other_accounts=bool(others)),
        data=GetThreadData(
            account_id=EVERYTHING if start.all_accounts else account_id,
            total=total,
            messages=rows,
            continued_in=None
            if page.more
            else [each.ref.message_id for each in thread.continuations] or None,
            coverage=CoverageData(
                complete=thread.complete and not page.read.issues,
                mailboxes_searched=len(thread.mailboxes),
                mailboxes_failed=[_failed_name(start, *key) for key in thread.failed],
                mailboxes_not_searched=list(thread.left_out) or None,
                method=" ".join([f"Found by {thread.method}.", *thread.statements]),
            ),
        ),
        blocks=(
            *(
                block
                for row, member in zip(rows, shown, strict=True)
                for block in _blocks(row, member, zone=zone)
            ),
            *_continuation_lines(continuations, zone),
        ),
        issues=(*_mailbox_issues(thread), *thread.issues, *page.read.issues),
        warnings=_warnings(thread, texts),
        page=Page(page_size=limits.THREAD_PAGE_SIZE, total_count=total, cursor=cursor),
        next_action=_next_action(start, page, rows, cursor),
        references={"message_id": start.ref.message_id},
    )


def _summary(shown: int, thread: FoundThread, zone: tzinfo, where: str, *, other_accounts: bool) -> str:
    total, places = len(thread.members), len(thread.mailboxes)
    left_out = f", not in {', '.join(map(code, thread.left_out))}" if thread.left_out else ""
    return (
        f"{shown} of {counted(total, 'message')} of a conversation, oldest first, times in {zone}; "
        f"found by {thread.method} in {counted(places, 'mailbox', 'mailboxes')} ({where}){left_out}"
        f"{_NOT_ELSEWHERE if other_accounts else ''}"
    )


def _row(member: Member, read: ReadText, share: int) -> ThreadMessageRow:
    text = cut_text(read.text, share)
    truncated = len(text) < len(read.text) or not read.whole
    headers = member.headers
    return ThreadMessageRow.model_validate(
        {
            "message_id": member.ref.message_id,
            "date": date_of(headers, member.row),
            "from": people_of(headers, "From", max_chars=limits.ROW_CHARS_MAX).text,
            "to": first_addresses_of(headers, "To", limit=limits.THREAD_PEOPLE_MAX),
            "cc": first_addresses_of(headers, "Cc", limit=limits.THREAD_PEOPLE_MAX) or None,
            "subject": make_snippet(clean_line(headers.get("Subject")).text, limits.ROW_CHARS_MAX),
            "flags": _flags(member),
            "attachments": first_attachments(read.files) or None,
            "attachments_total": len(read.files) if len(read.files) > limits.ROW_FILES_MAX else None,
            "text": text,
            "truncated": truncated,
            "body_offset": min(len(text), read.common_chars) if truncated else None,
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
    cut = [f"  (cut: more from body_offset {row.body_offset})"] if row.truncated else []
    return (f"- {' | '.join(columns)}", *places_line(row.places or ()), text, *cut)


def _continuation_lines(continuations: Sequence[Member], zone: tzinfo) -> Iterator[str]:
    """Yield one line that names the messages which may continue a conversation; none if there are none."""
    named = [
        f"{code(each.ref.message_id)} ({time_column(date_of(each.headers, each.row), zone)})"
        for each in continuations
    ]
    if named:
        yield f"Possibly continued, with the same subject and people, in {', '.join(named)}."


def _failed_name(start: ThreadCursor, account_id: str, mailbox: str | None) -> str:
    """Name a mailbox, with its account if all accounts are meant."""
    return f"{account_id}: {mailbox or EVERYTHING}" if start.all_accounts else mailbox or EVERYTHING


def _mailbox_issues(thread: FoundThread) -> list[Issue]:
    return [mailbox_issue(account_id, name, error) for (account_id, name), error in thread.failed.items()]


def _warnings(thread: FoundThread, texts: Sequence[ReadText]) -> tuple[str, ...]:
    removed = Removed.total(each.body.removed for each in texts).warnings(
        where="the texts", source=GET_MESSAGE_RAW
    )
    malformed = [each.defects for each in texts if each.defects]
    if malformed:
        defects = "; ".join(dict.fromkeys(chain.from_iterable(malformed)))
        removed.append(f"{counted(len(malformed), 'message')} may lack text, being malformed: {defects}.")
    return (*thread.statements, *removed)


def _next_action(
    start: ThreadCursor, page: _ThreadPage, rows: Sequence[ThreadMessageRow], cursor: str | None
) -> NextAction | None:
    if any(each.retryable for each in (*page.thread.issues, *page.read.issues)):
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
    cut = next((row for row in rows if row.truncated), None)
    if cut is None:
        return None
    return NextAction(
        instruction="Continue the first truncated message.",
        tool=GET_MESSAGE,
        arguments={"message_id": cut.message_id, "body_offset": cut.body_offset},
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
