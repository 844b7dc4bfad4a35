"""Whose mailbox a token opens, by each way to sign in at the mail server."""

from pathlib import Path

import anyio
import httpx2
import pytest

from hosted.conftest import SECRETS
from hosted.organisation import MASTER_PASSWORD, Organisation, replica, serve, write_settings
from mailmcp.auth import store
from servers.dovecot import Dovecot
from servers.dovecot_config import PASSWORD
from servers.http_process import connected, search

ANN, BOB = SECRETS
EXCHANGE = {"sign_in": "exchange", "mail_audience": "mail-server", "mail_scope": "imap"}
WAYS = {
    "exchange": (EXCHANGE, ""),
    "exchange by OAUTHBEARER": (EXCHANGE | {"sasl": "oauthbearer"}, ""),
    "master": ({"sign_in": "master", "master_user": "boss"}, f'password = "{MASTER_PASSWORD}"\n'),
    "stored": ({"sign_in": "stored"}, ""),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_user_sees_their_own_mail_by_each_way_to_sign_in(
    organisation: Organisation, mail_server: Dovecot, tmp_path: Path, way: str
) -> None:
    oauth, account = WAYS[way]
    if way == "stored":
        for user in SECRETS:
            store.write(f"work {user}@{mail_server.host}", PASSWORD)

    async def run(url: str) -> None:
        for mode in ("legacy", "auto"):
            for user, secret in SECRETS.items():
                async with connected(url, mode, organisation.issue(user)) as client:
                    page = await search(client, limit=10)
                    subjects = [row["subject"] for row in page["data"]["messages"]]
                    assert subjects == [f"{secret} {number}" for number in (4, 3, 2, 1, 0)]
                    # Which takes the owner's addresses.
                    waiting = await search(client, awaiting_reply="from_me")
                    assert len(waiting["data"]["messages"]) == 5

    with serve(organisation, mail_server, tmp_path, account=account, **oauth) as process:
        anyio.run(run, process.url)
        log = process.log
    for user in SECRETS:
        assert log.count(f"principal={user} ") == 4
    for secret in (*SECRETS.values(), MASTER_PASSWORD, PASSWORD, "eyJ"):
        assert secret not in log


def test_the_host_of_the_url_is_let_in_and_no_other(
    organisation: Organisation, mail_server: Dovecot, tmp_path: Path
) -> None:
    url = "https://mail.example.com/mcp"
    write_settings(organisation, mail_server, tmp_path, url=url, sign_in="stored")
    usual = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "Authorization": f"Bearer {organisation.issue(ANN)}",
    }
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with replica(tmp_path) as process:
        for host, status in (("mail.example.com", 200), ("evil.example.com", 421)):
            assert httpx2.post(process.url, json=ping, headers=usual | {"Host": host}).status_code == status
