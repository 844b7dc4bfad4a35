"""Blocking work ends with its call, and none begins after the end; see test_pool_cancel.py for calls."""

from functools import partial

import anyio
import pytest

from imap.scenes import make_account
from mailmcp.imap.connect import ConnectionHandle, connect
from mailmcp.imap.telemetry import Telemetry
from mailmcp.imap.threads import Threads
from mailmcp.reasons import Reason
from mcp_envelope import InternalError
from servers.peer import PeerFactory
from servers.peer_actions import Rule, Silence


def test_the_traffic_of_work_is_counted_also_if_it_is_cut(peer: PeerFactory) -> None:
    server = peer(rules=[Rule(command="NOOP", action=Silence())])
    handle, telemetry, threads = ConnectionHandle(make_account(server)), Telemetry(), Threads(2)

    async def run() -> None:
        connection = await threads.run(handle, lambda: connect(handle), telemetry)
        assert telemetry.imap_round_trips == 1
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(threads.run, handle, partial(connection.run, "NOOP"), telemetry)
            await anyio.to_thread.run_sync(lambda: server.wait_for("NOOP"))
            tasks.cancel_scope.cancel()
        handle.close()

    anyio.run(run)
    assert telemetry.imap_round_trips == 2
    assert telemetry.bytes_received == handle.traffic.octets_received > 0
    server.wait_closed(1)


def test_nothing_begins_after_the_end(peer: PeerFactory) -> None:
    server = peer()
    handle, threads = ConnectionHandle(make_account(server)), Threads(1)
    threads.close()
    with pytest.raises(InternalError) as caught:
        anyio.run(threads.run, handle, lambda: connect(handle), Telemetry())
    assert caught.value.reason is Reason.CONNECTION_LOST
    assert server.connections == 0
