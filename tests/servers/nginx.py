"""A private nginx with the configuration of the documentation, on free ports of 127.0.0.1."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

import pytest
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

from servers.http_process import end_process

CONFIGURATION: Final = Path(__file__).parents[2] / "docs" / "hosting" / "nginx.conf"
_START_TIMEOUT_S: Final = 30.0


def find_nginx() -> str | None:
    """Return the program, which Debian keeps outside the path of ordinary users; None if there is none."""
    return shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))


def need_nginx() -> None:
    """Skip a test where there is none; fail in CI, which must have it."""
    if find_nginx() is None:
        if os.environ.get("CI") == "true":
            pytest.fail("nginx is not installed, and CI must have it")
        pytest.skip("nginx is not installed (Debian: nginx-light)")


class Nginx:
    """A running nginx in front of some replicas, for one `with` block.

    Args:
        port: Its own; see `free_port`.
        replicas: Ports on 127.0.0.1.
    """

    def __init__(self, port: int, replicas: Sequence[int]) -> None:
        self.port, self._replicas = port, replicas
        self.url = f"http://127.0.0.1:{port}/mcp"

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            (folder / "nginx.conf").write_text(self._configure(folder))
            program = find_nginx()
            assert program is not None
            command = [program, "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", "stderr"]
            log = stack.enter_context((folder / "log").open("wb"))  # a replica that is away fills it
            self.process = subprocess.Popen([*command, "-g", "daemon off; user root;"], stderr=log)
            stack.callback(lambda: end_process(self.process))
            self._wait()
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def _configure(self, folder: Path) -> str:
        """Put ports of ours, and files that only this nginx has, into the configuration."""
        text = CONFIGURATION.read_text(encoding="utf-8")
        [(line, options)] = set(re.findall(r"(^ *server 127\.0\.0\.1:8001(.*);\n)", text, re.MULTILINE))
        servers = "".join(f"server 127.0.0.1:{each}{options};\n" for each in self._replicas)
        text = re.sub(r"^ *server 127\.0\.0\.1:8002.*\n", "", text, flags=re.MULTILINE)
        text = text.replace(line, servers).replace("listen 8080;", f"listen 127.0.0.1:{self.port};")
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        paths = "".join(f"{each}_temp_path {folder}/{each};\n" for each in kinds)
        return f"pid {folder}/pid;\n" + text.replace("http {", "http {\n" + paths, 1)

    @retry(
        retry=retry_if_exception_type(OSError),
        stop=stop_after_delay(_START_TIMEOUT_S),
        wait=wait_fixed(0.02),
        reraise=True,
    )
    def _wait(self) -> None:
        socket.create_connection(("127.0.0.1", self.port), timeout=5).close()


def free_ports(count: int) -> list[int]:
    """Choose ports that are free now, all different."""
    with ExitStack() as stack:
        listening = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in listening]
