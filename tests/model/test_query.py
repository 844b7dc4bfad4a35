"""The table of criteria: its rows are complete. What they find is for the oracle (`tests/search/`)."""

from dataclasses import replace
from typing import Any

import pytest

from mailmcp.model.query import CRITERIA, Kind, Proof, SearchQuery


def test_a_query_without_criteria_matches_all() -> None:
    assert SearchQuery().criteria == ()
    assert SearchQuery(query=(), larger_than=0, unread_only=False, since=None).criteria == ()


def test_a_criterion_knows_whether_its_terms_are_ascii() -> None:
    [words, sender] = SearchQuery(query=("a", "ü"), from_="ann").criteria
    query = SearchQuery(query=("a", "ü"), from_="ann")
    assert (query.is_ascii(words), query.is_ascii(sender)) == (False, True)


ROW = SearchQuery(subject="x").criteria[0]


@pytest.mark.parametrize(
    "missing",
    [
        {"keys": None},
        {"header_fields": ()},
        {"proof": Proof.SIZE},
        {"proof": Proof.STRUCTURE},
        {"proof": Proof.SERVER},
        {"capability": "X-GM-EXT-1"},
        {"holds": lambda _value, _fact: True},
    ],
)
def test_an_incomplete_row_fails_when_it_is_defined(missing: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="a criterion by subject lacks"):
        replace(ROW, **missing)


def test_every_kind_and_every_proof_has_a_criterion() -> None:
    assert {row.kind for row in CRITERIA} == set(Kind)
    assert {row.proof for row in CRITERIA} == set(Proof)
