"""The token that each request over HTTP must bear: from the settings, or the variable they name."""

from collections.abc import Mapping

from pydantic import SecretStr

from mailmcp.settings.model import HTTP_TOKEN, ServerTable, is_http_token
from mailmcp.settings.problems import SettingsError


def read_http_token(server: ServerTable, environ: Mapping[str, str]) -> SecretStr | None:
    """Read the token; None if the settings name none.

    Not part of loading the settings: over stdio no token is needed, and a variable that
    only the HTTP service is given must not keep it from starting.

    Raises:
        SettingsError: The variable that `http_token_env` names holds no token.
    """
    name = server.http_token_env
    if name is None:
        return server.http_token
    token = environ.get(name, "")
    if is_http_token(token):
        return SecretStr(token)
    fault = f"must be {HTTP_TOKEN}" if token else "is not set, or empty"
    raise SettingsError([f"environment variable {name}, which server.http_token_env names: {fault}"])
