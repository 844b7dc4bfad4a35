"""Whose mailbox a token opens, by each way to sign in at the mail server."""

from pathlib import Path

import anyio
import pytest

from hosted.conftest import SECRETS
from hosted.organisation import MASTER_PASSWORD, Organisation, serve
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

    with serve(organisation, mail_server, tmp_path, account=account, **oauth) as process:
        anyio.run(run, process.url)
        log = process.log
    for user in SECRETS:
        assert log.count(f"principal={user} ") == 2
    for secret in (*SECRETS.values(), MASTER_PASSWORD, PASSWORD, "eyJ"):
        assert secret not in log
