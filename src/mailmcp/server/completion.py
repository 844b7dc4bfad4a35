"""Completes the arguments of resource templates, accounts and mailboxes, as the user types.

Values are the plain names: whoever expands the template percent-encodes them (RFC 6570).
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Final

import anyio
from mcp.shared.exceptions import MCPError
from mcp.types import Completion, ErrorData, PromptReference, ResourceTemplateReference

from mailmcp import limits
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.server.resource_lists import TEMPLATES
from mailmcp.server.rpc_error import rpc_error
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, InvalidInputError, ToolError, Trace
from mcp_envelope.server.calls import Call as Request
from mcp_envelope.server.calls import Calls

_URI_TEMPLATES: Final = tuple(template.uri_template for template in TEMPLATES)
_ARGUMENTS: Final = ("account", "mailbox", "uidvalidity", "uid", "part_id")

Reference = ResourceTemplateReference | PromptReference


@dataclass(slots=True)
class _MailboxNames:
    """The mailboxes of one account, as last listed."""

    names: tuple[str, ...] = ()
    expires: float = float("-inf")
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    """Keystrokes that arrive during a LIST wait for its result."""


class Completions:
    """Completes arguments. Mailboxes are cached for a minute, so few keystrokes reach the mail server."""

    def __init__(
        self,
        calls: Calls[Call],
        open_call: Callable[[Request], AbstractContextManager[Call]],
        *,
        clock: Callable[[], float],
    ) -> None:
        """Run requests with `calls`; `clock` returns monotonic seconds."""
        self._calls = calls
        self._open_call = open_call
        self._clock = clock
        self._mailboxes_of: dict[str, _MailboxNames] = {}

    async def complete(
        self,
        reference: Reference,
        argument: str,
        typed: str,
        *,
        known: Mapping[str, str],
        trace: Trace | None = None,
    ) -> Completion:
        """Complete an argument; numbers have no completions.

        Args:
            reference: One of the templates.
            argument: The name of an argument in it.
            typed: Any part of a value, in any case; "" for all values.
            known: The values of other arguments; `account` is the one whose mailboxes to list.
            trace: The caller's.

        Raises:
            MCPError: There is no such template or argument, or the mail server failed.
        """

        async def work(request: Request) -> Completion:
            _check(reference, argument)
            with self._open_call(request) as call:
                return _choose(await self._values(argument, known, call), typed)

        def reply(result: Completion | ToolError, request: Request) -> Completion | ErrorData:
            if isinstance(result, ToolError):
                return rpc_error(result, request_id=request.request_id)
            return result

        replied = await self._calls.answer("completion/complete", work, reply, trace=trace)
        if isinstance(replied, ErrorData):
            raise MCPError.from_error_data(replied)
        return replied

    async def _values(self, argument: str, known: Mapping[str, str], call: Call) -> Iterable[str]:
        accounts = [account.account_id for account in call.pool.accounts]
        if argument == "account":
            return accounts
        account_id = known.get("account", "")
        if argument != "mailbox" or not (account_id or len(accounts) == 1):
            return ()
        return await self._mailboxes(call.choose_account(account_id).account_id, call)

    async def _mailboxes(self, account_id: str, call: Call) -> tuple[str, ...]:
        known = self._mailboxes_of.setdefault(account_id, _MailboxNames())
        async with known.lock:
            if known.expires <= self._clock():
                mailboxes = await call.ask(list_mailboxes)
                known.names = tuple(each.name for each in mailboxes if each.selectable)
                known.expires = self._clock() + limits.MAILBOX_NAMES_TTL_S
            return known.names


def _check(reference: Reference, argument: str) -> None:
    if not isinstance(reference, ResourceTemplateReference) or reference.uri not in _URI_TEMPLATES:
        raise InvalidInputError.of(
            "ref",
            BaseReason.INVALID_VALUE,
            f"must be ref/resource with one of these templates: {', '.join(_URI_TEMPLATES)}.",
        )
    if argument not in _ARGUMENTS or f"{{{argument}}}" not in reference.uri:
        names = ", ".join(each for each in _ARGUMENTS if f"{{{each}}}" in reference.uri)
        raise InvalidInputError.of(
            "argument", BaseReason.INVALID_VALUE, f"is not in this template. Send one of: {names}."
        )


def _choose(values: Iterable[str], typed: str) -> Completion:
    """Choose the values that begin with what was typed, then those that contain it."""
    wanted = typed.casefold()
    matches = [value for value in values if wanted in value.casefold()]
    matches.sort(key=lambda value: not value.casefold().startswith(wanted))
    return Completion(
        values=matches[: limits.COMPLETIONS_MAX],
        total=len(matches),
        has_more=len(matches) > limits.COMPLETIONS_MAX,
    )
