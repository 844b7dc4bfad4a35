"""mailmcp over HTTP as a process of its own, and a client for it."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, Self

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

START_TIMEOUT_S = 90.0
STOP_TIMEOUT_S = 30.0

_PATIENT = "from mailmcp import __main__; from mailmcp.server import http; http.GRACE_S = 60; __main__.main()"
_SERVES = re.compile(r"serving (http://\S+)\s")


class ImapServer(Protocol):
    """What a process must know about its mail server."""

    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def user(self) -> str: ...
    @property
    def password(self) -> str: ...


class HttpProcess:
    """`mailmcp serve --transport http` on a free port, for one `with` block.

    Entering raises RuntimeError, with its log, if it does not come to serve.

    Args:
        imap: Where its one account is, without TLS; None if the options name its settings.
        variables: Further `MAILMCP_*` variables; nothing else of them reaches it.
        patient: Let calls in flight go on for as long as they like when it is asked to end.
        options: Further options of the command line.
    """

    url: str

    def __init__(
        self,
        imap: ImapServer | None,
        *options: str,
        variables: Mapping[str, str] | None = None,
        patient: bool = False,
    ) -> None:
        program = ["-c", _PATIENT] if patient else ["-m", "mailmcp"]
        self._command = [sys.executable, *program, "serve", "--transport", "http", *options]
        if "--port" not in options:
            self._command += ["--port", "0"]
        self._variables = dict(variables or {})
        if imap is not None:
            account = {
                "HOST": imap.host,
                "PORT": str(imap.port),
                "USER": imap.user,
                "PASSWORD": imap.password,
            }
            self._variables |= {f"MAILMCP_{name}": each for name, each in (account | {"TLS": "none"}).items()}
        self._last_log: str | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            kept = {name: value for name, value in os.environ.items() if not name.startswith("MAILMCP_")}
            kept |= {"HOME": str(self._home), "XDG_CONFIG_HOME": str(self._home)}
            # A file, not a pipe: what is logged before a reply is there when the reply is.
            with (self._home / "log").open("wb") as log:
                self.process = subprocess.Popen(
                    self._command,
                    env=kept | self._variables,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    encoding="utf-8",
                )
            stack.callback(self._close)
            self.url = self._wait()
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    @property
    def log(self) -> str:
        """Its stderr so far."""
        return (self._home / "log").read_text(encoding="utf-8") if self._last_log is None else self._last_log

    def stop(self) -> str:
        """Terminate it as a service manager does, and return what it wrote to stdout."""
        self.process.terminate()
        self.process.wait(STOP_TIMEOUT_S)
        assert self.process.stdout is not None
        return self.process.stdout.read()

    def _wait(self) -> str:
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if found := _SERVES.search(self.log):
                return found[1]
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=0.01)
                break
        raise RuntimeError(f"mailmcp does not serve:\n{self.log}")

    def _close(self) -> None:
        try:
            end_process(self.process)
        finally:
            self._last_log = self.log
            assert self.process.stdout is not None
            self.process.stdout.close()


@asynccontextmanager
async def connected(url: str, mode: str, token: str = "") -> AsyncIterator[Client]:
    """Connect the SDK's own client; `mode` is its choice of era."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        # What it checks replies against; else it would ask after the first.
        await client.list_tools()
        yield client


async def search(client: Client, **arguments: Any) -> dict[str, Any]:
    """Search the sample's INBOX and return the envelope of a success."""
    result = await client.call_tool("imap_search_messages", arguments)
    assert not result.is_error
    envelope: dict[str, Any] | None = result.structured_content
    assert envelope is not None
    return envelope


def end_process(process: subprocess.Popen[Any]) -> None:
    """Terminate it, and kill it if it doesn't end."""
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
