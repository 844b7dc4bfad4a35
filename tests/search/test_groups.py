"""Groups of random mail, compared with an oracle that reads the messages themselves."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest

from mailmcp.model.message_ref import parse_ref
from mailmcp.tools.preferences import DEFAULTS
from mailmcp.tools.search.groups.keys import GroupBy
from search.group_mail import MAILBOXES, Expected, Raw, fill, group
from servers.dovecot import Dovecot
from servers.embedded import Pymap
from thinning import thin
from tools.desk import Desk
from tools.stores import Store, dovecot_store, pymap_store

LIMIT = 100
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Asia/Kolkata")
NOON = datetime(2024, 6, 1, 12, 30, tzinfo=UTC)


def _from_alpha_before(message: Raw) -> bool:
    return message.received < NOON and "alpha" in str(message.parsed.get("From", "")).lower()


CRITERIA: tuple[tuple[dict[str, object], Callable[[Raw], bool]], ...] = (
    ({}, lambda _message: True),
    ({"dates": "written"}, lambda _message: True),
    ({"unread_only": True}, lambda message: message.unread),
    ({"subject": "alarm"}, lambda message: b"Subject: Alarm" in message.octets),
    ({"since": "2024-06-01T12:30:00Z"}, lambda message: message.received >= NOON),
    ({"before": "2024-06-01T12:30:00Z", "from_": "alpha"}, _from_alpha_before),
    ({"list_id": "lists"}, lambda message: "lists" in str(message.parsed.get("List-Id", "")).lower()),
)
SCOPES: tuple[tuple[dict[str, object], tuple[str, ...]], ...] = (
    ({}, ("INBOX",)),
    ({"mailboxes": ["Archive", "INBOX"]}, ("Archive", "INBOX")),
    ({"mailbox": "*"}, MAILBOXES),
)


class Filled(NamedTuple):
    """A server with random mail."""

    desk: Desk
    messages: list[Raw]


@pytest.fixture(scope="module", params=thin(["dovecot-1", "dovecot-0", "pymap-0"], keep_every=2))
def filled(request: pytest.FixtureRequest, dovecot: Dovecot) -> Iterator[Filled]:
    """Mail in the order of its arrival (0), or in any order (1)."""
    kind, _, seed = request.param.partition("-")
    if kind == "dovecot":
        yield from _filled(dovecot_store(dovecot, dovecot.user(f"groups-{seed}")), int(seed), 120)
        return
    with Pymap() as server:
        yield from _filled(pymap_store(server), int(seed), 12)


def _filled(store: Store, seed: int, count: int) -> Iterator[Filled]:
    messages = fill(store, seed, count)
    with Desk([store.account]) as desk:
        yield Filled(desk, messages)


@pytest.mark.parametrize(
    ("arguments", "matches"),
    thin(CRITERIA, keep_every=7),
    ids=lambda each: str(each)[:30] if isinstance(each, dict) else None,
)
@pytest.mark.parametrize(("scope", "mailboxes"), thin(SCOPES, keep_every=2), ids=["one", "some", "all"])
@pytest.mark.parametrize("group_by", GroupBy)
def test_groups_are_those_of_the_messages(
    filled: Filled,
    group_by: GroupBy,
    scope: dict[str, object],
    mailboxes: tuple[str, ...],
    arguments: dict[str, object],
    matches: Callable[[Raw], bool],
) -> None:
    zones = ZONES if group_by.is_time else ZONES[:1]
    there = [each for name in mailboxes for each in filled.messages if each.mailbox == name]
    chosen = [each for each in there if matches(each)]
    by_written = "dates" in arguments
    for name in zones:
        zone = ZoneInfo(name)
        filled.desk.preferences = replace(DEFAULTS, zone=zone)
        expected, total = group(chosen, group_by, zone, by_written=by_written)
        reply = filled.desk.search(group_by=group_by.value, limit=LIMIT, **scope, **arguments)
        data = reply.data
        found = {each["key"]: each for each in data["groups"]}
        count = sum(bool(key) for key in expected)
        assert reply.outcome.page is not None
        assert (data["total"], data["counted"], data["status"]) == (total, total, "ok")
        assert ("total_at_most" in data, data["coverage"]["complete"]) == (False, True)
        assert reply.outcome.page.total_count == count
        if count <= LIMIT:
            assert found.keys() == expected.keys()
        for key, row in found.items():
            check_group(row, expected[key], by_written=by_written)


def check_group(row: dict[str, object], expected: Expected, *, by_written: bool) -> None:
    newest = expected.newest(by_written=by_written)
    assert (row["count"], row["unread"]) == (expected.count, expected.unread)
    assert datetime.fromisoformat(str(row["newest"])) == newest[0].time(by_written=by_written)
    ref = parse_ref(str(row["message_id"]))
    assert ref is not None
    assert (ref.mailbox, ref.uid) in [(each.mailbox, each.uid) for each in newest]
    ways = {str(each.parsed.get("List-Unsubscribe", "")) for each in newest}
    for way in row.get("unsubscribe", ()):  # type: ignore[attr-defined] # a list of strings
        assert any(f"<{way}>" in each for each in ways)
    if row.get("one_click"):
        assert any(each.parsed.get("List-Unsubscribe-Post") for each in newest)


def test_groups_come_in_order(filled: Filled) -> None:
    filled.desk.preferences = DEFAULTS

    def keys(group_by: str, sort: str) -> list[tuple[str, int, str]]:
        rows = filled.desk.search(group_by=group_by, sort=sort, limit=LIMIT).data["groups"]
        return [(each["key"], each["count"], each["newest"]) for each in rows if each["key"]]

    months = keys("month", "newest")
    assert [key for key, _, _ in months] == sorted((key for key, _, _ in months), reverse=True)
    assert keys("month", "oldest") == months[::-1]
    for group_by, sort in (("month", "largest"), ("sender", "largest"), ("sender", "newest")):
        counts = [count for _, count, _ in keys(group_by, sort)]
        assert counts == sorted(counts, reverse=True)
    times = [newest for _, _, newest in keys("sender", "oldest")]
    assert times == sorted(times)
