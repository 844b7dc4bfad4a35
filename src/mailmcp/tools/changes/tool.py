"""imap_get_changes: what is new, changed or gone since an earlier moment."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, Field, WithJsonSchema

from mailmcp import limits
from mailmcp.imap.changes.find import MailboxChanges
from mailmcp.imap.changes.state import (
    MailboxState,
    MailState,
    format_ranges,
    format_state,
    parse_state,
)
from mailmcp.imap.session import Session
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.changes.look import Looked, begin_state, look
from mailmcp.tools.columns import row_lines
from mailmcp.tools.errors import mailbox_issue, message_issue
from mailmcp.tools.message_id import is_message_id, parse_message_id
from mailmcp.tools.names import GET_CHANGES
from mailmcp.tools.people import SentMail
from mailmcp.tools.published import Row, Strings
from mailmcp.tools.rows import LeanMessageRow, MessageRow, build_row, flags_of, row_items
from mailmcp.tools.tool import Call, MailTool
from mailmcp.wording import counted
from mcp_envelope import BaseReason, InvalidInputError, NextAction, Outcome, ToolError, code
from mcp_envelope.markdown import quote

_EVERY: Final = "*"
_LIMIT: Final = 20
"""New messages and changes of flags in each mailbox: their rows take some 1,200 tokens."""


class GetChangesArguments(Arguments):
    """Since when, and where."""

    long_arguments: ClassVar = frozenset({"since"})
    since: str = Field(
        "",
        description="new_state of an earlier reply, or a message_id: what came after it. "
        "Without it, get a state.",
    )
    account_id: str = ""
    mailbox: str = Field("INBOX", description='"*": all but Junk and Trash.')
    limit: int = Field(_LIMIT, ge=1, le=limits.PAGE_SIZE_MAX, description="For each mailbox.")


class UpdatedRow(Row):
    """A message whose flags may have changed, and all of its flags."""

    message_id: str
    flags: Strings


class LeanChangesData(BaseModel):
    """What has changed, as much as fits on a page."""

    account_id: str
    mailbox: str
    new_state: str
    has_more_changes: bool
    created: Annotated[tuple[LeanMessageRow, ...], WithJsonSchema({"type": "array"})] = ()
    """Rows as those of imap_search_messages."""

    updated: tuple[UpdatedRow, ...] = ()
    gone: Strings = []
    """Ids of messages that were moved or deleted, as `imap:work:INBOX:17:3,7-9`; some may never have been."""

    mailboxes_gone: Strings = []
    not_known: Strings = []
    """Sentences: which changes the server doesn't tell."""


class ChangesData(LeanChangesData):
    """The same with full rows."""

    created: Annotated[tuple[MessageRow, ...], WithJsonSchema({"type": "array"})] = ()


async def get_changes(arguments: GetChangesArguments, call: Call) -> Outcome[LeanChangesData]:
    """Get what has changed since a state or a message; without either, the state to begin with."""
    since = _read_since(arguments)
    account_id = call.choose_account(since.account_id if since else arguments.account_id).account_id
    if since and arguments.account_id not in {"", account_id}:
        raise _contradiction("account_id")
    work: Callable[[Session], Looked]
    if since is None:
        every = arguments.mailbox == _EVERY
        call.mailbox = arguments.mailbox
        work = partial(begin_state, mailbox=arguments.mailbox, every=every)
    else:
        names = [each.mailbox for each in since.mailboxes]
        call.mailbox = _EVERY if since.every else ", ".join(names)
        if "mailbox" in arguments.model_fields_set and arguments.mailbox != call.mailbox:
            raise _contradiction("mailbox")
        work = partial(look, state=since, limit=arguments.limit, items=row_items(snippets=False))
    looked = await call.ask(work)
    if looked.failed and not (looked.changes or looked.missing or (since is None and looked.state.mailboxes)):
        raise _whole_error(next(iter(looked.failed.values())), account_id, call.mailbox)
    return _reply(looked, call, is_first=since is None)


def _read_since(arguments: GetChangesArguments) -> MailState | None:
    text = arguments.since.strip()
    if not text:
        return None
    if not is_message_id(text):
        return parse_state(text)
    ref = parse_message_id(text)
    after = MailboxState(mailbox=ref.mailbox, uidvalidity=ref.uidvalidity, uidnext=ref.uid + 1, exists=None)
    return MailState(account_id=ref.account_id, every=False, mailboxes=(after,))


def _contradiction(name: str) -> InvalidInputError:
    return InvalidInputError.of(
        name, BaseReason.EXCLUSIVE_PARAMS, "contradicts `since`, which names it. Leave it out."
    )


def _whole_error(error: ToolError, account_id: str, mailbox: str) -> ToolError:
    """Build the error of a call that has nothing else to say."""
    if error.next_action is not None:
        return error
    again = NextAction(
        instruction="Get a new state.",
        tool=GET_CHANGES,
        arguments={"account_id": account_id, "mailbox": mailbox},
    )
    return error.replace(next_action=again)


def _reply(looked: Looked, call: Call, *, is_first: bool) -> Outcome[LeanChangesData]:
    account_id, zone = looked.state.account_id, call.preferences.zone
    sent_mail = SentMail(
        owner_of=call.preferences.owner_of,
        listings={account_id: looked.listing} if looked.listing else {},
    )
    issues = [mailbox_issue(account_id, name, error) for name, error in looked.failed.items()]
    created: list[MessageRow] = []
    updated: list[UpdatedRow] = []
    gone: list[str] = []
    not_known: list[str] = []
    for name, changes in looked.changes.items():

        def ref_of(uid: int, mailbox: MailboxState = changes.state) -> MessageRef:
            return MessageRef(
                account_id=account_id, mailbox=mailbox.mailbox, uidvalidity=mailbox.uidvalidity, uid=uid
            )

        created += [
            build_row(ref_of(uid), row, sent_mail=sent_mail)
            for uid, row in sorted(changes.created.messages.items())
        ]
        issues += [message_issue(ref_of(uid), failure) for uid, failure in changes.created.failures.items()]
        updated += [
            UpdatedRow(message_id=ref_of(each.uid).message_id, flags=flags_of(each))
            for each in changes.updated
        ]
        if changes.gone:
            first = ref_of(changes.gone[0][0]).message_id
            gone.append(f"{first.rpartition(':')[0]}:{format_ranges(changes.gone)}")
        not_known += _not_known(name, changes)
    for row in created:
        call.message_id_cache.remember(row.message_id, row.header_message_id or "")
    has_more = any(each.has_more for each in looked.changes.values())
    state = format_state(looked.state)
    data = LeanChangesData if call.lean_rows else ChangesData
    later = "Get the next changes." if has_more else "Ask later what has changed."
    return Outcome(
        summary=_summary(looked, call.mailbox, len(created), len(updated), is_first=is_first),
        data=data(
            account_id=account_id,
            mailbox=call.mailbox,
            new_state=state,
            has_more_changes=has_more,
            created=tuple(created),
            updated=tuple(updated),
            gone=gone,
            mailboxes_gone=looked.missing,
            not_known=not_known,
        ),
        blocks=(
            *(line for row in created for line in row_lines(row, zone=zone)),
            *_updated_lines(updated),
            *(f"- moved or deleted: {code(each)}" for each in gone),
            *(f"- mailbox gone: {code(each)}" for each in looked.missing),
            *not_known,
        ),
        issues=tuple(issues),
        next_action=NextAction(instruction=later, tool=GET_CHANGES, arguments={"since": state}),
    )


def _updated_lines(updated: list[UpdatedRow]) -> Iterator[str]:
    for each in updated:
        yield f"- flags now: {quote(', '.join(each.flags)) or 'none'} | {code(each.message_id)}"


def _not_known(name: str, changes: MailboxChanges) -> Iterator[str]:
    """Say which changes of a mailbox are not known."""
    if not changes.flags_known:
        yield f"Which flags changed in {code(name)} isn't known."
    if changes.gone_count:
        what = "other message" if changes.gone else "message"
        yield f"{counted(changes.gone_count, what)} left {code(name)}; which isn't known."
    elif changes.gone is None and not changes.has_more:
        yield f"Whether messages left {code(name)} isn't known."


def _summary(looked: Looked, mailbox: str, created: int, updated: int, *, is_first: bool) -> str:
    where = "all mailboxes" if mailbox == _EVERY else code(mailbox)
    if looked.failed:
        where += f", {counted(len(looked.failed), 'mailbox', 'mailboxes')} left out"
    if is_first:
        return f"The state of {where}: send it as `since` to get what has changed"
    parts = [counted(created, "new message")] if created else []
    parts += [f"{counted(updated, 'message')} with other flags"] if updated else []
    if any(each.gone or each.gone_count for each in looked.changes.values()):
        parts.append("some gone")
    if looked.missing:
        parts.append(f"{counted(len(looked.missing), 'mailbox', 'mailboxes')} gone")
    if parts:
        more = "; there are more" if any(each.has_more for each in looked.changes.values()) else ""
        return f"Changes in {where}: {', '.join(parts)}{more}"
    knows_all = all(each.flags_known and each.gone is not None for each in looked.changes.values())
    return f"{'Nothing has changed' if knows_all else 'No new messages'} in {where}"


TOOL = MailTool(
    name=GET_CHANGES,
    title="Get changes",
    description="Get what is new, changed or gone since a state or a message.",
    arguments=GetChangesArguments,
    data=ChangesData,
    lean_data=LeanChangesData,
    run=get_changes,
)
