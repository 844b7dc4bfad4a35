"""The log of a serving process: one line a finished call, and nothing of mail, callers or secrets."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Serve
from cli.settings_files import write_settings
from mailmcp.imap.account import Account
from servers.embedded import Pymap
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from tools.letters import make_letter
from tools.stores import peer_account, pymap_store

FIELDS = (
    "tool",
    "account",
    "mailbox",
    "request_id",
    "outcome",
    "duration_ms",
    "imap_round_trips",
    "bytes_received",
)

SECRETS = ("hushsubject", "hushbody", "hushsender", "hushquery", "hushname", "hushvalue", "fake-password")


@pytest.fixture
def account(pymap_server: Pymap) -> Account:
    letter = make_letter("hushsubject", "hushbody\n", sender="hushsender <hushsender@example.org>")
    letter.add_attachment("hushbody", filename="hushname.txt")
    pymap_server.fill("INBOX", [letter.as_bytes(), letter.as_bytes()])
    return pymap_store(pymap_server).account


def log_of(
    serve: Serve, folder: Path, account: Account, *options: str
) -> tuple[list[str], list[dict[str, Any]]]:
    """Make good and bad calls of every kind; returns the log and the results."""
    served = serve("serve", "--config", str(write_settings(folder, account)), *options)
    served.introduce()
    results = [
        served.call("imap_list_accounts"),
        served.call("imap_list_mailboxes", include_counts=True),
        served.call("imap_search_messages", query="hushbody", limit=1, snippet_max_chars=100),
        served.call("imap_search_messages", query="hushquery hushquery"),
        served.call("imap_search_messages", hushname="hushvalue", limit="hushvalue", query="hushvalue\n"),
        served.call("imap_search_messages", cursor="hushvalue"),
        served.call("imap_get_message", message_id="hushvalue"),
        served.call("imap_search_messages", account_id="hushname"),
    ]
    found = results[2]["structuredContent"]["data"]
    results.append(served.call("imap_search_messages", cursor=found["next_cursor"]))
    results.append(
        served.call(
            "imap_get_message",
            message_id=found["messages"][0]["message_id"],
            body_mode="html",
            include_headers=True,
            attachment_mode="extract_text",
        )
    )
    assert served.close() == 0
    return served.stderr.splitlines(), results


OUTCOMES = [
    "ok",
    "ok",
    "ok",
    "ok",
    "invalid_input/unknown_param",
    "invalid_input/cursor_malformed",
    "invalid_input/malformed_id",
    "not_found/account_unknown",
    "ok",
    "ok",
]


def test_every_finished_call_is_one_json_line(serve: Serve, account: Account, tmp_path: Path) -> None:
    lines, results = log_of(serve, tmp_path, account, "--log-format", "json", "--log-level", "debug")
    records = [json.loads(line) for line in lines]
    calls = [record for record in records if "outcome" in record]
    ids = [result["structuredContent"]["meta"]["request_id"] for result in results]
    assert [call["request_id"] for call in calls] == ids
    outcomes = [call["outcome"] for call in calls]
    assert outcomes[:4] + outcomes[5:] == OUTCOMES[:4] + OUTCOMES[5:]
    assert outcomes[4].startswith("invalid_input/")
    for call, result in zip(calls, results, strict=True):
        assert set(FIELDS) <= set(call)
        assert call["logger"] == "mailmcp"
        assert call["level"] == ("INFO" if call["outcome"] in {"ok", "partial"} else "WARNING")
        telemetry = result["structuredContent"]["meta"].get("telemetry", {})
        assert call["imap_round_trips"] == telemetry.get("imap_round_trips", 0)
        assert call["bytes_received"] == telemetry.get("bytes_received", 0)
        assert isinstance(call["duration_ms"], int)
    named = [(call["tool"], call["account"], call["mailbox"]) for call in calls]
    assert named[0] == ("imap_list_accounts", "", "")
    assert named[1] == ("imap_list_mailboxes", "work", "")
    assert named[2] == named[8] == ("imap_search_messages", "work", "INBOX")
    assert named[9] == ("imap_get_message", "work", "INBOX")
    assert_nothing_private(lines)


def assert_nothing_private(lines: list[str]) -> None:
    assert [(secret, line) for line in lines for secret in SECRETS if secret in line] == []


def test_as_text_a_call_is_one_line_too_and_servers_put_nothing_into_it(
    serve: Serve, peer: PeerFactory, tmp_path: Path
) -> None:
    echoes = {
        "login": Rule(command="LOGIN", action=Respond(b'{tag} NO LOGIN "fake-user" "fake-password"\r\n')),
        "search": Rule(command="UID SEARCH", action=Respond(b"{tag} NO TEXT hushquery\r\n")),
    }
    accounts = [replace(peer_account(peer(rules=[rule])), account_id=name) for name, rule in echoes.items()]
    served = serve("serve", "--config", str(write_settings(tmp_path, *accounts)), "--log-level", "warning")
    served.introduce()
    served.call("imap_list_accounts")
    ids = []
    for name in echoes:
        result = served.call("imap_search_messages", account_id=name, query="hushquery")
        assert result["isError"]
        ids.append(result["structuredContent"]["meta"]["request_id"])
    assert served.close() == 0
    lines = served.stderr.splitlines()
    assert_nothing_private(lines)
    calls = [line for line in lines if " tool=" in line]
    fields = [
        dict(pair.split("=", 1) for pair in line[line.index(" tool=") + 1 :].split(" ")) for line in calls
    ]
    assert [each["request_id"] for each in fields] == ids, "what succeeds is no warning"
    for each in fields:
        assert (
            {"tool", "request_id", "outcome", "duration_ms", "imap_round_trips"} <= set(each) <= set(FIELDS)
        )
