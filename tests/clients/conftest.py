"""Fixtures of the clients' tests: what the clients talk to, and Node where there is one."""

import os
from collections.abc import Iterator

import pytest

from clients.node import why_not
from clients.site import Site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One for all: nothing that is read from it changes it."""
    with Site(tmp_path_factory.mktemp("clients")) as site:
        yield site


@pytest.fixture(scope="session")
def node() -> None:
    """Skip what needs Node where it is missing, but fail in CI."""
    if missing := why_not():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{missing}, and CI must have it")
        pytest.skip(missing)
