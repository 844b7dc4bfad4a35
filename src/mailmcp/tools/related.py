"""Messages that belong to others by their ids, looked for in all mailboxes of some accounts, side by side.

Junk and Trash are left out, unless the message that was asked about is there. What fails is kept, so that the
reply can say it: nobody is said not to have written on the strength of a mailbox that wasn't searched.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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

_NO_THREAD_IDS: Mapping[str, str] = MappingProxyType({})


class RelatedMail:
    """What was found so far."""

    def __init__(
        self,
        call: Call,
        account_ids: Iterable[str],
        *,
        items: Sequence[str],
        deadline: float,
        own: MessageRef | None = None,
    ) -> None:
        """Prepare a search.

        Args:
            call: The call.
            account_ids: The accounts to search.
            items: What to fetch of each message.
            deadline: When accounts that haven't answered are given up.
            own: The message whose mailbox is searched in any case.
        """
        self._call, self._items, self._deadline, self._own = call, items, deadline, own
        self._account_ids = tuple(account_ids)
        self._places: dict[str, dict[str, int | None]] = {}
        self._seen: set[MessageRef] = set()
        self.rows: dict[MessageRef, FetchedMessage] = {}
        self.listings: dict[str, tuple[Mailbox, ...]] = {}
        """By account."""

        self.looked: dict[tuple[str, str], None] = {}
        """Account and name of the mailboxes that were searched, in order."""

        self.failed: dict[tuple[str, str | None], ToolError] = {}
        """By account and mailbox; None for the whole account."""

        self.message_issues: list[Issue] = []
        """Messages that were found and could not be fetched."""

        self.statements: dict[str, None] = {}
        """Sentences: what may be missing."""

    @property
    def issues(self) -> list[Issue]:
        """One for each account, mailbox or message that is missing."""
        places = [mailbox_issue(account, mailbox, error) for (account, mailbox), error in self.failed.items()]
        return [*places, *self.message_issues]

    @property
    def left_out(self) -> list[tuple[str, str]]:
        """Account and name of the mailboxes that are not searched."""
        return [
            (account_id, each.name)
            for account_id, listed in self.listings.items()
            for each in listed
            if each.selectable and not each.is_usual and each.name not in self._places[account_id]
        ]

    async def list_mailboxes(self) -> None:
        """List the mailboxes of all accounts, which comes first; one round trip."""
        listed = await self._call.ask_accounts(
            {each: partial(_list, own=self._own) for each in self._account_ids}, deadline=self._deadline
        )
        for account_id, result in listed.items():
            if isinstance(result, ToolError):
                self.failed[account_id, None] = result
            else:
                self.listings[account_id], self._places[account_id] = result

    async def look(
        self,
        query: IdQuery,
        *,
        thread_ids: Mapping[str, str] = _NO_THREAD_IDS,
        probe: MessageRef | None = None,
    ) -> None:
        """Search all mailboxes and fetch what is new; two round trips.

        Args:
            query: What to search for.
            thread_ids: By account, the server's own id of the conversation.
            probe: A message that the query must find in its mailbox: a server that doesn't find it finds
                no others.
        """
        works = {
            account_id: partial(
                find_by_ids,
                mailboxes=dict(places),
                query=replace(query, thread_id=thread_ids.get(account_id, "")),
                items=self._items,
                known=self._known(account_id),
            )
            for account_id, places in self._places.items()
            if (account_id, None) not in self.failed and places
        }
        for account_id, result in (await self._call.ask_accounts(works, deadline=self._deadline)).items():
            if isinstance(result, ToolError):
                self.failed[account_id, None] = result
                continue
            for name, found in result.items():
                self._take(account_id, name, found)
        if probe and (probe.account_id, probe.mailbox) in self.looked and probe not in self._seen:
            self.statements[
                f"In {code(probe.mailbox)}, the server doesn't find a message by its Message-ID: "
                "other messages may be missing."
            ] = None

    def _known(self, account_id: str) -> dict[str, list[int]]:
        known: dict[str, list[int]] = {}
        for ref in self.rows:
            if ref.account_id == account_id:
                known.setdefault(ref.mailbox, []).append(ref.uid)
        return known

    def _take(self, account_id: str, name: str, found: FoundByIds | ToolError) -> None:
        if isinstance(found, ToolError):
            self.failed[account_id, name] = found
            del self._places[account_id][name]
            return
        self._places[account_id][name] = found.uidvalidity
        self.looked[account_id, name] = None
        self.statements |= dict.fromkeys(found.statements)

        def ref_of(uid: int) -> MessageRef:
            return MessageRef(account_id=account_id, mailbox=name, uidvalidity=found.uidvalidity, uid=uid)

        self._seen.update(map(ref_of, found.uids))
        self.rows |= {ref_of(uid): row for uid, row in found.fetched.messages.items()}
        for uid, failure in found.fetched.failures.items():
            if failure.code is not Code.NOT_FOUND:  # else it was deleted meanwhile
                self.message_issues.append(message_issue(ref_of(uid), failure))


def _list(session: Session, own: MessageRef | None) -> tuple[tuple[Mailbox, ...], dict[str, int | None]]:
    """List all mailboxes, and choose those to search, each with the UIDVALIDITY it must have."""
    listed = list_mailboxes(session)
    here = own if own and own.account_id == session.account.account_id else None
    usual = [each for each in listed if each.is_usual]
    if session.can("X-GM-EXT-1"):
        # All Mail has whatever is not in Junk or Trash.
        usual = [each for each in usual if each.special_use == "\\All"] or usual
    places: dict[str, int | None] = {each.name: None for each in usual}
    if here and any(each.name == here.mailbox for each in listed):
        places[here.mailbox] = here.uidvalidity
    return listed, places
