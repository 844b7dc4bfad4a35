"""The results are values, and errors sentences."""

import pytest

from mailmcp.documents.extraction import Cause, Extraction, ExtractionError, Section


def test_equal_results_are_equal() -> None:
    made = [
        Extraction(text="a", sections=(Section(name="Page 1", offset=0),), truncated=False, notes=())
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert len(set(made)) == 1


def test_an_error_carries_its_cause() -> None:
    error = ExtractionError("It is encrypted.", cause=Cause.ENCRYPTED)
    assert (str(error), error.message, error.cause) == ("It is encrypted.", "It is encrypted.", "encrypted")
    with pytest.raises(ExtractionError):
        raise error
