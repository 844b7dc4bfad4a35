"""imap_list_accounts: the accounts of the settings. No connection is made."""

from pydantic import BaseModel

from mailmcp.envelope.errors import NextAction
from mailmcp.envelope.markdown import code
from mailmcp.envelope.outcome import Outcome
from mailmcp.tools.arguments import Arguments
from mailmcp.tools.tool import Call, Tool


class ListAccountsArguments(Arguments):
    """Takes nothing."""


class AccountRow(BaseModel):
    """One account; no user name and no secret."""

    account_id: str
    host: str
    port: int
    secure: bool


class ListAccountsData(BaseModel):
    """The accounts in the order of the settings."""

    accounts: list[AccountRow]


async def list_accounts(_arguments: ListAccountsArguments, call: Call) -> Outcome[ListAccountsData]:
    """List the accounts; answers from the settings."""
    rows = [
        AccountRow(account_id=each.account_id, host=each.host, port=each.port, secure=each.secure)
        for each in call.pool.accounts
    ]
    count = len(rows)
    return Outcome(
        summary=f"{count} account{'' if count == 1 else 's'}",
        data=ListAccountsData(accounts=rows),
        blocks=tuple(
            f"- {code(row.account_id)} {row.host}:{row.port} ({'TLS' if row.secure else 'plain text'})"
            for row in rows
        ),
        talked_to_server=False,
        next_action=NextAction(
            instruction="List the mailboxes of an account.",
            tool="imap_list_mailboxes",
            arguments={"account_id": rows[0].account_id},
        ),
    )


TOOL = Tool(
    name="imap_list_accounts",
    title="List mail accounts",
    description="List the configured mail accounts. Call it first when you do not know the account_id.",
    arguments=ListAccountsArguments,
    data=ListAccountsData,
    run=list_accounts,
    talks_to_server=False,
)
