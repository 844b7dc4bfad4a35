"""What the settings forbid is refused before anything is opened, below the tools and by every name."""

from typing import Any

import pytest

from imap.scenes import make_account
from imap.writes.orders import EXCHANGE, GMAIL, change, make_order, peer_account, writing_on
from imap.writes.test_traps import mailbox, sent, serve
from mailmcp.imap.account import Writes
from mailmcp.imap.writes.carry_out import carry_out
from mailmcp.imap.writes.create import create_mailbox
from mailmcp.imap.writes.open import is_protected, select
from mailmcp.imap.writes.prepare import prepare
from mailmcp.imap.writes.values import Action
from mailmcp.reasons import Reason
from mcp_envelope import AuthFailedError, ToolError
from servers.peer import Peer, PeerFactory
from servers.peer_mailbox import PeerMailbox, make_messages

DRAFT: dict[str, Any] = {"octets": make_messages(8)[0].octets, "header_message_id": "8@example.org"}
ONE: dict[str, Any] = {"uids": (1,)}


def refusal(server: Peer, writes: Writes, action: Action, name: str, **options: Any) -> ToolError:
    """Give an order that must be refused before a mailbox is opened; return why."""
    account = peer_account(server, writes, protected_mailboxes=options.pop("protected", frozenset()))
    with writing_on(account) as session, pytest.raises(ToolError) as caught:
        prepare(session, make_order(action, name, **options))
    assert sent(server) == []
    assert not [each for each in server.commands if each.name == "SELECT"]
    return caught.value


@pytest.mark.parametrize(
    ("writes", "action", "name", "options", "needed"),
    [
        (Writes.DRAFTS, Action.FLAGS, "INBOX", ONE | {"add": ("\\Seen",)}, "organize"),
        (Writes.DRAFTS, Action.FLAGS, "Drafts", ONE | {"add": ("\\Seen",)}, "organize"),
        (Writes.DRAFTS, Action.MOVE, "INBOX", ONE | {"target": "Trash"}, "organize"),
        (Writes.DRAFTS, Action.MOVE, "Drafts", ONE | {"target": "Work"}, "organize"),
        (Writes.DRAFTS, Action.COPY, "Drafts", ONE | {"target": "Trash"}, "organize"),
        (Writes.DRAFTS, Action.APPEND, "INBOX", DRAFT, "organize"),
        (Writes.DRAFTS, Action.DELETE, "Drafts", ONE, "all"),
        (Writes.ORGANIZE, Action.DELETE, "Trash", ONE, "all"),
        (Writes.ORGANIZE, Action.DELETE, "INBOX", ONE, "all"),
    ],
)
def test_each_level_allows_what_it_says(
    peer: PeerFactory, writes: Writes, action: Action, name: str, options: dict[str, Any], needed: str
) -> None:
    error = refusal(serve(peer, EXCHANGE), writes, action, name, **options)
    assert (type(error), error.reason) == (AuthFailedError, Reason.WRITES_FORBIDDEN)
    assert f'writes = "{needed}"' in error.message
    assert f'writes = "{writes}"' in error.message


def test_at_the_level_drafts_no_other_mailbox_is_opened_to_write(peer: PeerFactory) -> None:
    with writing_on(peer_account(serve(peer, EXCHANGE), Writes.DRAFTS)) as session:
        assert select(session, "Drafts", uidvalidity=None).name == "Drafts"
        with pytest.raises(AuthFailedError):
            select(session, "INBOX", uidvalidity=None)


@pytest.mark.parametrize(
    "protected",
    ["INBOX", "inbox", "Gr&APYA3w-e", "GRÖSSE", "Gro\u0308ße", "Größe/", "\\Sent", "\\sent"],
)
def test_a_protected_mailbox_is_known_by_every_alias(peer: PeerFactory, protected: str) -> None:
    server = serve(peer, EXCHANGE)
    server.settings.mailboxes.append(PeerMailbox(name="Gr&APYA3w-e", attributes=("\\Sent",)))
    is_inbox = protected.lower() == "inbox"
    names = ("INBOX", "inbox", "iNBOX") if is_inbox else ("Größe", "GRÖSSE", "Gr&APYA3w-e", "Größe/")
    other = "Work" if is_inbox else "INBOX"
    for name in names:
        listed = name in {"INBOX", "inbox", "iNBOX", "Größe"}
        if not listed and protected.startswith("\\"):
            continue  # no mailbox has that name, so it has no use
        for action, source, target in (
            (Action.FLAGS, name, ""),
            (Action.MOVE, name, other),
            (Action.MOVE, other, name),
            (Action.COPY, other, name),
        ):
            options: dict[str, Any] = {"uids": (1,), "target": target, "protected": frozenset({protected})}
            error = refusal(server, Writes.ALL, action, source, **options)
            assert error.reason is Reason.MAILBOX_PROTECTED, (name, action)


def test_nothing_is_stored_in_protected_drafts(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)
    for protected, name in (("Drafts", "drafts"), ("\\Drafts", "Drafts")):
        error = refusal(server, Writes.ALL, Action.APPEND, name, protected=frozenset({protected}), **DRAFT)
        assert error.reason is Reason.MAILBOX_PROTECTED


def test_protected_trash_is_not_where_gmail_deletes(peer: PeerFactory) -> None:
    server = serve(peer, ("IMAP4rev1", "UIDPLUS", "MOVE", "X-GM-EXT-1"))
    error = refusal(server, Writes.ALL, Action.DELETE, "INBOX", uids=(1,), protected=frozenset({"\\Trash"}))
    assert error.reason is Reason.MAILBOX_PROTECTED
    server.settings.mailboxes[:] = [each for each in server.settings.mailboxes if each.name != "Trash"]
    assert refusal(server, Writes.ALL, Action.DELETE, "INBOX", uids=(1,)).reason is Reason.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("permanent", "flag", "stored"),
    [
        ("\\Seen \\Flagged", "\\Flagged", True),
        ("\\Seen $Later", "$later", True),
        ("\\Seen \\*", "$Other", True),
        ("\\Seen", "$Other", False),
        ("\\Seen \\*", "\\Flagged", False),
        ("", "\\Seen", False),
        (None, "$Other", True),
    ],
)
def test_a_mailbox_may_store_few_flags(
    peer: PeerFactory, permanent: str | None, flag: str, *, stored: bool
) -> None:
    """Or say nothing of it, and store all."""
    server = serve(peer, EXCHANGE)
    server.mailbox.permanent_flags = permanent
    with writing_on(peer_account(server)) as session:
        if stored:
            assert change(session, Action.FLAGS, uids=(1,), add=(flag,))[0].error is None
            return
        with pytest.raises(ToolError, match="must be what the server stores"):
            change(session, Action.FLAGS, uids=(1,), add=(flag,))
    assert sent(server) == []


def test_a_mailbox_that_opens_read_only_is_not_changed(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE, "read-only")
    with writing_on(peer_account(server)) as session:
        for _ in range(2):
            with pytest.raises(ToolError) as caught:
                change(session, Action.FLAGS, uids=(1,), add=("\\Seen",))
            assert caught.value.reason is Reason.PERMISSION_DENIED
    assert sent(server) == []


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"mailbox": "Nowhere"}, Reason.MAILBOX_MISSING),
        ({"mailbox": "Gr&APYA3w-e"}, Reason.MAILBOX_MISSING),
        ({"target": "Nowhere"}, Reason.MAILBOX_MISSING),
        ({"target": "Work", "uidvalidity": 5}, Reason.UIDVALIDITY_CHANGED),
    ],
)
def test_what_is_not_there_or_was_rebuilt_is_said(
    peer: PeerFactory, options: dict[str, Any], reason: object
) -> None:
    server = serve(peer, EXCHANGE)
    server.settings.mailboxes.append(PeerMailbox(name="Gr&APYA3w-e"))
    known = {"mailbox": "INBOX", "target": "Work"} | options
    with writing_on(peer_account(server)) as session, pytest.raises(ToolError) as caught:
        change(session, Action.MOVE, known.pop("mailbox"), uids=(1,), **known)
    assert caught.value.reason is reason
    assert sent(server) == []


def test_a_mailbox_rebuilt_between_is_left_alone(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)
    with writing_on(peer_account(server)) as session:
        first = prepare(session, make_order(Action.MOVE, uids=(1,), target="Work"))
        change(session, Action.FLAGS, "Work", uids=(9,), add=("\\Seen",))
        server.mailbox.uidvalidity += 1
        [result] = carry_out(session, first)
    assert result.error is not None
    assert result.error.reason is Reason.UIDVALIDITY_CHANGED
    assert sent(server) == []


def test_a_mailbox_is_made_only_where_it_may_be(peer: PeerFactory) -> None:
    server = serve(peer, EXCHANGE)
    protected = frozenset({"Secret"})
    with writing_on(peer_account(server, protected_mailboxes=protected)) as session:
        with pytest.raises(AuthFailedError):
            create_mailbox(session, "secret")
        create_mailbox(session, "inbox")
        assert sent(server) == []
        create_mailbox(session, "New")
        assert sent(server) == ["CREATE", "SUBSCRIBE"]
        assert change(session, Action.MOVE, uids=(1,), target="New")[0].error is None
    assert mailbox(server, "New").messages


@pytest.mark.parametrize("label", ["Work", "work", "\\Inbox", "\\Sent"])
def test_a_label_is_a_mailbox_too(peer: PeerFactory, label: str) -> None:
    server = serve(peer, GMAIL)
    protected = frozenset({"Work", "INBOX", "\\Sent"})
    for options in ({"add": (label,)}, {"remove": (label,)}):
        error = refusal(
            server, Writes.ALL, Action.LABELS, "Archive", protected=protected, uids=(1,), **options
        )
        assert error.reason is Reason.MAILBOX_PROTECTED


def test_a_child_of_a_protected_mailbox_is_another_one(peer: PeerFactory) -> None:
    account = make_account(serve(peer, EXCHANGE), protected_mailboxes=frozenset({"Archive"}))
    assert is_protected(account, "ARCHIVE")
    assert not is_protected(account, "Archive/2024")
