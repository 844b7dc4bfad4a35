"""Completes the arguments of resource templates, accounts and mailboxes, as the user types.

Values are the plain names: whoever expands the template percent-encodes them (RFC 6570).
"""

from collections.abc import Sequence
from typing import Final

from mcp.types import CompleteRequestParams, CompleteResult, Completion, ResourceTemplateReference

from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.server.resources import TEMPLATES, rpc_error
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, InvalidInputError, ToolError
from mcp_envelope.server import Call as Request

COMPLETIONS_MAX: Final = 100
"""Values in one reply to completion/complete: the protocol's own limit."""

_URI_TEMPLATES: Final = tuple(template.uri_template for template in TEMPLATES)


async def complete(params: CompleteRequestParams, call: Call) -> Completion:
    """Complete an argument of a template; numbers have no completions.

    What was typed may be any part of a value, in any case; "" is all values. Of the arguments that are known
    already, `account` is the one whose mailboxes to list: one round trip.

    Raises:
        InvalidInputError: There is no such template or argument.
        ToolError: The mail server failed.
    """
    argument, typed = params.argument.name, params.argument.value.casefold()
    if not isinstance(params.ref, ResourceTemplateReference) or params.ref.uri not in _URI_TEMPLATES:
        message = f"must be ref/resource with one of these templates: {', '.join(_URI_TEMPLATES)}."
        raise InvalidInputError.of("ref", BaseReason.INVALID_VALUE, message)
    if f"{{{argument}}}" not in params.ref.uri:
        message = f"is not in {params.ref.uri}. Send one that is."
        raise InvalidInputError.of("argument", BaseReason.INVALID_VALUE, message)
    known = (params.context.arguments if params.context else None) or {}
    values = await _list_values(argument, known.get("account", ""), call)
    matches = [value for value in values if typed in value.casefold()]
    matches.sort(key=lambda value: not value.casefold().startswith(typed))
    shown = matches[:COMPLETIONS_MAX]
    return Completion(values=shown, total=len(matches), has_more=len(matches) > len(shown))


async def _list_values(argument: str, account_id: str, call: Call) -> Sequence[str]:
    accounts = [account.account_id for account in call.pool.accounts]
    if argument == "account":
        return accounts
    if argument != "mailbox" or not (account_id or len(accounts) == 1):
        return ()
    call.choose_account(account_id)
    return [each.name for each in await call.ask(list_mailboxes) if each.selectable]


def make_reply(found: Completion | ToolError, request: Request) -> CompleteResult:
    """Format completions.

    Raises:
        MCPError: It is a failure.
    """
    if isinstance(found, ToolError):
        raise rpc_error(found, request_id=request.request_id)
    return CompleteResult(completion=found)
