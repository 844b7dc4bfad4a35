"""Cursors and confirmations: what they stand for is in them, behind a seal.

A seal is a checksum, which catches what a model copied wrongly, or with a key a signature, which nobody else
can make. Confirmations always have a key. All that is remembered is which of them were used.
"""

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, Protocol
from urllib.parse import parse_qsl, urlencode

from typing_extensions import override

from mcp_envelope.arguments import Arguments, ArgumentsT, read_arguments
from mcp_envelope.errors import BaseReason, ConfirmationRequired, ConflictError, InvalidInputError, NextAction

_CHECKSUM_DIGITS: Final = 8
"""One in four billion wrong copies passes."""

_SIGNATURE_DIGITS: Final = 32
"""128 bits."""

_DIGEST_DIGITS: Final = 16
"""64 bits of a signature: enough to tell what was confirmed from anything else."""

_KIND: Final = "confirm "
"""Sealed with a confirmation, so that a cursor of the same key isn't one."""

CONFIRMED_FOR_S: Final = 600.0
"""Ten minutes: time to read a plan, short enough that it still holds."""

_MARGIN_S: Final = 60.0
"""How much longer a used token is remembered: replicas' clocks differ, and calls may be slow."""


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


class ConfirmationStore(Protocol):
    """What confirmations need to be kept somewhere: in the process, or where all replicas see it."""

    def keys(self) -> Sequence[bytes]:
        """Return the keys that count, none of them empty; the first one signs."""

    def spend(self, token: str, until: float, /) -> bool:
        """Remember a token until a Unix time, and return whether it was new, in one step."""


class InProcess(ConfirmationStore):
    """Keeps it in this process, whose end makes all confirmations void."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """Start with a new key, and no token used; `clock` returns the Unix time."""
        self._clock, self._lock, self._key = clock, Lock(), secrets.token_bytes(32)
        self._until: dict[str, float] = {}

    @override
    def keys(self) -> Sequence[bytes]:
        return (self._key,)

    @override
    def spend(self, token: str, until: float, /) -> bool:
        """Remember a token, forget those whose time is over, and return whether it was new."""
        with self._lock:
            now = self._clock()
            self._until = {each: end for each, end in self._until.items() if end > now}
            if token in self._until:
                return False
            self._until[token] = until
            return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmations:
    """Asks for confirmations, and accepts each once. A tool that uses it takes an argument `confirm`."""

    store: ConfirmationStore = field(default_factory=InProcess, repr=False)
    """The same for all replicas; by default this process alone."""

    clock: Callable[[], float] = field(default=time.time, repr=False)
    """Returns the Unix time."""

    def require(self, tool: str, arguments: Arguments, plan: str, *, bound: object = "") -> None:
        """Return if the caller has confirmed this plan, for these arguments, within ten minutes.

        The confirmation is used up when this returns: check first whatever may still refuse the call.

        Args:
            tool: The tool that is called.
            arguments: With `confirm`, "" before the confirmation.
            plan: What would be done, counted and named again in each call, so that a confirmed plan that has
                become another isn't carried out.
            bound: What else mustn't change but needn't be read, such as ids; a JSON value.

        Raises:
            ConfirmationRequired: They haven't yet.
            InvalidInputError: `confirm` isn't a token.
            ConflictError: What they have confirmed is something else, too old, or was done already.
        """
        given, keys = _asked(arguments), self.store.keys()
        asked = json.dumps([tool, given, plan, bound], sort_keys=True)
        confirmed = str(getattr(arguments, "confirm", ""))
        if not confirmed:
            text = f"{round(self.clock() * 1_000_000):x}-{_seal(asked, keys[0])[:_DIGEST_DIGITS]}"
            raise ConfirmationRequired(plan, f"{text}-{_seal(_KIND + text, keys[0])}")
        again = NextAction(instruction="Ask again.", tool=tool, arguments=given)
        text, _, seal = confirmed.rpartition("-")
        sealed = (
            each for each in keys if hmac.compare_digest(seal.encode(), _seal(_KIND + text, each).encode())
        )
        if (key := next(sealed, None)) is None:
            message = "is not a confirmation. Send the same call without it, and the reply says what to send."
            raise InvalidInputError.of("confirm", BaseReason.INVALID_VALUE, message, next_action=again)
        made, _, agreed = text.partition("-")
        expires = int(made, 16) / 1_000_000 + CONFIRMED_FOR_S
        if self.clock() >= expires:
            reason = BaseReason.CONFIRMATION_EXPIRED
            message = "Nothing was done: the confirmation is more than ten minutes old."
        elif agreed != _seal(asked, key)[:_DIGEST_DIGITS]:
            reason = BaseReason.PLAN_CHANGED
            now = " ".join(plan.splitlines())
            message = f"Nothing was done: this isn't what was confirmed. It would now be: {now}"
        elif not self.store.spend(confirmed, expires + _MARGIN_S):
            reason = BaseReason.CONFIRMATION_USED
            message = "The confirmation was used already. Look what was done before you ask again."
        else:
            return
        raise ConflictError(message, reason=reason, details={"plan": plan}, next_action=again)


def _seal(text: str, key: bytes) -> str:
    if not key:
        return hashlib.sha256(text.encode()).hexdigest()[:_CHECKSUM_DIGITS]
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:_SIGNATURE_DIGITS]
