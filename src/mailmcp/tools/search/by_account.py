"""What a search means in one account: who its owner is, and to whom the owner has written."""

from dataclasses import dataclass, replace

from mailmcp.imap.search.page import MailboxPage
from mailmcp.model.mail_kind import MailKind
from mailmcp.model.query import SearchQuery
from mailmcp.tools.correspondents import learn_correspondents
from mailmcp.tools.tool import Call


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountQuery:
    """The query of a search for one account."""

    query: SearchQuery
    statement: str = ""
    """Sentence: what it rests on; "" if it rests on nothing else."""

    complete: bool = True
    """False if it may miss matches."""

    def qualify(self, page: MailboxPage) -> MailboxPage:
        """Add to a page what its query rests on."""
        if not self.statement:
            return page
        statements = (*page.statements, self.statement)
        return replace(page, statements=statements, complete=page.complete and self.complete)


async def ask_in_account(call: Call, query: SearchQuery, account_id: str, *, deadline: float) -> AccountQuery:
    """Complete a query for one account. Round trips only for correspondents, see `learn_correspondents`.

    Raises:
        ToolError: The correspondents can't be learned.
    """
    if query.kind is None:
        return AccountQuery(query=query)
    own = frozenset(each.lower() for each in call.preferences.owner_of(account_id).addresses)
    if query.kind.kind is not MailKind.CORRESPONDENT:
        return AccountQuery(query=replace(query, kind=replace(query.kind, own=tuple(sorted(own)))))
    known = call.correspondents.get(account_id)
    learned = await call.ask(
        lambda session: learn_correspondents(session, "kind", known), account_id=account_id, deadline=deadline
    )
    call.correspondents[account_id] = learned
    written_to = tuple(sorted(learned.addresses - own))
    return AccountQuery(
        query=replace(query, kind=replace(query.kind, written_to=written_to)),
        statement=learned.statement,
        complete=learned.is_whole,
    )
