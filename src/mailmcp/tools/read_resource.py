"""Reads resource URIs: replies of tools, and octets that no tool returns whole."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.parts import Window, fetch_whole
from mailmcp.imap.session import Session
from mailmcp.mail.mime.transfer import decode_transfer
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.resource_uri import ResourceKind, parse_resource_uri
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.part import AttachedFile, fetch_part
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.mailboxes.tool import ListMailboxesArguments, list_mailboxes_of_accounts
from mailmcp.tools.message.tool import GetMessageArguments, get_message
from mailmcp.tools.tool import Call
from mcp_envelope import InvalidInputError, Outcome, Report, read_arguments

_ENCODED_PER_DECODED: Final = 3
"""Quoted-printable turns one octet into at most three; the other encodings make fewer."""


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
    if read.ref is None:
        arguments = read_arguments(ListMailboxesArguments, {"account_id": read.account_id})
        return await list_mailboxes_of_accounts(arguments, call)
    ref, part_id = read.ref, read.part_id
    if read.kind is ResourceKind.RAW:
        return await _ask(ref, call, lambda session: _fetch_raw(session, ref))
    if read.kind is ResourceKind.ATTACHMENT:
        return await _ask(ref, call, lambda session: _fetch_part(session, ref, part_id, call.report))
    # As much as possible: a resource has no argument to ask for more.
    whole = {"message_id": ref.message_id, "body_max_chars": limits.BODY_CHARS_MAX}
    return await get_message(read_arguments(GetMessageArguments, whole), call)


async def _ask(ref: MessageRef, call: Call, fetch: Callable[[Session], Octets]) -> Octets:
    call.choose_message(ref, ref.account_id)
    return await call.ask(fetch, message=ref)


def _fetch_raw(session: Session, ref: MessageRef) -> Octets:
    limit = limits.RAW_RESOURCE_OCTETS_MAX
    session.choose(ref.mailbox, uidvalidity=ref.uidvalidity)
    fetched = fetch_whole(session, ref.uid, limit_octets=limit)
    if isinstance(fetched, FetchFailure):
        raise fetch_error(ref, fetched)
    if isinstance(fetched, Window):
        raise _too_large(fetched.size_octets, limit, "Read it in windows with imap_get_message_raw.")
    return Octets(content_type="message/rfc822", octets=fetched)


def _fetch_part(session: Session, ref: MessageRef, part_id: str, report: Report) -> Octets:
    limit = limits.ATTACHMENT_CONTENT_OCTETS_MAX
    instead = "Read its text with imap_get_attachment."
    encoded_limit = limit * _ENCODED_PER_DECODED

    def choose_limit(file: AttachedFile) -> int:
        if file.part.decoded_size > limit:
            raise _too_large(file.part.decoded_size, limit, instead)
        return encoded_limit

    fetched = fetch_part(session, ref, part_id, choose_limit, report)
    octets = decode_transfer(fetched.octets, fetched.part.encoding).octets
    if len(octets) > limit or fetched.cut:  # the structure announced less
        raise _too_large(len(octets), limit, instead)
    return Octets(content_type=fetched.part.content_type, octets=octets)


def _too_large(octets: int, limit: int, instead: str) -> InvalidInputError:
    return InvalidInputError.of(
        "uri",
        Reason.TOO_LARGE,
        f"is too large: {octets} octets; the limit is {limit}. {instead}",
    )
