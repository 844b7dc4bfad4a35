"""Why a request for mail failed, within the envelope's six codes; `BaseReason` has those of any server.

Programs must accept values that aren't listed here yet.
"""

from enum import StrEnum


class Reason(StrEnum):
    """mailmcp's own reasons."""

    # invalid_input
    CURSOR_MALFORMED = "cursor_malformed"
    CURSOR_MISMATCH = "cursor_mismatch"
    MALFORMED_ID = "malformed_id"
    TOO_LARGE = "too_large"
    TOO_MANY = "too_many"
    SWITCHED_OFF = "switched_off"
    # not_found
    ACCOUNT_UNKNOWN = "account_unknown"
    MAILBOX_MISSING = "mailbox_missing"
    MESSAGE_GONE = "message_gone"
    PART_MISSING = "part_missing"
    ENTRY_UNKNOWN = "entry_unknown"
    # auth_failed
    NO_ACCOUNT = "no_account"
    CREDENTIALS_REJECTED = "credentials_rejected"
    CREDENTIALS_EXPIRED = "credentials_expired"
    LOGIN_DISABLED = "login_disabled"
    BACKING_OFF = "backing_off"
    SIGN_IN_REQUIRED = "sign_in_required"
    PASSWORD_UNAVAILABLE = "password_unavailable"  # noqa: S105 - a reason, not a secret
    WRITES_FORBIDDEN = "writes_forbidden"
    MAILBOX_PROTECTED = "mailbox_protected"
    # timeout
    CONNECT = "connect"
    GREETING = "greeting"
    COMMAND = "command"
    # conflict
    UIDVALIDITY_CHANGED = "uidvalidity_changed"
    NOT_RESTORABLE = "not_restorable"
    UNDONE_ALREADY = "undone_already"
    # internal
    BUSY = "busy"
    CONNECTION_LOST = "connection_lost"
    CONNECTION_REFUSED = "connection_refused"
    CONNECTION_LIMIT = "connection_limit"
    LOGIN_UNANSWERED = "login_unanswered"
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    TLS_FAILED = "tls_failed"
    SERVER_REFUSED = "server_refused"
    PERMISSION_DENIED = "permission_denied"
    PROTOCOL_VIOLATION = "protocol_violation"
    SAVE_FAILED = "save_failed"
    HOURLY_LIMIT = "hourly_limit"
    JOURNAL_FAILED = "journal_failed"
    NOT_CHANGED = "not_changed"
    OUTCOME_UNKNOWN = "outcome_unknown"
    NOT_SUPPORTED = "not_supported"
