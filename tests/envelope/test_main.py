"""The library's command line: what each command prints, and its exit status."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = {"success": True, "data": {}}


@pytest.mark.parametrize(
    ("reply", "arguments", "status", "said"),
    [
        (json.dumps(GOOD), ["--dialect", "discriminated", "--mode", "convention"], 0, ""),
        (
            json.dumps(GOOD),
            ["--dialect", "discriminated"],
            1,
            "data.summary is not a non-empty string\n",
        ),
        (
            json.dumps(GOOD | {"meta": 1}),
            ["--dialect", "discriminated", "--mode", "convention"],
            1,
            "the reply has the unknown key 'meta'\n",
        ),
        ("{", [], 2, ""),
    ],
)
def test_check_lists_the_rules_that_are_broken(
    tmp_path: Path, reply: str, arguments: list[str], status: int, said: str
) -> None:
    file = tmp_path / "reply.json"
    file.write_text(reply, encoding="utf-8")
    for source, given in ((str(file), ""), ("-", reply)):
        command = [sys.executable, "-m", "mcp_envelope", "check", source, *arguments]
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout) == (status, said)
