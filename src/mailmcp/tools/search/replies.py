"""Replies to some messages, looked for in all mailboxes of all accounts but Junk and Trash.

People answer from another account, and move what they have answered. What couldn't be looked at is an issue
or a caveat of the reply: nobody is said not to have answered on the strength of a mailbox that wasn't
searched.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Final

import anyio

from mailmcp.imap.command import quoted
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.reply_search import FoundReplies, ReplyQuery, find_replies
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.imap.special_use import is_draft
from mailmcp.mail.awaited_reply import Letter, find_answered, is_automatic
from mailmcp.mail.calendar.invitation import invitation_method
from mailmcp.mail.header.address import addresses_in
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.thread import ThreadHeaders, parse_thread_headers
from mailmcp.model.awaited_reply import FROM_ME, AwaitedReply
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.errors import mailbox_issue
from mailmcp.tools.people import SentMail
from mailmcp.tools.tool import Call
from mcp_envelope import Issue, ToolError

_MARGIN: Final = timedelta(days=2)
"""SEARCH knows days, in a zone that nobody knows, and clocks differ."""

_HEADER: Final = f"BODY.PEEK[HEADER.FIELDS ({' '.join(AwaitedReply.header_fields).upper()})]"
_ITEMS: Final = ("UID", "FLAGS", "INTERNALDATE", _HEADER)
_PLAIN_WORDS: Final = re.compile(r"[ !#-\[\]-~]{4,}")
"""What any server can search for in a subject."""

_PEOPLE_MAX: Final = 3
"""People of a message whose mail with the same subject is looked for."""

_LISTING_SHARE: Final = 0.25
"""Share of a call's time for listing mailboxes: accounts that don't answer are left out."""


class ReplySearch:
    """The search for replies of one call."""

    def __init__(self, call: Call, side: str) -> None:
        """`side` is that of the search: `FROM_OTHERS` or `FROM_ME`."""
        self._call, self._side = call, side
        owner_of = call.preferences.owner_of
        accounts = [each.account_id for each in call.pool.accounts]
        self.own = frozenset(each.lower() for name in accounts for each in owner_of(name).addresses)
        """The owner's addresses, in all accounts."""

        self.listings: dict[str, tuple[Mailbox, ...]] = {}
        """By account, where replies are looked for."""

        self.looked: set[tuple[str, str]] = set()
        """Account and name of the mailboxes that were searched."""

        self._failed: dict[tuple[str, str | None], ToolError] = {}
        self._statements: dict[str, None] = {}

    async def list_mailboxes(self) -> None:
        """List the mailboxes of all accounts, which all else depends on; one round trip."""
        now = anyio.current_time()
        listed = await self._call.ask_accounts(
            {each.account_id: list_mailboxes for each in self._call.pool.accounts},
            deadline=now + (self._call.deadline - now) * _LISTING_SHARE,
        )
        for account_id, found in listed.items():
            if isinstance(found, ToolError):
                self._failed[account_id, None] = found
            else:
                self.listings[account_id] = found

    @property
    def issues(self) -> list[Issue]:
        """One for each account or mailbox that couldn't be searched for replies."""
        return [mailbox_issue(account, mailbox, error) for (account, mailbox), error in self._failed.items()]

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences: where replies weren't looked for."""
        missing = ("Some may have replies in places that couldn't be searched.",) if self._failed else ()
        return (*self._statements, *missing)

    async def select_unanswered(self, found: Mapping[MessageRef, FetchedMessage | None]) -> set[MessageRef]:
        """Select the messages without a reply; two round trips. Those without a row are among them."""
        unread = {ref for ref, row in found.items() if row is None}
        wanted = {ref: row for ref, row in found.items() if row is not None and self._may_await(ref, row)}
        if not wanted:
            return unread
        others = await self._look(self._query(wanted.values()))
        answered = find_answered([self._letter(ref, row) for ref, row in wanted.items()], others)
        return unread | {ref for ref, done in zip(wanted, answered, strict=True) if not done}

    def _may_await(self, ref: MessageRef, row: FetchedMessage) -> bool:
        if is_draft(row, self._use(ref)):
            return False
        return invitation_method(parse_body_structure(row.body_structure).root) != "reply"

    def _use(self, ref: MessageRef) -> str:
        return SentMail(listings=self.listings).use_of(ref.account_id, ref.mailbox)

    def _letter(self, ref: MessageRef, row: FetchedMessage) -> Letter:
        headers = _headers(row)
        links, senders = parse_thread_headers(headers), addresses_in(headers, "From")
        use = self._use(ref)
        by_owner = use == "\\Sent" or (bool(senders) and senders <= self.own)
        from_other_side = by_owner == (self._side == FROM_ME)
        return Letter(
            links=links,
            written_at=next(_moments(links, row), 0.0),
            by_owner=by_owner,
            is_answer=from_other_side and bool(senders) and not (is_draft(row, use) or is_automatic(headers)),
        )

    def _query(self, rows: Collection[FetchedMessage]) -> ReplyQuery:
        headers = [_headers(row) for row in rows]
        links = [parse_thread_headers(each) for each in headers]
        # Its own id, and the first and the last one that it refers to: replies name one of these.
        ids = dict.fromkeys(name for each in links for name in (*each.ids[:2], *each.ids[-1:]))
        strays = [
            keys
            for each, link in zip(headers, links, strict=True)
            for keys in self._stray_keys(each, link.base_subject)
        ]
        if self._side == FROM_ME:
            strays += [(b"FROM", quoted(address)) for address in sorted(self.own) if address.isascii()]
        return ReplyQuery(
            since=_since(zip(links, rows, strict=True)), ids=tuple(ids), strays=tuple(dict.fromkeys(strays))
        )

    def _stray_keys(self, headers: Headers, subject: str) -> Iterator[tuple[bytes, ...]]:
        """Yield keys that find mail which refers to nothing: by the same subject, from the same people."""
        words = max(_PLAIN_WORDS.findall(subject), key=len, default="").strip()
        if not words:
            return
        others = sorted(addresses_in(headers, "From", "To", "Cc") - self.own)
        for address in filter(str.isascii, others[:_PEOPLE_MAX]):
            yield (b"(FROM", quoted(address), b"SUBJECT", quoted(words) + b")")

    async def _look(self, query: ReplyQuery) -> list[Letter]:
        """Look for replies in all accounts; two round trips."""
        works = {
            account_id: partial(self._look_in, listed=listed, query=query)
            for account_id, listed in self.listings.items()
            if (account_id, None) not in self._failed and _places(listed)
        }
        letters: list[Letter] = []
        for account_id, result in (await self._call.ask_accounts(works)).items():
            if isinstance(result, ToolError):
                self._failed[account_id, None] = result
                continue
            answers, read = result
            letters += read
            for name, each in answers.items():
                if isinstance(each, ToolError):
                    self._failed[account_id, name] = each
                else:
                    self.looked.add((account_id, name))
                    self._statements |= dict.fromkeys(each.statements)
        return letters

    def _look_in(
        self, session: Session, listed: Sequence[Mailbox], query: ReplyQuery
    ) -> tuple[dict[str, FoundReplies | ToolError], list[Letter]]:
        """Look for replies in one account. Blocks."""
        sent = {each.name for each in listed if each.special_use == "\\Sent"}
        asked = replace(query, whole=sent if self._side == FROM_ME else ())
        found = find_replies(session, _places(listed), asked, items=_ITEMS)
        account_id = session.account.account_id
        return found, [letter for each in found.items() for letter in self._read(account_id, *each)]

    def _read(self, account_id: str, name: str, answers: FoundReplies | ToolError) -> Iterator[Letter]:
        if isinstance(answers, ToolError):
            return
        for uid, row in answers.fetched.messages.items():
            ref = MessageRef(account_id=account_id, mailbox=name, uidvalidity=answers.uidvalidity, uid=uid)
            yield self._letter(ref, row)


def _places(mailboxes: Sequence[Mailbox]) -> list[str]:
    """Choose where replies are looked for; where a mailbox has all mail, that one is enough."""
    usual = [each for each in mailboxes if each.is_usual]
    everything = [each for each in usual if each.special_use == "\\All"]
    return [each.name for each in everything or usual]


def _headers(row: FetchedMessage) -> Headers:
    return parse_headers(row.sections.get("HEADER.FIELDS", b""))


def _since(messages: Iterable[tuple[ThreadHeaders, FetchedMessage]]) -> date:
    """Return the day from which replies to some messages may have arrived."""
    moments = [moment for links, row in messages for moment in _moments(links, row)]
    earliest = max(min(moments, default=0), _MARGIN.total_seconds())
    return (datetime.fromtimestamp(earliest, UTC) - _MARGIN).date()


def _moments(links: ThreadHeaders, row: FetchedMessage) -> Iterator[float]:
    """Yield when a message was written and when it was received, as far as known."""
    if links.date is not None:
        yield links.date.timestamp()
    if row.internaldate_epoch is not None:
        yield row.internaldate_epoch
