"""Completes the arguments of resource templates, accounts and mailboxes, as the user types.

Values are the plain names: whoever expands the template percent-encodes them (RFC 6570).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import anyio
from mcp.types import CompleteRequestParams, Completion, ResourceTemplateReference

from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.server.resources import TEMPLATES
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, InvalidInputError

COMPLETIONS_MAX: Final = 100
"""Values in one reply to completion/complete: the protocol's own limit."""

MAILBOX_NAMES_TTL_S: Final = 60.0
"""One LIST serves all keystrokes of an argument."""

_URI_TEMPLATES: Final = tuple(template.uri_template for template in TEMPLATES)


class Completions:
    """Completes arguments. Mailboxes are cached for a minute, so few keystrokes reach the mail server."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        """Begin with an empty cache; `clock` returns monotonic seconds."""
        self._clock = clock
        self._listed: dict[str, tuple[float, Sequence[str]]] = {}
        self._lock = anyio.Lock()  # keystrokes that arrive during a LIST wait for its result

    async def complete(self, params: CompleteRequestParams, call: Call) -> Completion:
        """Complete an argument of a template; numbers have no completions.

        What was typed may be any part of a value, in any case; "" is all values. Of the arguments that are
        known already, `account` is the one whose mailboxes to list.

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
        matches = [each for each in await self._values(argument, known, call) if typed in each.casefold()]
        matches.sort(key=lambda value: not value.casefold().startswith(typed))
        return Completion(
            values=matches[:COMPLETIONS_MAX], total=len(matches), has_more=len(matches) > COMPLETIONS_MAX
        )

    async def _values(self, argument: str, known: Mapping[str, str], call: Call) -> Sequence[str]:
        accounts = [account.account_id for account in call.pool.accounts]
        if argument == "account":
            return accounts
        account_id = known.get("account", "")
        if argument != "mailbox" or not (account_id or len(accounts) == 1):
            return ()
        account_id = call.choose_account(account_id).account_id
        async with self._lock:
            expires, names = self._listed.get(account_id, (self._clock(), ()))
            if expires <= self._clock():
                names = [each.name for each in await call.ask(list_mailboxes) if each.selectable]
                self._listed[account_id] = (self._clock() + MAILBOX_NAMES_TTL_S, names)
        return names
