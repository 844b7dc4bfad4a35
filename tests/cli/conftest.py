"""Fixtures of the command line's tests."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from cli.served import Served, clean_environment

Serve: TypeAlias = Callable[..., Served]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts processes of `mailmcp`, which end with the test; arguments and `environment`."""
    with ExitStack() as stack:
        yield lambda *arguments, environment=None: stack.enter_context(
            Served(arguments, environment=environment, folder=tmp_path)
        )


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Commands run in this process see no settings of whoever runs the tests."""
    for name, value in clean_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    for name in ("MAILMCP_CONFIG", "MAILMCP_HOST", "MAILMCP_USER", "MAILMCP_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def restored_logging() -> Iterator[None]:
    """Commands configure logging for their whole process, which is this one."""
    root, ours = logging.getLogger(), logging.getLogger("mailmcp")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
