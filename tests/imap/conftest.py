"""Fixtures of the IMAP layer's tests: servers that never let a client in, pools that run."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TypeAlias

import pytest

from imap.scenes import At, RunningPool
from mailmcp.imap.account import Account
from servers.peer import Peer, PeerFactory
from servers.peer_mailbox import make_messages

PoolFactory: TypeAlias = Callable[[Account], RunningPool]

_CONNECT_FILLERS = 4


@pytest.fixture
def server(peer: PeerFactory) -> Peer:
    """A peer with one message."""
    return peer(messages=make_messages(1))


@pytest.fixture
def run_pool() -> Iterator[PoolFactory]:
    """Starts pools of one account, which close with the test."""
    with ExitStack() as stack:
        yield lambda account: stack.enter_context(RunningPool(account))


@pytest.fixture
def deaf_host() -> Iterator[At]:
    """An address where connections neither come up nor are refused: its queue is full."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        address = listener.getsockname()
        for _ in range(_CONNECT_FILLERS):
            filler = stack.enter_context(socket.socket())
            filler.settimeout(0)
            filler.connect_ex(address)
        yield At(*address)
