"""Node and what `scripts/node.sh` installed for it, and running a driver with them."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"

DRIVER_TIMEOUT_S = 90.0
"""A driver takes seconds; this is for a machine that does much else."""

JsonObject = dict[str, Any]


def find_node() -> str | None:
    """Find the Node that was installed here, or else the machine's."""
    # Not by way of `.bin`: npm 9 takes that link away again with the package for another processor.
    ours = next(MODULES.glob("node-linux-*/bin/node"), None)
    return str(ours) if ours else shutil.which("node")


def why_not() -> str:
    """Say why nothing can be run with Node here; empty if it can."""
    if not (MODULES / ".package-lock.json").exists() or find_node() is None:
        return "Node or its packages are not installed: scripts/node.sh installs them"
    return ""


def run_node(
    script: Path,
    *arguments: str,
    given: str = "",
    env: Mapping[str, str] | None = None,
    timeout_s: float = DRIVER_TIMEOUT_S,
) -> subprocess.CompletedProcess[str]:
    """Run a script with Node; `given` is its standard input, and `env` goes beside our variables."""
    node = find_node()
    assert node is not None, why_not()
    return subprocess.run(
        [node, script, *arguments],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **(env or {})},
        timeout=timeout_s,
        check=False,
    )


def run_driver(
    name: str, *arguments: str, calls: Sequence[JsonObject], env: Mapping[str, str] | None = None
) -> list[JsonObject]:
    """Run a driver of this folder, and read the lines that it prints: one for the list, one a call."""
    done = run_node(HERE / name, *arguments, given=json.dumps(calls), env=env)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    ended = f"{name} ended with {done.returncode} after {len(lines)} lines:\n{done.stderr}"
    assert (done.returncode, len(lines)) == (0, 1 + len(calls)), ended
    return lines
