"""Find the messages of a conversation in all mailboxes of an account; blocking, on one session.

The search starts from one message and follows references until it finds nothing new. It also uses the
server's thread ids if there are any. Those alone are not enough: servers split conversations whose subject
changes.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox, list_mailboxes
from mailmcp.imap.object_ids import IDS
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.imap.special_use import is_draft
from mailmcp.imap.thread import (
    Related,
    ThreadQuery,
    fetch_row,
    find_related,
    id_queries,
    subject_query,
    thread_id_query,
    thread_items,
)
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.thread import (
    THREAD_HEADER_FIELDS,
    parse_thread_headers,
    select_thread,
    unasked_ids,
)
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.copies import Folded, header_key
from mailmcp.tools.errors import fetch_error, message_issue
from mailmcp.tools.thread.continuation import PERSONAL, find_continuations
from mailmcp.tools.thread.member import Member
from mcp_envelope import Code, Issue, Report, ToolError

_SUBJECT_CHARS_MIN = 4
"""Shorter subjects would match half of the mail."""

_HEADERS = "Message-ID, References and In-Reply-To"


@dataclass(slots=True, kw_only=True)
class FoundThread:
    """A conversation, as far as it could be found."""

    members: Sequence[Member] = ()
    """Oldest first; copies are folded into one."""

    continuations: Sequence[Member] = ()
    """Messages outside it that may continue it, oldest first."""

    method: str = ""
    mailboxes: tuple[str, ...] = ()
    """Those that were searched."""

    left_out: tuple[str, ...] = ()
    """Those that weren't: Junk and Trash."""

    failed: Mapping[tuple[str, str | None], ToolError] = field(default_factory=dict)
    """By account and mailbox; None for the whole account."""

    issues: tuple[Issue, ...] = ()
    statements: tuple[str, ...] = ()
    asked: frozenset[str] = frozenset()
    """The ids that were searched for."""

    @property
    def complete(self) -> bool:
        """Whether nothing is known to be missing."""
        return not (self.failed or self.issues or self.statements)


def find_thread(
    session: Session,
    ref: MessageRef,
    report: Report,
    *,
    keep: Callable[[FoundThread], None] = lambda _found: None,
) -> FoundThread:
    """Find the conversation of a message; four round trips, and two for each further step of references.

    `keep` receives what was found if the connection fails on the way; messages whose rows did not come are
    issues.

    Raises:
        NotFoundError: The mailbox or the message is gone.
        ConflictError: The mailbox's UIDVALIDITY is not that of `ref`.
        InternalError, DeadlineError: The server doesn't send the message, or the connection failed.
    """
    items = _items(session)
    fetched = fetch_row(session, ref.mailbox, uidvalidity=ref.uidvalidity, uid=ref.uid, items=items)
    if failure := fetched.failures.get(ref.uid):
        raise fetch_error(ref, failure)
    start = _member(ref, fetched.messages[ref.uid])
    search = _Search(session, start, report)
    try:
        search.run()
    except ToolError:
        if search.mailboxes:
            keep(search.found())
        raise
    return search.found()


def extend_thread(
    session: Session,
    start: Member,
    known: Sequence[Member],
    report: Report,
    *,
    asked: frozenset[str] = frozenset(),
) -> FoundThread:
    """Find what else an account has of a conversation; three round trips, and two for each further step.

    Args:
        session: Of the account.
        start: The requested message, of any account.
        known: The messages that were found, of any account.
        report: Receives the progress.
        asked: Ids that this account was searched for before.

    Returns:
        The conversation without the messages that were known.

    Raises:
        InternalError, DeadlineError: The connection failed.
    """
    search = _Search(session, start, report, known=known, asked=asked)
    search.run()
    return search.found()


def _items(session: Session) -> tuple[str, ...]:
    fields = dict.fromkeys([*THREAD_HEADER_FIELDS.split(), *map(str.upper, PERSONAL.header_fields)])
    header = f"BODY.PEEK[HEADER.FIELDS ({' '.join(fields)})]"
    basic = ("UID", "FLAGS", "INTERNALDATE", "RFC822.SIZE", "BODYSTRUCTURE", header)
    return (*basic, *thread_items(session))


class _Search:
    """One search for a conversation, while it runs."""

    def __init__(
        self,
        session: Session,
        start: Member,
        report: Report,
        *,
        known: Sequence[Member] = (),
        asked: frozenset[str] = frozenset(),
    ) -> None:
        self.session, self.start, self.report = session, start, report
        self.account_id = session.account.account_id
        self.is_own = start.ref.account_id == self.account_id
        self.known = {ref for each in known for ref in each.refs}
        self.items = _items(session)
        self.candidates: dict[MessageRef, Member] = {each.ref: each for each in (start, *known)}
        self.mailboxes: dict[str, int | None] = {}
        self.left_out: tuple[str, ...] = ()
        self.uses: dict[str, str] = {}
        self.failed: dict[str, ToolError] = {}
        self.issues: list[Issue] = []
        self.statements: dict[str, None] = {}
        self.asked = set(asked)
        self.by_thread_id = self.is_own and bool(start.row.thread_id)

    def run(self) -> None:
        """Search until nothing new is found."""
        everywhere = list_mailboxes(self.session)
        own = self.start.ref.mailbox if self.is_own else ""
        listed = _places(everywhere, own, by_thread_id=self.by_thread_id)
        self.left_out = tuple(
            each.name for each in everywhere if each.selectable and not each.is_usual and each.name != own
        )
        self.uses = {each.name: each.special_use for each in listed}
        self.mailboxes = dict.fromkeys(self.uses)
        if own:
            self.mailboxes[own] = self.start.ref.uidvalidity
        queries: list[ThreadQuery] = [] if self.asked else list(self._first_queries())
        for number in range(limits.THREAD_ROUNDS_MAX):
            members = self._joined()
            ids = unasked_ids([each.links for each in members], self.asked)
            self.asked.update(ids)
            queries += id_queries(ids, known={each.links.own_id for each in members} if number else ())
            if not queries:
                return
            self.report(number, limits.THREAD_ROUNDS_MAX, "Searching for messages of the conversation")
            before = len(members)
            self._look(queries)
            queries = []
            if len(self._joined()) == before:
                return
        self.statements["References were not followed to the end of a very long chain."] = None

    def _first_queries(self) -> Iterator[ThreadQuery]:
        links = self.start.links
        if self.by_thread_id:
            yield thread_id_query(self.session, self.start.row.thread_id)
        if links.date is not None and len(links.base_subject) >= _SUBJECT_CHARS_MIN:
            yield subject_query(links.base_subject, links.date)

    def _look(self, queries: Sequence[ThreadQuery]) -> None:
        known: dict[str, Collection[int]] = {
            name: {
                ref.uid
                for ref in self.candidates
                if ref.account_id == self.account_id and ref.mailbox == name
            }
            for name in self.mailboxes
        }
        found = find_related(
            self.session, self.mailboxes, queries, items=self.items, known=known, keep=self._take_all
        )
        self._take_all(found)

    def _take_all(self, found: Mapping[str, Related | ToolError]) -> None:
        for name, result in found.items():
            if isinstance(result, ToolError):
                self.failed[name] = result
                del self.mailboxes[name]
            else:
                self._take(name, result)

    def _take(self, name: str, found: Related) -> None:
        self.mailboxes[name] = found.uidvalidity
        self.statements |= dict.fromkeys(found.statements)
        for uid, row in found.fetched.messages.items():
            ref = self._ref(name, found.uidvalidity, uid)
            self.candidates[ref] = _member(ref, row)
        for uid, failure in found.fetched.failures.items():
            if failure.code is not Code.NOT_FOUND:  # else it was deleted meanwhile
                self.issues.append(message_issue(self._ref(name, found.uidvalidity, uid), failure))

    def _ref(self, mailbox: str, uidvalidity: int, uid: int) -> MessageRef:
        return MessageRef(account_id=self.account_id, mailbox=mailbox, uidvalidity=uidvalidity, uid=uid)

    def _joined(self) -> list[Member]:
        candidates = list(self.candidates.values())
        return [
            candidates[index]
            for index in select_thread(self.start.links, [each.links for each in candidates])
        ]

    def found(self) -> FoundThread:
        """Return what was found so far."""
        members = {each.ref: each for each in [self.start, *self._joined()]}
        new = [
            each
            for ref, each in members.items()
            if ref not in self.known and ref.account_id == self.account_id
        ]
        folded = sorted(_fold(new, self.start.ref, self.uses), key=lambda each: each.place)
        if len(folded) > limits.THREAD_MESSAGES_MAX:
            self.statements[f"Only {limits.THREAD_MESSAGES_MAX} of its messages are shown."] = None
            # The first ones, or those up to the requested one.
            end = max(limits.THREAD_MESSAGES_MAX, self._number(folded))
            folded = folded[end - limits.THREAD_MESSAGES_MAX : end]
        others = [each for ref, each in self.candidates.items() if ref not in members]
        others = [
            replace(each, draft=is_draft(each.row, self.uses.get(each.ref.mailbox, ""))) for each in others
        ]
        by_ids = self.by_thread_id and self.session.quirks.allows(IDS)
        return FoundThread(
            members=folded,
            continuations=find_continuations([*members.values()], others),
            method=_HEADERS if not by_ids else f"the server's thread ids, {_HEADERS}",
            mailboxes=tuple(self.mailboxes),
            left_out=self.left_out,
            failed={(self.account_id, name): error for name, error in self.failed.items()},
            issues=tuple(self.issues),
            statements=tuple(self.statements),
            asked=frozenset(self.asked),
        )

    def _number(self, folded: Sequence[Member]) -> int:
        """Return the position of the requested message, from 1; it may be a copy of a shown one."""
        ref = self.start.ref
        own = (number for number, each in enumerate(folded, 1) if ref in each.refs)
        return next(own, 0)


def _places(mailboxes: Sequence[Mailbox], own: str, *, by_thread_id: bool) -> list[Mailbox]:
    """Choose the mailboxes to search: all but Junk and Trash, unless the message is there."""
    wanted = [each for each in mailboxes if each.is_usual or (each.selectable and each.name == own)]
    if not by_thread_id or all(each.special_use != "\\All" for each in wanted):
        return wanted
    # On Gmail, All Mail has the whole conversation.
    return [each for each in wanted if each.special_use == "\\All" or each.name == own]


def _member(ref: MessageRef, row: FetchedMessage) -> Member:
    headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
    return Member(
        ref=ref,
        row=row,
        headers=headers,
        # The server's ids are valid in one account.
        links=parse_thread_headers(headers, thread_id=row.thread_id and f"{ref.account_id} {row.thread_id}"),
    )


def _fold(members: Collection[Member], start: MessageRef, uses: Mapping[str, str]) -> Collection[Member]:
    """Merge the copies of each message into one: the requested one, else that in the first mailbox.

    Args:
        members: All messages, copies included.
        start: The requested message.
        uses: The special use of each mailbox, in their order.
    """
    drafts = {each.ref for each in members if is_draft(each.row, uses.get(each.ref.mailbox, ""))}
    rank = {name: number for number, name in enumerate(uses)}
    folded = Folded[str, Member]()
    for each in sorted(
        members,
        key=lambda each: (each.ref in drafts, each.ref != start, rank.get(each.ref.mailbox, -1)),
    ):
        folded.add(each.ref.mailbox, each, each.copy_keys)
    messages: list[Member] = []
    for first, *others in map(dict.values, folded.messages):
        # All Mail has drafts too, so a copy there proves nothing.
        sent = [each for each in (first, *others) if uses.get(each.ref.mailbox) != "\\All"] or [first]
        messages.append(replace(first.with_copies(others), draft=all(each.ref in drafts for each in sent)))
    return _join_drafts(messages)


def _join_drafts(messages: Sequence[Member]) -> Collection[Member]:
    """Make a draft a copy of the message that was sent, if a program left the draft behind.

    All Mail can have both. Strangers write no drafts, so headers and structure are enough to match it.
    """
    joined: dict[Hashable, Member] = {}
    for each in sorted(messages, key=lambda each: each.draft):
        headers = header_key(each.headers)
        key = (headers, each.row.body_structure) if headers else each.ref
        if each.draft and key in joined:
            joined[key] = joined[key].with_copies([each])
        else:
            joined[each.ref if each.draft or key in joined else key] = each
    return joined.values()
