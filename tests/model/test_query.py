"""The table of criteria: its rows are complete. What they find is for the oracle (`tests/search/`)."""

import pytest

from mailmcp.model.query import CRITERIA, Criterion, Kind, Proof, SearchQuery


def test_a_query_without_criteria_matches_all() -> None:
    assert SearchQuery(query=(), larger_than=0, unread_only=False, since=None).criteria == ()


@pytest.mark.parametrize("row", CRITERIA, ids=lambda row: row.name)
def test_a_row_has_its_keys_and_what_proves_it(row: Criterion) -> None:
    measured = row.proof in {Proof.FLAGS, Proof.TIME, Proof.SIZE, Proof.WRITTEN}
    assert (row.keys is None) == (row.proof is Proof.STRUCTURE)
    assert (row.holds is not None) == measured
    assert bool(row.header_fields) == (row.proof is Proof.HEADER)
    assert bool(row.capability) == bool(row.provider)


def test_every_kind_and_every_proof_has_a_criterion() -> None:
    assert {row.kind for row in CRITERIA} == set(Kind)
    assert {row.proof for row in CRITERIA} == set(Proof)
