"""Servers that search wrongly: the agent gets the right messages, or reads what is wrong."""

from datetime import timedelta

import pytest

from imap.searches import letter, letters
from mailmcp import limits
from mcp_envelope import ToolError
from search.peer_mail import as_html, ascii_alone, at_noon, in_the_far_east, twenty
from search.trap_table import ANSWERS, KEYS
from search.traps import EXTENDED, FOUND_ALL, INVOICES, PLAIN, Trap, when
from servers.peer import Peer, PeerFactory
from servers.peer_actions import Respond, Rule
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.stores import peer_account

LINE_OCTETS_MAX = 8000
"""Dovecot's is 8,192."""


def rows() -> list[object]:
    return [
        pytest.param(trap, id=f"{trap.server}-{trap.arguments}-{trap.capabilities[-1]}")
        for trap in (*ANSWERS, *KEYS)
    ]


@pytest.mark.parametrize("in_windows", [False, True], ids=["at once", "in windows"])
@pytest.mark.parametrize("trap", rows())
def test_a_wrong_server_gives_no_wrong_reply(
    peer: PeerFactory,
    open_desk: DeskFactory,
    monkeypatch: pytest.MonkeyPatch,
    trap: Trap,
    *,
    in_windows: bool,
) -> None:
    """A page that is never full takes all windows."""
    if in_windows:
        monkeypatch.setattr("mailmcp.imap.search.windows.LARGE_MAILBOX_MESSAGES", 5)
        monkeypatch.setattr("mailmcp.imap.search.windows.SEARCH_WINDOW_MESSAGES", 4)
        monkeypatch.setattr(limits, "SEARCH_LISTED_MATCHES_MAX", 2)
    messages = twenty() if trap.foreign else ascii_alone()
    if not trap.plain_text:
        messages = as_html(messages)
    server = peer(messages=messages, capabilities=trap.capabilities, rules=trap.rules)
    desk = open_desk(peer_account(server))
    for _ in range(2):  # before and after what the first search teaches
        if trap.error:
            with pytest.raises(ToolError, match=trap.says or None) as caught:
                desk.search(limit=100, **trap.arguments)
            assert caught.value.reason == trap.error
        else:
            check(trap, desk)


def check(trap: Trap, desk: Desk) -> None:
    reply = desk.search(limit=100, **trap.arguments)
    coverage = reply.data["coverage"]
    assert (reply.uids, coverage["complete"]) == (list(trap.uids), trap.complete), coverage
    assert trap.says in reply.text.replace("\\", "")
    proven = reply.outcome.summary.startswith("No messages matched")
    assert proven == (not trap.uids and trap.complete)
    if not trap.complete and not reply.data["issues"]:
        assert coverage["method"]
        assert "could be searched" in reply.outcome.summary


def desk_on(server: Peer, open_desk: DeskFactory) -> Desk:
    desk: Desk = open_desk(peer_account(server))
    return desk


@pytest.mark.parametrize("criteria", [{"subject": "zebra"}, {"from_": "nobody"}, {"to": "ann"}])
def test_groups_dont_count_what_a_server_finds_wrongly(
    peer: PeerFactory, open_desk: DeskFactory, criteria: dict[str, object]
) -> None:
    """It ignores the criterion and finds all: only what a list would show is counted, and once."""
    server = peer(messages=twenty(), capabilities=PLAIN, rules=[when("", FOUND_ALL)])
    desk = desk_on(server, open_desk)
    listed = desk.search(limit=100, **criteria)
    groups = desk_on(server, open_desk).search(group_by="domain", limit=100, **criteria).data
    assert sum(each["count"] for each in groups["groups"]) == len(listed.uids) == groups["total"]
    assert len(listed.uids) < len(twenty())
    assert groups["coverage"]["method"]


def test_mail_that_arrives_is_not_taken_for_hidden(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """A search for all messages was made when the mailbox had ten fewer."""
    server = peer(messages=twenty()[:10], capabilities=EXTENDED)
    desk = desk_on(server, open_desk)
    assert len(desk.search(limit=100).uids) == 10
    server.mailbox.messages = twenty()
    reply = desk.search(subject="invoice")
    assert (reply.uids, reply.data["coverage"]["complete"]) == (INVOICES, True)


def test_the_next_page_is_made_like_the_first_one(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """The server ignores the criterion. One message of what it calls the second page shows it."""
    messages = [letter(uid, subject="zebra" if uid in {18, 17, 15} else "horse") for uid in range(1, 21)]
    server = peer(messages=messages, capabilities=PLAIN, rules=[when("", FOUND_ALL)])
    desk = desk_on(server, open_desk)
    first = desk.search(subject="zebra", limit=2)
    assert first.uids == [18, 17]
    assert first.outcome.page is not None
    assert desk.search(cursor=first.outcome.page.cursor, limit=2).uids == [15]


def test_the_limit_counts_matches_not_candidates(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """The only message with a file is the oldest of 300, and the only one of its hour, too."""
    messages = at_noon([letter(1, attached=True), *letters(range(2, 301))], every=timedelta(minutes=1))
    desk = desk_on(peer(messages=messages, capabilities=PLAIN), open_desk)
    assert desk.search(has_attachment=True, limit=1).uids == [1]
    assert desk.search(before="2024-03-01T12:01:00Z", limit=1).uids == [1]


def test_a_server_a_day_ahead_changes_nothing(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """SINCE and BEFORE are days of its own calendar."""
    messages = in_the_far_east(at_noon(letters(range(1, 49)), every=timedelta(hours=1)))
    desk = desk_on(peer(messages=messages, capabilities=PLAIN), open_desk)
    assert desk.search(start_date="2024-03-02", end_date="2024-03-02", limit=50).uids == list(
        range(36, 12, -1)
    )
    assert desk.search(since="2024-03-01T12:00:00Z", before="2024-03-01T12:00:01Z").uids == [1]


@pytest.mark.parametrize(
    "arguments", [{}, {"dates": "written"}, {"has_attachment": True}, {"since": "2024-03-02"}]
)
def test_no_line_is_longer_than_servers_take(
    peer: PeerFactory, open_desk: DeskFactory, arguments: dict[str, object]
) -> None:
    """4,000 UIDs without neighbours form no range: they are requested in pieces."""
    messages = at_noon(letters(range(1, 4001)), every=timedelta(minutes=1))
    for each in messages:
        each.uid = 4_000_000_000 + 3 * each.uid
    server = peer(messages=messages, capabilities=PLAIN)
    reply = desk_on(server, open_desk).search(limit=100, **arguments)
    assert reply.data["status"] == "ok"
    assert reply.data["returned"] == (0 if "has_attachment" in arguments else 100)
    assert max(len(each.line) for each in server.commands) <= LINE_OCTETS_MAX


def test_no_fetch_names_a_whole_large_mailbox(peer: PeerFactory, open_desk: DeskFactory) -> None:
    """A FETCH of everything times out, or is refused: the structures of 1,500 come in chunks."""
    server = peer(messages=letters(range(1, 1501)), capabilities=PLAIN)
    desk = desk_on(server, open_desk)
    reply = desk.search(has_attachment=True)
    assert (reply.uids, reply.data["has_more"]) == ([], False)
    spans = [each.line.split(" ")[2] for each in server.commands if each.name == "UID FETCH"]
    assert len(spans) >= 4
    assert "1:1500" not in spans


def test_messages_that_go_while_a_place_is_looked_for_push_no_others_off(
    peer: PeerFactory, open_desk: DeskFactory
) -> None:
    """The message at which the first page ended is gone, and of those sorted after it, too, some are."""
    largest_first = [uid for _, uid in sorted((len(each.octets), each.uid) for each in twenty())][::-1]
    gone, shown = b" 105 104 103 102 101", largest_first[:4]
    there = [uid for uid in largest_first if uid != shown[-1]]
    sorted_uids = b" ".join(b"%d" % uid for uid in reversed(there[8:])) + gone
    sorted_uids += b" " + b" ".join(b"%d" % uid for uid in reversed(there[:8]))
    server = peer(messages=twenty(), capabilities=(*PLAIN, "SORT"))
    first = desk_on(server, open_desk).search(sort="largest", limit=4)
    assert first.uids == shown
    rules = [
        Rule(
            command="UID SORT",
            containing="",
            action=Respond(b"* SORT " + sorted_uids + b"\r\n{tag} OK -\r\n"),
        )
    ]
    later = peer(
        messages=[each for each in twenty() if each.uid != shown[-1]],
        rules=rules,
        capabilities=(*PLAIN, "SORT"),
    )
    assert first.outcome.page is not None
    second = desk_on(later, open_desk).search(cursor=first.outcome.page.cursor, limit=100)
    assert second.uids == there[3:]
