"""The beginnings of the texts of a page's messages, fetched once it is known which ones are shown."""

from collections.abc import Mapping, Sequence

import anyio

from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.imap.thread import TextRequest, fetch_texts
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.evidence import SearchTerms
from mailmcp.tools.rows import row_items
from mailmcp.tools.search.page import PageMessage
from mailmcp.tools.tool import Call
from mcp_envelope import ToolError


async def fetch_snippets(
    call: Call, page: Sequence[PageMessage], terms: SearchTerms
) -> Mapping[MessageRef, FetchedMessage]:
    """Fetch what is shown of the texts of a page's messages, and of no others; one round trip an account.

    Messages whose text can't be fetched are missing from the result: their rows do without it.
    """
    choose_items = row_items(snippets=True, terms=terms)
    by_account: dict[str, dict[str, list[PageMessage]]] = {}
    for each in page:
        mailboxes = by_account.setdefault(each.ref.account_id, {})
        mailboxes.setdefault(each.ref.mailbox, []).append(each)
    texts: dict[MessageRef, FetchedMessage] = {}

    async def fetch(account_id: str, mailboxes: Mapping[str, Sequence[PageMessage]]) -> None:
        def wanted(session: Session) -> dict[str, TextRequest]:
            items = choose_items(session)
            return {
                name: TextRequest(
                    uidvalidity=found[0].ref.uidvalidity, jobs=(([each.ref.uid for each in found], items),)
                )
                for name, found in mailboxes.items()
            }

        try:
            results = await call.ask(
                lambda session: fetch_texts(session, wanted(session)),
                mailbox=next(iter(mailboxes)),
                account_id=account_id,
            )
        except ToolError:
            return  # the page stands without: it was had, and a snippet is an extra
        for name, found in mailboxes.items():
            fetched = results[name]
            if not isinstance(fetched, ToolError):
                [rows] = [each.messages for each in fetched]
                texts.update((each.ref, rows[each.ref.uid]) for each in found if each.ref.uid in rows)

    async with anyio.create_task_group() as tasks:
        for account_id, mailboxes in by_account.items():
            tasks.start_soon(fetch, account_id, mailboxes)
    return texts
