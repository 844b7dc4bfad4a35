"""Runs other programs, whose output goes to ours."""

import subprocess
from pathlib import Path


def run(*command: str, cwd: Path | None = None) -> None:
    """Run a command, and raise an error if it fails."""
    subprocess.run(command, cwd=cwd, check=True)  # noqa: S603 - our own commands, and no shell
