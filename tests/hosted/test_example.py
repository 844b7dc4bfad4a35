"""The files of the example in docs/hosting fit together, and nginx and Dovecot run with theirs."""

import json
import os
import re
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import pytest
import yaml
from imapclient import IMAPClient
from imapclient.exceptions import LoginError
from typing_extensions import override

from hosted.organisation import Organisation
from mailmcp.settings.hosted import OAuthTable
from servers.dovecot import Dovecot
from servers.dovecot_config import rootless
from servers.nginx import Nginx, free_ports, need_nginx
from settings.loading import load

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "docs" / "hosting"
NGINX: Final = (FOLDER / "nginx.conf").read_text(encoding="utf-8")
TOKEN_RULES: Final = (FOLDER / "oauth2.conf.ext").read_text(encoding="utf-8")
SERVICES: Final[dict[str, dict[str, Any]]] = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
REALM: Final = json.loads((FOLDER / "realm.json").read_text(encoding="utf-8"))
CLIENTS: Final = {each["clientId"]: each for each in REALM["clients"]}
SCOPES: Final = {each["name"]: each for each in REALM["clientScopes"]}
USER: Final = "alice@example.com"


def oauth() -> OAuthTable:
    table = load(config=FOLDER / "config.toml").oauth
    assert table is not None
    return table


def audiences(scope: str) -> list[str]:
    """Return whom tokens with a scope are for."""
    configs = [each["config"] for each in SCOPES[scope]["protocolMappers"]]
    return [each["included.client.audience"] for each in configs if "included.client.audience" in each]


def test_each_service_has_its_files_and_a_certain_version() -> None:
    mounted = [each.split(":")[0] for service in SERVICES.values() for each in service.get("volumes", [])]
    files = {each.removeprefix("./") for each in mounted if each.startswith("./")}
    assert files == {each.name for each in FOLDER.iterdir()} - {"compose.yaml"}
    images = {name: each["image"] for name, each in SERVICES.items() if "build" not in each}
    assert images.keys() == {"nginx", "valkey", "keycloak"}
    assert all(re.search(r":\d+\.\d+", each) for each in images.values())
    assert '"/src[cluster]"' in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_everything_is_where_the_others_look_for_it() -> None:
    modes = {name: each.get("network_mode") for name, each in SERVICES.items()}
    assert modes == dict.fromkeys(SERVICES, "service:nginx") | {"nginx": None}
    commands = [SERVICES[name]["command"] for name in ("mailmcp-1", "mailmcp-2")]
    ports = re.findall(r"server 127\.0\.0\.1:(\d+)", NGINX)
    assert commands == [f"serve --transport http --port {each}" for each in ports]
    table = oauth()
    published = [each.split(":")[1] for each in SERVICES["nginx"]["ports"]]
    assert [str(urlsplit(each).port) for each in (table.url, table.issuer)] == published
    assert f"listen {published[0]};" in NGINX
    assert f"--http-port={published[1]}" in SERVICES["keycloak"]["command"]
    assert table.valkey_url is not None
    assert table.valkey_url.get_secret_value() == "valkey://127.0.0.1:6379/0"  # Valkey's own port
    [account] = load(config=FOLDER / "config.toml").accounts
    assert (account.host, account.port) == ("127.0.0.1", 143)


def test_the_realm_issues_what_mailmcp_takes_and_exchanges_it_for_what_dovecot_takes() -> None:
    table = oauth()
    assert table.issuer.endswith(f"/realms/{REALM['realm']}")
    assert set(table.scopes) <= set(REALM["defaultDefaultClientScopes"])
    assert [audiences(scope) for scope in table.scopes] == [[table.url]]
    own, dovecot = CLIENTS[table.client_id], CLIENTS[table.mail_audience]
    assert table.client_secret is not None
    assert table.client_secret.get_secret_value() == own["secret"]
    assert (table.url, own["attributes"]) == (own["clientId"], {"standard.token.exchange.enabled": "true"})
    assert own["optionalClientScopes"] == [table.mail_scope]
    assert audiences(table.mail_scope) == [table.mail_audience]
    assert table.mail_scope not in str(REALM["defaultDefaultClientScopes"])  # else everybody would have it
    rules = dict(re.findall(r"^(\w+) = (.*)$", TOKEN_RULES, re.MULTILINE))
    assert (rules["client_id"], rules["client_secret"]) == (dovecot["clientId"], dovecot["secret"])
    assert rules["introspection_url"].startswith(f"{table.issuer}/")


def test_nginx_forwards_what_clients_need_and_nothing_else() -> None:
    need_nginx()
    port, nowhere = free_ports(2)
    with Nginx(port, [nowhere]):
        paths = ["/mcp", "/.well-known/oauth-protected-resource/mcp", "/health", "/ready", "/mcp/", "/"]
        found = [httpx2.get(f"http://127.0.0.1:{port}{path}").status_code for path in paths]
    assert found == [502, 502, 404, 404, 404, 404]


def test_nginx_sends_what_may_have_been_done_to_no_other_replica() -> None:
    need_nginx()
    received: list[bytes] = []

    def die(listener: socket.socket) -> None:
        """Take a request, and end without an answer."""
        while True:
            with suppress(OSError), listener.accept()[0] as connection:
                received.append(connection.recv(65_536))
                continue
            return

    port, nowhere = free_ports(2)
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        dying = [each.getsockname()[1] for each in (one, two)]
        threads = [threading.Thread(target=die, args=[each], daemon=True) for each in (one, two)]
        for each in threads:
            each.start()
        with Nginx(port, dying) as nginx:
            assert httpx2.post(nginx.url, json={}).status_code == 502
            assert len(received) == 1
        with Nginx(port, [nowhere, dying[0]]) as nginx:
            for token in map(str, range(8)):  # some of them lead to the one that isn't there
                assert httpx2.post(nginx.url, json={}, headers={"Authorization": token}).status_code == 502
            assert len(received) > 1, "a refused connection leads to the other one"
        for listener in (one, two):
            listener.shutdown(socket.SHUT_RDWR)
    for each in threads:
        each.join(10)
        assert not each.is_alive()


class ExampleDovecot(Dovecot):
    """Runs with the example's files, but for places, ports and who runs it."""

    @override
    def _configure(self) -> str:
        url = r"introspection_url = \S+"
        rules = re.sub(url, f"introspection_url = {self._issuer}/introspect", TOKEN_RULES)
        (self._folder / "oauth2.conf.ext").write_text(rules)
        text = (FOLDER / "dovecot.conf").read_text(encoding="utf-8")
        for example, test in {
            "/etc/dovecot": f"{self._folder}",
            "/srv/mail": f"{self._folder}/homes",
            "/dev/stderr": f"{self._folder}/dovecot.log",
            "uid=mail gid=mail": f"uid={self._owner.pw_uid} gid={self._owner.pw_gid}",
        }.items():
            assert example in text
            text = text.replace(example, test)
        text += f"base_dir = {self._folder}/run\nstate_dir = {self._folder}/state\n"
        text += f"service imap-login {{\ninet_listener imap {{\nport = {self.plain_port}\n}}\n}}\n"
        if os.getuid():
            chroots = "".join(f"service {each} {{\nchroot =\n}}\n" for each in ("anvil", "imap-login"))
            text += chroots + rootless(self._owner)
        return text


@pytest.mark.usefixtures("mail_server")  # skips where there is no Dovecot
def test_dovecot_opens_a_mailbox_with_a_token_for_dovecot_only(organisation: Organisation) -> None:
    organisation.audience = oauth().mail_audience
    own, other = organisation.issue(USER), organisation.issue("bob@example.com")
    received = organisation.issue(USER, aud=oauth().url)
    with ExampleDovecot(token_issuer=organisation.issuer) as server:

        def list_uses(token: str) -> set[bytes]:
            with IMAPClient(server.host, server.plain_port, ssl=False) as client:
                client.oauth2_login(USER, token)
                return {flag for flags, _, _ in client.list_folders() for flag in flags}

        assert {b"\\Drafts", b"\\Trash"} <= list_uses(own)
        for refused in (other, received):
            with pytest.raises(LoginError):
                list_uses(refused)
        organisation.answers["/introspect"] = 200, json.dumps({"active": False, "email": USER})
        with pytest.raises(LoginError):
            list_uses(own)
