"""Subscriptions as clients of both eras see them: told of what happens, whatever happens to connections."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Final

import anyio
import psutil
import pytest
from anyio import to_thread
from mcp import Client, MCPError
from mcp.client.subscriptions import ResourceUpdated
from mcp.types import ResourceUpdatedNotification, TextResourceContents

from mailmcp.imap.account import Account
from mailmcp.imap.changes import watch
from mailmcp.server import subscriptions
from mailmcp.server.app import build_server
from server.mailbox import account_of_peer
from servers.dovecot import Dovecot, find_dovecot
from servers.embedded import Pymap
from servers.http_process import HttpProcess, connected
from servers.peer import PeerFactory
from servers.peer_answers import CAPABILITIES
from servers.peer_mailbox import make_messages
from servers.proxy import CountingProxy
from soak.changes import letters
from tools.stores import Store, dovecot_store, pymap_store

pytestmark = pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed")

ERAS: Final = ["legacy", "auto"]
INBOX: Final = "imap://work/mailbox/INBOX"
EVERY: Final = "imap://work/mailbox"
WAIT_S: Final = 120.0
"""A login that a busy server doesn't answer isn't repeated for a minute."""

_user_numbers = count(1)


class Heard:
    """What a client was told, in order."""

    def __init__(self) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[str](100)

    async def note(self, message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            self._send.send_nowait(str(message.params.uri))

    async def next(self) -> str:
        with anyio.fail_after(WAIT_S):
            return await self._receive.receive()

    def nothing(self) -> bool:
        return self._receive.statistics().current_buffer_used == 0

    def close(self) -> None:
        self._send.close()
        self._receive.close()


Subscribed = tuple[Client, Heard, Callable[[], Awaitable[None]]]


@asynccontextmanager
async def subscribed(account: Account, mode: str, *uris: str) -> AsyncIterator[Subscribed]:
    """A client that has subscribed, what it hears, and what ends its subscriptions."""
    heard = Heard()
    async with (
        Client(build_server([account]), mode=mode, message_handler=heard.note) as client,
        AsyncExitStack() as stack,
    ):
        if mode == "legacy":
            for uri in uris:
                await client.subscribe_resource(uri)
                stack.push_async_callback(client.unsubscribe_resource, uri)
        else:
            listening = await stack.enter_async_context(client.listen(resource_subscriptions=uris))
            assert listening.honored.resource_subscriptions == list(uris)
        yield client, heard, stack.aclose
    heard.close()


async def fill(store: Store, mailbox: str = "INBOX") -> list[int]:
    return await to_thread.run_sync(store.fill, mailbox, letters(1))


async def wait_until(holds: Callable[[], bool]) -> None:
    """Look again and again: what happens in another process has no event here."""
    with anyio.fail_after(WAIT_S):
        while not holds():  # noqa: ASYNC110 - see above
            await anyio.sleep(0.02)


class Own(Dovecot):
    """A Dovecot of this file's own, whose connections can be counted and cut."""

    def connections(self) -> list[psutil.Process]:
        """Return the processes that serve a user each."""
        return self.children("imap")

    def children(self, name: str) -> list[psutil.Process]:
        """Return its processes of this name."""
        assert self._process is not None
        found = []
        for each in psutil.Process(self._process.pid).children():
            with suppress(psutil.NoSuchProcess, FileNotFoundError):  # it has just ended
                found += [each] if each.name() == name else []
        return found

    def store(self) -> Store:
        """Return a new user's."""
        return dovecot_store(self, self.user(f"user-{next(_user_numbers)}"))


@pytest.fixture(scope="module", params=["notify", "idle"])
def own(request: pytest.FixtureRequest) -> Iterator[Own]:
    if find_dovecot() is None:
        pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
    plain = "imap_capability = IMAP4rev1 LITERAL+ MULTIAPPEND UIDPLUS ENABLE CONDSTORE IDLE\n"
    with Own(extra=plain if request.param == "idle" else "") as server:
        yield server


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks and tries again at once."""
    for module, name in ((watch, "LOOK_S"), (subscriptions, "LOOK_S"), (subscriptions, "_RETRY_S")):
        monkeypatch.setattr(module, name, 0.1)


async def hears_of_everything(store: Store, mode: str) -> None:
    await fill(store)
    async with subscribed(store.account, mode, INBOX, EVERY) as (client, heard, _):
        assert heard.nothing()
        [uid] = await fill(store)
        assert {await heard.next(), await heard.next()} == {INBOX, EVERY}
        await client.read_resource(EVERY)
        read = (await client.read_resource(INBOX)).contents[0]
        assert isinstance(read, TextResourceContents)
        assert "Letter 0" in read.text
        with store.client() as other:
            other.select_folder("INBOX")
            other.add_flags([uid], [b"\\Flagged"])
            while await heard.next() != INBOX:
                pass
            other.create_folder("Work")
            other.append("Work", letters(1)[0])
            while await heard.next() != EVERY:
                pass


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("mode", ERAS)
def test_whatever_happens_is_told(own: Own, mode: str) -> None:
    """In the mailbox, and in one that was made meanwhile."""
    anyio.run(hears_of_everything, own.store(), mode)


@pytest.mark.usefixtures("quick")
def test_whatever_happens_on_pymap_is_told(pymap_server: Pymap) -> None:
    anyio.run(hears_of_everything, pymap_store(pymap_server), "auto")


@pytest.mark.parametrize("mode", ERAS)
def test_the_connection_ends_with_the_last_subscription(own: Own, mode: str) -> None:
    async def run() -> None:
        store = own.store()
        async with subscribed(store.account, mode, INBOX) as (_, _heard, unsubscribe):
            assert len(own.connections()) == 1
            await unsubscribe()
            await wait_until(lambda: not own.connections())

    anyio.run(run)


@pytest.mark.usefixtures("quick")
def test_a_lost_connection_loses_and_invents_nothing(own: Own) -> None:
    """The looks after the losses find what happened meanwhile, and only that."""

    def lose(others: list[psutil.Process]) -> None:
        for each in own.connections():
            if each not in others:
                each.kill()

    async def run() -> None:
        store = own.store()
        with store.client() as other, CountingProxy(own.host, own.plain_port) as proxy:
            others = own.connections()
            account = replace(store.account, port=proxy.port)
            async with subscribed(account, "auto", INBOX) as (_, heard, _):
                for _ in range(3):
                    trips = proxy.snapshot().round_trips
                    lose(others)
                    await wait_until(partial(has_looked, proxy, trips))
                assert heard.nothing()
                for each in own.children("imap-login"):
                    each.suspend()
                lose(others)
                other.append("INBOX", letters(1)[0])
                for each in own.children("imap-login"):
                    each.resume()
                assert await heard.next() == INBOX

    def has_looked(proxy: CountingProxy, before: int) -> bool:
        """Return whether it has logged in since, in two round trips, and looked."""
        return proxy.snapshot().round_trips >= before + 3

    anyio.run(run)


@pytest.mark.usefixtures("quick")
def test_reads_are_never_kept_waiting() -> None:
    """Where the server turns out to allow one connection, it is left to the calls."""

    async def run() -> None:
        store = server.store()
        with store.client() as other:
            async with subscribed(store.account, "auto", INBOX) as (client, heard, _):
                other.append("INBOX", letters(1)[0])
                assert await heard.next() == INBOX
                assert not (await client.call_tool("imap_search_messages")).is_error
                for _ in range(2):
                    other.append("INBOX", letters(1)[0])
                    assert await heard.next() == INBOX
                    assert not (await client.call_tool("imap_search_messages")).is_error

    with Own(extra="mail_max_userip_connections = 2\n") as server:
        anyio.run(run)


def test_over_http_only_modern_clients_can_subscribe(pymap_server: Pymap) -> None:
    """No session outlives a request there, so a legacy client would never be told."""
    inbox = INBOX.replace("work", "default")

    async def run(url: str) -> None:
        async with (
            connected(url, "auto") as client,
            client.listen(resource_subscriptions=[inbox]) as events,
        ):
            await fill(pymap_store(pymap_server))
            with anyio.fail_after(WAIT_S):
                assert await anext(aiter(events)) == ResourceUpdated(uri=inbox)
        async with connected(url, "legacy") as client:
            with pytest.raises(MCPError, match="subscriptions/listen"):
                await client.subscribe_resource(inbox)

    with HttpProcess(pymap_server) as process:
        anyio.run(run, process.url)
    assert "Traceback" not in process.log


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("more", [(), ("IDLE",), ("IDLE", "NOTIFY")])
def test_a_server_that_says_nothing_is_asked(peer: PeerFactory, more: tuple[str, ...]) -> None:
    """It has no IDLE, or refuses it and NOTIFY."""
    server = peer(messages=make_messages(1), capabilities=(*CAPABILITIES, *more))

    async def run() -> None:
        account = account_of_peer(server, "work")
        async with subscribed(account, "auto", INBOX) as (_, heard, _):
            for number in (2, 3):
                server.mailbox.messages += make_messages(number)
                assert await heard.next() == INBOX
            server.mailbox.uidvalidity += 1
            assert await heard.next() == INBOX

    anyio.run(run)


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("imap://other/mailbox/INBOX", "not_found"),
        ("imap://work/mailbox/Nowhere", "not_found"),
        ("imap://work/mailbox/INBOX/message/1700000000/1", "invalid_input"),
        ("https://example.com/", "invalid_input"),
    ],
)
def test_only_mailboxes_of_this_server_are_admitted(peer: PeerFactory, uri: str, code: str) -> None:
    account = account_of_peer(peer(messages=make_messages(1)), "work")

    async def run() -> None:
        async with Client(build_server([account]), mode="legacy") as client:
            with pytest.raises(MCPError) as caught:
                await client.subscribe_resource(uri)
            assert caught.value.error.data["code"] == code
        async with Client(build_server([account])) as client:
            if uri.endswith("Nowhere"):
                with pytest.raises(MCPError, match="no mailbox"):
                    async with client.listen(resource_subscriptions=[uri]):
                        pass
                return
            async with client.listen(resource_subscriptions=[uri, INBOX], tools_list_changed=True) as heard:
                assert heard.honored.resource_subscriptions == [INBOX]
                assert heard.honored.tools_list_changed is None

    anyio.run(run)
