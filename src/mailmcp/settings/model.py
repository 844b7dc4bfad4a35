"""The tables of the settings: every key with its type, bounds and default, declared once.

A description completes the sentence "must be …", from which every error about the key is built. The variable
`MAILMCP_<KEY>` sets a key too, unless it is marked as `FILE_ONLY`. `mailmcp.settings.check` checks what needs
several keys or the file system.
"""

import ipaddress
import os
import re
import zoneinfo
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from mailmcp import limits
from mailmcp.auth.provider import PROVIDERS, is_safe_url
from mailmcp.imap.account import Tls
from mailmcp.model.message_ref import ACCOUNT_ID_PATTERN
from mcp_envelope import Dialect

FILE_ONLY: Final = object()
"""Marks a key that has no variable."""

SESSIONS_PER_ACCOUNT_MAX: Final = 10
"""Providers allow 10 to 15 connections for all of a user's clients together."""

TIMEOUT_MIN_S: Final = 1.0
"""Less fails on any distant server."""

CONNECT_TIMEOUT_MAX_S: Final = 120.0
"""Operating systems stop trying to connect after about two minutes."""

CALL_TIMEOUT_MAX_S: Final = 600.0
"""No host waits longer for one call, so no command needs longer either."""

OWNER_ENTRIES_MAX: Final = 50
"""Names, addresses or server ids of one owner: each message that is judged is compared with all of them."""

OWNER_ENTRY_CHARS_MAX: Final = 320
"""The longest address (RFC 3696, before erratum 1690 shortened it)."""

AuthMethod = Literal["password", "oauth2"]

_NOT_IN_HOST = re.compile(r"[\s\x00-\x1f\x7f/:@\[\]]")
_ADDRESS = re.compile(r"[^\s@<>,;\x00-\x1f]+@[^\s@<>,;\x00-\x1f]+")
_LINE = "a non-empty string without line breaks and NULs"


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


def _is_zone(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (KeyError, OSError):  # an OSError for a folder of zones
        return False
    return True


def _is_folder(text: str) -> bool:
    if not text or not is_sendable(text) or Path(text).parts[0] not in {"~", Path(text).anchor}:
        return not text
    path = Path(text).expanduser()
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)


def _must(holds: Callable[[Any], object]) -> AfterValidator:
    """Refuse values for which a function returns something false, or raises ValueError."""

    def check(value: Any) -> Any:
        if not holds(value.get_secret_value() if isinstance(value, SecretStr) else value):
            raise ValueError
        return value

    return AfterValidator(check)


def _list_at(separators: str) -> BeforeValidator:
    """Take a text, as variables have it, for a list: its entries stand between these characters."""

    def split(value: object) -> object:
        if not isinstance(value, str):
            return value
        return [each.strip() for each in re.split(separators, value) if each.strip()]

    return BeforeValidator(split)


def _one_of(values: Iterable[str]) -> Any:
    return Field(description="one of " + ", ".join(f'"{value}"' for value in values))


def _seconds(maximum: float) -> Any:
    description = f"a number of seconds from {TIMEOUT_MIN_S:g} to {maximum:g}"
    return Field(ge=TIMEOUT_MIN_S, le=maximum, description=description)


def _owner_list(what: str) -> Any:
    return Field(description=f"a list of at most {OWNER_ENTRIES_MAX} {what}")


_Word = Annotated[str, _must(is_sendable)]
_Line = Annotated[_Word, Field(min_length=1)]
_Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
_Secret = Annotated[SecretStr, Field(min_length=1), _must(is_sendable)]
_Token = Annotated[SecretStr, _must(re.compile(r"[!-~]{16,1024}").fullmatch)]
"""Too long to guess, and short enough for a header: some proxies cut off at 8,000 octets."""

_Command = Annotated[list[_Word], _must(lambda words: words and words[0])]
_HostHeader = Annotated[
    str, Field(pattern=r"^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:([0-9]{1,5}|\*))?$")
]
_Name = Annotated[_Word, Field(pattern=r"\S", max_length=OWNER_ENTRY_CHARS_MAX)]
_Address = Annotated[str, Field(max_length=OWNER_ENTRY_CHARS_MAX), _must(is_address)]
_AuthservId = Annotated[str, Field(pattern=r"^[!-:<-~]+$", max_length=OWNER_ENTRY_CHARS_MAX)]
_SpecialMailbox = Annotated[
    _Word, Field(description='the name of a mailbox as imap_list_mailboxes shows it, or ""'), FILE_ONLY
]
_COMMAND = Field(description="a list of strings, a program and its arguments, without line breaks and NULs")
_VARIABLE = Field(
    description="the name of a variable: letters, digits and underscores, not starting with a digit"
)
_TOKEN_RULE = Field(description="16 to 1024 ASCII letters, digits and punctuation marks, without spaces")
_FEW = Field(max_length=OWNER_ENTRIES_MAX)
_SWITCH = Field(description="true or false")


class Table(BaseModel):
    """A table of the settings; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)


class ServerTable(Table):
    """`[server]`: how the server replies and logs, and who can use it over HTTP."""

    envelope: Annotated[Dialect, _one_of(Dialect)] = Dialect.SUMMARY
    text: Annotated[Literal["markdown", "json"], _one_of(["markdown", "json"])] = "markdown"
    rows: Annotated[Literal["full", "lean"], _one_of(["full", "lean"])] = "full"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], _one_of(["debug", "info", "warning", "error"])
    ] = "info"
    log_format: Annotated[Literal["text", "json"], _one_of(["text", "json"])] = "text"
    call_timeout_s: Annotated[float, _seconds(CALL_TIMEOUT_MAX_S)] = limits.CALL_TIMEOUT_S
    http_token: Annotated[_Token | None, _TOKEN_RULE] = None
    http_allowed_hosts: Annotated[
        list[_HostHeader],
        _list_at("[,;]"),
        Field(
            description="a list of host names or addresses, each with the port that clients' URLs contain, "
            'or ":*" for any'
        ),
    ] = []


class AttachmentsTable(Table):
    """`[attachments]`: what can be done with attached files."""

    save_folder: Annotated[
        str,
        Field(
            description="the path of an existing folder that mailmcp can write to, absolute or starting "
            'with ~, or "" to save nothing'
        ),
        _must(_is_folder),
    ] = ""


class SearchTable(Table):
    """`[search]`: what the dates of a search mean."""

    time_zone: Annotated[
        str,
        Field(description='the name of a time zone, such as "UTC" or "Europe/Berlin"'),
        _must(_is_zone),
    ] = "UTC"


class AccountTable(Table):
    """One of `[[accounts]]`: one login on one server."""

    account_id: Annotated[
        str,
        Field(
            pattern=ACCOUNT_ID_PATTERN,
            description="1 to 64 letters (A to Z, a to z), digits, hyphens and underscores",
        ),
        FILE_ONLY,
    ]
    host: Annotated[
        _Line,
        Field(
            max_length=253,  # RFC 1035 section 2.3.4, as text
            description="a host name or an IP address, without scheme, port, brackets or spaces; "
            "each part of a name between dots has 1 to 63 characters",
        ),
        _must(_is_host),
    ]
    port: Annotated[int | None, Field(ge=1, le=65535, description="a whole number from 1 to 65535")] = None
    """None for the default port of `tls`."""

    user: Annotated[_Line, Field(description=_LINE)]
    tls: Annotated[Tls, _one_of(Tls)] = Tls.IMPLICIT
    ca_file: Annotated[_Word, Field(description='the path of a PEM file, or "" for the system\'s own')] = ""
    allow_plaintext: Annotated[bool, _SWITCH] = False
    max_sessions: Annotated[
        int,
        Field(
            ge=1,
            le=SESSIONS_PER_ACCOUNT_MAX,
            description=f"a whole number from 1 to {SESSIONS_PER_ACCOUNT_MAX}",
        ),
        FILE_ONLY,
    ] = limits.SESSIONS_PER_ACCOUNT
    connect_timeout_s: Annotated[float, _seconds(CONNECT_TIMEOUT_MAX_S), FILE_ONLY] = limits.CONNECT_TIMEOUT_S
    command_timeout_s: Annotated[float, _seconds(CALL_TIMEOUT_MAX_S), FILE_ONLY] = limits.COMMAND_TIMEOUT_S
    sent_mailbox: _SpecialMailbox = ""
    drafts_mailbox: _SpecialMailbox = ""
    trash_mailbox: _SpecialMailbox = ""
    junk_mailbox: _SpecialMailbox = ""
    archive_mailbox: _SpecialMailbox = ""
    password: Annotated[_Secret | None, Field(description=_LINE)] = None
    password_env: Annotated[_Variable | None, _VARIABLE, FILE_ONLY] = None
    password_file: Annotated[_Line | None, Field(description="the path of a file")] = None
    password_command: Annotated[_Command | None, _COMMAND, FILE_ONLY] = None
    auth: Annotated[AuthMethod, _one_of(get_args(AuthMethod))] = "password"
    provider: Annotated[Literal["google", "microsoft"] | None, _one_of(PROVIDERS)] = None
    issuer: Annotated[
        _Line | None,
        Field(description='the https address of an authorization server, such as "https://id.example.com"'),
        _must(is_safe_url),
    ] = None
    tenant: Annotated[
        str, Field(pattern=r"^[A-Za-z0-9.-]{0,253}$", description="the id or a domain of a Microsoft tenant")
    ] = ""
    client_id: Annotated[_Line | None, Field(description=_LINE)] = None
    client_secret: Annotated[_Secret | None, Field(description=_LINE)] = None
    client_secret_env: Annotated[_Variable | None, _VARIABLE, FILE_ONLY] = None
    scope: Annotated[_Word, Field(description="scopes separated by spaces"), FILE_ONLY] = ""
    token_command: Annotated[_Command | None, _COMMAND, FILE_ONLY] = None
    sasl: Annotated[Literal["xoauth2", "oauthbearer"], _one_of(["xoauth2", "oauthbearer"]), FILE_ONLY] = (
        "xoauth2"
    )
    names: Annotated[list[_Name], _list_at(";"), _FEW, _owner_list("names, each on one line")] = []
    """Not split at commas: "Lindqvist, Mara" is one name."""

    addresses: Annotated[
        list[_Address], _list_at("[,;]"), _FEW, _owner_list('addresses, such as "ann@example.com"')
    ] = []
    trusted_authserv_ids: Annotated[
        Annotated[list[_AuthservId], _list_at("[,;]"), _FEW] | None,
        _owner_list('ids, such as "mx.example.com"'),
    ] = None


TABLES: Final[dict[str, type[Table]]] = {
    "server": ServerTable,
    "attachments": AttachmentsTable,
    "search": SearchTable,
}
"""The tables of a file besides its accounts."""
