"""Cursors and confirmations that need no memory: what they stand for is in them, behind a seal.

A seal is a checksum, which catches what a model copied wrongly, or with a key a signature, which nobody else
can make. Confirmations always have a key.
"""

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlencode

from mcp_envelope.arguments import Arguments, ArgumentsT, read_arguments
from mcp_envelope.errors import BaseReason, ConfirmationRequired, ConflictError, InvalidInputError, NextAction

_CHECKSUM_DIGITS: Final = 8
"""One in four billion wrong copies passes."""

_SIGNATURE_DIGITS: Final = 32
"""128 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursors:
    """Writes and reads the cursors of one tool. They are words and numbers, which models copy well."""

    tool: str
    """The tool that pages, for the next action of a cursor that has expired."""

    key: bytes = field(default=b"", repr=False)
    """Signs; empty for a checksum. The same on all replicas, and after a restart."""

    def write(self, position: str | int, arguments: Arguments, *, revision: str | int = "") -> str:
        """Write the cursor of the next page.

        Args:
            position: Where it begins.
            arguments: Those of this page: the next one goes on with the same.
            revision: Whatever makes positions wrong when it changes; "" if nothing does.
        """
        query = _asked(arguments)
        pairs = {key: each if isinstance(each, str) else json.dumps(each) for key, each in query.items()}
        text = urlencode([("at", position), ("revision", revision), *pairs.items()])
        return f"{text}~{_seal(text, self.key)}"

    def read(self, arguments: ArgumentsT, *, revision: str | int = "") -> tuple[str, ArgumentsT]:
        """Read where the page begins, and the arguments that chose its list.

        Args:
            arguments: As sent. Without a `cursor`, they are returned with "" for the beginning.
            revision: Today's.

        Raises:
            InvalidInputError: It isn't a cursor of this tool.
            ConflictError: It is of another revision. The next action starts again with the same arguments.
        """
        cursor = str(getattr(arguments, "cursor", ""))
        if not cursor:
            return "", arguments
        text, _, seal = cursor.rpartition("~")
        if not hmac.compare_digest(seal.encode(), _seal(text, self.key).encode()):
            message = "is not a cursor of this tool. Copy it exactly from the reply, or start without one."
            raise InvalidInputError.of("cursor", BaseReason.CURSOR_MALFORMED, message)
        (_, position), (_, written), *pairs = parse_qsl(text, keep_blank_values=True)
        query = read_arguments(type(arguments), dict(pairs))
        if written != str(revision):
            raise ConflictError(
                "The list has changed since this cursor was made.",
                reason=BaseReason.CURSOR_EXPIRED,
                next_action=NextAction(instruction="Start again.", tool=self.tool, arguments=_asked(query)),
            )
        return position, query


def _asked(arguments: Arguments) -> dict[str, object]:
    """Return what was asked for, as JSON values, without a cursor or a confirmation."""
    return arguments.model_dump(
        mode="json", by_alias=True, exclude={"cursor", "confirm"}, exclude_defaults=True
    )


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
            InvalidInputError: `confirm` isn't a token.
            ConflictError: They have confirmed another plan.
        """
        given = _asked(arguments)
        token = _seal(json.dumps([tool, given, plan], sort_keys=True), self.key)
        confirmed = str(getattr(arguments, "confirm", ""))
        if not confirmed:
            raise ConfirmationRequired(plan, token)
        again = NextAction(instruction="Ask again.", tool=tool, arguments=given)
        if not re.fullmatch(rf"[0-9a-f]{{{_SIGNATURE_DIGITS}}}", confirmed):
            message = "is not a confirmation. Send the same call without it, and the reply says what to send."
            raise InvalidInputError.of("confirm", BaseReason.INVALID_VALUE, message, next_action=again)
        if not hmac.compare_digest(confirmed, token):
            message = "What was confirmed isn't what would be done now."
            raise ConflictError(message, reason=BaseReason.PLAN_CHANGED, next_action=again)


def _seal(text: str, key: bytes) -> str:
    if not key:
        return hashlib.sha256(text.encode()).hexdigest()[:_CHECKSUM_DIGITS]
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:_SIGNATURE_DIGITS]
