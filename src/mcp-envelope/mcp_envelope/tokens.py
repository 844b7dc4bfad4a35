"""Cursors and confirmations that need no memory: what they stand for is in them, behind a seal.

A seal is a checksum, which catches what a model copied wrongly, or with a key a signature, which nobody else
can make. Confirmations always have a key.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

from mcp_envelope.arguments import Arguments
from mcp_envelope.errors import BaseReason, ConfirmationRequired, ConflictError, InvalidInputError, NextAction

_CHECKSUM_DIGITS: Final = 8
"""One in four billion wrong copies passes."""

_SIGNATURE_DIGITS: Final = 32
"""128 bits."""


class Position(NamedTuple):
    """Where a page begins, in the server's own words, and what was asked for on the first page."""

    position: str
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursors:
    """Writes and reads the cursors of one tool. They are words and numbers, which models copy well."""

    tool: str
    """The tool that pages, for the next action of a cursor that has expired."""

    key: bytes = field(default=b"", repr=False)
    """Signs; empty for a checksum. The same on all replicas, and after a restart."""

    def write(
        self, position: str | int, *, revision: str | int = "", query: Mapping[str, object] | None = None
    ) -> str:
        """Write the cursor of the next page.

        Args:
            position: Where it begins.
            revision: Whatever makes positions wrong when it changes; "" if nothing does.
            query: The arguments that chose the list, to go on with the same.
        """
        text = urlencode([("at", position), ("revision", revision), *(query or {}).items()])
        return f"{text}~{_seal(text, self.key)}"

    def read(self, cursor: str, *, revision: str | int = "") -> Position:
        """Read a cursor; `revision` is today's.

        Raises:
            InvalidInputError: It isn't one of this tool.
            ConflictError: It is of another revision. The next action starts again with the same query.
        """
        text, _, seal = cursor.rpartition("~")
        if not hmac.compare_digest(seal.encode(), _seal(text, self.key).encode()):
            message = "is not a cursor of this tool. Copy it exactly from the reply, or start without one."
            raise InvalidInputError.of("cursor", BaseReason.CURSOR_MALFORMED, message)
        (_, position), (_, written), *pairs = parse_qsl(text, keep_blank_values=True)
        if written != str(revision):
            raise ConflictError(
                "The list has changed since this cursor was made.",
                reason=BaseReason.CURSOR_EXPIRED,
                next_action=NextAction(instruction="Start again.", tool=self.tool, arguments=dict(pairs)),
            )
        return Position(position, dict(pairs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmations:
    """Asks for confirmations, and recognizes them. A tool that uses it takes an argument `confirm`."""

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """Signs. The same on all replicas; by default new in each process."""

    def require(self, tool: str, arguments: Arguments, plan: str) -> None:
        """Return if the caller has confirmed this plan, for these arguments.

        Args:
            tool: The tool that is called.
            arguments: With `confirm`, "" before the confirmation.
            plan: What would be done, counted and named again in each call, so that a confirmed plan that has
                become another isn't carried out.

        Raises:
            ConfirmationRequired: They haven't yet.
            ConflictError: They have confirmed another plan.
        """
        given = arguments.model_dump(mode="json", exclude={"confirm"})
        token = _seal(json.dumps([tool, given, plan], sort_keys=True), self.key)
        confirmed = str(getattr(arguments, "confirm", ""))
        if not confirmed:
            raise ConfirmationRequired(plan, token)
        if not hmac.compare_digest(confirmed.encode(), token.encode()):
            again = NextAction(instruction="Ask again.", tool=tool, arguments=given)
            message = "What was confirmed isn't what would be done now."
            raise ConflictError(message, reason=BaseReason.PLAN_CHANGED, next_action=again)


def _seal(text: str, key: bytes) -> str:
    if not key:
        return hashlib.sha256(text.encode()).hexdigest()[:_CHECKSUM_DIGITS]
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:_SIGNATURE_DIGITS]
