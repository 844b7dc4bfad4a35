"""Random mail, broken at random, is read without an error, in bounded memory.

MAILMCP_FUZZ_SEED and MAILMCP_FUZZ_CASES choose other messages and more of them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from random_mail.message import make_message

SEED = os.environ.get("MAILMCP_FUZZ_SEED", "harbour")
CASES = int(os.environ.get("MAILMCP_FUZZ_CASES", "2000"))
ROOT = Path(__file__).parent.parent.parent


def test_the_same_seed_makes_the_same_message() -> None:
    first, again, other = (make_message(Random(seed)) for seed in ("a 1", "a 1", "a 2"))  # noqa: S311 - it must repeat
    assert first == again != other


@pytest.mark.full
@pytest.mark.timeout(600)
def test_random_mail_is_read_without_an_error() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), str(ROOT / "src")])}
    done = subprocess.run(
        [sys.executable, "-m", "random_mail.reading", SEED, "0", str(CASES)],
        capture_output=True,
        check=False,
        env=environment,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-2_000:]
    result = json.loads(done.stdout)
    again = f"repeat: python -m random_mail.reading {SEED!r} CASE 1"
    assert result["failures"] == [], again
    assert result["grown_octets"] < 200_000_000
