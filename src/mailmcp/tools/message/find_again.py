"""Finds a message that is no longer where its id says, by its Message-ID.

Messages move and mailboxes are rebuilt, but the Message-ID header (RFC 5322 section 3.6.4) stays. Its sender
chose it, so a reply says that the message was found that way. Blocking.
"""

from dataclasses import dataclass

from mailmcp.imap.id_search import IdQuery, find_by_ids
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.session import Session
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.thread import find_ids
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import COPY_ITEMS, Folded, copy_keys
from mailmcp.tools.search.sources import in_preferred_order
from mcp_envelope import ToolError


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMessage:
    """A message that was found by its Message-ID."""

    ref: MessageRef
    others: int
    """Other messages with the same Message-ID that are not proven to be copies of it."""


def find_by_message_id(session: Session, account_id: str, header_message_id: str) -> FoundMessage | None:
    """Find a message of the account by its Message-ID; three round trips.

    Returns:
        The newest match in the first mailbox that has one; Junk and Trash come last. None if there is none.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    wanted = find_ids(f"<{header_message_id}>")[:1]
    if not wanted or not wanted[0].isascii():
        return None
    mailboxes = list_mailboxes(session)
    preferred = [each.name for each in in_preferred_order(mailboxes)]
    names = dict.fromkeys([*preferred, *(each.name for each in mailboxes if each.selectable)])
    query = IdQuery(ids=wanted)
    found = Folded[str, MessageRef]()
    for name, result in find_by_ids(session, dict.fromkeys(names), query, items=COPY_ITEMS, known={}).items():
        if isinstance(result, ToolError):
            continue  # the other mailboxes count even if this one can't be searched
        for uid, row in sorted(result.fetched.messages.items(), reverse=True):
            headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
            if find_ids(headers.get("Message-ID")) == wanted:  # servers match substrings too
                ref = MessageRef(account_id=account_id, mailbox=name, uidvalidity=result.uidvalidity, uid=uid)
                found.add(name, ref, copy_keys(account_id, row))
    if not found.messages:
        return None
    first, *others = found.messages
    return FoundMessage(ref=next(iter(first.values())), others=len(others))
