"""imap_get_thread: a whole conversation, oldest message first, within one budget of characters."""

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from itertools import chain
from typing import Final

from pydantic import BaseModel, Field

from mailmcp.mail.removed_content import Removed
from mailmcp.model.cursor import malformed_cursor
from mailmcp.tools.arguments import MessageArguments
from mailmcp.tools.columns import list_columns, people_column, places_line
from mailmcp.tools.errors import all_failed_error, search_again
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import GET_MESSAGE, GET_MESSAGE_RAW, GET_THREAD
from mailmcp.tools.paging import format_cursor, resume_list
from mailmcp.tools.people import first_addresses_of
from mailmcp.tools.rows import ListedRow, build_row, flags_of, message_id_of
from mailmcp.tools.search.arguments import EVERYTHING
from mailmcp.tools.search.coverage import CoverageData, places_data
from mailmcp.tools.thread.conversation import Member, Texts, find_conversation, read_texts
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

PAGE_SIZE: Final = 50
"""Messages in a reply; with more, each would show too little."""

_CHARS_DEFAULT: Final = 12_000
"""All texts in a reply: about 3,000 tokens."""

_CHARS_MIN: Final = 500
_CHARS_MAX: Final = 100_000

_MESSAGE_CHARS: Final = 200
"""Shown of each message at least, if it has as much; with a small budget a page has fewer messages."""

_PEOPLE_MAX: Final = 5
"""Addresses named in To and in Cc of each message; the others are counted."""

_CURSOR: Final = "t2"
_NOT_ELSEWHERE: Final = f'; not in your other accounts, where account_id="{EVERYTHING}" looks too'


class GetThreadArguments(MessageArguments):
    """Which conversation, and how much of it."""

    account_id: str = Field("", description='"*": all accounts.')
    message_id: str = ""
    max_chars: int = Field(
        _CHARS_DEFAULT,
        ge=_CHARS_MIN,
        le=_CHARS_MAX,
        description="All texts together.",
    )
    cursor: str = Field("", description="From the previous page.")


class ThreadMessageRow(ListedRow):
    """One message; `text` has no quoted history."""

    cc: str | None = None
    replaced_by: str | None = None
    """The id of a message on this page that has a newer version of the invitation."""

    text: str
    next_offset: int | None = None
    """If there is more: the body_offset with which imap_get_message reads on; 0 for a very long text."""

    total_chars: int | None = None
    """How long the text is, if there is more and that is known."""


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
    first, position = resume_list(_CURSOR, arguments, arguments.cursor, free="max_chars")
    if not first.message_id:
        raise InvalidInputError.of("message_id", BaseReason.MISSING_PARAM, "is missing. Send it.")
    try:
        after = tuple(map(int, position))
    except ValueError:
        raise malformed_cursor() from None
    ref = parse_message_id(first.message_id)
    is_all = first.account_id == EVERYTHING
    call.choose_message(ref, "" if is_all else first.account_id)
    every, found = await find_conversation(call, ref, all_accounts=is_all)
    rest = [each for each in every if each.position > after]
    members = rest[: min(PAGE_SIZE, max(1, first.max_chars // _MESSAGE_CHARS))]
    texts = await read_texts(call, members)
    shown = [each for each in members if each.ref in texts.by_ref]
    if texts.issues and not shown:
        raise all_failed_error(texts.issues, search_again(ref))
    for each in shown:
        call.message_id_cache.remember(each.ref.message_id, message_id_of(each.headers))
    call.note_read(each.ref.message_id for each in shown)
    shares = _share_out([len(texts.by_ref[each.ref].text) for each in shown], first.max_chars)
    rows = [_row(each, texts, share) for each, share in zip(shown, shares, strict=True)]
    scope = EVERYTHING if is_all else ref.account_id
    same = first.model_copy(update={"account_id": scope, "message_id": ref.message_id})
    cursor = format_cursor(_CURSOR, same, members[-1].position) if len(members) < len(rest) else None
    zone, total = call.preferences.zone, len(every)
    by_server = "the server's thread ids, " if found.rows[ref].thread_id else ""
    method = f"found by {by_server}Message-ID, References and In-Reply-To"

    def name_of(account_id: str, mailbox: str | None) -> str:
        name = mailbox or EVERYTHING
        return f"{account_id}: {name}" if is_all else name

    left_out = [name_of(*each) for each in found.left_out]
    lost = found.failed.get((ref.account_id, None))
    is_retryable = any(each.retryable for each in (*found.message_issues, *texts.issues))
    where = "all accounts" if is_all else ref.account_id
    summary = (
        f"{len(rows)} of {counted(total, 'message')} of a conversation, oldest first, times in {zone}; "
        f"{method} in {counted(len(found.looked), 'mailbox', 'mailboxes')} ({where})"
        f"{', not in ' if left_out else ''}{', '.join(map(code, left_out))}"
    )
    if not is_all and len(call.pool.accounts) > 1:
        summary += _NOT_ELSEWHERE
    return Outcome(
        summary=summary,
        data=GetThreadData(
            account_id=scope,
            total=total,
            messages=rows,
            coverage=CoverageData(
                complete=not (found.issues or found.statements or texts.issues),
                mailboxes_searched=len(found.looked),
                mailboxes_failed=places_data([*found.failed]),
                mailboxes_not_searched=places_data(found.left_out) or None,
                method=" ".join([f"F{method[1:]}.", *found.statements]),
            ),
        ),
        blocks=tuple(chain.from_iterable(_blocks(each, zone=zone) for each in rows)),
        issues=(*found.issues, *texts.issues),
        warnings=(*found.statements, *_text_warnings(texts)),
        page=Page(page_size=PAGE_SIZE, total_count=total, cursor=cursor),
        next_action=_next_action(
            arguments, rows, cursor, is_retryable=is_retryable or bool(lost and lost.retryable)
        ),
        references={"message_id": ref.message_id},
    )


def _share_out(lengths: Sequence[int], budget: int) -> list[int]:
    """Share a budget among texts: short ones are whole, and long ones share the rest evenly."""
    shares = [0] * len(lengths)
    by_length = sorted(range(len(lengths)), key=lambda place: (lengths[place], -place))
    for waiting, place in zip(range(len(lengths), 0, -1), by_length, strict=True):
        # Rounded up for the last ones, so that the remainder isn't lost.
        shares[place] = min(lengths[place], budget // waiting)
        budget -= shares[place]
    return shares


def _row(member: Member, texts: Texts, share: int) -> ThreadMessageRow:
    read, newest = texts.by_ref[member.ref], texts.replaced.get(member.ref)
    row = build_row(member.ref, member.row, places=member.copies)
    text = read.text[:share]
    next_offset = len(text) if len(text) < len(read.text) else None
    if read.is_cut:
        next_offset = 0  # where quoted history ends, only the whole text shows
    return ThreadMessageRow.model_validate(
        row.model_dump(by_alias=True, include=set(ListedRow.model_fields))
        | {
            "to": first_addresses_of(member.headers, "To", limit=_PEOPLE_MAX),
            "cc": first_addresses_of(member.headers, "Cc", limit=_PEOPLE_MAX) or None,
            "replaced_by": newest.message_id if newest else None,
            "flags": flags_of(member.row, is_draft=member.draft),
            "text": text,
            "next_offset": next_offset,
            "total_chars": len(read.text) if next_offset else None,
        }
    )


def _blocks(row: ThreadMessageRow, *, zone: tzinfo) -> Iterator[str | Untrusted]:
    sender, to, cc = map(people_column, (row.from_, row.to or "", row.cc or ""))
    who = f"{sender or 'no sender'} to {to or 'unnamed recipients'}{f', cc {cc}' if cc else ''}"
    replaced = [f"replaced by {code(row.replaced_by)}"] if row.replaced_by else []
    yield f"- {' | '.join([*list_columns(row, who, zone=zone), *replaced, code(row.message_id)])}"
    yield from places_line(row.places or ())
    yield Untrusted(label="text", text=row.text) if row.text else "  (no text)"
    if row.next_offset is not None:
        yield f"  (cut: more from body_offset {row.next_offset})"


def _text_warnings(texts: Texts) -> Iterator[str]:
    removed = Removed.total(each.body.removed for each in texts.by_ref.values())
    yield from removed.warnings(where="the texts", source=GET_MESSAGE_RAW)
    if texts.defects:
        defects = "; ".join(dict.fromkeys(chain.from_iterable(texts.defects)))
        yield f"{counted(len(texts.defects), 'message')} may lack text, being malformed: {defects}."


def _next_action(
    arguments: GetThreadArguments, rows: Sequence[ThreadMessageRow], cursor: str | None, *, is_retryable: bool
) -> NextAction | None:
    if is_retryable:
        return NextAction(
            instruction="Get this page again for the missing messages.",
            tool=GET_THREAD,
            arguments=arguments.model_dump(exclude_defaults=True),
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
