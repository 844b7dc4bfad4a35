"""What asks nothing is told from what asks something."""

from datetime import UTC, datetime

import pytest

from mailmcp.imap.search.criteria import Criteria, split_words


def test_nothing_asked_is_all() -> None:
    assert Criteria().is_all
    assert Criteria().asked == frozenset()
    assert Criteria(query="", larger_than=0, unread_only=False, since=None).is_all


def test_what_is_asked_is_named() -> None:
    criteria = Criteria(from_="ann", flagged=True, smaller_than=5, before=datetime(2024, 1, 1, tzinfo=UTC))
    assert criteria.asked == {"from_", "flagged", "smaller_than", "before"}
    assert not criteria.is_all


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tax  report", ["tax", "report"]),
        ('tax "annual report" 2024', ["tax", "annual report", "2024"]),
        ('"open end', ['"open', "end"]),
        ('"" tax', ["tax"]),
        ('""', []),
    ],
)
def test_words_and_phrases(text: str, words: list[str]) -> None:
    assert split_words("query", text) == words
    assert split_words("exclude", text) == words
    assert split_words("body", text) == [text], "one phrase"
