"""A refusal is its cause."""

from mailmcp.extract.extraction import Cause
from mailmcp.extract.refusal import Refusal


def test_a_refusal_says_its_cause() -> None:
    refusal = Refusal(Cause.TOO_LARGE)
    assert refusal.cause is Cause.TOO_LARGE
    assert str(refusal) == "too_large"
