"""Recent results are kept within bounds, and are given only where they are complete."""

from dataclasses import replace

from imap.searches import candidate_list as uids
from mailmcp.imap.search.order import Order
from mailmcp.imap.uid_cache import SearchKey, UidCache
from mailmcp.model.query import SearchQuery


def key(name: str = "INBOX") -> SearchKey:
    return SearchKey(
        account_id="main", mailbox=name, uidvalidity=7, query=SearchQuery(subject="x"), order=Order.NEWEST
    )


def test_equal_searches_share_a_result() -> None:
    assert key() == key()
    assert key() != replace(key(), uidvalidity=8)
    assert key() != replace(key(), query=SearchQuery(subject="y"))
    assert key() != replace(key(), order=Order.OLDEST)


def test_a_complete_result_serves_any_position() -> None:
    cache = UidCache()
    assert cache.get(key(), position=5) is None
    cache.put(key(), uids(1, 2, 3))
    assert cache.get(key(), position=1) == cache.get(key(), position=2**32) == uids(1, 2, 3)


def test_a_partial_result_serves_only_positions_within_it() -> None:
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
