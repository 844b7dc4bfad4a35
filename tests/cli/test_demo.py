"""`mailmcp demo`: a mailbox for people without one."""

import json
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from cli.conftest import Serve
from cli.served import clean_environment
from mailmcp.cli.main import cli


def test_the_demo_serves_its_sample_and_ends_with_stdin(serve: Serve) -> None:
    served = serve("demo", "--log-level", "debug")
    served.introduce()
    (account,) = served.call("imap_list_accounts")["structuredContent"]["data"]["accounts"]
    assert (account["account_id"], account["host"], account["secure"]) == ("demo", "127.0.0.1", False)
    mailboxes = served.call("imap_list_mailboxes")["structuredContent"]["data"]["mailboxes"]
    assert len(mailboxes) == 12  # Projects itself holds no messages
    found = served.call("imap_search_messages", query="Apollo", limit=1)["structuredContent"]["data"]
    assert found["returned"] == 1
    read = served.call("imap_get_message", message_id=found["messages"][0]["message_id"])
    assert not read["isError"]
    assert served.close() == 0
    assert "Traceback" not in served.stderr


def test_the_demo_takes_the_options_of_replies(serve: Serve) -> None:
    served = serve("demo", "--log-format", "json", "--text", "json")
    served.introduce()
    (content,) = served.call("imap_list_accounts")["content"]
    assert content["text"].startswith("{")
    assert served.close() == 0


def test_the_demo_reads_the_variables_of_the_server(serve: Serve) -> None:
    variables = {"MAILMCP_TEXT": "json", "MAILMCP_ROWS": "lean", "MAILMCP_HOST": "imap.example.com"}
    served = serve("demo", environment={**variables, "MAILMCP_LOGLEVEL": "info"})
    served.introduce()
    (content,) = served.call("imap_list_accounts")["content"]
    assert json.loads(content["text"])["data"]["accounts"][0]["account_id"] == "demo"
    (row,) = served.call("imap_search_messages", limit=1)["structuredContent"]["data"]["messages"]
    assert "uid" not in row, "a full one has it"
    assert served.close() == 0
    assert "serves demo from the sample mailbox" in served.stderr
    assert "did you mean MAILMCP_LOG_LEVEL?" in served.stderr


def test_the_demo_refuses_a_wrong_variable() -> None:
    result = CliRunner().invoke(cli, ["demo"], env={"MAILMCP_LOG_LEVEL": "nonsense"})
    assert result.exit_code == 2
    assert "MAILMCP_LOG_LEVEL: must be one of" in result.stderr


def run_without_pymap(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.modules['pymap'] = None; sys.argv = {['mailmcp', 'demo', *arguments]}\n"
    return subprocess.run(
        [sys.executable, "-c", code + "from mailmcp.__main__ import main; main()"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=clean_environment(folder),
        timeout=60,
        check=False,
    )


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    ended = run_without_pymap(tmp_path)
    assert ended.returncode == 1
    assert "In a checkout, install it with: pip install ./src/mcp-envelope '.[demo]'" in ended.stderr
    assert ended.stdout == ""


def test_without_the_extra_it_still_has_help(tmp_path: Path) -> None:
    ended = run_without_pymap(tmp_path, "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Serve a sample mailbox" in ended.stdout
