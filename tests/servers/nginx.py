"""nginx on a port of its own, for one `with` block; no other nginx on the machine is touched.

Its configuration and files are made in a folder of their own, as root and as an ordinary user.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from servers.http_process import START_TIMEOUT_S, end_process

_NGINX = """\
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
{site}
}}
"""
"""One worker: each counts its round robin by itself. Paths start at the folder given as prefix."""


def find_nginx() -> Path | None:
    """Find the program, which Debian installs outside the path of ordinary users."""
    found = shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))
    return Path(found) if found else None


class Nginx:
    """A running nginx, for one `with` block.

    Args:
        site: What goes into its `http` block: `upstream` and `server`, which listens on `port`.
        port: A free one of 127.0.0.1.
    """

    def __init__(self, site: str, *, port: int) -> None:
        self._site = site
        self._port = port

    def __enter__(self) -> Self:
        binary = find_nginx()
        if binary is None:
            raise RuntimeError("nginx is not installed")
        with ExitStack() as stack:
            self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nginx-")))
            user = "user root;\n" if os.getuid() == 0 else ""  # its own choice could not write here
            (self._folder / "nginx.conf").write_text(user + _NGINX.format(site=self._site))
            log = stack.enter_context((self._folder / "log").open("wb"))
            self._process = subprocess.Popen(
                [binary, "-p", self._folder, "-c", "nginx.conf", "-e", "stderr"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            stack.callback(end_process, self._process)
            self._wait()
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def log(self) -> str:
        """Return its log so far."""
        return (self._folder / "log").read_text(errors="replace")

    def _wait(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._accepts():
            try:
                self._process.wait(timeout=0.01)
            except subprocess.TimeoutExpired:
                if time.monotonic() < deadline:
                    continue
            raise RuntimeError(f"nginx does not start:\n{self.log()}")

    def _accepts(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self._port), timeout=START_TIMEOUT_S).close()
        except OSError:
            return False
        return True


def free_port() -> int:
    """Find a port of 127.0.0.1 that nothing listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
