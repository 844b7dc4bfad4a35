"""What a call works with."""

from time import monotonic

import pytest

from mailmcp.imap.account import Account, Password, Writes
from mailmcp.imap.pool import Pool
from mailmcp.model.message_ref import MessageRef
from mailmcp.reasons import Reason
from mailmcp.tools.preferences import DEFAULTS
from mailmcp.tools.tool import Call, Shared
from mcp_envelope import AuthFailedError, InvalidInputError, NextAction, NotFoundError
from tools.desk import Desk
from tools.stores import Store


def call_for(*names: str, writes: Writes = Writes.OFF) -> Call:
    login = Password(lambda: "p")
    accounts = [
        Account(account_id=name, host="h.example", port=993, user="u", credentials=login, writes=writes)
        for name in names
    ]
    shared = Shared(pool=Pool(accounts, clock=monotonic), preferences=DEFAULTS)
    return shared.begin_call(deadline=0.0, report=lambda _done, _total, _what: None)


@pytest.mark.parametrize(
    ("accounts", "named", "chosen"),
    [(["work"], "", "work"), (["work", "home"], "home", "home"), (["work", "default"], "", "default")],
)
def test_an_account_need_not_be_named_if_it_is_the_only_one_or_the_default(
    accounts: list[str], named: str, chosen: str
) -> None:
    call = call_for(*accounts)
    assert call.choose_account(named, or_all="*").account_id == call.account_id == chosen


def test_one_of_several_must_be_named() -> None:
    with pytest.raises(InvalidInputError, match=r"^account_id: .* Send one of: work, home, or \* for all.$"):
        call_for("work", "home").choose_account("", or_all="*")


def test_an_account_is_changed_only_as_far_as_its_settings_allow() -> None:
    call = call_for("work", writes=Writes.ORGANIZE)
    for level in (Writes.DRAFTS, Writes.ORGANIZE):
        assert call.choose_account_to_write("", level).account_id == "work"
    with pytest.raises(
        AuthFailedError, match='have writes = "organize", and it takes writes = "all"'
    ) as caught:
        call.choose_account_to_write("work", Writes.ALL)
    assert caught.value.reason is Reason.WRITES_FORBIDDEN
    with pytest.raises(NotFoundError):
        call.choose_account_to_write("home", Writes.DRAFTS)


@pytest.mark.parametrize("name", ["Work", "imap.example.org"])
def test_the_error_for_an_unknown_account_lists_the_accounts(name: str) -> None:
    call = call_for("work", "home")
    with pytest.raises(NotFoundError, match="Accounts: work, home") as caught:
        call.choose_account(name)
    assert caught.value.reason is Reason.ACCOUNT_UNKNOWN
    assert caught.value.next_action == NextAction(instruction="List the accounts.", tool="imap_list_accounts")
    assert call.account_id == ""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("imap_get_message", {}),
        ("imap_get_message_raw", {}),
        ("imap_get_thread", {}),
        ("imap_get_attachment", {"part_id": "1"}),
    ],
)
def test_an_account_sent_with_a_message_id_must_be_the_messages(
    pymap_mail: Store, tool: str, arguments: dict[str, str]
) -> None:
    """Clients of similar servers send it always; no schema shows it."""
    pymap_mail.fill("INBOX", [b"Subject: Tea\r\n\r\nTea?\r\n"])
    with Desk([pymap_mail.account, pymap_mail.named("default")]) as desk:
        (row,) = desk.search(account_id="work").data["messages"]
        sent = {"message_id": row["message_id"], **arguments}
        for agreed in ({}, {"account_id": "work"}, {"account_id": ""}):
            assert desk.call(tool, sent | agreed).data["account_id"] == "work"
        with pytest.raises(InvalidInputError, match=r"account_id: contradicts message_id.* to account work"):
            desk.call(tool, sent | {"account_id": "default"})


def test_a_missing_mailbox_suggests_listing_the_mailboxes(pymap_mail: Store) -> None:
    missing = MessageRef(account_id="work", mailbox="Nowhere", uidvalidity=1, uid=1)
    with Desk([pymap_mail.account]) as desk, pytest.raises(NotFoundError) as caught:
        desk.call("imap_get_message", {"message_id": missing.message_id})
    assert caught.value.reason is Reason.MAILBOX_MISSING
    assert caught.value.next_action == NextAction(
        instruction="List the mailboxes.", tool="imap_list_mailboxes", arguments={"account_id": "work"}
    )
