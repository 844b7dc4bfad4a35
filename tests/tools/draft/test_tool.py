"""Drafts are saved in the one mailbox for them, proven, and replaced only where they are ours."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from mailmcp.imap.account import Writes
from mailmcp.reasons import Reason
from mailmcp.tools.preferences import Preferences
from mcp_envelope import BaseReason, Code, InvalidInputError
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Close, Respond, Rule
from servers.peer_answers import CAPABILITIES
from servers.peer_mailbox import PeerMailbox
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.draft.drafts import (
    OWNER,
    drafts_desk,
    octets_in,
    parsed,
    receive,
    refused,
    save,
    stored,
    text_of,
)
from tools.stores import Store, peer_account


def test_a_new_draft_is_stored_as_it_was_asked_for(
    store: Store, open_desk: DeskFactory, tmp_path: Path
) -> None:
    (tmp_path / "Übersicht.pdf").write_bytes(b"%PDF\0")
    desk = drafts_desk(store, open_desk, folder=tmp_path)
    reply = save(
        desk,
        to="Jörg Ö <joerg@bücher.example>, ann@example.org",
        bcc=["carl@example.org"],
        subject="Größe",
        body="Grüße\nzwei\u200b",
        attachments=["Übersicht.pdf"],
    )
    [(flags, octets)] = octets_in(store)
    assert flags == {b"\\Draft", b"\\Seen"}
    assert octets.isascii()
    draft, data = parsed(octets), reply.data
    assert (draft["To"], draft["Cc"], draft["Bcc"], draft["Subject"]) == (
        "Jörg Ö <joerg@xn--bcher-kva.example>, ann@example.org",
        None,
        "carl@example.org",
        "Größe",
    )
    assert text_of(draft) == "Grüße\nzwei\n"
    [attachment] = draft.iter_attachments()
    assert (attachment.get_filename(), attachment.get_content()) == ("Übersicht.pdf", b"%PDF\0")
    assert draft["Message-ID"] == f"<{data['header_message_id']}>"
    assert draft["Date"].datetime.tzinfo is not None
    assert data["attachments"] == ["Übersicht.pdf"]
    assert reply.outcome.warnings == ("Removed 1 invisible character from the body.",)
    assert desk.message(data["message_id"])["subject"] == "Größe"
    for said in ('"Jörg Ö', "Bcc:", data["entry_id"], data["message_id"], "and not sent"):
        assert said in reply.text
    with store.client() as client:
        others = [name for _, _, name in client.list_folders() if name != "Drafts"]
        assert [client.select_folder(name)[b"EXISTS"] for name in others] == [0] * len(others)


BAD = [
    ("to", ["ann"]),
    ("to", ["ann@example.org", "bob at x.org"]),
    ("cc", ["ann@"]),
    ("bcc", ["@example.org"]),
    ("to", ["Ann <ann@example..org>"]),
    ("to", ["ann@exa_mple.org, x@-.y z"]),
    ("to", ["ann@straße.example"]),
    ("to", ["änn@example.org"]),
    ("to", ['"boss@corp.example" <eve@x.org>']),
    ("to", ["undisclosed-recipients:;"]),
    ("to", [f"{'a' * 65}@x.org"]),
    ("to", ["a@x.org\r\nBcc: eve@x.org"]),
    ("subject", "x\r\nBcc: eve@x.org"),
    ("body", "x\0"),
    ("body", "x" * 100_001),
    ("reply_to", "imap:other:INBOX:1"),
    ("forward", "<a@b.example>"),
    ("replaces", "x"),
    ("attachments", ["a.pdf"]),
]


@pytest.mark.parametrize(("argument", "value"), BAD)
def test_what_is_wrong_is_said_of_its_argument(
    argument: str, value: object, dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    desk = drafts_desk(dovecot_mail, open_desk)
    with pytest.raises(InvalidInputError) as caught:
        save(desk, **{argument: value})
    assert [each.field for each in caught.value.problems] == [argument]
    assert stored(dovecot_mail) == []


def test_a_draft_replaces_its_earlier_version(store: Store, open_desk: DeskFactory) -> None:
    desk = drafts_desk(store, open_desk)
    first = save(desk, subject="First").data
    second = save(desk, subject="Second", replaces=first["message_id"])
    assert [each["Subject"] for each in stored(store)] == ["Second"]
    [(flags, _)], [earlier] = octets_in(store, "Trash"), stored(store, "Trash")
    assert flags == {b"\\Draft", b"\\Seen"}
    assert earlier["Subject"] == "First"
    assert second.data["status"] == "ok"
    assert "The earlier version is in Trash." in second.text
    error = refused(desk, subject="Third", replaces=first["message_id"])
    assert (error.code, error.reason) == (Code.NOT_FOUND, Reason.MESSAGE_GONE)
    assert len(stored(store)) == 1


def test_only_an_unchanged_draft_of_ours_is_replaced(store: Store, open_desk: DeskFactory) -> None:
    desk = drafts_desk(store, open_desk)
    ours = save(desk, subject="Ours").data
    [(_, octets)] = octets_in(store)
    place = ours["message_id"].rpartition(":")[0]
    date = parsed(octets)["Date"].encode()
    others = {
        "somebody else's": (b"From: bob@example.org\r\nMessage-ID: <1@x>\r\n\r\nText", [b"\\Draft"]),
        "changed since": (octets.replace(date, b"Sun, 29 Nov 2026 12:00:00 +0000"), [b"\\Draft"]),
        "no draft": (octets, [b"\\Seen"]),
    }
    for message, flags in others.values():
        [uid] = store.fill("Drafts", [message], flags=flags)
        error = refused(desk, subject="New", replaces=f"{place}:{uid}")
        assert (error.code, error.reason) == (Code.INVALID_INPUT, BaseReason.INVALID_VALUE)
        assert error.message.startswith("replaces: is not a draft that was saved here")
    [uid] = store.fill("INBOX", [octets], flags=[b"\\Draft"])
    [received] = [each for each in desk.message_ids() if each.endswith(f":{uid}")]
    assert refused(desk, subject="New", replaces=received).reason is BaseReason.INVALID_VALUE
    assert len(stored(store)) == 1 + len(others)
    assert stored(store, "Trash") == []


def peer_desk(peer: Peer, open_desk: DeskFactory, writes: Writes = Writes.DRAFTS) -> Desk:
    desk: Desk = open_desk(replace(peer_account(peer), writes=writes))
    desk.preferences = Preferences(owners={"work": OWNER})
    return desk


def mailboxes(*names: str) -> list[PeerMailbox]:
    return [PeerMailbox(name=name) for name in names]


WRITING = (*CAPABILITIES, "UIDPLUS", "MOVE")


@pytest.mark.parametrize("when", ["before", "within"])
def test_a_draft_whose_outcome_is_unknown_is_looked_up_and_not_stored_twice(
    when: Literal["before", "within"], peer: PeerFactory, open_desk: DeskFactory
) -> None:
    drafts, trash = mailboxes("Drafts", "Trash")
    lost = Rule(command="APPEND", action=Close(when), nth=2)
    server = peer(mailboxes=[drafts, trash], capabilities=WRITING, rules=[lost])
    desk = peer_desk(server, open_desk)
    first = save(desk, subject="First").data["message_id"]
    if when == "within":
        reply = save(desk, subject="Second", replaces=first)
        [issue] = reply.outcome.issues
        assert (issue.reason, issue.about["message_id"]) == (Reason.CONNECTION_LOST, first)
        assert reply.data["message_id"] == f"{first.rpartition(':')[0]}:2"
        assert len(drafts.messages) == 2
    else:
        error = refused(desk, subject="Second", replaces=first)
        assert error.code is Code.INTERNAL
        assert len(drafts.messages) == 1
    assert trash.messages == []
    assert len([each for each in server.commands if each.name == "APPEND"]) == 2


def test_what_cannot_be_looked_up_is_to_be_searched_for(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """Every connection after that of the APPEND ends in a search."""
    rules = [Rule(command="APPEND", action=Close("within"))]
    rules += [Rule(command=name, action=Close("before")) for name in ("UID SEARCH", "UID FETCH")]
    server = peer(mailboxes=mailboxes("Drafts", "Trash"), capabilities=WRITING, rules=rules)
    error = refused(peer_desk(server, open_desk), subject="Lost")
    assert error.reason is Reason.OUTCOME_UNKNOWN
    assert not error.retryable
    assert error.next_action is not None
    server.rules.clear()
    found = peer_desk(server, open_desk).call(error.next_action.tool, dict(error.next_action.arguments))
    assert [each["subject"] for each in found.data["messages"]] == ["Lost"]


def test_an_earlier_version_stays_if_the_new_one_is_not_stored(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    """Whatever the server says."""
    drafts, trash = mailboxes("Drafts", "Trash")
    server = peer(mailboxes=[drafts, trash], capabilities=WRITING)
    desk = peer_desk(server, open_desk)
    first = save(desk, subject="First").data["message_id"]
    server.settings.traps.add("appended unseen")
    refused(desk, subject="Second", replaces=first)
    server.rules.append(Rule(command="APPEND", action=Respond(b"{tag} NO Not this one\r\n")))
    refused(desk, subject="Third", replaces=first)
    assert (len(drafts.messages), len(trash.messages)) == (1, 0)


def test_an_earlier_version_that_cannot_go_is_kept_and_told(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    [drafts] = mailboxes("Drafts")
    desk = peer_desk(peer(mailboxes=[drafts], capabilities=WRITING), open_desk)
    first = save(desk, subject="First").data["message_id"]
    [issue] = save(desk, subject="Second", replaces=first).outcome.issues
    assert (issue.reason, issue.about["message_id"]) == (Reason.MAILBOX_MISSING, first)
    assert len(drafts.messages) == 2


def test_the_limit_of_the_server_is_respected(peer: PeerFactory, open_desk: DeskFactory) -> None:
    capabilities = (*WRITING, "APPENDLIMIT=2000")
    server = peer(mailboxes=mailboxes("Drafts"), capabilities=capabilities)
    desk = peer_desk(server, open_desk)
    assert refused(desk, body="x " * 1_000).reason is Reason.TOO_LARGE
    assert "APPEND" not in {each.name for each in server.commands}
    save(desk, body="x")


def test_a_mailbox_for_drafts_is_made_where_the_level_allows_it(
    pymap_mail: Store, open_desk: DeskFactory
) -> None:
    def desk(writes: Writes) -> Desk:
        opened: Desk = open_desk(replace(pymap_mail.account, writes=writes))
        opened.preferences = Preferences(owners={"work": OWNER})
        return opened

    error = refused(desk(Writes.DRAFTS), subject="One")
    assert (error.code, error.reason) == (Code.NOT_FOUND, Reason.MAILBOX_MISSING)
    assert "drafts_mailbox" in error.message
    assert save(desk(Writes.ORGANIZE), subject="One").data["mailbox"] == "Drafts"
    assert [each["Subject"] for each in stored(pymap_mail)] == ["One"]


def test_it_is_made_within_inbox_where_all_others_are(peer: PeerFactory, open_desk: DeskFactory) -> None:
    server = peer(mailboxes=[PeerMailbox(name="INBOX/Work")], capabilities=WRITING)
    assert save(peer_desk(server, open_desk, Writes.ORGANIZE), body="x").data["mailbox"] == "INBOX/Drafts"


def test_nothing_is_saved_where_the_settings_forbid_it(dovecot_mail: Store, open_desk: DeskFactory) -> None:
    desk = drafts_desk(dovecot_mail, open_desk, writes=Writes.OFF)
    assert refused(desk).reason is Reason.WRITES_FORBIDDEN
    account = replace(dovecot_mail.account, writes=Writes.ALL, protected_mailboxes=frozenset({"\\Drafts"}))
    protected: Desk = open_desk(account)
    protected.preferences = desk.preferences
    assert refused(protected).reason is Reason.MAILBOX_PROTECTED
    nobody = drafts_desk(dovecot_mail, open_desk)
    nobody.preferences = Preferences()
    error = refused(nobody)
    assert (error.reason, "addresses" in error.message) == (Reason.SWITCHED_OFF, True)
    assert stored(dovecot_mail) == []


def test_a_draft_stays_in_the_account_of_what_it_answers(store: Store, open_desk: DeskFactory) -> None:
    desk = drafts_desk(store, open_desk)
    message_id = receive(store, desk, "From: ann@example.org\n\nText\n")
    with pytest.raises(InvalidInputError) as caught:
        save(desk, account_id="other", reply_to=message_id)
    assert caught.value.reason is BaseReason.EXCLUSIVE_PARAMS
    with pytest.raises(InvalidInputError) as caught:
        save(desk, reply_to=message_id, forward=message_id)
    assert caught.value.reason is BaseReason.EXCLUSIVE_PARAMS
    other = message_id.replace("imap:work:", "imap:other:")
    with pytest.raises(InvalidInputError) as caught:
        save(desk, reply_to=message_id, replaces=other)
    assert caught.value.problems[0].field == "replaces"
    store.expunge("INBOX", [int(message_id.rpartition(":")[2])])
    assert refused(desk, reply_to=message_id).code is Code.NOT_FOUND
    assert stored(store) == []
