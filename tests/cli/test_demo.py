"""`mailmcp demo`: a mailbox for whoever has none."""

import subprocess
import sys
from pathlib import Path

from cli.conftest import Serve
from cli.served import clean_environment


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


def test_without_its_embedded_server_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['pymap'] = None; sys.argv = ['mailmcp', 'demo']\n"
    ended = subprocess.run(
        [sys.executable, "-c", code + "from mailmcp.__main__ import main; main()"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=clean_environment(tmp_path),
        timeout=20,
        check=False,
    )
    assert ended.returncode == 1
    assert "pip install 'mailmcp[demo]'" in ended.stderr
    assert ended.stdout == ""
