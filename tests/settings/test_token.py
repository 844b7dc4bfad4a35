import pytest
from pydantic import SecretStr

from mailmcp.settings.model import ServerTable
from mailmcp.settings.problems import SettingsError
from mailmcp.settings.token import read_http_token

TOKEN = "hunter2-hunter2-hunter2"


@pytest.mark.parametrize(
    ("table", "token"),
    [({}, None), ({"http_token": TOKEN}, SecretStr(TOKEN)), ({"http_token_env": "NAME"}, SecretStr(TOKEN))],
)
def test_the_token_is_read_from_where_the_settings_say(
    table: dict[str, str], token: SecretStr | None
) -> None:
    assert read_http_token(ServerTable.model_validate(table), {"NAME": TOKEN}) == token


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({}, "is not set, or empty"),
        ({"NAME": ""}, "is not set, or empty"),
        ({"NAME": "hunter2"}, "must be 16 to 1024 letters, digits and signs of ASCII, without spaces"),
        ({"NAME": TOKEN + "\n"}, "must be 16 to 1024 letters, digits and signs of ASCII, without spaces"),
    ],
)
def test_a_variable_without_a_usable_token_is_told_by_its_name(environ: dict[str, str], told: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_http_token(ServerTable(http_token_env="NAME"), environ)
    assert caught.value.lines == (f"environment variable NAME, which server.http_token_env names: {told}",)
