"""`python -m mailmcp` and the script do the same, and collect no garbage while they start."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mailmcp.__main__
from mailmcp import __version__

SCRIPT = Path(sys.executable).parent / "mailmcp"


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    """Undo what `main` froze in this process."""
    yield
    gc.unfreeze()
    gc.enable()


@pytest.mark.parametrize(
    "command", [[sys.executable, "-m", "mailmcp"], [str(SCRIPT)]], ids=["module", "script"]
)
def test_both_ways_to_start_it_are_one(command: list[str]) -> None:
    if not Path(command[0]).exists():
        pytest.skip("the package is not installed here, only on the path")
    ended = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == f"mailmcp, version {__version__}\n"


def test_the_collector_is_on_again_once_a_command_is_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The objects loaded by then are frozen."""
    monkeypatch.setattr(sys, "argv", ["mailmcp", "serve", "--help"])
    gc.disable()
    with pytest.raises(SystemExit) as ended:
        mailmcp.__main__.main()
    assert ended.value.code == 0
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    assert "--transport" in capsys.readouterr().out


def test_serving_does_not_pay_for_the_other_commands() -> None:
    """Start-up is imports, and a host waits for it."""
    code = (
        "import sys, mailmcp.__main__, mailmcp.cli.serve\n"
        "others = {'rich', 'pymap', 'mailmcp.cli.check', 'mailmcp.demo', 'mailmcp.hosts'}\n"
        "print(others & set(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout == "set()\n"
