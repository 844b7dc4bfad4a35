"""A refusal is its cause."""

from mailmcp.documents.extraction import Cause
from mailmcp.documents.refusal import Refusal


def test_a_refusal_says_its_cause() -> None:
    refusal = Refusal(Cause.TOO_LARGE)
    assert refusal.cause is Cause.TOO_LARGE
    assert str(refusal) == "too_large"
