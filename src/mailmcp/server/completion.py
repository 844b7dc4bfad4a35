"""Completes the arguments of resource templates, accounts and mailboxes, as the user types.

Values are the plain names: whoever expands the template percent-encodes them (RFC 6570).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

import anyio
from mcp.types import CompleteRequestParams, Completion, PromptReference, ResourceTemplateReference

from mailmcp import limits
from mailmcp.imap.mailboxes import list_mailboxes
from mailmcp.server.resource_lists import TEMPLATES
from mailmcp.tools.tool import Call
from mcp_envelope import BaseReason, InvalidInputError

_URI_TEMPLATES: Final = tuple(template.uri_template for template in TEMPLATES)
_ARGUMENTS: Final = ("account", "mailbox", "uidvalidity", "uid", "part_id")


@dataclass(slots=True)
class _MailboxNames:
    """The mailboxes of one account, as last listed."""

    names: tuple[str, ...] = ()
    expires: float = float("-inf")
    lock: anyio.Lock = field(default_factory=anyio.Lock)
    """Keystrokes that arrive during a LIST wait for its result."""


class Completions:
    """Completes arguments. Mailboxes are cached for a minute, so few keystrokes reach the mail server."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        """Begin with an empty cache; `clock` returns monotonic seconds."""
        self._clock = clock
        self._mailboxes_of: dict[str, _MailboxNames] = {}

    async def complete(self, params: CompleteRequestParams, call: Call) -> Completion:
        """Complete an argument of a template; numbers have no completions.

        What was typed may be any part of a value, in any case; "" is all values. Of the arguments that are
        known already, `account` is the one whose mailboxes to list.

        Raises:
            InvalidInputError: There is no such template or argument.
            ToolError: The mail server failed.
        """
        _check(params.ref, params.argument.name)
        known = (params.context.arguments if params.context else None) or {}
        return _choose(await self._values(params.argument.name, known, call), params.argument.value)

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


def _check(reference: ResourceTemplateReference | PromptReference, argument: str) -> None:
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
