"""`mailmcp demo`: a mailbox for people without one."""

import json

import pytest
from click.testing import CliRunner

from cli.conftest import Serve
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


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    result = CliRunner().invoke(cli, ["demo"])
    assert result.exit_code == 1
    assert "install it with: pip install ./src/mcp-envelope '.[demo]'" in result.output
