"""Runs `mailmcp` in this process, with a client of the SDK in the host's place."""

import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import pytest
from click.testing import CliRunner, Result
from mcp import Client

from cli.served import clean_environment
from mailmcp.cli.main import cli

Host: TypeAlias = Callable[[Client], Awaitable[object]]
"""What a host does with the client that it has connected."""

ServeTo: TypeAlias = Callable[..., Result]


@pytest.fixture
def serve_to(monkeypatch: pytest.MonkeyPatch) -> ServeTo:
    """Runs a command that serves, in this process; what is logged is in the result's `stderr`."""

    def run(host: Host, *arguments: str, **environment: str) -> Result:
        def run_stdio(server: Any, *, leave: object) -> None:  # noqa: ARG001 - as the real one
            async def talk() -> None:
                async with Client(server) as client:
                    await host(client)

            anyio.run(talk)

        monkeypatch.setattr("mailmcp.cli.serve.run_stdio", run_stdio)
        monkeypatch.setattr("mailmcp.cli.serve.exit_now", lambda: None)
        return CliRunner().invoke(cli, arguments, env=environment, catch_exceptions=False)

    return run


@pytest.fixture(autouse=True)
def own_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Commands see no settings of whoever runs the tests, and configure logging for the test alone."""
    for name in ("MAILMCP_CONFIG", "MAILMCP_HOST", "MAILMCP_USER", "MAILMCP_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    for name, value in clean_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    root, ours = logging.getLogger(), logging.getLogger("mailmcp")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
