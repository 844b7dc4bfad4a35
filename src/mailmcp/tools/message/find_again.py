"""Finds a message that is no longer where its id says, by its Message-ID.

Messages move and mailboxes are rebuilt, but the Message-ID header (RFC 5322 section 3.6.4) stays. Its sender
chose it, so a reply says that the message was found that way. Blocking.
"""

from mailmcp.imap.id_search import IdQuery, find_by_ids
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.imap.session import Session
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.thread import find_ids
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import COPY_ITEMS, Folded, copy_keys
from mailmcp.tools.search.sources import in_preferred_order
from mcp_envelope import ToolError


def find_by_message_id(
    session: Session, account_id: str, header_message_id: str
) -> tuple[MessageRef, int] | None:
    """Find a message of the account by its Message-ID; three round trips.

    Returns:
        The newest match in the first mailbox that has one; Junk and Trash come last. Also the number of other
        messages with the same Message-ID that are not proven to be copies of it. None if there is no match.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    wanted = find_ids(f"<{header_message_id}>")[:1]
    mailboxes = list_mailboxes(session)
    preferred = [each.name for each in in_preferred_order(mailboxes)]
    names = dict.fromkeys([*preferred, *(each.name for each in mailboxes if each.selectable)])
    query = IdQuery(ids=wanted)
    found = Folded[str, MessageRef]()
    for name, result in find_by_ids(session, names, query, items=COPY_ITEMS, known={}).items():
        if isinstance(result, ToolError):
            continue  # the other mailboxes count even if this one can't be searched
        for uid, row in sorted(result.fetched.messages.items(), reverse=True):
            headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
            if find_ids(headers.get("Message-ID")) == wanted:  # not a reply, and not a longer id
                ref = MessageRef(account_id=account_id, mailbox=name, uidvalidity=result.uidvalidity, uid=uid)
                found.add(name, ref, copy_keys(account_id, row))
    if not found.messages:
        return None
    first, *others = found.messages
    return next(iter(first.values())), len(others)
