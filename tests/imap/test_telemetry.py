"""What a call cost, as its reply says it; that it is counted right is for the tests of the pool."""

from mailmcp.imap.telemetry import Telemetry


def test_what_was_counted_has_the_names_of_the_reply() -> None:
    telemetry = Telemetry(imap_round_trips=2, bytes_received=300, cache_hit=True)
    assert telemetry.counted() == {"imap_round_trips": 2, "bytes_received": 300, "cache_hit": True}


def test_nothing_is_said_of_a_server_that_was_not_asked() -> None:
    assert Telemetry().counted() == {}
