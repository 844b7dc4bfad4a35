"""Mail that awaits a reply: the search finds candidates, and replies to them are looked for everywhere.

Everywhere means all mailboxes of all accounts but Junk and Trash, since people answer from another account,
and move what they have answered. What couldn't be looked at is an issue or a caveat of the reply: nobody is
said not to have answered on the strength of a mailbox that wasn't searched.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Final

import anyio

from mailmcp import limits
from mailmcp.imap.command import quoted
from mailmcp.imap.fetch_response import FetchedMessage
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.reply_search import FoundReplies, ReplyQuery, find_replies
from mailmcp.imap.session import Session
from mailmcp.mail.awaited_reply import Letter, find_answered, is_automatic
from mailmcp.mail.calendar.invitation import invitation_method
from mailmcp.mail.header.address import addresses_in
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.thread import ThreadHeaders, parse_thread_headers
from mailmcp.model.awaited_reply import FROM_ME, FROM_OTHERS, AwaitedReply
from mailmcp.model.cursor import SourceCursor
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.errors import mailbox_issue
from mailmcp.tools.people import SentMail
from mailmcp.tools.search.arguments import SearchMessagesArguments
from mailmcp.tools.search.page import PageMessage, SearchPage, make_page, next_cursor
from mailmcp.tools.search.sources import Items, Searches, search_sources
from mailmcp.tools.search.state import Search, resume_search
from mailmcp.tools.tool import Call
from mailmcp.tools.wording import counted
from mcp_envelope import BaseReason, InvalidInputError, Issue, ToolError

_ASIDE: Final = frozenset({"\\Junk", "\\Trash"})
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


class Awaiting:
    """The search for replies of one call."""

    def __init__(self, call: Call, side: str) -> None:
        """`side` is that of the search: `FROM_OTHERS` or `FROM_ME`."""
        self._call, self._side = call, side
        owner_of = call.preferences.owner_of
        accounts = [each.account_id for each in call.pool.accounts]
        self._own = frozenset(each.lower() for name in accounts for each in owner_of(name).addresses)
        self._listings: dict[str, tuple[Mailbox, ...]] = {}
        self._failed: dict[tuple[str, str | None], ToolError] = {}
        self._statements: dict[str, None] = {}
        self._looked: set[tuple[str, str]] = set()

    @property
    def issues(self) -> list[Issue]:
        """One for each account or mailbox that couldn't be searched for replies."""
        return [mailbox_issue(account, mailbox, error) for (account, mailbox), error in self._failed.items()]

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences: where replies weren't looked for."""
        missing = ("Some may have replies in places that couldn't be searched.",) if self._failed else ()
        return (*self._statements, *missing)

    @property
    def what(self) -> str:
        """What was found, and where replies were looked for, as the end of a sentence."""
        found = "without a reply" if self._side == FROM_OTHERS else "that you haven't answered"
        return f" {found} in {counted(len(self._looked), 'mailbox', 'mailboxes')}"

    async def begin(self, search: Search, sent: SearchMessagesArguments) -> Search:
        """List the mailboxes of all accounts, and complete a search; one round trip.

        Mail that the owner sent is searched for in Sent, unless the caller names a mailbox.

        Args:
            search: The search.
            sent: The arguments as sent.
        """
        deadline = anyio.current_time()
        deadline += (self._call.deadline - deadline) * _LISTING_SHARE

        listed = await self._call.ask_accounts(
            {each.account_id: list_mailboxes for each in self._call.pool.accounts}, deadline=deadline
        )
        for account_id, found in listed.items():
            if isinstance(found, ToolError):
                self._failed[account_id, None] = found
            else:
                self._listings[account_id] = found
        if self._side == FROM_ME:
            self._check_addresses(dict.fromkeys(each.account_id for each in search.sources))
        awaited = AwaitedReply(side=self._side, own=tuple(sorted(self._own)))
        query = replace(search.query, awaiting_reply=awaited)
        if self._side == FROM_ME:
            return replace(search, query=replace(query, unanswered_only=True))
        named = sent.cursor or sent.mailboxes or ("mailbox" in sent.model_fields_set and sent.mailbox)
        return replace(search if named else self._in_sent(search), query=query)

    def _check_addresses(self, accounts: Iterable[str]) -> None:
        """Check that it is known who the owner is: mail must name the owner to await a reply.

        Raises:
            InvalidInputError: No address of the owner is known.
        """
        unknown = [name for name in accounts if not self._call.preferences.owner_of(name).addresses]
        if not self._own:
            raise InvalidInputError.of(
                "awaiting_reply",
                BaseReason.INVALID_VALUE,
                "from_me needs the owner's addresses, which aren't known: the user can add `addresses` to "
                "the account in the settings. Send unanswered_only instead.",
            )
        for name in unknown:
            self._statements[
                f"The owner's address in account {name} isn't known, so mail to it is missing."
            ] = None

    def _in_sent(self, search: Search) -> Search:
        """Search the mailboxes of sent mail instead; "Sent" where none is known, which then is an error."""
        sources = []
        for account_id in dict.fromkeys(each.account_id for each in search.sources):
            listed = self._listings.get(account_id, ())
            names = [each.name for each in listed if each.special_use == "\\Sent" and each.selectable]
            sources += [SourceCursor(account_id=account_id, mailbox=name) for name in names or ["Sent"]]
        names = list(dict.fromkeys(each.mailbox for each in sources))
        listed_names = tuple(names) if len(names) > 1 else ()
        where = {"mailbox": "INBOX" if listed_names else names[0], "mailboxes": listed_names}
        return replace(
            search,
            arguments=search.arguments.model_copy(update=where),
            listed=bool(listed_names),
            sources=tuple(sources),
        )

    async def search(self, search: Search, items: Items, *, number: int = 0) -> Searches:
        """Search for candidates of a page, or for the next ones (`number`, from 0)."""
        return await search_sources(self._call, _chunk(search, number), items, listings=self._listings)

    async def keep_unanswered(
        self, search: Search, searches: Searches, items: Items
    ) -> tuple[Searches, SearchPage]:
        """Make a page of the candidates without a reply; search for more until it is full.

        Args:
            search: The search of the page.
            searches: Its first candidates.
            items: What to fetch of each.

        Returns:
            What was searched, and the page.
        """
        everything, chunk = searches, _chunk(search, 0)
        found: list[PageMessage] = []
        checked, number = 0, 0
        while True:
            page = make_page(chunk, searches)
            unanswered = await self._select(page.found)
            room = search.page_size - len(found)
            places = [place for place, each in enumerate(page.found) if each.ref in unanswered]
            if len(places) > room:
                page = make_page(replace(chunk, page_size=places[room - 1] + 1), searches)
            found += [page.found[place] for place in places[:room]]
            checked += len(page.found)
            number += 1
            is_last = number == len(limits.AWAITING_CHUNKS) or not page.rest or page.failed_only
            if is_last or len(found) == search.page_size:
                break
            cursor = next_cursor(replace(chunk, page_size=search.page_size), page)
            assert cursor is not None  # noqa: S101 - there is a rest
            following = resume_search(cursor, self._call.preferences.zone)
            following = replace(following, query=search.query)
            searches = await self.search(following, items, number=number)
            chunk = _chunk(following, number)
            everything = _merge(everything, searches)
        alone = search.is_first_page and not page.rest
        total = len(found) if alone else page.total - (checked - len(found))
        return everything, replace(page, found=tuple(found), total=total, total_exact=alone)

    async def _select(self, found: Sequence[PageMessage]) -> set[MessageRef]:
        """Select the messages without a reply. Those that couldn't be fetched count as such."""
        rows = {each.ref: each.searched.fetched.messages.get(each.ref.uid) for each in found}
        unread = {ref for ref, row in rows.items() if row is None}
        wanted = {ref: row for ref, row in rows.items() if row is not None and self._may_await(ref, row)}
        if not wanted:
            return unread
        others = await self._look(self._query(wanted.values()))
        answered = find_answered([self._letter(ref, row) for ref, row in wanted.items()], others)
        return unread | {ref for ref, done in zip(wanted, answered, strict=True) if not done}

    def _may_await(self, ref: MessageRef, row: FetchedMessage) -> bool:
        if self._is_draft(ref, row):
            return False
        return invitation_method(parse_body_structure(row.body_structure).root) != "reply"

    def _is_draft(self, ref: MessageRef, row: FetchedMessage) -> bool:
        return self._use(ref) == "\\Drafts" or any(flag.lower() == "\\draft" for flag in row.flags)

    def _use(self, ref: MessageRef) -> str:
        return SentMail(listings=self._listings).use_of(ref.account_id, ref.mailbox)

    def _letter(self, ref: MessageRef, row: FetchedMessage) -> Letter:
        headers = _headers(row)
        links, senders = parse_thread_headers(headers), addresses_in(headers, "From")
        by_owner = self._use(ref) == "\\Sent" or (bool(senders) and senders <= self._own)
        from_other_side = by_owner == (self._side == FROM_ME)
        return Letter(
            links=links,
            written_at=next(_moments(links, row), 0.0),
            by_owner=by_owner,
            is_answer=from_other_side
            and bool(senders)
            and not (self._is_draft(ref, row) or is_automatic(headers)),
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
            strays += [(b"FROM", quoted(address)) for address in sorted(self._own) if address.isascii()]
        return ReplyQuery(
            since=_since(zip(links, rows, strict=True)), ids=tuple(ids), strays=tuple(dict.fromkeys(strays))
        )

    def _stray_keys(self, headers: Headers, subject: str) -> Iterator[tuple[bytes, ...]]:
        """Yield keys that find mail which refers to nothing: by the same subject, from the same people."""
        words = max(_PLAIN_WORDS.findall(subject), key=len, default="").strip()
        if not words:
            return
        others = sorted(addresses_in(headers, "From", "To", "Cc") - self._own)
        for address in filter(str.isascii, others[:_PEOPLE_MAX]):
            yield (b"(FROM", quoted(address), b"SUBJECT", quoted(words) + b")")

    async def _look(self, query: ReplyQuery) -> list[Letter]:
        """Look for replies in all accounts; two round trips."""
        works = {
            account_id: partial(self._look_in, listed=listed, query=query)
            for account_id, listed in self._listings.items()
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
                    self._looked.add((account_id, name))
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


def _chunk(search: Search, number: int) -> Search:
    return replace(search, page_size=max(search.page_size, limits.AWAITING_CHUNKS[number]))


def _merge(before: Searches, after: Searches) -> Searches:
    """Add what was searched later: a mailbox that was searched again counts once."""
    searched = {(each.source.account_id, each.source.mailbox): each for each in before.searched}
    searched |= {(each.source.account_id, each.source.mailbox): each for each in after.searched}
    return Searches(
        searched=[*searched.values()],
        listings=before.listings | after.listings,
        cut=before.cut or after.cut,
        reordered=before.reordered or after.reordered,
    )


def _places(mailboxes: Sequence[Mailbox]) -> list[str]:
    """Choose where replies are looked for; where a mailbox has all mail, that one is enough."""
    selectable = [each for each in mailboxes if each.selectable and each.special_use not in _ASIDE]
    everything = [each for each in selectable if each.special_use == "\\All"]
    return [each.name for each in everything or selectable]


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
