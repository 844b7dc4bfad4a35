"""Which messages a conversation has: found in all mailboxes by ids alone, each once."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from mailmcp.imap import id_search
from mailmcp.reasons import Reason
from mailmcp.tools.thread.conversation import ROUNDS_MAX
from mcp_envelope import InvalidInputError
from servers.embedded import Pymap
from servers.peer import PeerFactory
from servers.peer_actions import FailUid, Respond, Rule
from servers.peer_mailbox import PeerMailbox, PeerMessage
from tools.conftest import DeskFactory
from tools.desk import Desk, Reply
from tools.letters import make_letter, make_numbered
from tools.stores import Store, peer_account, pymap_store
from tools.talks import (
    BEGAN,
    make_talk,
    make_turn,
    newest_id,
    peer_messages,
    spread,
    texts,
    thread,
    turn_id,
    turns_of,
)


def test_all_messages_of_a_conversation_oldest_first_in_few_round_trips(store: Store, desk: Desk) -> None:
    spread(store, make_talk(30), "INBOX", "Sent", "Archive")
    store.fill("INBOX", make_numbered(1, 2))
    spread(store, [make_letter("Other").as_bytes()], "Elsewhere")
    reply = thread(desk, newest_id(desk, "Archive"))
    assert turns_of(reply) == list(range(1, 31))
    assert reply.telemetry.imap_round_trips <= 8
    assert (reply.data["total"], reply.data["has_more"], reply.data["status"]) == (30, False, "ok")
    assert reply.data["coverage"]["complete"] is True
    assert reply.data["coverage"]["mailboxes_searched"] >= 4
    assert "30 of 30 messages of a conversation, oldest first" in reply.outcome.summary


@pytest.mark.parametrize("asked", [1, 2, 3, 4])
def test_broken_references(dovecot_mail: Store, open_desk: DeskFactory, asked: int) -> None:
    """What programs do: only In-Reply-To, only the last id, a parent that is gone, another subject."""
    gone = "<gone@mail.example.org>"
    turns = [
        make_turn(1, references=[gone], subject="Re: Offer"),
        make_turn(2, in_reply_to=turn_id(1), subject="[dev] Venue (was: Offer)"),
        make_turn(3, references=[turn_id(2)], subject="AW: Offer"),
        make_turn(4, references=[gone]),
        make_turn(5, subject="RE: Offer"),  # refers to nothing
    ]
    spread(dovecot_mail, turns, "INBOX", "Sent")
    desk = open_desk(dovecot_mail.account)
    rows = desk.search(mailbox="*", header_message_id=turn_id(asked)).data["messages"]
    assert turns_of(thread(desk, rows[0]["message_id"])) == [1, 2, 3, 4]


CHAIN = [make_turn(number, in_reply_to=turn_id(number - 1)) for number in range(1, 13)]
"""Each message names only the one before it, so that each search finds one more on either side."""


@pytest.mark.parametrize(
    ("turns", "rows_max", "shown", "said"),
    [
        (CHAIN, 100, list(range(12 - ROUNDS_MAX, 13)), "not followed to the end"),
        (make_talk(8), 3, [1, 6, 7, 8], "only the newest 3 of very many messages were read"),
        ([make_letter(text="Turn 1.\n").as_bytes()], 100, [1], "no Message-ID that can be searched for"),
    ],
)
def test_what_may_be_missing_is_said(
    dovecot_mail: Store,
    open_desk: DeskFactory,
    monkeypatch: pytest.MonkeyPatch,
    turns: list[bytes],
    rows_max: int,
    shown: list[int],
    said: str,
) -> None:
    monkeypatch.setattr(id_search, "ROWS_MAX", rows_max)
    dovecot_mail.fill("INBOX", turns)
    reply = thread(open_desk(dovecot_mail.account))
    assert turns_of(reply)[-3:] == shown[-3:]
    assert reply.data["coverage"]["complete"] is False
    assert said in reply.data["coverage"]["method"]
    assert any(said in warning for warning in reply.outcome.warnings)


def test_a_server_that_finds_nothing_by_ids_is_not_believed(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    rule = Rule(
        command="UID SEARCH",
        containing="MESSAGE-ID",
        action=Respond(b"* SEARCH\r\n{tag} OK found nothing\r\n"),
    )
    server = peer(messages=peer_messages(make_talk(2)), rules=[rule], capabilities=("IMAP4rev1",))
    reply = thread(open_desk(peer_account(server)))
    assert texts(reply) == ["Turn 2."]
    assert "the server doesn't find a message by its Message-ID" in reply.data["coverage"]["method"]
    assert reply.data["coverage"]["complete"] is False


def test_junk_and_trash_are_left_alone_unless_the_message_is_there(store: Store, desk: Desk) -> None:
    turns = make_talk(3)
    spread(store, turns[:2], "INBOX")
    spread(store, turns[2:], "Junk")
    without = thread(desk)
    assert turns_of(without) == [1, 2]
    left_out = [each["mailbox"] for each in without.data["coverage"]["mailboxes_not_searched"]]
    assert left_out[0] == "Junk"
    assert without.outcome.summary.endswith(f"(work), not in {', '.join(f'`{name}`' for name in left_out)}")
    within = thread(desk, newest_id(desk, "Junk"))
    assert turns_of(within) == [1, 2, 3]
    others = within.data["coverage"].get("mailboxes_not_searched", [])
    assert [each["mailbox"] for each in others] == left_out[1:]


def test_all_mail_is_enough_on_gmail(peer: PeerFactory, open_desk: DeskFactory) -> None:
    turns = make_talk(2)
    everything = PeerMailbox(name="All Mail", messages=peer_messages(turns, 11), attributes=("\\All",))
    server = peer(
        messages=peer_messages(turns[:1]),
        mailboxes=[everything, PeerMailbox(name="Label", messages=peer_messages(turns))],
        capabilities=("IMAP4rev1", "X-GM-EXT-1"),
    )
    reply = thread(open_desk(peer_account(server)))
    assert texts(reply) == ["Turn 1.", "Turn 2."]
    assert reply.data["coverage"]["mailboxes_searched"] == 2


def test_a_server_joins_what_headers_do_not(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """THREADID (RFC 8474)."""
    turns = [make_turn(1), make_turn(2)]
    row = b"* %d FETCH (UID %d FLAGS () THREADID (T1) BODY[HEADER.FIELDS (X)] {%d}\r\n%b)\r\n{tag} OK -\r\n"
    rules = [
        Rule(
            command="UID FETCH",
            containing=f"FETCH {uid} (UID FLAGS INTERNALDATE",
            action=Respond(row % (uid, uid, len(octets), octets)),
        )
        for uid, octets in enumerate(turns, 1)
    ]
    found = Respond(b"* SEARCH 1 2\r\n{tag} OK -\r\n")
    rules.append(Rule(command="UID SEARCH", containing="THREADID T1", action=found))
    server = peer(messages=peer_messages(turns), rules=rules, capabilities=("IMAP4rev1", "OBJECTID"))
    reply = thread(open_desk(peer_account(server)), f"imap:work:INBOX:{server.mailbox.uidvalidity}:1")
    assert reply.data["coverage"]["method"].startswith("Found by the server's thread ids, Message-ID")
    assert turns_of(reply) == [1, 2]


REBUILT = Respond(b"* 2 EXISTS\r\n* OK [UIDVALIDITY 99] -\r\n{tag} OK [READ-ONLY] -\r\n")


@pytest.mark.parametrize(
    ("rule", "shown", "issue"),
    [
        (
            Rule(command="EXAMINE", containing="Sent", action=Respond(b"{tag} NO [NOPERM] not yours\r\n")),
            [3],
            {"mailbox": "Sent", "stage": "search"},
        ),
        # The first round opened it before.
        (
            Rule(command="EXAMINE", containing="Sent", nth=2, action=REBUILT),
            [2, 3],
            {"mailbox": "Sent", "code": "conflict"},
        ),
        (
            Rule(command="UID FETCH", containing="REFERENCES", action=FailUid(2)),
            [3],
            {"mailbox": "Sent", "uid": 2},
        ),
    ],
    ids=["refused", "rebuilt", "a message"],
)
def test_what_cannot_be_searched_or_fetched_is_an_issue(
    peer: PeerFactory, open_desk: DeskFactory, rule: Rule, shown: list[int], issue: dict[str, object]
) -> None:
    sent = PeerMailbox(name="Sent", messages=peer_messages(CHAIN[:2]))
    server = peer(messages=peer_messages(CHAIN[2:3]), mailboxes=[sent], rules=[rule])
    reply = thread(open_desk(peer_account(server)), f"imap:work:INBOX:{server.mailbox.uidvalidity}:1")
    assert (turns_of(reply), reply.data["status"]) == (shown, "partial")
    [found] = reply.data["issues"]
    assert issue.items() <= found.items()
    coverage = reply.data["coverage"]
    failed = [] if "uid" in issue else [{"account_id": "work", "mailbox": "Sent"}]
    assert (coverage["complete"], coverage["mailboxes_failed"]) == (False, failed)


# Copies and drafts


def test_copies_are_one_message_with_its_places(store: Store, desk: Desk) -> None:
    turns = make_talk(3)
    spread(store, turns, "INBOX")
    spread(store, turns[1:], "Sent")
    reply = thread(desk)
    assert turns_of(reply) == [1, 2, 3]
    assert [len(row.get("places", ())) for row in reply.data["messages"]] == [0, 1, 1]
    assert all(f"\n  also `{row['places'][0]}`\n" in reply.text for row in reply.data["messages"][1:])
    asked = newest_id(desk, "Sent")
    assert asked in [row["message_id"] for row in thread(desk, asked).data["messages"]]


def test_a_forgery_hides_nothing(store: Store, desk: Desk) -> None:
    """Whoever was sent a message knows its headers. Of the same size, the forgery came later."""
    forged = make_talk(2)[1].replace(b"Turn 2.", b"Turn 2!")
    store.fill("INBOX", make_talk(2), received=BEGAN)
    spread(store, make_talk(2), "Kept")
    store.fill("Kept", [forged], received=BEGAN + timedelta(seconds=1))
    assert sorted(texts(thread(desk))) == ["Turn 1.", "Turn 2!", "Turn 2."]


@pytest.mark.parametrize(
    ("attributes", "flags", "draft"),
    [
        (("\\Drafts",), ("\\Seen",), True),
        ((), ("\\DRAFT",), True),
        (("\\Sent",), ("\\Seen",), False),
    ],
)
def test_a_draft_is_told_by_its_flag_or_its_mailbox(
    peer: PeerFactory,
    open_desk: DeskFactory,
    attributes: tuple[str, ...],
    flags: tuple[str, ...],
    *,
    draft: bool,
) -> None:
    """Also of a copy in All Mail, which has all of them."""
    turns = make_talk(2)
    message = PeerMessage(uid=7, octets=turns[1], flags=flags)
    mailboxes = [
        PeerMailbox(name="Own", messages=[message], attributes=attributes),
        PeerMailbox(name="Everything", messages=[*peer_messages(turns[:1]), message], attributes=("\\All",)),
    ]
    reply = thread(open_desk(peer_account(peer(messages=peer_messages(turns[:1]), mailboxes=mailboxes))))
    lines = [line for line in reply.text.split("\n") if line.startswith("- ")]
    assert ["draft, not sent" in line for line in lines] == [False, draft]
    flagged = [any(flag.lower() == "\\draft" for flag in row["flags"]) for row in reply.data["messages"]]
    assert flagged == [False, draft]


# Several accounts

Stores = tuple[Store, Store]


@pytest.fixture
def stores(dovecot_mail: Store, pymap_server: Pymap) -> Stores:
    """One account on Dovecot, the other one on pymap."""
    return dovecot_mail, pymap_store(pymap_server)


@pytest.fixture
def two(stores: Stores, open_desk: Callable[..., Desk]) -> Desk:
    return open_desk(stores[0].named("home"), stores[1].named("office"))


def thread_of_home(desk: Desk, account_id: str = "*", **arguments: object) -> Reply:
    return thread(desk, newest_id(desk, account_id="home"), account_id=account_id, **arguments)


def test_all_accounts_are_searched_only_if_asked(stores: Stores, two: Desk) -> None:
    """References are followed to another account and back: nothing here names the last message here."""
    turns = [make_turn(1), *(make_turn(n, in_reply_to=turn_id(n - 1)) for n in range(2, 6))]
    stores[0].fill("INBOX", [turns[4], turns[2], turns[0]], received=BEGAN)
    stores[1].fill("INBOX", [turns[3], turns[1]], received=BEGAN)
    alone = thread_of_home(two, "home")
    assert turns_of(alone) == [1]
    assert alone.outcome.summary.endswith('; not in your other accounts, where account_id="*" looks too')
    reply = thread_of_home(two)
    assert turns_of(reply) == [1, 2, 3, 4, 5]
    assert (reply.data["account_id"], reply.data["total"], reply.data["status"]) == ("*", 5, "ok")
    assert reply.data["coverage"]["complete"] is True
    assert "other accounts" not in reply.outcome.summary


def test_pages_go_through_all_accounts(stores: Stores, two: Desk) -> None:
    talk = make_talk(9)
    stores[0].fill("INBOX", talk[:5], received=BEGAN)
    stores[1].fill("INBOX", talk[5:], received=BEGAN)
    reply = thread_of_home(two, max_chars=800)
    shown, cursor = turns_of(reply), reply.data["next_cursor"]
    with pytest.raises(InvalidInputError) as refused:
        two.call("imap_get_thread", {"cursor": cursor, "account_id": "home"})
    assert refused.value.reason is Reason.CURSOR_MISMATCH
    while cursor:
        reply = two.call("imap_get_thread", {"cursor": cursor, "account_id": "*"})
        shown += turns_of(reply)
        cursor = reply.data.get("next_cursor")
    assert shown == list(range(1, 10))


def test_an_account_that_fails_is_an_issue(stores: Stores, open_desk: DeskFactory) -> None:
    stores[0].fill("INBOX", make_talk(3), received=BEGAN)
    gone = replace(stores[1].named("office"), port=9)
    reply = thread_of_home(open_desk(stores[0].named("home"), gone))
    assert (turns_of(reply), reply.data["status"]) == ([1, 2, 3], "partial")
    [issue] = reply.data["issues"]
    assert issue["account_id"] == "office"
    assert reply.data["coverage"]["mailboxes_failed"] == [{"account_id": "office", "mailbox": "*"}]
    assert reply.data["coverage"]["complete"] is False
