"""What the time of a search teaches about the next one."""

from mailmcp.imap.search.windows import Windows
from mailmcp.imap.session import Quirks
from mailmcp.model.query import SearchQuery

MESSAGES = 10_000


def test_a_search_that_was_slow_once_is_divided_until_it_is_fast_again() -> None:
    quirks = Quirks(sizes={"INBOX": MESSAGES}, uidnexts={"INBOX": MESSAGES + 1})

    def take(elapsed_s: float) -> int:
        windows = Windows(quirks, SearchQuery(subject="x"), "INBOX", (1, None), ascending=False)
        low, _ = window = windows.take()
        windows.learn(window, elapsed_s)
        return MESSAGES + 1 - low

    assert take(100.0) == MESSAGES
    assert take(0.01) == 200, "two seconds at 100 messages a second"
    assert take(0.01) == MESSAGES
