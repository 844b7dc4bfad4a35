"""A server for many, measured: 200 users on 1, 2 and 4 replicas behind nginx, on this machine's cores.

Clients, proxy, mail server and replicas share the cores, so what is told of each is the time it takes of one.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Final

import anyio
import click
import httpx2
import psutil
from tenacity import retry, stop_after_delay, wait_fixed

from hosted.organisation import (
    CLIENT_ID,
    CLIENT_SECRET,
    MASTER_PASSWORD,
    Organisation,
    replica,
    write_settings,
)
from hosted.raw import call
from mailmcp.hosted.issuer import Issuer
from mailmcp.hosted.tokens import TokenChecker
from servers.dovecot import Dovecot
from servers.http_process import HttpProcess, end_process
from servers.nginx import Nginx, free_ports
from soak.hosted import DOVECOT

USERS: Final = 200
MESSAGES: Final = 100
ROUNDS: Final = 6
"""Searches of each user, and messages read."""

AT_ONCE: Final = 8
"""Requests in flight."""

TOKENS: Final = 300
_HEAD: Final = (
    "| | requests | search | message | server | Dovecot | nginx | client | memory of | connections |",
    "| replicas | a second | p50 / p99 ms | p50 / p99 ms | ms of a core | | | | each server | to Dovecot |",
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
)
_BARE: Final = Path(__file__).with_name("bare_http.py")


@dataclass(slots=True)
class Load:
    """What some requests took."""

    seconds: float = 0.0
    times_ms: dict[str, list[float]] = field(default_factory=dict)
    """By kind of request."""

    cpu_ms: dict[str, float] = field(default_factory=dict)
    """Of one core, for each request, by program."""

    @property
    def count(self) -> int:
        """Requests."""
        return sum(map(len, self.times_ms.values()))

    def describe(self, kind: str) -> str:
        """Return median and 99th percentile of a kind."""
        found = quantiles(self.times_ms[kind], n=100)
        return f"{found[49]:,.0f} / {found[98]:,.0f}"


class Site:
    """The organisation with its mail."""

    def __init__(self, stack: ExitStack) -> None:
        self.organisation = stack.enter_context(Organisation())
        self.dovecot = stack.enter_context(Dovecot(extra=DOVECOT))
        self.folder = Path(stack.enter_context(TemporaryDirectory()))
        self.users = [f"user{each}@example.com" for each in range(USERS)]
        text = "A line of the text, which is as long as those of letters are.\r\n" * 20
        for user in self.users:
            letters = (
                f"Subject: Letter {each}\r\nMessage-ID: <{each}@example.org>\r\nFrom: x@example.org\r\n"
                f"To: {user}\r\n\r\n{text}".encode()
                for each in range(MESSAGES)
            )
            self.dovecot.fill_before_login(user, "INBOX", letters)

    @contextmanager
    def serving(self, replicas: int) -> Iterator[tuple[Nginx, list[HttpProcess]]]:
        """Start replicas behind nginx."""
        port, *ports = free_ports(replicas + 1)
        with Nginx(port, ports) as nginx, ExitStack() as stack:
            options: dict[str, str | int] = {"sign_in": "master", "master_user": "boss", "users_max": USERS}
            account = f'password = "{MASTER_PASSWORD}"\n'
            write_settings(
                self.organisation,
                self.dovecot,
                self.folder,
                account=account,
                tls="implicit",
                url=nginx.url,
                **options,
            )
            self.tokens = {user: self.organisation.issue(user) for user in self.users}
            yield nginx, [stack.enter_context(replica(self.folder, port=each)) for each in ports]

    async def load(self, url: str, programs: Mapping[str, list[int]], rounds: int) -> Load:
        """Search and read as all users in turn."""
        async with httpx2.AsyncClient(timeout=60) as http:
            ids: dict[str, str] = {}

            async def search(user: str) -> None:
                arguments = {"subject": "Letter", "limit": 10}
                found = await call(http, url, self.tokens[user], "imap_search_messages", arguments)
                ids[user] = found.data["messages"][0]["message_id"]

            async def read(user: str) -> None:
                arguments = {"message_id": ids[user]}
                found = await call(http, url, self.tokens[user], "imap_get_message", arguments)
                if "A line of the text" not in found.text:
                    raise RuntimeError(found.text)

            one_each = {"search": search, "message": read}
            works = [
                (kind, work, user)
                for _ in range(rounds)
                for kind, work in one_each.items()
                for user in self.users
            ]
            return await measure(works, programs)

    def sessions(self) -> int:
        """Count the connections of users to the mail server."""
        return sum(each.name() == "imap" for each in psutil.Process(self.dovecot.pid).children())


Work = tuple[str, Callable[[str], Awaitable[object]], str]


async def measure(works: Sequence[Work], programs: Mapping[str, list[int]]) -> Load:
    """Do some work, always the same number of requests at once."""
    load, left = Load(), iter(works)
    before = {each: _cpu_s(ids) for each, ids in programs.items()}
    began, own = time.perf_counter(), time.process_time()

    async def run() -> None:
        for kind, work, user in left:
            start = time.perf_counter()
            await work(user)
            load.times_ms.setdefault(kind, []).append((time.perf_counter() - start) * 1000)

    async with anyio.create_task_group() as tasks:
        for _ in range(AT_ONCE):
            tasks.start_soon(run)
    load.seconds = time.perf_counter() - began
    load.cpu_ms = {each: (_cpu_s(ids) - before[each]) * 1000 / load.count for each, ids in programs.items()}
    load.cpu_ms["client"] = (time.process_time() - own) * 1000 / load.count
    return load


def _cpu_s(roots: list[int]) -> float:
    """Add up the time of processes and those below them; that of ended ones is with their parents."""
    total = 0.0
    for root in map(psutil.Process, roots):
        for each in (root, *root.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # it has just ended, and its parent has its time
                times = each.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
    return total


def _memory_mb(process: "subprocess.Popen[str]") -> float:
    return float(psutil.Process(process.pid).memory_info().rss / 1e6)


@contextmanager
def bare_server(port: int) -> Iterator[int]:
    """Run the SDK's server that does nothing; yields the id of its process."""
    process = subprocess.Popen([sys.executable, str(_BARE), str(port)])  # noqa: S603 - ours
    try:
        _wait_for(port)
        yield process.pid
    finally:
        end_process(process)


@retry(stop=stop_after_delay(30), wait=wait_fixed(0.05), reraise=True)
def _wait_for(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), timeout=5).close()


async def measure_bare() -> Load:
    """Call a server of the SDK that does nothing, through the same proxy."""
    port, own = free_ports(2)
    with bare_server(own) as pid, Nginx(port, [own]) as nginx:

        async def nothing(_user: str) -> None:
            await call(http, nginx.url, "none", "nothing", {})

        programs = {"server": [pid], "nginx": [nginx.process.pid]}
        async with httpx2.AsyncClient(timeout=60) as http:
            await measure([("nothing", nothing, "")] * 50, programs)
            return await measure([("nothing", nothing, "")] * USERS * ROUNDS, programs)


async def measure_replicas(site: Site, replicas: int) -> str:
    """Return the row of so many replicas."""
    with site.serving(replicas) as (nginx, processes):
        programs = {
            "server": [each.process.pid for each in processes],
            "dovecot": [site.dovecot.pid],
            "nginx": [nginx.process.pid],
        }
        await site.load(nginx.url, programs, 1)  # all sign in
        load = await site.load(nginx.url, programs, ROUNDS)
        memory = [_memory_mb(each.process) for each in processes]
        return _row(str(replicas), load, f"{max(memory):,.0f} MB", f"{site.sessions():,}")


def _row(name: str, load: Load, memory: str, sessions: str) -> str:
    times = [load.describe(each) for each in load.times_ms]
    cpu = [
        f"{load.cpu_ms[each]:.1f}" if each in load.cpu_ms else ""
        for each in ("server", "dovecot", "nginx", "client")
    ]
    cells = [name, f"{load.count / load.seconds:,.0f}", *(times * 2)[:2], *cpu, memory, sessions]
    return f"| {' | '.join(cells)} |"


async def measure_users(site: Site) -> str:
    """Return what one more user costs a replica."""
    with site.serving(1) as (nginx, [process]):
        async with httpx2.AsyncClient(timeout=60) as http:

            async def come(user: str) -> None:
                await call(http, nginx.url, site.tokens[user], "imap_search_messages", {"limit": 10})

            for user in site.users[:20]:  # what is loaded and kept for all
                await come(user)
            before, sessions = _memory_mb(process.process), site.sessions()
            for user in site.users[20:]:
                await come(user)
        more = USERS - 20
        memory_kb = (_memory_mb(process.process) - before) * 1000 / more
        return f"One more user: {memory_kb:,.0f} kB and {(site.sessions() - sessions) / more:.1f} connections"


async def measure_tokens(site: Site) -> str:
    """Return what it takes to check a token."""
    found = []
    for name, algorithm, introspects in (
        ("RS256", "RS256", False),
        ("ES256", "ES256", False),
        ("introspection", "RS256", True),
    ):
        site.organisation.rotate(algorithm)
        client = (CLIENT_ID, CLIENT_SECRET)
        issuer = Issuer(site.organisation.issuer, client=client, introspects=introspects)
        checker = TokenChecker(issuer, audience=site.organisation.audience, user_claim="email")
        tokens = [site.organisation.issue(each) for each in site.users]
        async with issuer.opened():
            await checker.verify_token(tokens[0])
            began = time.perf_counter()
            for _, token in zip(range(TOKENS), cycle(tokens), strict=False):
                if await checker.verify_token(token) is None:
                    raise RuntimeError("a good token was refused")
            found.append(f"{name} {(time.perf_counter() - began) * 1000 / TOKENS:.2f} ms")
    return f"To check a token: {', '.join(found)}"


async def measure_hosted() -> None:
    """Print it all."""
    with ExitStack() as stack:
        site = Site(stack)
        click.echo("\n".join(_HEAD))
        click.echo(_row("bare SDK server", await measure_bare(), "", ""))
        for replicas in (1, 2, 4):
            click.echo(await measure_replicas(site, replicas))
        click.echo("\n" + await measure_users(site))
        click.echo(await measure_tokens(site))
