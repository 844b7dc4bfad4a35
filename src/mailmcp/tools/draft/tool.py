"""imap_save_draft: a new message, a reply or a forwarded one, saved in Drafts. Nothing is ever sent."""

import secrets
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import ClassVar, Final

from pydantic import BaseModel, Field

from mailmcp.imap.account import Account, Writes
from mailmcp.imap.writes.create import create_mailbox
from mailmcp.imap.writes.values import Action, Fate, Order
from mailmcp.mail.clean import clean_text
from mailmcp.mail.header.address import format_address
from mailmcp.mail.trust.sender import check_sender
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.attachment.text import in_thread
from mailmcp.tools.draft.compose import Draft, compose
from mailmcp.tools.draft.files import File, read_files
from mailmcp.tools.draft.original import NO_HEADERS, Found, forward_original, look, quote_original, subject_of
from mailmcp.tools.draft.recipients import (
    Recipients,
    join_recipients,
    own_addresses,
    parse_recipients,
    reply_recipients,
)
from mailmcp.tools.errors import about_message, search_for
from mailmcp.tools.message_id import parse_message_id
from mailmcp.tools.names import SAVE_DRAFT
from mailmcp.tools.published import Strings
from mailmcp.tools.tool import Call, MailTool
from mailmcp.tools.writes.endings import place_of
from mailmcp.tools.writes.run import Ran, locked_history, run_orders
from mailmcp.wording import counted
from mcp_envelope import BaseReason, InternalError, InvalidInputError, Issue, NotFoundError, Outcome, code
from mcp_envelope.markdown import quote

_RECIPIENTS_MAX: Final = 200
"""Providers refuse mail to more."""


class SaveDraftArguments(Arguments):
    """What to write to whom."""

    exclusive = (("reply_to", "forward"),)
    texts: ClassVar = frozenset({"body"})

    account_id: str = ""
    reply_to: str = Field("", description="A message_id.")
    reply_all: bool = False
    forward: str = Field("", description="A message_id; with its files.")
    to: tuple[str, ...] = Field((), description="Besides a reply's.")
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    subject: str = ""
    body: str = Field(description="Plain text. Quotation is added.")
    attachments: tuple[str, ...] = Field((), description="Files in the user's folder.")
    replaces: str = Field("", description="An earlier draft's message_id.")


class SaveDraftData(BaseModel):
    """The draft; without a message_id if the server doesn't say it."""

    account_id: str
    mailbox: str
    message_id: str | None = None
    header_message_id: str
    entry_id: str
    to: Strings
    cc: Strings
    bcc: Strings
    subject: str
    attachments: Strings


async def save_draft(arguments: SaveDraftArguments, call: Call) -> Outcome[SaveDraftData]:
    """Save a draft: a few round trips to read what it needs, and those of the write."""
    account_id, refs = arguments.account_id, dict[str, MessageRef]()
    for name in ("reply_to", "forward", "replaces"):
        if sent := getattr(arguments, name):
            refs[name] = parse_message_id(sent, argument=name)
            if account_id not in {"", refs[name].account_id}:
                problem = f"is of account {refs[name].account_id}, and the draft would be in another one."
                raise InvalidInputError.of(name, BaseReason.EXCLUSIVE_PARAMS, problem)
            account_id = refs[name].account_id
    account = call.choose_account_to_write(account_id, Writes.DRAFTS)
    asked = parse_recipients({name: getattr(arguments, name) for name in ("to", "cc", "bcc")})
    files = await in_thread(partial(read_files, call.preferences.attach_folder, arguments.attachments))
    only = next(iter(refs.values())) if len(refs) == 1 else None
    found = await call.ask(partial(look, refs=refs, report=call.report), message=only)
    draft = _write(arguments, call, found, asked, files)
    now, token = datetime.now(call.preferences.zone), secrets.token_hex(8)
    octets, header_message_id = await in_thread(partial(compose, draft, now=now, token=token))
    if 0 < found.append_limit < len(octets):
        problem = f"and all else have {len(octets)} octets, and the server accepts {found.append_limit}."
        raise InvalidInputError.of("attachments", Reason.TOO_LARGE, problem)
    append = Order(
        action=Action.APPEND,
        account_id=account.account_id,
        mailbox=found.drafts or found.new_drafts,
        add=("\\Draft", "\\Seen"),
        octets=octets,
        header_message_id=header_message_id,
    )
    call.mailbox, orders, earlier = append.mailbox, [append], refs.get("replaces")
    if earlier and found.trash:
        orders.append(
            Order(
                action=Action.MOVE,
                account_id=account.account_id,
                mailbox=earlier.mailbox,
                uidvalidity=earlier.uidvalidity,
                uids=(earlier.uid,),
                target=found.trash,
            )
        )
    async with locked_history(call, account.account_id) as history:
        if not found.drafts:
            await _create_drafts(call, account, found.new_drafts)
        ran = await run_orders(call, history, orders, tool=SAVE_DRAFT, action="save_draft")
    return _reply(call, draft, ran, earlier, tuple(_warnings(arguments, call, found)))


def _write(
    arguments: SaveDraftArguments, call: Call, found: Found, asked: Recipients, files: tuple[File, ...]
) -> Draft:
    """Write what the caller asked for, and what is quoted."""
    is_reply, headers = bool(arguments.reply_to), found.headers
    own = own_addresses(call.preferences.owner_of(call.account_id), headers)
    text, subject = clean_text(arguments.body).text.rstrip(), arguments.subject
    if found.body:
        zone = call.preferences.zone
        below = (
            quote_original(headers, found.body, zone) if is_reply else forward_original(headers, found.body)
        )
        text += f"\n\n{below}"
        subject = subject or subject_of(headers, reply=is_reply)
    theirs = reply_recipients(headers, own, reply_all=arguments.reply_all) if is_reply else {}
    recipients = join_recipients(theirs, asked)
    if (count := sum(map(len, recipients.values()))) > _RECIPIENTS_MAX:
        problem = f"has {count} recipients, with those of the reply. At most {_RECIPIENTS_MAX} are possible."
        raise InvalidInputError.of("to", BaseReason.OUT_OF_RANGE, problem)
    return Draft(
        sender=own[0],
        recipients=recipients,
        subject=subject,
        text=text.lstrip("\n") + "\n",
        answered=headers if is_reply else NO_HEADERS,
        files=(*files, *found.files),
    )


async def _create_drafts(call: Call, account: Account, name: str) -> None:
    """Create the mailbox for drafts if the level allows that."""
    if not account.writes.includes(Writes.ORGANIZE):
        raise NotFoundError(
            f"Account {account.account_id} has no mailbox for drafts. The user must create one in a mail "
            "program, or name it as drafts_mailbox in the settings.",
            reason=Reason.MAILBOX_MISSING,
        )
    await call.write(partial(create_mailbox, name=name))


def _warnings(arguments: SaveDraftArguments, call: Call, found: Found) -> Iterator[str]:
    if removed := clean_text(arguments.body).removed:
        yield f"Removed {counted(removed, 'invisible character')} from the body."
    owner = call.preferences.owner_of(call.account_id)
    for each in check_sender(found.headers, own_names=owner.names, own_addresses=owner.addresses):
        yield each.message
    if found.body and (found.body.removed.hidden or found.body.removed.maybe_hidden):
        yield "Text of the original that people may not see was left out."


def _reply(
    call: Call, draft: Draft, ran: Ran, earlier: MessageRef | None, warnings: tuple[str, ...]
) -> Outcome[SaveDraftData]:
    saved, *moved = ran.carried
    order, [result] = saved.prepared.order, saved.results
    if result.fate is Fate.FAILED and result.error:
        raise result.error
    if result.fate is not Fate.DONE:
        raise InternalError(
            "The connection was lost, and whether the draft was saved isn't known. Search for it before you "
            "save it again.",
            reason=Reason.OUTCOME_UNKNOWN,
            next_action=search_for(order.account_id, order.header_message_id),
            details={"entry_id": ran.entry_id},
        )
    message_id = place_of(saved.prepared, result.new_uid, new=True).message_id if result.new_uid else None
    call.message_id_cache.remember(message_id or "", order.header_message_id if message_id else "")
    issues: list[Issue] = []
    replaced = bool(moved) and moved[0].results[0].fate is Fate.DONE
    if earlier and not replaced:
        no_trash = InternalError("The account has no mailbox for Trash.", reason=Reason.MAILBOX_MISSING)
        why = (moved[0].results[0].error if moved else ran.stopped) or no_trash
        issues.append(Issue.of(why, stage="replace", **about_message(earlier)))
    to = {field: list(map(format_address, some)) for field, some in draft.recipients.items()}
    names = [each.name for each in draft.files]
    lines = [f"{field.capitalize()}: {', '.join(map(quote, some))}" for field, some in to.items() if some]
    return Outcome(
        summary=f"Draft saved in {code(order.mailbox)}, and not sent",
        data=SaveDraftData(
            account_id=order.account_id,
            mailbox=order.mailbox,
            message_id=message_id,
            header_message_id=order.header_message_id,
            entry_id=ran.entry_id,
            subject=draft.subject,
            attachments=names,
            **to,
        ),
        blocks=(
            f"From: {quote(format_address(draft.sender))}",
            *lines,
            f"Subject: {quote(draft.subject)}",
            *([f"Attached: {', '.join(map(quote, names))}"] if names else []),
            f"Draft: {code(message_id or order.header_message_id)} | entry {code(ran.entry_id)}",
            *(["The earlier version is in Trash."] if replaced else []),
        ),
        issues=tuple(issues),
        warnings=warnings,
        references={"message_id": message_id} if message_id else {},
    )


TOOL = MailTool(
    name=SAVE_DRAFT,
    title="Save a draft",
    description="Save a message, a reply or a forward in Drafts. Sends nothing.",
    arguments=SaveDraftArguments,
    data=SaveDraftData,
    run=save_draft,
    read_only=False,
    destructive=False,
    writes=Writes.DRAFTS,
)
