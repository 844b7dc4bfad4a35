"""Changes of many users: each has a journal, and a confirmation counts once, on any replica."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
import pytest
from anyio import to_thread
from mcp.types import CallToolResult
from tenacity import retry, retry_if_result, stop_after_delay
from valkey import Valkey as Client

from hosted.conftest import SECRETS
from hosted.in_process import InProcess, serving
from hosted.organisation import Organisation
from hosted.test_users import data_of, reason_of
from mailmcp.hosted import cluster
from mailmcp.hosted.cluster import KEY_S, ClusterState
from mailmcp.hosted.credentials import by_store
from mailmcp.hosted.principal import Principal
from mailmcp.imap.account import Account, Writes
from mcp_envelope import InternalError
from servers.dovecot import Dovecot
from servers.dovecot_config import PASSWORD
from servers.logins import plain_account
from servers.valkey import Valkey, need_valkey

ANN, BOB = SECRETS
CHANGE, UNDO = "imap_change_messages", "imap_undo"
OWN_PASSWORD = by_store(lambda _user: lambda: PASSWORD)


@pytest.fixture(scope="module")
def valkey() -> Iterator[Valkey]:
    need_valkey()
    with Valkey() as server:
        yield server


def template_of(server: Dovecot, **options: Any) -> Account:
    account = plain_account(server.host, server.plain_port, "{user}", "", account_id="work")
    return replace(account, writes=Writes.ALL, **options)


Serve = Callable[..., Any]


@pytest.fixture
def replica(organisation: Organisation, mail_server: Dovecot) -> Callable[..., Any]:
    """Return what serves everybody, and lets them change their mail."""

    def serve(**options: Any) -> Any:
        limits = {key: options.pop(key) for key in ("state",) if key in options}
        return serving(organisation, template_of(mail_server, **options), OWN_PASSWORD, **limits)

    return serve


@asynccontextmanager
async def two_replicas(replica: Serve, valkey: Valkey, **options: Any) -> AsyncIterator[list[InProcess]]:
    async with AsyncExitStack() as stack:
        states = [ClusterState(valkey.url) for _ in range(2)]
        yield [await stack.enter_async_context(replica(state=each, **options)) for each in states]


async def ids_of(server: InProcess, user: str, mailbox: str = "INBOX") -> list[str]:
    page = data_of(await server.call(user, mailbox=mailbox, limit=50))
    return [row["message_id"] for row in page["messages"]]


def token_of(refused: CallToolResult) -> str:
    """Return what a plan is confirmed with."""
    assert reason_of(refused).endswith("/confirmation_required"), refused
    envelope = refused.structured_content or {}
    token: str = envelope["error"]["next_action"]["arguments"]["confirm"]
    return token


def add(server: Dovecot, user: str, mailbox: str, count: int) -> None:
    """Make a mailbox with messages for a test of its own."""
    server.fill(user, mailbox, [f"Subject: {mailbox} {each}\r\n\r\nx\r\n".encode() for each in range(count)])


def test_a_user_changes_and_undoes_their_own_mail_alone(replica: Serve, mail_server: Dovecot) -> None:
    for user in SECRETS:
        add(mail_server, user, "Local", 3)

    async def run() -> None:
        async with replica() as server:
            ids = await ids_of(server, ANN, "Local")
            mine: dict[str, Any] = {"action": "delete_forever", "message_ids": ids[:1]}
            token = token_of(await server.call(ANN, CHANGE, **mine))
            his: dict[str, Any] = mine | {"message_ids": (await ids_of(server, BOB, "Local"))[:1]}
            assert (
                reason_of(await server.call(BOB, CHANGE, **mine, confirm=token))
                == "not_found/account_unknown"
            )
            assert reason_of(await server.call(BOB, CHANGE, **his, confirm=token)) == "conflict/plan_changed"
            flagged = data_of(await server.call(ANN, CHANGE, action="flag", message_ids=ids))
            undo = {"entry_id": flagged["entry_id"]}
            assert reason_of(await server.call(BOB, UNDO, **undo)) == "not_found/entry_unknown"
            assert data_of(await server.call(BOB, UNDO))["entries"] == []
            assert len(data_of(await server.call(ANN, UNDO, **undo))["changed"]) == 3
            assert data_of(await server.call(ANN, CHANGE, **mine, confirm=token))["done"] == 1
            assert len(await ids_of(server, ANN, "Local")) == 2
            assert len(await ids_of(server, BOB, "Local")) == 3

    anyio.run(run)


def test_what_one_replica_asked_and_did_another_one_knows(
    replica: Serve, mail_server: Dovecot, valkey: Valkey
) -> None:
    name = "Shared"
    add(mail_server, ANN, name, 4)

    async def run() -> None:
        async with two_replicas(replica, valkey, writes_per_hour=3) as (one, two):
            ids = await ids_of(one, ANN, name)
            delete: dict[str, Any] = {"action": "delete_forever", "message_ids": ids[:1]}
            token = token_of(await one.call(ANN, CHANGE, **delete))
            again = token_of(await two.call(ANN, CHANGE, **delete | {"message_ids": ids[1:2]}))
            assert data_of(await two.call(ANN, CHANGE, **delete, confirm=token))["done"] == 1
            refused = await one.call(ANN, CHANGE, **delete | {"message_ids": ids[1:2]}, confirm=token)
            assert reason_of(refused) == "conflict/plan_changed"
            assert (
                data_of(await one.call(ANN, CHANGE, **delete | {"message_ids": ids[1:2]}, confirm=again))[
                    "done"
                ]
                == 1
            )
            moved = data_of(await one.call(ANN, CHANGE, action="trash", message_ids=ids[2:3]))
            refused = await two.call(ANN, CHANGE, action="flag", message_ids=ids[3:])
            assert reason_of(refused) == "internal/hourly_limit", "what the other one did counts"
            undone = data_of(await two.call(ANN, UNDO, entry_id=moved["entry_id"]))
            assert len(undone["changed"]) == 1
            assert len(await ids_of(one, ANN, name)) == 2

    anyio.run(run)


def test_a_confirmation_that_two_replicas_get_at_once_counts_once(
    replica: Serve, mail_server: Dovecot, valkey: Valkey
) -> None:
    add(mail_server, BOB, "Race", 12)
    reasons: list[str] = []

    async def confirm(server: InProcess, **arguments: Any) -> None:
        reasons.append(reason_of(await server.call(BOB, CHANGE, **arguments)))

    async def run() -> None:
        async with two_replicas(replica, valkey) as servers:
            copy: dict[str, Any] = {"action": "copy", "mailbox": "Archive", "search": {"mailbox": "Race"}}
            copy["confirm"] = token_of(await servers[0].call(BOB, CHANGE, **copy))
            async with anyio.create_task_group() as tasks:
                for each in servers:
                    tasks.start_soon(partial(confirm, each, **copy))
            assert sorted(reasons)[0] == ""
            assert sorted(reasons)[1] in {"conflict/confirmation_used", "conflict/plan_changed"}
            assert len(await ids_of(servers[0], BOB, "Archive")) == 12

    anyio.run(run)


def test_without_valkey_reading_goes_on_and_nothing_is_changed_or_forgotten(
    replica: Serve, mail_server: Dovecot, valkey: Valkey
) -> None:
    add(mail_server, BOB, "Away", 3)

    async def run() -> None:
        async with two_replicas(replica, valkey) as (one, two):
            ids = await ids_of(one, BOB, "Away")
            delete: dict[str, Any] = {"action": "delete_forever", "message_ids": ids[:1]}
            flagged = data_of(await one.call(BOB, CHANGE, action="flag", message_ids=ids))
            delete["confirm"] = token_of(await one.call(BOB, CHANGE, **delete))
            await to_thread.run_sync(valkey.kill)
            for arguments in ({"action": "mark_read", "message_ids": ids}, delete):
                refused = await two.call(BOB, CHANGE, **arguments)
                assert reason_of(refused) == "internal/journal_failed"
                assert (refused.structured_content or {})["error"]["retryable"] is True
            assert reason_of(await two.call(BOB, UNDO)) == "internal/journal_failed"
            assert await ids_of(two, BOB, "Away") == ids
            assert data_of(await two.call(BOB, "imap_get_message", message_id=ids[0]))["message"]
            await to_thread.run_sync(valkey.start)
            assert data_of(await two.call(BOB, CHANGE, **delete))["done"] == 1
            assert not ClusterState(valkey.url).spend(delete["confirm"], time.time() + 60)
            undone = data_of(await two.call(BOB, UNDO, entry_id=flagged["entry_id"]))
            assert len(undone["changed"]) == 2, "what was deleted stays so"

    anyio.run(run)


def test_the_lock_of_a_journal_is_renewed_until_it_is_taken_away_or_its_replica_crashes(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "LOCK_S", 1)
    ann, bob = (Principal(issuer="https://id.example.com", subject=each, user=each) for each in SECRETS)
    one, two = (ClusterState(valkey.url).journal_of(ann) for _ in range(2))
    unlock = one.lock("work")
    assert unlock is not None
    assert two.lock("work") is None
    unlock_his = ClusterState(valkey.url).journal_of(bob).lock("work")
    assert unlock_his is not None
    unlock_his()
    patiently = retry(retry=retry_if_result(lambda found: not found), stop=stop_after_delay(10))
    with Client.from_url(valkey.url) as client:
        [name] = client.keys(f"mailmcp:journal:{ann.digest}:lock")
        assert patiently(lambda: client.pttl(name) < 850)()
        assert patiently(lambda: client.pttl(name) > 900)(), "renewed"
        unlock()
        assert client.lock(name, timeout=1, blocking=False).acquire(), "one whose replica crashes"
    assert two.lock("work") is None
    unlock = patiently(two.lock)("work")
    assert unlock is not None, "in the end"
    unlock()


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_key_signs_for_an_hour_and_counts_for_another_one(valkey: Valkey) -> None:
    clocks = [Clock(), Clock()]
    states = [ClusterState(valkey.url, clock=each) for each in clocks]
    assert states[0].keys() == states[1].keys()
    for behind, ahead in ((0, 1), (1, 0)):
        clocks[ahead].now = clocks[behind].now + KEY_S
        first, second = states[behind].keys(), states[ahead].keys()
        assert first[0] != second[0]
        assert first[0] in second, "still good"
        first = states[behind].keys()
        assert second[0] in first, "clocks may differ"
    clocks[0].now = clocks[1].now + 3 * KEY_S
    assert not set(states[0].keys()) & set(states[1].keys())
    late = clocks[0].now + 60
    assert states[0].spend("token", late)
    assert not states[1].spend("token", late)
    with Client.from_url(valkey.url) as client:
        kept = [client.ttl(each) for each in client.keys("mailmcp:*")]
    assert kept
    assert all(0 < each <= 90 * 86_400 for each in kept), "nothing stays for ever"


def test_the_oldest_lines_of_a_journal_go_once_they_are_an_hour_old(
    valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "ROTATE_OCTETS", 4)
    principal = Principal(issuer="i", subject="s", user="many")
    journal = ClusterState(valkey.url).journal_of(principal)
    for each in (b"1", b"2", b"3", b"4"):
        journal.append(each)
    assert journal.read() == [b"1", b"2", b"3", b"4"]
    with Client.from_url(valkey.url) as client:
        name = f"mailmcp:journal:{principal.digest}"
        assert 3_500 < client.ttl(f"{name}:rotated") <= 3_600
        client.delete(f"{name}:rotated")
    journal.append(b"5")
    assert journal.read() == [b"3", b"4", b"5"]


def test_what_valkey_refuses_to_keep_is_refused_and_not_logged(
    valkey: Valkey, caplog: pytest.LogCaptureFixture
) -> None:
    journal = ClusterState(valkey.url).journal_of(Principal(issuer="i", subject="s", user="full"))
    with Client.from_url(valkey.url) as client:
        client.config_set("maxmemory", "1")
        try:
            with pytest.raises(InternalError, match="can't be read or written") as caught:
                journal.append(b"imap:work:INBOX:1:2")
        finally:
            client.config_set("maxmemory", "0")
    assert caught.value.retryable
    assert "INBOX" not in caplog.text
    assert "OutOfMemoryError" in caplog.text
