"""From tables to preferences: owners, the zone, and a folder that can be written to."""

import os
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mailmcp.model.owner import Owner
from mailmcp.settings.model import AccountTable, AttachmentsTable, SearchTable
from mailmcp.settings.preferences import folder_problems, make_owner, make_preferences
from settings.loading import HOME, Faults, Load, Write

ACCOUNT = '[[accounts]]\naccount_id = "home"\nhost = "h"\nuser = "ann@example.com"\npassword = "p"\n'


@pytest.mark.parametrize(
    ("user", "addresses", "expected"),
    [
        ("ann", [], ()),
        ("ann@example.com", [], ("ann@example.com",)),
        ("ann@example.com", ["lee@example.org"], ("lee@example.org", "ann@example.com")),
        ("Ann@Example.com", ["ann@example.com"], ("ann@example.com",)),
        ("DOMAIN\\ann", ["ann@example.com"], ("ann@example.com",)),
        ("ann@example.com proxy", [], ()),
    ],
)
def test_the_login_is_an_address_of_the_owner_if_it_is_one(
    user: str, addresses: list[str], expected: tuple[str, ...]
) -> None:
    table = AccountTable(account_id="home", host="h", user=user, addresses=addresses)
    assert make_owner(table).addresses == expected


def test_tables_become_preferences(tmp_path: Path) -> None:
    account = AccountTable(
        account_id="home", host="h", user="ann", names=["Ann Lee"], trusted_authserv_ids=["mx.example.com"]
    )
    preferences = make_preferences(
        AttachmentsTable(save_folder="~/saved"),
        SearchTable(time_zone="Europe/Berlin"),
        [account],
        {HOME: str(tmp_path)},
    )
    assert preferences.save_folder == tmp_path / "saved"
    assert preferences.zone == ZoneInfo("Europe/Berlin")
    assert preferences.owner_of("home") == Owner(names=("Ann Lee",), trusted_authserv_ids=("mx.example.com",))
    assert preferences.owner_of("other") == Owner()


def test_a_folder_must_be_there_and_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = [
        [problem.message for problem in folder_problems(AttachmentsTable(save_folder=folder), {})]
        for folder in ("", str(tmp_path), str(tmp_path / "none"), str(tmp_path / "file"))
    ]
    assert told[:2] == [[], []]
    for (message,) in told[2:]:
        assert message.startswith("must be a folder that exists")


def test_a_folder_must_be_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests may run as root, to whom everything is."""
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) == (tmp_path, os.R_OK))
    (problem,) = folder_problems(AttachmentsTable(save_folder=str(tmp_path)), {})
    assert (problem.where, problem.message) == (
        ("save_folder",),
        "must be a folder that mailmcp may write to",
    )


def test_the_file_and_the_environment_give_them(write: Write, load: Load, path: Path, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    tables = '[attachments]\nsave_folder = "~/one"\n[search]\ntime_zone = "Asia/Tokyo"\n'
    write(path, tables + ACCOUNT + 'names = ["Ann"]\n')
    environ = {HOME: str(tmp_path)}
    of_file = load(environ).preferences
    assert (of_file.save_folder, str(of_file.zone)) == (tmp_path / "one", "Asia/Tokyo")
    assert of_file.owner_of("home") == Owner(names=("Ann",), addresses=("ann@example.com",))

    account = {"MAILMCP_HOST": "h", "MAILMCP_USER": "lee", "MAILMCP_PASSWORD": "p"}
    chosen = {"MAILMCP_SAVE_FOLDER": "~/two", "MAILMCP_TIME_ZONE": "UTC", "MAILMCP_NAMES": "Lee, L."}
    both = load(environ | account | chosen).preferences
    assert (both.save_folder, str(both.zone)) == (tmp_path / "two", "UTC")
    assert both.owner_of("home").names == ("Ann",)
    assert both.owner_of("default") == Owner(names=("Lee", "L."))


def test_every_mistake_is_told_where_it_was_made(write: Write, faults: Faults, path: Path) -> None:
    write(
        path,
        '[attachments]\nsave_folder = "/nowhere/at/all"\n[search]\ntime_zone = "Mars"\nzone = 1\n'
        + ACCOUNT
        + 'addresses = ["ann"]\nsave_folder = "x"\n',
    )
    zone = 'must be the name of a time zone, such as "UTC" or "Europe/Berlin"'
    folder = 'must be the path of a folder, absolute or starting with ~, or "" to save nothing'
    told = faults({"MAILMCP_SAVE_FOLDER": "relative", "MAILMCP_TIME_ZONE": "Mars"})
    assert told == [
        f"{path}, line 2: attachments.save_folder: must be a folder that exists; make it, "
        "or leave the key out to save nothing",
        f"{path}, line 4: search.time_zone: {zone}",
        f"{path}, line 5: search.zone: is not a known key; did you mean time_zone?",
        f"{path}, line 11: accounts[1].addresses: must be a list of at most 50 addresses, "
        'such as "ann@example.com"',
        told[4],
        f"MAILMCP_SAVE_FOLDER: {folder}",
        f"MAILMCP_TIME_ZONE: {zone}",
    ]
    assert told[4].startswith(f"{path}, line 12: accounts[1].save_folder: is not a known key")
