"""The form that a desktop host shows, and what it starts."""

import os
from pathlib import Path

import pytest
from scripts.release.bundle import fill_in, make_manifest

from mailmcp.settings.load import load_settings
from mailmcp.settings.problems import SettingsError

FOLDER = Path("/where/the/host/unpacks")
FILLED_IN = {"host": "imap.example.com", "user": "ann", "password": "not-a-password"}


def test_uv_runs_the_server_in_the_folder_of_the_bundle() -> None:
    arguments, _ = fill_in(make_manifest(), FOLDER, FILLED_IN)
    assert arguments == ["run", "--directory", str(FOLDER), "mailmcp", "serve"]


def test_the_form_makes_an_account() -> None:
    _, variables = fill_in(make_manifest(), FOLDER, FILLED_IN)
    (account,) = load_settings(Path(os.devnull), variables).accounts
    assert (account.host, account.user) == ("imap.example.com", "ann")


def test_a_blank_form_makes_none() -> None:
    """A host passes the placeholder itself for a field that is optional and has no default."""
    _, variables = fill_in(make_manifest(), FOLDER, {})
    assert set(variables.values()) == {""}
    with pytest.raises(SettingsError, match="No account is configured"):
        load_settings(Path(os.devnull), variables)


def test_only_the_password_is_a_secret() -> None:
    fields = make_manifest()["user_config"]
    assert [name for name, field in fields.items() if field["sensitive"]] == ["password"]
