"""The six error codes, the reasons of the library's own errors, and the exceptions that carry both.

A code says what the caller can do about a failure, so programs branch on it. A reason is finer, for reading
and logging: each server has an enumeration of its own, which may grow.

    ToolError
     ├─ InvalidInputError   invalid_input   change the request
     ├─ NotFoundError       not_found       the thing isn't there
     ├─ AuthFailedError     auth_failed     a person must act: sign in, grant access, confirm
     ├─ DeadlineError       timeout         a deadline passed
     ├─ ConflictError       conflict        what an id or a cursor referred to has changed
     └─ InternalError       internal        everything else
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Self


class Code(StrEnum):
    """What the caller can do about a failure; stable for as long as the version in `meta` is."""

    INVALID_INPUT = "invalid_input"
    NOT_FOUND = "not_found"
    AUTH_FAILED = "auth_failed"
    TIMEOUT = "timeout"
    CONFLICT = "conflict"
    INTERNAL = "internal"


class BaseReason(StrEnum):
    """The library's own reasons. Servers define theirs in an enumeration of their own."""

    # invalid_input
    MISSING_PARAM = "missing_param"
    INVALID_TYPE = "invalid_type"
    UNKNOWN_PARAM = "unknown_param"
    OUT_OF_RANGE = "out_of_range"
    INVALID_VALUE = "invalid_value"
    EXCLUSIVE_PARAMS = "exclusive_params"
    FORBIDDEN_CHARACTER = "forbidden_character"
    CURSOR_MALFORMED = "cursor_malformed"
    # auth_failed
    CONFIRMATION_REQUIRED = "confirmation_required"
    DECLINED = "declined"
    # timeout
    DEADLINE = "deadline"
    # conflict
    CURSOR_EXPIRED = "cursor_expired"
    PLAN_CHANGED = "plan_changed"
    CONFIRMATION_EXPIRED = "confirmation_expired"
    CONFIRMATION_USED = "confirmation_used"
    # internal
    UNEXPECTED = "unexpected"


@dataclass(frozen=True, slots=True, kw_only=True)
class NextAction:
    """The next call to make: `tool` with `arguments` as they are."""

    instruction: str
    """One sentence for the model, in the server's own words."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """How soon the caller may try again. What isn't known is None."""

    retry_after_s: int | None = None
    """Seconds from now, from 0."""

    limit: int | None = None
    """Requests allowed in the current window."""

    remaining: int | None = None
    """Requests left in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """The thing an error is about, for programs: `Resource(type="ticket", id="T-7")`."""

    type: str
    id: str


class ToolError(Exception):
    """Base of every failure that is reported to the caller. Raise one of the six subclasses.

    The message is a sentence for the model and the user: what was wrong, and what to send or do instead. It
    never contains a secret. Other people's text, such as another server's error message, is in it only as
    `quote` writes it.
    """

    code: ClassVar[Code]

    def __init__(
        self,
        message: str,
        *,
        reason: StrEnum,
        retryable: bool | None = None,
        details: Mapping[str, object] | None = None,
        next_action: NextAction | None = None,
        resource: Resource | None = None,
        rate_limit: RateLimit | None = None,
    ) -> None:
        """Build a complete error; don't change it after it is raised.

        Args:
            message: One or more sentences; not empty.
            reason: A member of the server's own enumeration of reasons.
            retryable: Whether the same request can succeed later. Default: only after a deadline.
            details: Facts for programs, under the server's own names.
            next_action: What to send instead.
            resource: The thing that is missing or has changed.
            rate_limit: When to try again, if that is known.
        """
        super().__init__(message)
        if not message.strip():
            raise ValueError(f"{type(self).__name__} needs a message")
        if not isinstance(reason, StrEnum):
            raise TypeError(f"the reason of {type(self).__name__} must be a member of a StrEnum")
        self.message = message
        self.reason = reason
        self.retryable = self.code is Code.TIMEOUT if retryable is None else retryable
        self.details: dict[str, object] = dict(details or {})
        self.next_action = next_action
        self.resource = resource
        self.rate_limit = rate_limit

    def replace(
        self,
        *,
        message: str | None = None,
        details: Mapping[str, object] | None = None,
        next_action: NextAction | None = None,
    ) -> Self:
        """Build the same error with another message, other details or another next action."""
        error = type(self).__new__(type(self))
        changed = {"message": message, "details": details, "next_action": next_action}
        error.__dict__.update(self.__dict__ | {key: new for key, new in changed.items() if new is not None})
        error.args = (error.message,)
        return error


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a request."""

    field: str
    """Name of the argument."""

    reason: StrEnum
    message: str
    """What was wrong and what to send instead. It doesn't repeat the value that was sent."""


class InvalidInputError(ToolError):
    """The request must change; sending it again as it is can't succeed."""

    code = Code.INVALID_INPUT

    def __init__(self, problems: Sequence[Problem], *, next_action: NextAction | None = None) -> None:
        """Report every problem at once; the first one gives the reason."""
        self.problems = tuple(problems)
        super().__init__(
            " ".join(f"{each.field}: {each.message}" for each in problems),
            reason=problems[0].reason,
            details={"problems": [{"field": each.field, "reason": each.reason.value} for each in problems]},
            next_action=next_action,
        )

    @classmethod
    def of(
        cls, field: str, reason: StrEnum, message: str, *, next_action: NextAction | None = None
    ) -> "InvalidInputError":
        """Build the error of a single problem."""
        return cls([Problem(field=field, reason=reason, message=message)], next_action=next_action)


class NotFoundError(ToolError):
    """The requested thing doesn't exist."""

    code = Code.NOT_FOUND


class AuthFailedError(ToolError):
    """A person must act: sign-in was refused, there are no credentials, or a right is missing."""

    code = Code.AUTH_FAILED


class DeadlineError(ToolError):
    """A deadline passed; the same call may succeed later, unless `retryable` is false."""

    code = Code.TIMEOUT


class ConflictError(ToolError):
    """What the caller's ids or cursors refer to has changed: the same call can never succeed.

    `next_action` starts again.
    """

    code = Code.CONFLICT


class ConfirmationRequired(AuthFailedError):  # noqa: N818 - nothing has failed: a person has to agree first
    """Nothing was done yet: a person must agree to the plan. See `mcp_envelope.tokens.Confirmations`.

    Where the client can ask its user, the library does, and runs the tool again with the token. Elsewhere the
    reply shows the plan, and its next action is the same call with the token as the argument `confirm`.
    """

    def __init__(self, plan: str, token: str) -> None:
        """Ask for a confirmation.

        Args:
            plan: What would be done, in sentences or lines that a person can decide on.
            token: Proves, as `confirm`, that this very plan was shown.
        """
        reason, line = BaseReason.CONFIRMATION_REQUIRED, " ".join(plan.splitlines())
        super().__init__(f"Confirm first: {line}", reason=reason, details={"plan": plan})
        self.plan = plan
        self.token = token


class InternalError(ToolError):
    """Any other failure: of a connection, of the system behind the tools, or of the tools."""

    code = Code.INTERNAL
