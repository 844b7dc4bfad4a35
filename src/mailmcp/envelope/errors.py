"""The six error codes, their reasons, and the exceptions that carry them.

A code says what the caller can do about a failure, so programs branch on it; a
reason is finer, is for reading and logging, and the list of reasons may grow.

    MailError
     ├─ InvalidInputError   invalid_input   change the request
     ├─ NotFoundError       not_found       the thing is not there
     ├─ AuthFailedError     auth_failed     the account's login is refused
     ├─ DeadlineError       timeout         a deadline passed
     ├─ ConflictError       conflict        what an id stood for is another thing by now
     └─ InternalError       internal        everything else
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar


class Code(StrEnum):
    """What the caller can do about a failure; stable for as long as `meta.version` is."""

    INVALID_INPUT = "invalid_input"
    NOT_FOUND = "not_found"
    AUTH_FAILED = "auth_failed"
    TIMEOUT = "timeout"
    CONFLICT = "conflict"
    INTERNAL = "internal"


class Reason(StrEnum):
    """Why, within a code. Programs must accept values that are not listed here yet.

    Those of mailmcp. Wherever a reason is asked for, a server of another domain gives one of an
    enumeration of its own.
    """

    # invalid_input
    MISSING_PARAM = "missing_param"
    INVALID_TYPE = "invalid_type"
    UNKNOWN_PARAM = "unknown_param"
    OUT_OF_RANGE = "out_of_range"
    INVALID_VALUE = "invalid_value"
    EXCLUSIVE_PARAMS = "exclusive_params"
    FORBIDDEN_CHARACTER = "forbidden_character"
    CURSOR_MALFORMED = "cursor_malformed"
    CURSOR_MISMATCH = "cursor_mismatch"
    MALFORMED_ID = "malformed_id"
    CHARSET_REFUSED = "charset_refused"
    TOO_LARGE = "too_large"
    SWITCHED_OFF = "switched_off"
    # not_found
    ACCOUNT_UNKNOWN = "account_unknown"
    MAILBOX_MISSING = "mailbox_missing"
    MESSAGE_GONE = "message_gone"
    PART_MISSING = "part_missing"
    # auth_failed
    CREDENTIALS_REJECTED = "credentials_rejected"
    CREDENTIALS_EXPIRED = "credentials_expired"
    LOGIN_DISABLED = "login_disabled"
    BACKING_OFF = "backing_off"
    PASSWORD_UNAVAILABLE = "password_unavailable"  # noqa: S105 - a reason, not a secret
    # timeout
    CONNECT = "connect"
    GREETING = "greeting"
    COMMAND = "command"
    # conflict
    UIDVALIDITY_CHANGED = "uidvalidity_changed"
    # internal
    CONNECTION_LOST = "connection_lost"
    CONNECTION_REFUSED = "connection_refused"
    CONNECTION_LIMIT = "connection_limit"
    LOGIN_UNANSWERED = "login_unanswered"
    TLS_FAILED = "tls_failed"
    SERVER_REFUSED = "server_refused"
    PERMISSION_DENIED = "permission_denied"
    PROTOCOL_VIOLATION = "protocol_violation"
    SAVE_FAILED = "save_failed"
    UNEXPECTED = "unexpected"


@dataclass(frozen=True, slots=True, kw_only=True)
class NextAction:
    """The natural next call, complete: `tool` with `arguments` can be sent as it is."""

    instruction: str
    """One sentence for the model; carries no text of a stranger."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


class MailError(Exception):
    """Base of every failure that the caller is told about; never raised itself.

    Its message is a sentence for the model and the user: what was wrong and what to
    send or do instead. It never holds a password, and what a stranger wrote only as
    `mailmcp.envelope.markdown` quotes it.
    """

    code: ClassVar[Code]

    def __init__(
        self,
        message: str,
        *,
        reason: StrEnum,
        retryable: bool = False,
        details: Mapping[str, object] | None = None,
        next_action: NextAction | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.reason = reason
        self.retryable = retryable
        self.details: dict[str, object] = dict(details or {})
        self.next_action = next_action


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a request."""

    field: str
    """Name of the argument."""

    reason: StrEnum
    message: str
    """What was wrong and what to send instead; of what was sent at most plain words that belong elsewhere."""


class InvalidInputError(MailError):
    """The request must change; sending it again as it is cannot succeed."""

    code = Code.INVALID_INPUT

    def __init__(self, problems: Sequence[Problem], *, next_action: NextAction | None = None) -> None:
        """Report every problem at once; the first one gives the reason."""
        self.problems = tuple(problems)
        super().__init__(
            " ".join(f"{problem.field}: {problem.message}" for problem in self.problems),
            reason=self.problems[0].reason,
            # The message has said it all in words; programs want to know which argument.
            details={
                "problems": [{"field": each.field, "reason": each.reason.value} for each in self.problems]
            },
            next_action=next_action,
        )

    @classmethod
    def of(
        cls, field: str, reason: StrEnum, message: str, *, next_action: NextAction | None = None
    ) -> "InvalidInputError":
        """Build the error of a single problem."""
        return cls([Problem(field=field, reason=reason, message=message)], next_action=next_action)


class NotFoundError(MailError):
    """What was asked for is not there."""

    code = Code.NOT_FOUND


class AuthFailedError(MailError):
    """The server refuses the login, or there is no password to log in with."""

    code = Code.AUTH_FAILED


class DeadlineError(MailError):
    """A deadline passed; the same call may succeed later."""

    code = Code.TIMEOUT

    def __init__(self, message: str, *, reason: StrEnum, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message, reason=reason, retryable=True, details=details)


class ConflictError(MailError):
    """What ids and cursors of the caller stood for is another thing by now, so they mean nothing.

    The same call can never succeed: search again, as `next_action` says.
    """

    code = Code.CONFLICT


class InternalError(MailError):
    """Everything else: a connection, the server behind the tools or the tools themselves failed."""

    code = Code.INTERNAL
