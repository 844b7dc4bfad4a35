"""Completion of the arguments of resource templates: accounts and mailboxes, while somebody types.

Values are names as they are: whoever expands the template percent-encodes them, as RFC 6570 has it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import anyio
from mcp.shared.exceptions import MCPError
from mcp.types import Completion, ErrorData, PromptReference, ResourceTemplateReference

from mailmcp import limits
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.server.mail_calls import MailCalls
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
class _Names:
    """The mailboxes of one account, as they were last listed."""

    names: tuple[str, ...] = ()
    good_until: float = float("-inf")
    """On the clock of the completions."""

    lock: anyio.Lock = field(default_factory=anyio.Lock)
    """So that keystrokes which come while the server is asked wait for one answer."""


class Completions:
    """Completes; remembers mailboxes for a minute, so that not every keystroke asks the mail server."""

    def __init__(self, calls: Calls[Call], mail: MailCalls, *, clock: Callable[[], float]) -> None:
        """Ask by `calls`; `clock` gives seconds that never run backwards."""
        self._calls = calls
        self._mail = mail
        self._clock = clock
        self._listed: dict[str, _Names] = {}

    async def complete(
        self,
        reference: Reference,
        argument: str,
        typed: str,
        *,
        known: Mapping[str, str],
        trace: Trace | None = None,
    ) -> Completion:
        """Complete what was typed of an argument; numbers have no completions.

        Args:
            reference: One of the templates.
            argument: A name in it.
            typed: Any part of a value, in any case; "" for all values.
            known: Values of other arguments: mailboxes are those of `account`.
            trace: The caller's.

        Raises:
            MCPError: There is no such template or argument, or the mail server cannot be asked.
        """

        async def work(call: Request) -> Completion:
            _check(reference, argument)
            with self._mail.open(call) as opened:
                return _choose(await self._values(argument, known, opened), typed)

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
        listed = self._listed.setdefault(account_id, _Names())
        async with listed.lock:
            if listed.good_until > self._clock():
                return listed.names
            mailboxes = await call.ask(list_mailboxes)
            listed.names = tuple(each.name for each in mailboxes if each.selectable)
            listed.good_until = self._clock() + limits.MAILBOX_NAMES_TTL_S
            return listed.names


def _check(reference: Reference, argument: str) -> None:
    if not isinstance(reference, ResourceTemplateReference) or reference.uri not in _URI_TEMPLATES:
        raise InvalidInputError.of(
            "ref",
            BaseReason.INVALID_VALUE,
            f"is none of the templates. Send ref/resource with one of: {', '.join(_URI_TEMPLATES)}.",
        )
    if argument not in _ARGUMENTS or f"{{{argument}}}" not in reference.uri:
        names = ", ".join(each for each in _ARGUMENTS if f"{{{each}}}" in reference.uri)
        raise InvalidInputError.of(
            "argument", BaseReason.INVALID_VALUE, f"is not in this template. Send one of: {names}."
        )


def _choose(values: Iterable[str], typed: str) -> Completion:
    """Choose the values that begin with what was typed, then those that hold it elsewhere."""
    wanted = typed.casefold()
    holding = [value for value in values if wanted in value.casefold()]
    holding.sort(key=lambda value: not value.casefold().startswith(wanted))
    return Completion(
        values=holding[: limits.COMPLETIONS_MAX],
        total=len(holding),
        has_more=len(holding) > limits.COMPLETIONS_MAX,
    )
