from pathlib import Path

import pytest

from mailmcp.imap.account import Tls
from servers.logins import password_of
from settings.loading import ACCOUNT, ENVIRON, HOME, SECRET, Faults, Load, Write


def test_one_account_by_environment_alone(load: Load) -> None:
    settings = load(ENVIRON)
    (account,) = settings.accounts
    assert (account.account_id, account.host, account.port, account.user, account.tls) == (
        "default",
        "imap.example.com",
        993,
        "ann",
        Tls.IMPLICIT,
    )
    assert password_of(account) == SECRET
    assert (settings.source, settings.warnings) == (None, ())


def test_every_variable_of_the_account_is_read(load: Load, tmp_path: Path, ca_pem: Path) -> None:
    (tmp_path / "secret").write_text(SECRET + "\n")
    environ = {
        HOME: str(tmp_path),
        "MAILMCP_HOST": "192.0.2.1",
        "MAILMCP_PORT": "1143",
        "MAILMCP_USER": "ann",
        "MAILMCP_PASSWORD_FILE": "~/secret",
        "MAILMCP_TLS": "none",
        "MAILMCP_CA_FILE": str(ca_pem),
        "MAILMCP_ALLOW_PLAINTEXT": "yes",
    }
    (account,) = load(environ).accounts
    assert (account.port, account.tls, account.ca_file) == (1143, Tls.NONE, ca_pem)
    assert password_of(account) == SECRET


def test_the_account_of_the_environment_follows_those_of_the_file(
    write: Write, load: Load, path: Path
) -> None:
    write(path, ACCOUNT + ACCOUNT.replace("work", "home"))
    settings = load(ENVIRON)
    assert [account.account_id for account in settings.accounts] == ["work", "home", "default"]
    assert settings.source == path
    assert settings.warnings == ()


def test_two_accounts_called_default_are_refused(write: Write, faults: Faults, path: Path) -> None:
    write(path, ACCOUNT.replace("work", "default"))
    assert faults(ENVIRON) == [
        f"{path}, line 3: accounts[1].account_id: is the id of the account that MAILMCP_HOST sets up; "
        "choose another, or unset that variable"
    ]


@pytest.mark.parametrize("missing", ["MAILMCP_HOST", "MAILMCP_USER", "MAILMCP_PASSWORD"])
@pytest.mark.parametrize("blank", [{}, {"MAILMCP_HOST": "", "MAILMCP_USER": "", "MAILMCP_PASSWORD": ""}])
def test_an_incomplete_account_names_the_missing_variable(
    faults: Faults, missing: str, blank: dict[str, str]
) -> None:
    given = {name: value for name, value in ENVIRON.items() if name != missing}
    (fault,) = faults({**blank, **given})
    assert fault.startswith(f"{missing}: is missing; ")


def test_a_variable_that_the_file_names_asks_for_no_account(write: Write, load: Load, path: Path) -> None:
    write(path, ACCOUNT.replace(f'password = "{SECRET}"', 'password_env = "MAILMCP_PASSWORD"'))
    settings = load({"MAILMCP_PASSWORD": SECRET})
    (account,) = settings.accounts
    assert password_of(account) == SECRET
    assert settings.warnings == ()


def test_a_variable_that_the_file_names_is_known(write: Write, load: Load, path: Path) -> None:
    write(path, ACCOUNT.replace(f'password = "{SECRET}"', 'password_env = "MAILMCP_WORK"'))
    assert load({"MAILMCP_WORK": SECRET}).warnings == ()


@pytest.mark.parametrize("value", ["993x", "0", "65536", "-1", "99999999999999999999", "9.5", "\udcff"])
def test_a_wrong_port_of_the_environment(faults: Faults, value: str) -> None:
    assert faults({**ENVIRON, "MAILMCP_PORT": value}) == [
        "MAILMCP_PORT: must be a whole number from 1 to 65535"
    ]


@pytest.mark.parametrize("name", ["MAILMCP_HOST", "MAILMCP_USER", "MAILMCP_PASSWORD"])
@pytest.mark.parametrize("char", ["\r", "\n", "\0", "\udcff"])
def test_characters_that_could_end_a_command_are_refused(faults: Faults, name: str, char: str) -> None:
    (fault,) = faults({**ENVIRON, name: SECRET + char})
    assert fault.startswith(f"{name}: must be ")


def test_two_passwords_of_the_environment_are_refused(faults: Faults) -> None:
    assert faults({**ENVIRON, "MAILMCP_PASSWORD_FILE": "x"}) == [
        "MAILMCP_PASSWORD_FILE: can't be combined with MAILMCP_PASSWORD; "
        "set only one of MAILMCP_PASSWORD, MAILMCP_PASSWORD_FILE, MAILMCP_SECRETS"
    ]


def test_plain_text_of_the_environment_is_refused_by_its_names(faults: Faults) -> None:
    (fault,) = faults({**ENVIRON, "MAILMCP_TLS": "none", "MAILMCP_ALLOW_PLAINTEXT": "no"})
    assert fault.startswith("MAILMCP_TLS: ")
    assert fault.endswith("or if MAILMCP_ALLOW_PLAINTEXT is true")


def test_an_error_says_where_a_relative_path_starts(write: Write, faults: Faults, path: Path) -> None:
    write(path, ACCOUNT + 'ca_file = "none.pem"\n')
    of_file, of_environment = faults({**ENVIRON, "MAILMCP_CA_FILE": "none.pem"})
    assert of_file.endswith("a relative path starts at the folder of the settings file")
    assert of_environment.endswith("a relative path starts at the folder that mailmcp is started in")


def test_extra_commas_in_a_variable_are_ignored(load: Load) -> None:
    settings = load({**ENVIRON, "MAILMCP_NAMES": "Ann Lee, ,", "MAILMCP_HTTP_ALLOWED_HOSTS": ","})
    assert settings.preferences.owner_of("default").names == ("Ann Lee",)
    assert settings.server.http_allowed_hosts == []


def test_an_id_that_is_used_twice_is_refused_also_with_other_mistakes(
    write: Write, faults: Faults, path: Path
) -> None:
    write(path, ACCOUNT + ACCOUNT + "port = 0\n" + ACCOUNT.replace("work", "Work"))
    assert faults() == [
        f"{path}, line 9: accounts[2].account_id: is also the id of accounts[1]; ids must be unique",
        f"{path}, line 13: accounts[2].port: must be a whole number from 1 to 65535",
    ]
