from envelope.samples import ISSUE, Shelf
from mcp_envelope import Outcome, Page, Status


def test_partial_if_and_only_if_there_are_issues() -> None:
    whole = Outcome(summary="All", data=Shelf(books=[]))
    part = Outcome(summary="Some", data=Shelf(books=[]), issues=(ISSUE,))
    assert whole.status is Status.OK
    assert part.status is Status.PARTIAL


def test_more_if_and_only_if_there_is_a_cursor() -> None:
    assert Page(page_size=10, total_count=11, cursor="c").has_more
    assert not Page(page_size=10, total_count=10).has_more
