"""imap_list_accounts: the configured accounts. It makes no connection."""

from pydantic import BaseModel

from mailmcp.tools.arguments import Arguments
from mailmcp.tools.names import LIST_ACCOUNTS, LIST_MAILBOXES
from mailmcp.tools.published import Row, Strings
from mailmcp.tools.tool import Call, MailTool
from mailmcp.wording import counted
from mcp_envelope import NextAction, Outcome, code
from mcp_envelope.markdown import escape


class ListAccountsArguments(Arguments):
    """No arguments."""


class AccountRow(Row):
    """One account. It shows no secrets, and no login name unless it is an address."""

    account_id: str
    addresses: Strings
    host: str
    port: int
    secure: bool


class ListAccountsData(BaseModel):
    """The accounts, in the order of the settings."""

    accounts: list[AccountRow]


async def list_accounts(_arguments: ListAccountsArguments, call: Call) -> Outcome[ListAccountsData]:
    """List the accounts from the settings."""
    rows = [
        AccountRow(
            account_id=each.account_id,
            addresses=list(call.preferences.owner_of(each.account_id).addresses),
            host=each.host,
            port=each.port,
            secure=each.secure,
        )
        for each in call.pool.accounts
    ]
    return Outcome(
        summary=counted(len(rows), "account"),
        data=ListAccountsData(accounts=rows),
        blocks=tuple(
            f"- {code(row.account_id)} {''.join(f'{escape(each)}, ' for each in row.addresses)}"
            f"{row.host}:{row.port} ({'TLS' if row.secure else 'plain text'})"
            for row in rows
        ),
        next_action=NextAction(
            instruction="List the mailboxes of an account.",
            tool=LIST_MAILBOXES,
            arguments={"account_id": rows[0].account_id},
        ),
    )


TOOL = MailTool(
    name=LIST_ACCOUNTS,
    title="List mail accounts",
    description="List the mail accounts, with their ids and addresses.",
    arguments=ListAccountsArguments,
    data=ListAccountsData,
    run=list_accounts,
    has_status=False,
    open_world=False,
)
