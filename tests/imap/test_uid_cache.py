"""Recent results are kept within bounds, and are given only where they are complete."""

from imap.searches import candidate_list as uids
from mailmcp.imap.uid_cache import SearchKey, UidCache


def key(name: str = "INBOX", **criteria: str) -> SearchKey:
    return SearchKey.of("main", name, 7, criteria)


def test_the_order_of_criteria_does_not_matter() -> None:
    assert key(a="1", b="2") == key(b="2", a="1")
    assert key(a="1") != key(a="2")
    assert key() != SearchKey.of("main", "INBOX", 8, {})


def test_a_complete_result_serves_any_position() -> None:
    cache = UidCache()
    assert cache.get(key(), position=5) is None
    cache.put(key(), uids(1, 2, 3))
    assert cache.get(key(), position=1) == cache.get(key(), position=2**32) == uids(1, 2, 3)


def test_a_result_below_a_position_serves_only_what_is_below() -> None:
    cache = UidCache()
    cache.put(key(), uids(1, 2), below=3)
    assert cache.get(key(), position=3) == uids(1, 2)
    assert cache.get(key(), position=4) is None


def test_the_least_recently_used_goes_first() -> None:
    cache = UidCache(entries=2)
    cache.put(key("A"), uids(1))
    cache.put(key("B"), uids(2))
    assert cache.get(key("A"), position=9) == uids(1)
    cache.put(key("C"), uids(3))
    assert [cache.get(key(name), position=9) for name in "ABC"] == [uids(1), None, uids(3)]


def test_all_results_together_are_bounded() -> None:
    cache = UidCache(uids=4)
    cache.put(key("A"), uids(1, 2))
    cache.put(key("B"), uids(1, 2, 3))
    assert cache.get(key("A"), position=9) is None
    assert cache.get(key("B"), position=9) == uids(1, 2, 3)
    cache.put(key("C"), uids(*range(5)))
    assert cache.get(key("C"), position=9) is None


def test_a_newer_result_replaces_an_older_one() -> None:
    cache = UidCache()
    cache.put(key(), uids(1))
    cache.put(key(), uids(1, 2))
    assert cache.get(key(), position=9) == uids(1, 2)
