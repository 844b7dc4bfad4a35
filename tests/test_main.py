"""`python -m mailmcp` starts fast."""

import subprocess
import sys


def test_serving_does_not_pay_for_the_other_commands() -> None:
    """Start-up is imports, and a host waits for it."""
    code = (
        "import sys, mailmcp.__main__, mailmcp.cli.serve\n"
        "others = {'pymap', 'authlib', 'turbohtml', 'mailmcp.cli.check', 'mailmcp.demo'}\n"
        "print(others & set(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout == "set()\n"
