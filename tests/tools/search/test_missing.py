"""A mailbox that is not there: the reply names the one that was meant, and the search in it."""

from collections.abc import Sequence

import pytest

from mailmcp import limits
from mailmcp.imap.mailboxes import Mailbox
from mailmcp.reasons import Reason
from mailmcp.tools.search.failures import suggest_mailboxes
from mcp_envelope import NotFoundError, ToolError
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_numbered
from tools.stores import Store


def box(name: str, use: str = "", *, selectable: bool = True, delimiter: str = "/") -> Mailbox:
    return Mailbox(name=name, delimiter=delimiter, selectable=selectable, special_use=use)


MAILBOXES = (
    box("INBOX"),
    box("Archive", "\\Archive"),
    box("Junk", "\\Junk"),
    box("Projects", selectable=False),
    box("Projects/Apollo"),
    box("Projects/Grün"),
    box("Clients/Apollo 2"),
    box("Sent", "\\Sent"),
    box("Papierkorb", "\\Trash"),
    box("Flat", selectable=False, delimiter=""),
)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sent", ["Sent"]),
        ("Spam", ["Junk"]),
        ("Sent Items", ["Sent"]),
        ("INBOX.Sent Messages", ["Sent"]),
        ("[Gmail]/Trash", ["Papierkorb"]),
        ("[Gmail]/All Mail", ["*"]),
        ("apollo", ["Projects/Apollo"]),
        ("Archiv", ["Archive"]),
        ("Projects/Appollo", ["Projects/Apollo"]),
        ("Invoices", []),
        ("", []),
        ("x" * 100_000, []),
    ],
)
def test_a_similar_mailbox_is_suggested(name: str, meant: Sequence[str]) -> None:
    found = suggest_mailboxes(name, MAILBOXES)
    assert list(found.names) == meant
    if len(meant) == 1:
        assert found.sentence == f"Did you mean `{meant[0]}`?"
    else:
        assert found.sentence.startswith("It has `INBOX`, `Archive`, ")


def test_a_container_names_the_mailboxes_below_it() -> None:
    found = suggest_mailboxes("Projects", MAILBOXES)
    assert found.sentence == "`Projects` holds no messages; below it: `Projects/Apollo`, `Projects/Grün`."
    assert found.exists
    assert suggest_mailboxes("projects", MAILBOXES) == found
    assert suggest_mailboxes("Flat", MAILBOXES).sentence == "`Flat` holds no messages."


def test_a_list_of_names_is_bounded_and_none_leaves_its_place() -> None:
    many = [box(f"a`\n{number}") for number in range(limits.COVERAGE_NAMES_MAX + 2)]
    statement = suggest_mailboxes("zzz", many).sentence
    assert statement.endswith(", and 2 more.")
    assert "\n" not in statement
    assert r'`"a\u0060\n0"`' in statement


def refusal(desk: Desk, **arguments: object) -> ToolError:
    with pytest.raises(NotFoundError) as caught:
        desk.search(**arguments)
    assert caught.value.reason is Reason.MAILBOX_MISSING
    return caught.value


@pytest.fixture
def filled(store: Store) -> Store:
    with store.client() as client:
        for name in ("Sent", "Boxes/One", "Boxes/Two"):
            if not client.folder_exists(name):
                client.create_folder(name)
    store.fill("Boxes/One", make_numbered(1))
    return store


def test_the_next_action_is_the_same_search_where_it_was_meant(filled: Store, desk: Desk) -> None:
    assert filled.kind
    error = refusal(desk, mailbox="one", subject="Message", limit=3)
    assert error.message == "There is no mailbox `one` in account work. Did you mean `Boxes/One`?"
    assert error.details["did_you_mean"] == ["Boxes/One"]
    action = error.next_action
    assert action is not None
    assert action.arguments == {
        "account_id": "work",
        "mailbox": "Boxes/One",
        "subject": "Message",
        "limit": 3,
    }
    assert desk.call(action.tool, dict(action.arguments)).data["returned"] == 1


def test_each_missing_mailbox_of_a_list_is_replaced(filled: Store, desk: Desk) -> None:
    assert filled.kind
    action = refusal(desk, mailboxes=["one", "sent"]).next_action
    assert action is not None
    assert action.arguments == {"account_id": "work", "mailboxes": ["Boxes/One", "Sent"]}
    action = refusal(desk, mailboxes=["one", "Nothing like it"]).next_action
    assert action is not None
    assert action.tool == "imap_list_mailboxes"
    partial = desk.search(mailboxes=["Boxes/One", "two"])
    assert "Did you mean `Boxes/Two`?" in partial.data["issues"][0]["message"]


def test_of_several_accounts_one_name_must_do(
    pymap_mail: Store, dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    for store, name in ((pymap_mail, "A/Post"), (dovecot_mail, "B/Post")):
        with store.client() as client:
            client.create_folder(name)
    desk = open_desk(pymap_mail.named("home"), dovecot_mail.named("club"))
    error = refusal(desk, account_id="*", mailbox="post")
    assert error.next_action is not None
    assert error.next_action.tool == "imap_list_mailboxes"
    assert error.next_action.arguments == {"account_id": "*"}
    assert error.message == "There is no mailbox `post` in 2 accounts. Did you mean `A/Post` or `B/Post`?"
