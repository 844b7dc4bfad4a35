"""Probes that a good server passes: nothing near a limit, nothing that depends on the server's zone."""

from datetime import date
from typing import Any

import pytest

from mailmcp.imap.workarounds.known_messages import KnownMessage
from mailmcp.imap.workarounds.probe_searches import Probe, Sample, make_probes
from mailmcp.model.feature import Feature


def message(uid: int, **known: Any) -> KnownMessage:
    texts = dict.fromkeys(("word", "foreign_word", "from_", "to", "cc", "message_id", "body_word"), "")
    nothing: dict[str, Any] = {
        "size_octets": None,
        "day": None,
        "written": None,
        "seen": False,
        "fields": frozenset(),
    }
    return KnownMessage(**({"uid": uid} | nothing | texts | known))


def ask(*messages: KnownMessage, whole: bool = True, can_sort: bool = False) -> dict[str, Probe]:
    """Write probes, by their commands."""
    probes = make_probes(Sample(messages, whole), can_sort=can_sort)
    return {b" ".join(each.command.words[1:]).decode(): each for each in probes}


def test_unknown_messages_leave_few_probes() -> None:
    assert set(ask(message(5))) == {
        "SEARCH ALL",
        'SEARCH CHARSET UTF-8 SUBJECT "xqzwvkjyq"',
        "SEARCH NOT UID 5 UID 5",
        'SEARCH NOT TEXT "xqzwvkjyq" UID 5',
        "SEARCH UNSEEN UID 5",
        "SEARCH SEEN UID 5",
        'SEARCH HEADER X-xqzwvkjyq "" UID 5',
    }
    assert ask(message(5))["SEARCH ALL"].must == {5}


def test_texts_must_be_found_and_a_word_that_is_nowhere_must_not() -> None:
    asked = ask(message(5, word="report", from_="a@x"), message(6, word="report", foreign_word="Größe"))
    assert asked['SEARCH SUBJECT "report"'].must == {6}
    assert asked['SEARCH SUBJECT "xqzwvkjyq"'].must_not == {5, 6}
    assert asked['SEARCH FROM "a@x"'].must == {5}
    assert asked['SEARCH TEXT "report" UID 5:6'].must == {6}, "never through the whole mailbox"
    assert asked["SEARCH CHARSET UTF-8 SUBJECT Größe"].must == {6}
    assert not any(" TO " in each or " CC " in each for each in asked)


def test_bodies_are_searched_for_their_own_words() -> None:
    asked = ask(message(5, word="report", body_word="words"), message(6, body_word="Dear"))
    assert asked['SEARCH BODY "words" UID 5:6'].must == {5}
    assert asked['SEARCH BODY "xqzwvkjyq" UID 5:6'].must_not == {5, 6}
    assert not any("BODY" in each for each in ask(message(5, word="report")))


def test_not_must_find_none_or_all() -> None:
    asked = ask(message(5), message(6))
    assert asked["SEARCH NOT UID 5:6 UID 5:6"].must_not == {5, 6}
    assert asked['SEARCH NOT TEXT "xqzwvkjyq" UID 5:6'].must == {5, 6}


def test_a_field_must_find_those_that_have_it() -> None:
    asked = ask(message(5, fields=frozenset({"LIST-UNSUBSCRIBE"})), message(6))
    probe = asked['SEARCH HEADER LIST-UNSUBSCRIBE "" UID 5:6']
    assert probe.must == {5}
    assert probe.must_not == {6}
    assert asked['SEARCH HEADER X-xqzwvkjyq "" UID 5:6'].must_not == {5, 6}
    assert not any("AUTO-SUBMITTED" in each for each in asked)


def test_each_message_is_either_seen_or_unseen() -> None:
    asked = ask(message(5, seen=True), message(6))
    for key, must, must_not in (("SEEN", {5}, {6}), ("UNSEEN", {6}, {5})):
        probe = asked[f"SEARCH {key} UID 5:6"]
        assert probe.must == must
        assert probe.must_not == must_not


def test_a_large_mailbox_is_searched_among_known_messages_only() -> None:
    asked = ask(message(5, word="report", size_octets=9), message(8), whole=False, can_sort=True)
    assert all(" UID 5,8" in each for each in asked)


def test_at_most_three_texts_of_a_kind_are_searched_for() -> None:
    many = [message(uid, from_=f"{uid}@x") for uid in range(1, 11)]
    assert sum("FROM" in each and "@" in each for each in ask(*many)) == 3


def test_size_limits_are_far_from_the_sizes_of_messages() -> None:
    asked = ask(*(message(size, size_octets=size) for size in (100, 102, 200, 205)))
    limits = sorted({int(each.split(" ")[2]) for each in asked if "LARGER" in each})
    assert limits == [50, 151, 410]
    assert asked["SEARCH LARGER 151"].must == {200, 205}
    assert asked["SEARCH LARGER 151"].must_not == {100, 102}
    assert asked["SEARCH SMALLER 151"].must == {100, 102}
    assert asked["SEARCH SMALLER 50"].must == set()
    alike = ask(*(message(size, size_octets=size) for size in (100, 101, 102)))
    assert sum("LARGER" in each for each in alike) == 2
    assert sum("LARGER" in each for each in ask(message(1, size_octets=8))) == 2


def test_dates_are_two_days_off() -> None:
    asked = ask(message(1, day=date(2024, 3, 1)), message(2, day=date(2024, 3, 9)))
    assert asked["SEARCH SINCE 28-Feb-2024"].must == {1, 2}
    assert asked["SEARCH BEFORE 28-Feb-2024"].must_not == {1, 2}
    assert asked["SEARCH SINCE 11-Mar-2024"].must_not == {1, 2}
    assert asked["SEARCH BEFORE 11-Mar-2024"].must == {1, 2}
    asked = ask(message(1, written=date(2024, 3, 1)), message(2, written=date(2024, 3, 9)))
    assert asked["SEARCH SENTSINCE 28-Feb-2024 UID 1:2"].must == {1, 2}
    assert asked["SEARCH SENTBEFORE 28-Feb-2024 UID 1:2"].must_not == {1, 2}
    assert asked["SEARCH SENTSINCE 11-Mar-2024 UID 1:2"].must_not == {1, 2}
    assert asked["SEARCH SENTBEFORE 11-Mar-2024 UID 1:2"].must == {1, 2}


@pytest.mark.parametrize("day", [date.min, date.max])
def test_days_at_the_ends_of_the_calendar_are_not_probed(day: date) -> None:
    assert not any("SINCE" in each for each in ask(message(1, day=day)))


def test_sort_must_be_ascending() -> None:
    sample = (
        message(1, size_octets=100, day=date(2024, 3, 1)),
        message(2, size_octets=300, day=date(2024, 2, 1)),
        message(3),
    )
    asked = ask(*sample, can_sort=True)
    by_size, by_day = (asked[f"SORT ({key}) US-ASCII UID 1:3"] for key in ("SIZE", "ARRIVAL"))
    assert by_size.feature is by_day.feature is Feature.SORT
    assert by_size.is_ordered is not None
    assert by_day.is_ordered is not None
    assert by_size.is_ordered([1, 3, 2])
    assert not by_size.is_ordered([2, 1, 3])
    assert by_day.is_ordered([2, 3, 1])
    assert not by_day.is_ordered([1, 2, 3])
