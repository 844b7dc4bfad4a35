"""Header fields of the newest messages of a mailbox; afterwards only of those that are new."""

from dataclasses import dataclass

from mailmcp.imap.command import Command, RefusedError
from mailmcp.imap.errors import refused_error
from mailmcp.imap.pipeline import MailboxTask, Steps, run_pipelined
from mailmcp.imap.rows import parse_rows
from mailmcp.imap.session import Session
from mcp_envelope import ToolError


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestHeaders:
    """What was fetched, and the state of the mailbox then."""

    uidvalidity: int
    uidnext: int | None
    exists: int
    headers: tuple[bytes, ...]
    """Header blocks with the requested fields alone."""

    follows: bool = False
    """Whether these are only the messages that arrived since the state that was passed in."""


def fetch_newest_headers(
    session: Session, mailbox: str, fields: str, *, limit: int, since: NewestHeaders | None = None
) -> NewestHeaders:
    """Fetch header fields of the newest messages; two round trips, one if nothing is new.

    Args:
        session: Any mailbox may be open.
        mailbox: Decoded name.
        fields: Names of header fields, separated by spaces.
        limit: Fetch those of at most as many messages.
        since: What an earlier call returned.

    Raises:
        ToolError: The mailbox can't be opened, the server refuses, or the connection failed.
    """
    steps = _fetch(session, fields, limit, since)
    [result] = run_pipelined(session, [MailboxTask(mailbox=mailbox, uidvalidity=None, steps=steps)])
    if isinstance(result, ToolError):
        raise result
    return result


def _fetch(session: Session, fields: str, limit: int, since: NewestHeaders | None) -> Steps[NewestHeaders]:
    now = (yield []).mailbox
    follows = since is not None and since.uidvalidity == now.uidvalidity and since.uidnext is not None
    headers: tuple[bytes, ...] = ()
    if now.exists and not (follows and since is not None and since.uidnext == now.uidnext):
        # By numbers, or from the first UID that was not there before.
        first = since.uidnext if follows and since is not None else max(1, now.exists - limit + 1)
        items = f"(UID BODY.PEEK[HEADER.FIELDS ({fields})])".encode()
        responses = yield [Command(name="FETCH", arguments=[b"%d:*" % (first or 1), items], uid=follows)]
        [reply] = responses.replies
        if isinstance(reply, RefusedError):
            raise refused_error(session.account.account_id, reply)
        rows, _ = parse_rows(reply)
        headers = tuple(row.sections.get("HEADER.FIELDS", b"") for row in rows.values())
    return NewestHeaders(
        uidvalidity=now.uidvalidity,
        uidnext=now.uidnext,
        exists=now.exists,
        headers=headers,
        follows=follows,
    )
