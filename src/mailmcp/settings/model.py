"""The tables of the settings: every key with its type, bounds and default, declared once.

The variable `MAILMCP_<KEY>` sets a key too. Errors are pydantic's, or `must be …` from the checks here; none
repeats a value. `mailmcp.settings.check` checks what needs several keys.
"""

import ipaddress
import os
import re
import shlex
import zoneinfo
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from mailmcp import limits
from mailmcp.auth.provider import is_safe_url
from mailmcp.imap.account import Tls, Writes
from mailmcp.model.message_ref import ACCOUNT_ID_PATTERN
from mcp_envelope import Dialect

SESSIONS_PER_ACCOUNT_MAX: Final = 10
"""Providers allow 10 to 15 connections for all of a user's clients together."""

TIMEOUT_MIN_S: Final = 1.0
"""Less fails on any distant server."""

CALL_TIMEOUT_MAX_S: Final = 600.0
"""No host waits longer for one call, so no command needs longer either."""

CALL_WRITES_MAX: Final = 10_000
HOUR_WRITES_MAX: Final = 100_000
"""Messages: more than anybody tidies up at once, so a higher ceiling would be none."""

AuthMethod = Literal["password", "oauth2"]

_NOT_IN_HOST = re.compile(r"[\s\x00-\x1f\x7f/:@\[\]]")
_ADDRESS = re.compile(r"[^\s@<>,;\x00-\x1f]+@[^\s@<>,;\x00-\x1f]+")


def is_sendable(text: str) -> bool:
    """Return whether IMAP can carry a text: without CR, LF and NUL, and valid Unicode.

    Python reads octets of a variable that aren't UTF-8 as lone surrogates.
    """
    return not any(char in "\r\n\0" or "\ud800" <= char <= "\udfff" for char in text)


def is_address(text: str) -> bool:
    """Return whether a text looks like one address, without a name."""
    return bool(_ADDRESS.fullmatch(text))


def _is_host(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        # As the lookup will encode it; raises for labels that are empty or too long.
        return not _NOT_IN_HOST.search(host) and bool(host.encode("idna"))
    return True


def _is_folder(text: str, access: int = os.W_OK) -> bool:
    if not text or not is_sendable(text) or Path(text).parts[0] not in {"~", Path(text).anchor}:
        return not text
    path = Path(text).expanduser()
    return path.is_dir() and os.access(path, access | os.X_OK)


def _must(be: str, holds: Callable[[Any], object] | str) -> AfterValidator:
    """Refuse values for which a function returns something false or raises ValueError, KeyError or OSError.

    A regular expression in its place must match the whole value.
    """
    is_right = re.compile(holds).fullmatch if isinstance(holds, str) else holds

    def check(value: Any) -> Any:
        with suppress(ValueError, KeyError, OSError):
            if is_right(value.get_secret_value() if isinstance(value, SecretStr) else value):
                return value
        raise ValueError(f"must be {be}")

    return AfterValidator(check)


def _split(by: Callable[[str], list[str]]) -> BeforeValidator:
    """Take a text, as variables have it, for a list."""
    return BeforeValidator(lambda value: by(value) if isinstance(value, str) else value)


def _list_at(separators: str) -> BeforeValidator:
    """Take a text for a list whose entries stand between these characters."""
    return _split(lambda text: [each.strip() for each in re.split(separators, text) if each.strip()])


_TEXT = "text without line breaks and NULs"
Word = Annotated[str, _must(_TEXT, is_sendable)]
Line = Annotated[Word, Field(min_length=1)]
Secret = Annotated[SecretStr, Field(min_length=1), _must(_TEXT, is_sendable)]
_Token = Annotated[
    SecretStr,
    _must("16 to 1024 ASCII letters, digits and punctuation marks, without spaces", "[!-~]{16,1024}"),
]
"""Too long to guess, and short enough for a header: some proxies cut off at 8,000 octets."""

_Command = Annotated[
    list[Word], _split(shlex.split), _must("a program and its arguments", lambda words: words and words[0])
]
_HostHeader = Annotated[
    str,
    _must(
        'host names or addresses, each with the port that clients\' URLs contain, or ":*" for any',
        r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:([0-9]{1,5}|\*))?",
    ),
]
_Name = Annotated[str, _must("names, each on one line", lambda name: name.strip() and is_sendable(name))]
_Address = Annotated[str, _must('addresses, such as "ann@example.com"', is_address)]
_AuthservId = Annotated[str, _must('ids, such as "mx.example.com"', "[!-:<-~]+")]
Scope = Annotated[str, _must('scopes, such as "mail.read"', r"[!#-\[\]-~]+")]
"""RFC 6749 section 3.3."""

ValkeyUrl = Annotated[
    SecretStr,
    _must(
        'a URL such as "valkey://:password@host:6379/0", with %2F for / in the password, and so on',
        r"(valkey|redis)s?://([^\s/?#@]*@)?([^\s/?#@:\[\]]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?(/\d{0,3})?",
    ),
]
SAFE_URL = _must('an https address, such as "https://id.example.com"', is_safe_url)
_Seconds = Annotated[float, Field(ge=TIMEOUT_MIN_S, le=CALL_TIMEOUT_MAX_S)]


class Table(BaseModel):
    """A table of the settings; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)


class ServerTable(Table):
    """`[server]`: how the server replies and logs, and who can use it over HTTP."""

    envelope: Dialect = Dialect.SUMMARY
    text: Literal["markdown", "json"] = "markdown"
    rows: Literal["full", "lean"] = "full"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    call_timeout_s: _Seconds = limits.CALL_TIMEOUT_S
    http_token: _Token | None = None
    http_allowed_hosts: Annotated[list[_HostHeader], _list_at("[,;]")] = []
    journal_folder: Annotated[
        str,
        _must(
            "the path of an existing folder that mailmcp can write to, absolute or starting with ~, "
            'or "" for the usual place',
            _is_folder,
        ),
    ] = ""


class AttachmentsTable(Table):
    """`[attachments]`: what can be done with attached files."""

    save_folder: Annotated[
        str,
        _must(
            "the path of an existing folder that mailmcp can write to, absolute or starting with ~, "
            'or "" to save nothing',
            _is_folder,
        ),
    ] = ""
    attach_folder: Annotated[
        str,
        _must(
            "the path of an existing folder that mailmcp can read, absolute or starting with ~, "
            'or "" to attach nothing',
            partial(_is_folder, access=os.R_OK),
        ),
    ] = ""


class SearchTable(Table):
    """`[search]`: what the dates of a search mean."""

    time_zone: Annotated[
        str, _must('the name of a time zone, such as "UTC" or "Europe/Berlin"', zoneinfo.ZoneInfo)
    ] = "UTC"


class AccountTable(Table):
    """One of `[[accounts]]`: one login on one server."""

    account_id: Annotated[
        str,
        _must("1 to 64 letters (A to Z, a to z), digits, hyphens and underscores", ACCOUNT_ID_PATTERN),
    ]
    host: Annotated[
        Line,
        _must(
            "a host name or an IP address, without scheme, port, brackets or spaces; each part of a name "
            "between dots has 1 to 63 characters",
            _is_host,
        ),
    ]
    port: Annotated[int | None, Field(ge=1, le=65535)] = None
    """None for the default port of `tls`."""

    user: Line
    tls: Tls = Tls.IMPLICIT
    ca_file: Word = ""
    allow_plaintext: bool = False
    max_sessions: Annotated[int, Field(ge=1, le=SESSIONS_PER_ACCOUNT_MAX)] = limits.SESSIONS_PER_ACCOUNT
    connect_timeout_s: _Seconds = limits.CONNECT_TIMEOUT_S
    command_timeout_s: _Seconds = limits.COMMAND_TIMEOUT_S
    sent_mailbox: Word = ""
    drafts_mailbox: Word = ""
    trash_mailbox: Word = ""
    junk_mailbox: Word = ""
    archive_mailbox: Word = ""
    writes: Writes = Writes.OFF
    protected_mailboxes: Annotated[list[Line], _list_at(";")] = []
    """Not split at commas: names of mailboxes may have them."""

    writes_per_call: Annotated[int, Field(ge=1, le=CALL_WRITES_MAX)] = limits.WRITES_PER_CALL
    writes_per_hour: Annotated[int, Field(ge=1, le=HOUR_WRITES_MAX)] = limits.WRITES_PER_HOUR
    password: Secret | None = None
    password_file: Line | None = None
    password_command: _Command | None = None
    auth: AuthMethod = "password"
    provider: Literal["google", "microsoft"] | None = None
    issuer: Annotated[Line | None, SAFE_URL] = None
    tenant: Annotated[str, _must("the id or a domain of a Microsoft tenant", "[A-Za-z0-9.-]{0,253}")] = ""
    client_id: Line | None = None
    client_secret: Secret | None = None
    scope: Word = ""
    token_command: _Command | None = None
    sasl: Literal["xoauth2", "oauthbearer"] = "xoauth2"
    names: Annotated[list[_Name], _list_at(";")] = []
    """Not split at commas: "Lindqvist, Mara" is one name."""

    addresses: Annotated[list[_Address], _list_at("[,;]")] = []
    trusted_authserv_ids: Annotated[list[_AuthservId], _list_at("[,;]")] | None = None


TABLES: Final[dict[str, type[Table]]] = {
    "server": ServerTable,
    "attachments": AttachmentsTable,
    "search": SearchTable,
}
"""The tables of a file besides its accounts."""
