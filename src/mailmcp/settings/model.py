"""The tables of the settings: their keys, types, bounds and defaults.

What a key allows is said once, in its description, as the end of a sentence that
starts with "must be"; every error about the key is made from it. Values are never
converted: a port in quotes is a mistake. What needs more than one key, or the file
system, is for `mailmcp.settings.check`.
"""

import ipaddress
import re
import zoneinfo
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from mailmcp import limits
from mailmcp.imap.account import Account, Tls
from mailmcp.model.message_ref import ACCOUNT_ID_PATTERN
from mailmcp.settings.problems import one_of
from mailmcp.tools.preferences import Preferences
from mcp_envelope import Dialect

SESSIONS_PER_ACCOUNT_MAX: Final = 10
"""Providers cap at 10 to 15 connections for all of a user's clients together."""

TIMEOUT_MIN_S: Final = 1.0
"""Less than a second fails on any distant server."""

CONNECT_TIMEOUT_MAX_S: Final = 120.0
"""Operating systems give up connecting by themselves after about two minutes."""

COMMAND_TIMEOUT_MAX_S: Final = 600.0
CALL_TIMEOUT_MAX_S: Final = 600.0
"""No host waits longer for one call."""

HOST_CHARS_MAX: Final = 253
"""The longest host name (RFC 1035 section 2.3.4, as text)."""

PASSWORD_KEYS: Final = ("password", "password_env", "password_file", "password_command")
"""Where a password can come from; an account names exactly one."""

HTTP_TOKEN_KEYS: Final = ("http_token", "http_token_env")
"""Where the token of the HTTP server can come from; the settings name one or none."""

HTTP_TOKEN_CHARS_MIN: Final = 16
"""Fewer could be guessed by trying."""

HTTP_TOKEN_CHARS_MAX: Final = 1_024
"""It travels in a header of every request; servers and proxies cut headers off at some 8,000 octets."""

OWNER_ENTRIES_MAX: Final = 50
"""Names, addresses or server ids of one owner: every message that is judged is compared with all of them."""

OWNER_ENTRY_CHARS_MAX: Final = 320
"""The longest address (RFC 3696, erratum 1690, before it was shortened)."""

HTTP_TOKEN: Final = (
    f"{HTTP_TOKEN_CHARS_MIN} to {HTTP_TOKEN_CHARS_MAX} letters, digits and signs of ASCII, without spaces"
)
"""What a token must be."""

TextForm = Literal["markdown", "json"]
RowForm = Literal["full", "lean"]
LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]

ADDRESS_PATTERN: Final = r"^[^\s@<>,;\x00-\x1f]+@[^\s@<>,;\x00-\x1f]+$"
"""What can be an address of the owner; a login name that looks so is one."""

_NOT_IN_HOST = re.compile(r"[\s\x00-\x1f\x7f/:@\[\]]")
_TOKEN = re.compile(rf"[!-~]{{{HTTP_TOKEN_CHARS_MIN},{HTTP_TOKEN_CHARS_MAX}}}")
_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
_NAME_OF_VARIABLE = "the name of a variable: letters, digits and underscores, no digit first"
_LINE = "a string that is not empty and has no line break and no NUL"


def _check_host(host: str) -> str:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if _NOT_IN_HOST.search(host):
            raise ValueError from None
        host.encode("idna")  # as it will be looked up: raises for labels that are empty or too long
    return host


def _check_secret(secret: SecretStr) -> SecretStr:
    if not is_sendable(secret.get_secret_value()):
        raise ValueError
    return secret


def _check_token(token: SecretStr) -> SecretStr:
    if not is_http_token(token.get_secret_value()):
        raise ValueError
    return token


def _check_zone(name: str) -> str:
    try:
        zoneinfo.ZoneInfo(name)
    except (KeyError, OSError):  # not there, or a folder of zones
        raise ValueError from None
    return name


def _check_folder(text: str) -> str:
    path = Path(text)
    if text and not path.is_absolute() and path.parts[:1] != ("~",):
        raise ValueError
    return text


def _check_command(words: list[str]) -> list[str]:
    if not words or not words[0]:
        raise ValueError
    return words


def is_sendable(text: str) -> bool:
    """Whether IMAP can carry the text: it has no CR, LF and NUL, and is UTF-8.

    Octets of a variable that are not UTF-8 are lone surrogates in Python.
    """
    return not any(char in "\r\n\0" or "\ud800" <= char <= "\udfff" for char in text)


def is_http_token(text: str) -> bool:
    """Whether an HTTP header can carry the text as a bearer token, and nobody guesses it."""
    return bool(_TOKEN.fullmatch(text))


def _seconds(maximum: float) -> str:
    return f"a number of seconds from {TIMEOUT_MIN_S:g} to {maximum:g}"


_Word = Annotated[str, Field(pattern=r"^[^\r\n\x00]*$")]
Line = Annotated[_Word, Field(min_length=1)]
Secret = Annotated[SecretStr, Field(min_length=1), AfterValidator(_check_secret)]
Token = Annotated[SecretStr, AfterValidator(_check_token)]
HostHeader = Annotated[
    str, Field(pattern=r"^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:([0-9]{1,5}|\*))?$")
]
_Name = Annotated[str, Field(pattern=r"^[^\r\n\x00]*\S[^\r\n\x00]*$", max_length=OWNER_ENTRY_CHARS_MAX)]
_Address = Annotated[str, Field(pattern=ADDRESS_PATTERN, max_length=OWNER_ENTRY_CHARS_MAX)]
_AuthservId = Annotated[str, Field(pattern=r"^[!-:<-~]+$", max_length=OWNER_ENTRY_CHARS_MAX)]
Command = Annotated[list[_Word], AfterValidator(_check_command)]


class Table(BaseModel):
    """What all tables share: nothing is converted, nothing unknown is accepted, nothing changes later."""

    model_config = ConfigDict(
        strict=True, frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True
    )


class ServerTable(Table):
    """`[server]`: how the server replies and logs, and who may use it over HTTP."""

    envelope: Annotated[Dialect, Field(strict=False, description=one_of(Dialect))] = Dialect.SUMMARY
    text: Annotated[TextForm, Field(description=one_of(get_args(TextForm)))] = "markdown"
    rows: Annotated[RowForm, Field(description=one_of(get_args(RowForm)))] = "full"
    log_level: Annotated[LogLevel, Field(description=one_of(get_args(LogLevel)))] = "info"
    log_format: Annotated[LogFormat, Field(description=one_of(get_args(LogFormat)))] = "text"
    call_timeout_s: Annotated[
        float, Field(ge=TIMEOUT_MIN_S, le=CALL_TIMEOUT_MAX_S, description=_seconds(CALL_TIMEOUT_MAX_S))
    ] = limits.CALL_TIMEOUT_S
    http_token: Annotated[Token | None, Field(description=HTTP_TOKEN)] = None
    http_token_env: Annotated[str | None, Field(pattern=_VARIABLE, description=_NAME_OF_VARIABLE)] = None
    http_allowed_hosts: Annotated[
        list[HostHeader],
        Field(
            description='a list of host names or addresses, each with its port if URLs name it, or with ":*"'
        ),
    ] = []


class AttachmentsTable(Table):
    """`[attachments]`: what may be done with attached files."""

    save_folder: Annotated[
        str,
        Field(
            pattern=r"^[^\r\n\x00]*$",
            description='the path of a folder, absolute or starting with ~, or "" to save nothing',
        ),
        AfterValidator(_check_folder),
    ] = ""


class SearchTable(Table):
    """`[search]`: what the dates of a search mean."""

    time_zone: Annotated[
        str,
        Field(description='the name of a time zone, such as "UTC" or "Europe/Berlin"'),
        AfterValidator(_check_zone),
    ] = "UTC"


class AccountTable(Table):
    """One of `[[accounts]]`: one login on one server."""

    account_id: Annotated[
        str,
        Field(
            pattern=ACCOUNT_ID_PATTERN,
            description="1 to 64 letters (A to Z, a to z), digits, hyphens and underscores",
        ),
    ]
    host: Annotated[
        Line,
        Field(
            max_length=HOST_CHARS_MAX,
            description="a host name or an IP address alone, without scheme, port, brackets or spaces; "
            "what stands between the dots of a name has 1 to 63 characters",
        ),
        AfterValidator(_check_host),
    ]
    port: Annotated[int | None, Field(ge=1, le=65535, description="a whole number from 1 to 65535")] = None
    """None for the one that belongs to `tls`."""

    user: Annotated[Line, Field(description=_LINE)]
    tls: Annotated[Tls, Field(strict=False, description=one_of(Tls))] = Tls.IMPLICIT
    ca_file: Annotated[
        str, Field(pattern=r"^[^\x00]*$", description='the path of a PEM file, or "" for the system\'s own')
    ] = ""
    allow_plaintext: Annotated[bool, Field(description="true or false")] = False
    max_sessions: Annotated[
        int,
        Field(
            ge=1,
            le=SESSIONS_PER_ACCOUNT_MAX,
            description=f"a whole number from 1 to {SESSIONS_PER_ACCOUNT_MAX}",
        ),
    ] = limits.SESSIONS_PER_ACCOUNT
    connect_timeout_s: Annotated[
        float, Field(ge=TIMEOUT_MIN_S, le=CONNECT_TIMEOUT_MAX_S, description=_seconds(CONNECT_TIMEOUT_MAX_S))
    ] = limits.CONNECT_TIMEOUT_S
    command_timeout_s: Annotated[
        float, Field(ge=TIMEOUT_MIN_S, le=COMMAND_TIMEOUT_MAX_S, description=_seconds(COMMAND_TIMEOUT_MAX_S))
    ] = limits.COMMAND_TIMEOUT_S
    password: Annotated[Secret | None, Field(description=_LINE)] = None
    password_env: Annotated[str | None, Field(pattern=_VARIABLE, description=_NAME_OF_VARIABLE)] = None
    password_file: Annotated[Line | None, Field(description="the path of a file")] = None
    password_command: Annotated[
        Command | None,
        Field(description="a list of strings, the program first, without line breaks and NUL"),
    ] = None
    names: Annotated[
        list[_Name],
        Field(
            max_length=OWNER_ENTRIES_MAX,
            description=f"a list of at most {OWNER_ENTRIES_MAX} names, each on one line",
        ),
    ] = []
    addresses: Annotated[
        list[_Address],
        Field(
            max_length=OWNER_ENTRIES_MAX,
            description=f'a list of at most {OWNER_ENTRIES_MAX} addresses, such as "ann@example.com"',
        ),
    ] = []
    trusted_authserv_ids: Annotated[
        list[_AuthservId],
        Field(
            max_length=OWNER_ENTRIES_MAX,
            description=f'a list of at most {OWNER_ENTRIES_MAX} ids, such as "mx.example.com"',
        ),
    ] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything the user configured, checked and with defaults filled in."""

    server: ServerTable
    accounts: tuple[Account, ...]
    """Those of the file in its order, then the one of the environment; ids are unique. None only where
    they were not to be loaded."""

    source: Path | None
    """The file that was read; None if there is none."""

    warnings: tuple[str, ...]
    """What works but deserves a word to the user, one line each; never holds a value."""

    preferences: Preferences = field(default_factory=Preferences)
