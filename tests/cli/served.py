"""A real `mailmcp` process, spoken to line by line as a host does."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

EXIT_S = 30.0
"""Only bounds a failure: what should end it does not, if not before a call's own time limit."""

_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Served:
    """One process and its pipes, for one `with` block, which begins with the handshake of the older era.

    `folder` stands in for the user's home.
    """

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self._errors = folder / "stderr.txt"
        self._next_id = 0
        self.lines: list[str] = []
        """What it wrote to stdout so far, as far as it was read."""
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mailmcp", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=clean_environment(folder) | environment,
                encoding="utf-8",
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout

    def __enter__(self) -> Self:
        assert self.request("initialize", _INITIALIZE)["result"]["serverInfo"]["name"] == "mailmcp"
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):
            self.stdin.close()
        self.process.kill()
        self.process.wait()
        self.stdout.close()

    @property
    def stderr(self) -> str:
        """All it wrote to stderr so far."""
        return self._errors.read_text(encoding="utf-8")

    def request(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        wanted, answer = self.send(method, params), dict[str, Any]()
        while answer.get("id") != wanted:
            line = self.stdout.readline()
            assert line, f"it ended:\n{self.stderr}"
            self.lines.append(line)
            answer = json.loads(line)
        return answer

    def send(self, method: str, params: Mapping[str, object]) -> int:
        """Send a request and return its id; nobody waits for the answer."""
        self._next_id += 1
        self.write({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": dict(params)})
        return self._next_id

    def write(self, message: object) -> None:
        """Send one line: a message as JSON, or text as it is."""
        self.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.stdin.flush()

    def close(self) -> int:
        """Close stdin, wait for the end and return the exit status."""
        self.stdin.close()
        status = self.process.wait(EXIT_S)
        self.lines += self.stdout.readlines()
        return status


def clean_environment(home: Path) -> dict[str, str]:
    """Give the environment of this process without settings of mailmcp, and with a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAILMCP_", "XDG_"))}
    return kept | {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
