"""A real `mailmcp` process, spoken to line by line as a host does."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
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
    """One process and its pipes, for one `with` block; `folder` stands in for the user's home."""

    def __init__(
        self, arguments: Sequence[str], *, environment: Mapping[str, str] | None = None, folder: Path
    ) -> None:
        self._arguments = list(arguments)
        self._environment = clean_environment(folder) | dict(environment or {})
        self._errors = folder / "stderr.txt"
        self._next_id = 0
        self.lines: list[str] = []
        """What it wrote to stdout so far, as far as it was read."""

    def __enter__(self) -> Self:
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mailmcp", *self._arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=self._environment,
                text=True,
                encoding="utf-8",
            )
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):
            self._stdin.close()
        try:
            self.process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._stdout.close()

    @property
    def stderr(self) -> str:
        """All it wrote to stderr so far."""
        return self._errors.read_text(encoding="utf-8")

    def introduce(self) -> dict[str, Any]:
        """Shake hands as clients before 2026-07-28 do; returns the server's answer."""
        answer = self.request("initialize", _INITIALIZE)
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool and wait for its result."""
        result: dict[str, Any] = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def request(self, method: str, params: Mapping[str, object]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        wanted = self.send(method, params)
        while True:
            answer = self.read()
            if answer.get("id") == wanted:
                return answer

    def send(self, method: str, params: Mapping[str, object]) -> int:
        """Send a request and return its id; nobody waits for the answer."""
        self._next_id += 1
        self.write({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": dict(params)})
        return self._next_id

    def write(self, message: object) -> None:
        """Send one line: a message as JSON, or text as it is."""
        line = message if isinstance(message, str) else json.dumps(message)
        self._stdin.write(line + "\n")
        self._stdin.flush()

    def read(self) -> dict[str, Any]:
        """Read one message."""
        line = self._stdout.readline()
        assert line, f"it ended:\n{self.stderr}"
        self.lines.append(line)
        message: dict[str, Any] = json.loads(line)
        return message

    def close(self, timeout_s: float = EXIT_S) -> int:
        """Close stdin, wait for the end and return the exit status.

        Raises:
            subprocess.TimeoutExpired: It does not end in time.
        """
        self._stdin.close()
        status = self.process.wait(timeout_s)
        self.lines += self._stdout.readlines()
        return status

    def die(self) -> None:
        """Close both pipes at once, as the end of a host's process does."""
        self._stdout.close()
        self._stdin.close()

    @property
    def _stdin(self) -> Any:
        return self.process.stdin

    @property
    def _stdout(self) -> Any:
        return self.process.stdout


def clean_environment(home: Path) -> dict[str, str]:
    """Give the environment of this process without settings of mailmcp, and with a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MAILMCP_", "XDG_"))}
    return kept | {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config")}
