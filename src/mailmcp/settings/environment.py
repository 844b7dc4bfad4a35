"""The variables `MAILMCP_*`: which there are, and the tables they make.

A variable that is set to nothing counts as not set: hosts pass empty strings for
what the user left blank. Whether a value is allowed is for `mailmcp.settings.check`.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

from mailmcp.settings.problems import show_name, suggest

CONFIG_VARIABLE: Final = "MAILMCP_CONFIG"

SERVER_VARIABLES: Final = {
    "envelope": "MAILMCP_ENVELOPE",
    "text": "MAILMCP_TEXT",
    "rows": "MAILMCP_ROWS",
    "log_level": "MAILMCP_LOG_LEVEL",
    "log_format": "MAILMCP_LOG_FORMAT",
    "call_timeout_s": "MAILMCP_CALL_TIMEOUT_S",
    "http_token": "MAILMCP_HTTP_TOKEN",
    "http_allowed_hosts": "MAILMCP_HTTP_ALLOWED_HOSTS",
}
"""Key of `[server]` to the variable that overrides it."""

ATTACHMENTS_VARIABLES: Final = {"save_folder": "MAILMCP_SAVE_FOLDER"}
"""Key of `[attachments]` likewise."""

SEARCH_VARIABLES: Final = {"time_zone": "MAILMCP_TIME_ZONE"}
"""Key of `[search]` likewise."""

ACCOUNT_VARIABLES: Final = {
    "host": "MAILMCP_HOST",
    "port": "MAILMCP_PORT",
    "user": "MAILMCP_USER",
    "password": "MAILMCP_PASSWORD",
    "password_file": "MAILMCP_PASSWORD_FILE",
    "tls": "MAILMCP_TLS",
    "ca_file": "MAILMCP_CA_FILE",
    "allow_plaintext": "MAILMCP_ALLOW_PLAINTEXT",
    "names": "MAILMCP_NAMES",
    "addresses": "MAILMCP_ADDRESSES",
    "trusted_authserv_ids": "MAILMCP_TRUSTED_AUTHSERV_IDS",
}
"""Key of an account to the variable that gives it for the one account of the environment."""

ACCOUNT_ID: Final = "default"
"""Id of the account of the environment."""

_PREFIX = "MAILMCP_"
_NUMBER = re.compile(r"[0-9]{1,9}(?P<fraction>\.[0-9]{1,9})?")
_NUMBER_KEYS = {"port", "call_timeout_s"}
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_FLAG_KEYS = {"allow_plaintext"}
_LIST_KEYS = {"http_allowed_hosts", "names", "addresses", "trusted_authserv_ids"}


def drop_empty(environ: Mapping[str, str]) -> dict[str, str]:
    """Keep the variables that are set to something."""
    return {name: value for name, value in environ.items() if value}


def from_text(key: str, text: str) -> object:
    """Read the value of a key as TOML would type it; what does not look right stays as it is."""
    if key in _FLAG_KEYS:
        return _FLAGS.get(text.lower(), text)
    if key in _NUMBER_KEYS and (match := _NUMBER.fullmatch(text)):
        return float(text) if match["fraction"] else int(text)
    if key in _LIST_KEYS:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def table_values(names: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, object]:
    """Make a table of the environment; `names` are its keys and what their variables are called."""
    return {key: from_text(key, variables[name]) for key, name in names.items() if name in variables}


def account_values(variables: Mapping[str, str], *, lent: Collection[str]) -> dict[str, object]:
    """Make the account of the environment; empty if no variable asks for one.

    Variables that are `lent` to an account of the file, as its `password_env`, do not
    ask for an account by themselves.
    """
    if not any(name in variables and name not in lent for name in ACCOUNT_VARIABLES.values()):
        return {}
    return {"account_id": ACCOUNT_ID, **table_values(ACCOUNT_VARIABLES, variables)}


def unknown_variables(variables: Mapping[str, str], *, lent: Collection[str]) -> list[str]:
    """Warn of each variable that looks like ours and is not."""
    tables = (SERVER_VARIABLES, ATTACHMENTS_VARIABLES, SEARCH_VARIABLES, ACCOUNT_VARIABLES)
    known = [CONFIG_VARIABLE, *(name for table in tables for name in table.values())]
    return [
        f"{show_name(name)}: is not a known variable and is ignored; {suggest(name, known)}"
        for name in sorted(variables)
        if name.startswith(_PREFIX) and name not in known and name not in lent
    ]
