"""Users are kept apart: what is one's is nobody else's, neither mail nor trouble."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from anyio import to_thread
from mcp import Client, MCPError
from mcp.types import CallToolResult

from hosted.conftest import SECRETS
from hosted.in_process import Clock, serving
from hosted.organisation import Organisation
from mailmcp.hosted.credentials import by_store
from mailmcp.hosted.principal import Principal
from mailmcp.hosted.users import CALLS_PER_USER
from mailmcp.imap.account import Account, Password
from mailmcp.imap.pool import AUTH_BACKOFF_S
from servers.dovecot import Dovecot
from servers.dovecot_config import PASSWORD
from servers.logins import plain_account
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule, Silence, Stall
from servers.peer_mailbox import make_messages

ANN, BOB = SECRETS


def start(peer: PeerFactory, *rules: Rule) -> tuple[Peer, Account]:
    """Start a server on which everybody can log in; return it with the template of their accounts."""
    server = peer(messages=make_messages(3), rules=rules)
    server.settings.user = ""
    return server, plain_account(server.host, server.port, "{user}", "", account_id="work")


def reason_of(result: CallToolResult) -> str:
    """Return `code/reason` of a failure; "" of a success."""
    envelope = result.structured_content or {}
    if not result.is_error:
        return ""
    return f"{envelope['error']['code']}/{envelope['error']['details']['reason']}"


def data_of(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.structured_content
    assert result.structured_content is not None
    data: dict[str, Any] = result.structured_content["data"]
    return data


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_what_another_user_was_given_names_an_account_that_is_not_there(
    organisation: Organisation, mail_server: Dovecot, mode: str
) -> None:
    """Both mailboxes are alike: without the account, an id of one would name a message of the other."""
    template = plain_account(mail_server.host, mail_server.plain_port, "{user}", "", account_id="work")

    async def everything_of(client: Client) -> dict[str, tuple[str, dict[str, Any]]]:
        page = data_of(await client.call_tool("imap_search_messages", {"limit": 2}))
        message_id = page["messages"][0]["message_id"]
        since = {"mailbox": "INBOX"}
        state = data_of(await client.call_tool("imap_get_changes", since))["new_state"]
        account_id = message_id.split(":")[1]
        return {
            "cursor": ("imap_search_messages", {"cursor": page["next_action"]["arguments"]["cursor"]}),
            "message": ("imap_get_message", {"message_id": message_id}),
            "conversation": ("imap_get_thread", {"message_id": message_id}),
            "attachment": ("imap_get_attachment", {"message_id": message_id, "part_id": "1"}),
            "source": ("imap_get_message_raw", {"message_id": message_id}),
            "state": ("imap_get_changes", {"since": state}),
            "account": ("imap_list_mailboxes", {"account_id": account_id}),
        }

    async def run() -> None:
        by_password = by_store(lambda _user: lambda: PASSWORD)
        async with (
            serving(organisation, template, by_password) as server,
            server.connected(ANN, mode) as ann,
            server.connected(BOB, mode) as bob,
        ):
            given = await everything_of(ann)
            for name, (tool, arguments) in given.items():
                assert not (await ann.call_tool(tool, arguments)).is_error, name
                refused = await bob.call_tool(tool, arguments)
                assert (name, reason_of(refused)) == (name, "not_found/account_unknown")
                assert SECRETS[ANN] not in refused.model_dump_json()
                assert SECRETS[BOB] not in refused.model_dump_json()
            [listed] = (await ann.list_resources()).resources
            uri = listed.uri.replace("/mailboxes", "")
            message_id = given["message"][1]["message_id"]
            _, account_id, mailbox, uidvalidity, uid = message_id.split(":")
            message = f"imap://{account_id}/mailbox/{mailbox}/message/{uidvalidity}/{uid}"
            for uri in (listed.uri, message, f"{message}/raw", f"{message}/attachment/1"):
                assert (await ann.read_resource(uri)).contents
                with pytest.raises(MCPError, match="There is no account"):
                    await bob.read_resource(uri)
            assert [each.uri for each in (await bob.list_resources()).resources] != [listed.uri]
            mine = await everything_of(bob)
            assert SECRETS[BOB] in str(await bob.call_tool(*mine["message"]))

    anyio.run(run)


def test_a_slow_server_and_a_refused_login_of_one_user_are_nobody_elses(
    organisation: Organisation, peer: PeerFactory
) -> None:
    refuse = Respond(b"{tag} NO [AUTHENTICATIONFAILED] Wrong\r\n")
    server, template = start(
        peer,
        Rule(command="LOGIN", containing="slow", action=Silence()),
        Rule(command="LOGIN", containing="locked", action=refuse),
    )

    async def run() -> None:
        async with serving(organisation, template) as many, anyio.create_task_group() as tasks:
            for _ in range(CALLS_PER_USER):
                tasks.start_soon(many.call, "slow@example.com")
            await to_thread.run_sync(lambda: server.wait_for("LOGIN"))
            for reason in ("credentials_rejected", "backing_off", "backing_off"):
                locked = await many.call("locked@example.com")
                assert reason_of(locked) == f"auth_failed/{reason}"
                assert "administrator" in str(locked.content)
            assert data_of(await many.call("well@example.com"))["messages"]
            assert reason_of(await many.call("slow@example.com")) == "internal/busy"
            assert data_of(await many.call("well@example.com"))["messages"]
            await to_thread.run_sync(server.stop)  # which ends the calls

    anyio.run(run)
    assert len([each for each in server.logins if "locked" in each.line]) == 1


def test_the_latest_token_of_a_user_is_the_one_to_exchange(
    organisation: Organisation, peer: PeerFactory
) -> None:
    _, template = start(peer)
    received: list[Callable[[], str]] = []

    def make(_principal: Principal, latest: Callable[[], str]) -> Password:
        received.append(latest)
        return Password(lambda: "fake-password")

    async def run() -> None:
        async with serving(organisation, template, make) as many:
            await many.call(ANN)
            await many.call(BOB)
            before = [each() for each in received]
            await many.call(ANN)
            after = [each() for each in received]
        assert len({*before, *after}) == 3
        assert before[1] == after[1]

    anyio.run(run)


def test_a_user_who_is_idle_is_logged_out_and_served_again(
    organisation: Organisation, peer: PeerFactory
) -> None:
    server, template = start(peer)

    async def run() -> None:
        async with serving(organisation, template, idle_s=0.01) as many:
            for number in (1, 2):
                assert data_of(await many.call(ANN))["messages"]
                await to_thread.run_sync(server.wait_closed, number)

    anyio.run(run)
    assert [each.name for each in server.commands].count("LOGOUT") == 2


def test_a_call_in_flight_keeps_its_user(organisation: Organisation, peer: PeerFactory) -> None:
    server, template = start(peer, Rule(command="UID SEARCH", action=Stall(octets=8, interval_s=0.05)))
    clock, results = Clock(), list[CallToolResult]()

    async def run() -> None:
        async with (
            serving(organisation, template, users_max=1, idle_s=0.01, clock=clock) as many,
            anyio.create_task_group() as tasks,
        ):

            async def search() -> None:
                results.append(await many.call(ANN))

            tasks.start_soon(search)
            await to_thread.run_sync(lambda: server.wait_for("UID SEARCH"))
            clock.now += 1_000
            assert reason_of(await many.call(BOB)) == "internal/busy"

    anyio.run(run)
    assert data_of(results[0])["messages"]


def test_a_further_user_takes_the_place_of_one_who_was_idle_for_a_minute(
    organisation: Organisation, peer: PeerFactory, caplog: pytest.LogCaptureFixture
) -> None:
    """Not before: a refused login would be forgotten, and tried again."""
    (server, template), clock = start(peer), Clock()

    async def run() -> None:
        async with serving(organisation, template, users_max=2, clock=clock) as many:
            assert not reason_of(await many.call(ANN))
            clock.now += 1
            assert not reason_of(await many.call(BOB))
            full = await many.call("eve@example.com")
            assert reason_of(full) == "internal/busy"
            clock.now += AUTH_BACKOFF_S - 1
            assert not reason_of(await many.call("eve@example.com"))
            await to_thread.run_sync(server.wait_closed, 1)  # Ann's: she was idle for longest
            assert not reason_of(await many.call(BOB))
            assert server.connections == 3

    caplog.set_level("INFO", "mailmcp")
    anyio.run(run)
    busy = [each.__dict__["principal"] for each in caplog.records if "busy" in each.message]
    closed = [each.__dict__["principal"] for each in caplog.records if each.message == "closing connections"]
    assert (busy, closed) == (["eve@example.com"], [ANN])
