"""Mailboxes as lines of Markdown."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from mailmcp.tools.mailboxes.data import MailboxRow
from mailmcp.wording import counted
from mcp_envelope import code


def mailbox_lines(rows: Sequence[MailboxRow]) -> Iterator[str]:
    """Format mailboxes, those of several accounts below the name of each."""
    for account_id, some in groupby(rows, key=lambda row: row.account_id):
        if account_id is not None:
            yield f"Account {account_id}:"
        yield from map(mailbox_line, some)


def mailbox_line(row: MailboxRow) -> str:
    """Format a mailbox: its name, and what is special about it."""
    facts = []
    if row.special_use:
        facts.append(row.special_use[1:] + ("?" if row.special_use_guessed else ""))
    if not row.selectable:
        facts.append("holds no messages")
    if row.messages is not None:
        facts.append(f"{counted(row.messages, 'message')}, {row.unseen or 0} unseen")
    return f"- {code(row.name)}" + (f" ({'; '.join(facts)})" if facts else "")
