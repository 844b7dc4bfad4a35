"""What stands behind a resource URI: the replies of tools, and the octets that no tool gives whole."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mailmcp import limits
from mailmcp.imap.fetch import FetchFailure
from mailmcp.imap.partial_fetch import Window, fetch_whole
from mailmcp.imap.session import Session
from mailmcp.mail.mime.transfer import decode_transfer
from mailmcp.model.message_ref import MessageRef
from mailmcp.model.resource_uri import ResourceKind, parse_resource_uri
from mailmcp.reasons import Reason
from mailmcp.tools.attachment.part import open_part
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.mailboxes.tool import ListMailboxesArguments, list_mailboxes_of_account
from mailmcp.tools.message.tool import GetMessageArguments, get_message
from mailmcp.tools.tool import Call
from mcp_envelope import InvalidInputError, Outcome, Report, read_arguments

_CONTENT_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]{1,127}/[a-z0-9!#$&^_.+-]{1,127}")
"""RFC 6838 section 4.2; what strangers write there need not be one."""

_ENCODED_PER_DECODED: Final = 3
"""Octets that quoted-printable makes of one, at most; the other encodings make fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Octets:
    """Content as it is, for programs."""

    content_type: str
    octets: bytes


async def read_resource(uri: str, call: Call) -> Outcome[Any] | Octets:
    """Read a resource: an outcome, whose text it is, or octets.

    Raises:
        InvalidInputError: The URI is malformed, or names more octets than a resource may have.
        ToolError: As the tools raise.
    """
    read = parse_resource_uri(uri)
    if read.ref is None:
        arguments = read_arguments(ListMailboxesArguments, {"account_id": read.account_id})
        return await list_mailboxes_of_account(arguments, call)
    ref, part_id = read.ref, read.part_id
    if read.kind is ResourceKind.RAW:
        return await _ask(ref, call, lambda session: _fetch_raw(session, ref))
    if read.kind is ResourceKind.ATTACHMENT:
        return await _ask(ref, call, lambda session: _fetch_part(session, ref, part_id, call.report))
    # Whole, since the reader of a resource has no argument to ask for more with.
    whole = {"message_id": ref.message_id, "body_max_chars": limits.BODY_CHARS_MAX}
    return await get_message(read_arguments(GetMessageArguments, whole), call)


async def _ask(ref: MessageRef, call: Call, fetch: Callable[[Session], Octets]) -> Octets:
    call.choose_message(ref, ref.account_id)
    return await call.ask(fetch, message=ref)


def _fetch_raw(session: Session, ref: MessageRef) -> Octets:
    most = limits.RAW_RESOURCE_OCTETS_MAX
    session.examine(ref.mailbox, uidvalidity=ref.uidvalidity)
    fetched = fetch_whole(session, ref.uid, limit_octets=most)
    if isinstance(fetched, FetchFailure):
        raise fetch_error(ref, fetched)
    if isinstance(fetched, Window):
        raise _too_large(fetched.size_octets, most, "Read it in windows with imap_get_message_raw.")
    return Octets(content_type="message/rfc822", octets=fetched)


def _fetch_part(session: Session, ref: MessageRef, part_id: str, report: Report) -> Octets:
    most = limits.ATTACHMENT_CONTENT_OCTETS_MAX
    instead = "Read its text with imap_get_attachment."
    opened = open_part(session, ref, part_id, report)
    if opened.part.decoded_size > most:
        raise _too_large(opened.part.decoded_size, most, instead)
    most_encoded = most * _ENCODED_PER_DECODED
    encoded = opened.read(most_encoded + 1)
    octets = decode_transfer(encoded, opened.part.encoding).octets
    if len(octets) > most or len(encoded) > most_encoded:  # more than the structure says
        raise _too_large(len(octets), most, instead)
    content_type = opened.part.content_type
    known = content_type if _CONTENT_TYPE.fullmatch(content_type) else "application/octet-stream"
    return Octets(content_type=known, octets=octets)


def _too_large(octets: int, most: int, instead: str) -> InvalidInputError:
    return InvalidInputError.of(
        "uri",
        Reason.TOO_LARGE,
        f"names {octets} octets, and such a resource has at most {most}. {instead}",
    )
