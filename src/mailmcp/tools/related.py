"""Messages that belong to others by their ids, looked for in all mailboxes of some accounts, side by side.

Junk and Trash are left out, unless the message that was asked about is there. What fails is kept, so that the
reply can say it: nobody is said not to have written on the strength of a mailbox that wasn't searched.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

from mailmcp.imap.id_search import FoundByIds, IdQuery, find_by_ids
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.errors import mailbox_issue, message_issue
from mailmcp.tools.tool import Call
from mcp_envelope import Code, Issue, ToolError, code


@dataclass(slots=True, kw_only=True)
class RelatedMail:
    """Where messages are looked for, and what was found so far."""

    call: Call
    account_ids: Sequence[str]
    items: Sequence[str]
    """What to fetch of each message."""

    deadline: float
    """When accounts that haven't answered are given up."""

    own: MessageRef | None = None
    """The message whose mailbox is searched in any case."""

    rows: dict[MessageRef, FetchedMessage] = field(default_factory=dict)
    listings: dict[str, tuple[Mailbox, ...]] = field(default_factory=dict)
    """All mailboxes by account."""

    places: dict[str, dict[str, int | None]] = field(default_factory=dict)
    """By account the mailboxes to search, each with the UIDVALIDITY it must have."""

    looked: dict[tuple[str, str], None] = field(default_factory=dict)
    """Account and name of the mailboxes that were searched, in order."""

    failed: dict[tuple[str, str | None], ToolError] = field(default_factory=dict)
    """By account and mailbox; None for the whole account."""

    message_issues: list[Issue] = field(default_factory=list)
    """Messages that were found and could not be fetched."""

    statements: dict[str, None] = field(default_factory=dict)
    """Sentences: what may be missing."""

    @property
    def issues(self) -> list[Issue]:
        """One for each account, mailbox or message that is missing."""
        places = [mailbox_issue(account, mailbox, error) for (account, mailbox), error in self.failed.items()]
        return [*places, *self.message_issues]

    @property
    def left_out(self) -> list[tuple[str, str]]:
        """Account and name of the mailboxes that are not searched: Junk and Trash."""
        return [
            (account_id, each.name)
            for account_id, listed in self.listings.items()
            for each in listed
            if each.selectable and not each.is_usual and each.name not in self.places[account_id]
        ]

    async def list_mailboxes(self) -> None:
        """List the mailboxes of all accounts, which comes first; one round trip."""
        works = {each: partial(_list, own=self.own) for each in self.account_ids}
        for account_id, result in (await self.call.ask_accounts(works, deadline=self.deadline)).items():
            if isinstance(result, ToolError):
                self.failed[account_id, None] = result
            else:
                self.listings[account_id], self.places[account_id] = result

    async def look(
        self,
        query: IdQuery,
        *,
        thread_ids: Mapping[str, str] = MappingProxyType({}),
        probe: MessageRef | None = None,
    ) -> None:
        """Search all mailboxes and fetch what is new; two round trips.

        `thread_ids` has the server's own id of the conversation by account. The query must find the message
        `probe` in its mailbox: a server that doesn't find it finds no others.
        """
        known: dict[str, dict[str, list[int]]] = {}
        for ref in self.rows:
            known.setdefault(ref.account_id, {}).setdefault(ref.mailbox, []).append(ref.uid)
        works = {
            account_id: partial(
                find_by_ids,
                mailboxes=dict(places),
                query=replace(query, thread_id=thread_ids.get(account_id, "")),
                items=self.items,
                known=known.get(account_id, {}),
            )
            for account_id, places in self.places.items()
            if places and (account_id, None) not in self.failed
        }
        for account_id, result in (await self.call.ask_accounts(works, deadline=self.deadline)).items():
            if isinstance(result, ToolError):
                self.failed[account_id, None] = result
                continue
            for name, found in result.items():
                self._take(account_id, name, found, probe)

    def _take(
        self, account_id: str, name: str, found: FoundByIds | ToolError, probe: MessageRef | None
    ) -> None:
        if isinstance(found, ToolError):
            self.failed[account_id, name] = found
            del self.places[account_id][name]
            return
        self.places[account_id][name] = found.uidvalidity
        self.looked[account_id, name] = None
        self.statements |= dict.fromkeys(found.statements)
        if probe and (probe.account_id, probe.mailbox) == (account_id, name) and probe.uid not in found.uids:
            self.statements[
                f"In {code(name)}, the server doesn't find a message by its Message-ID: "
                "other messages may be missing."
            ] = None

        def ref_of(uid: int) -> MessageRef:
            return MessageRef(account_id=account_id, mailbox=name, uidvalidity=found.uidvalidity, uid=uid)

        self.rows |= {ref_of(uid): row for uid, row in found.fetched.messages.items()}
        for uid, failure in found.fetched.failures.items():
            if failure.code is not Code.NOT_FOUND:  # else it was deleted meanwhile
                self.message_issues.append(message_issue(ref_of(uid), failure))


def _list(session: Session, own: MessageRef | None) -> tuple[tuple[Mailbox, ...], dict[str, int | None]]:
    """List all mailboxes, and choose those to search."""
    listed = list_mailboxes(session)
    usual = [each for each in listed if each.is_usual]
    if session.can("X-GM-EXT-1"):
        # All Mail has whatever is not in Junk or Trash.
        usual = [each for each in usual if each.special_use == "\\All"] or usual
    places: dict[str, int | None] = {each.name: None for each in usual}
    if own and own.account_id == session.account.account_id:
        places[own.mailbox] = own.uidvalidity
    return listed, places
