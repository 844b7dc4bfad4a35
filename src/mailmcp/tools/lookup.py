"""A message that is no longer where its id says: found again by its Message-ID, wherever it went.

Messages move and mailboxes are rebuilt; the Message-ID header (RFC 5322 section 3.6.4) stays. It is
written by the sender, so a message that is found by it is said to be so. Blocking.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from mailmcp.imap.command import quoted
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.session import Session
from mailmcp.imap.thread import Related, ThreadQuery, find_related
from mailmcp.mail.duplicates import DUPLICATE_HEADER_FIELDS, header_key
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.thread import find_ids
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.search.sources import in_preferred_order

_ITEMS = ("UID", f"BODY.PEEK[HEADER.FIELDS ({DUPLICATE_HEADER_FIELDS})]")


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """A message that was found by its Message-ID."""

    ref: MessageRef
    others: int
    """Messages that bear the same Message-ID and are no copies of it."""


def look_up(session: Session, account_id: str, header_message_id: str) -> LookedUp | None:
    """Find a message of the account by its Message-ID; three round trips.

    Returns:
        The message in the mailbox that says most of it: Junk and Trash come last. Of
        several there the latest. None if there is none.

    Raises:
        DeadlineError, InternalError: The connection failed.
    """
    wanted = find_ids(header_message_id)[:1]
    if not wanted or not wanted[0].isascii():
        return None
    names = _in_order(list_mailboxes(session))
    query = ThreadQuery(keys=(b"HEADER", b"MESSAGE-ID", quoted(f"<{wanted[0]}>")))
    found = find_related(session, dict.fromkeys(names), [query], items=_ITEMS, known={})
    bearers: list[tuple[MessageRef, Hashable | None]] = []
    for name, result in found.items():
        if not isinstance(result, Related):
            continue  # one mailbox that cannot be searched does not keep the others from it
        for uid, row in sorted(result.fetched.messages.items(), reverse=True):
            headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
            if find_ids(headers.get("Message-ID")) == wanted:  # servers look for a part of the field
                ref = MessageRef(account_id=account_id, mailbox=name, uidvalidity=result.uidvalidity, uid=uid)
                bearers.append((ref, header_key(headers)))
    if not bearers:
        return None
    return LookedUp(ref=bearers[0][0], others=len({key for _, key in bearers}) - 1)


def _in_order(mailboxes: Sequence[Mailbox]) -> list[str]:
    usual = [each.name for each in in_preferred_order(mailboxes)]
    return usual + [each.name for each in mailboxes if each.selectable and each.name not in usual]
