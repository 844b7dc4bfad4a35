"""Reads resource URIs: replies of tools, and octets that no tool returns whole."""

from dataclasses import dataclass
from typing import Any

from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.parts import Window, fetch_whole
from mailmcp.imap.session import Session
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.resource_uri import ResourceKind, parse_resource_uri
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.tool import GetAttachmentArguments, get_attachment
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.mailboxes.tool import ListMailboxesArguments, list_mailboxes_of_accounts
from mailmcp.tools.message.tool import GetMessageArguments, get_message
from mailmcp.tools.names import GET_MESSAGE_RAW
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.tool import search_messages
from mailmcp.tools.tool import Call
from mcp_envelope import InvalidInputError, Outcome, read_arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Octets:
    """Content for programs."""

    content_type: str
    octets: bytes


async def read_resource(uri: str, call: Call) -> Outcome[Any] | Octets:
    """Read a resource: an outcome to render as text, or octets.

    Raises:
        InvalidInputError: The URI is malformed, or the content is too large for a resource.
        ToolError: As the tools raise.
    """
    read = parse_resource_uri(uri)
    if read.kind is ResourceKind.MAILBOX:
        newest = {"account_id": read.account_id, "mailbox": read.mailbox}
        return await search_messages(read_arguments(SearchMessagesArguments, newest), call)
    if read.ref is None:
        arguments = read_arguments(ListMailboxesArguments, {"account_id": read.account_id})
        return await list_mailboxes_of_accounts(arguments, call)
    ref, part_id = read.ref, read.part_id
    if read.kind is ResourceKind.RAW:
        call.choose_message(ref, ref.account_id)
        raw = await call.ask(lambda session: _fetch_raw(session, ref), message=ref)
        call.note_read([ref.message_id])
        return raw
    if read.kind is ResourceKind.ATTACHMENT:
        content = {"message_id": ref.message_id, "part_id": part_id, "mode": "content"}
        [file] = (await get_attachment(read_arguments(GetAttachmentArguments, content), call)).embedded
        return Octets(content_type=file.content_type, octets=file.octets)
    # As much as possible: a resource has no argument to ask for more.
    whole = {"message_id": ref.message_id, "body_max_chars": limits.BODY_CHARS_MAX}
    return await get_message(read_arguments(GetMessageArguments, whole), call)


def _fetch_raw(session: Session, ref: MessageRef) -> Octets:
    limit = limits.RAW_RESOURCE_OCTETS_MAX
    session.choose(ref.mailbox, uidvalidity=ref.uidvalidity)
    fetched = fetch_whole(session, ref.uid, limit_octets=limit)
    if isinstance(fetched, FetchFailure):
        raise fetch_error(ref, fetched)
    if isinstance(fetched, Window):
        raise InvalidInputError.of(
            "uri",
            Reason.TOO_LARGE,
            f"is too large: {fetched.size_octets} octets; the limit is {limit}. "
            f"Read it in windows with {GET_MESSAGE_RAW}.",
        )
    return Octets(content_type="message/rfc822", octets=fetched)
