"""Each query of the tables finds exactly the known messages that it must, in order, page by page.

What a server means by a text is its own affair and stands in `search.rules`; all else is ours.
"""

import pytest

from mailmcp.model.query import CRITERIA
from search import query_table_measures, query_table_texts, query_table_times
from search.filled import Filled
from search.query import Query
from search.query_combinations import combinations
from search.walking import ask, expected_uids
from thinning import thin

TABLE = (*query_table_texts.TABLE, *query_table_measures.TABLE, *query_table_times.TABLE)


def test_queries_are_many_and_distinct() -> None:
    assert len(TABLE) >= 90
    assert len({query.name for query in TABLE}) == len(TABLE)


@pytest.mark.parametrize(
    # Header fields have cases in `imap/search/test_verify.py`, and all of them one path to the server.
    "criterion",
    [row.argument for row in CRITERIA if not row.capability and not row.header_fields],
)
def test_every_criterion_finds_something_in_the_tables(criterion: str) -> None:
    found = [each for each in TABLE if criterion in {name.rstrip("_") for name in each.arguments}]
    assert [each for each in found if not each.empty]


@pytest.mark.parametrize("query", thin(TABLE, keep_every=6), ids=lambda query: query.name)
def test_dovecot(filled_dovecot: Filled, query: Query) -> None:
    expected = ask(filled_dovecot, query)
    assert (not expected) == query.empty, "the query proves too little, or too much"


@pytest.mark.parametrize("query", thin(TABLE, keep_every=4), ids=lambda query: query.name)
def test_pymap(filled_pymap: Filled, query: Query) -> None:
    ask(filled_pymap, query)


@pytest.mark.parametrize("query", thin(combinations(), keep_every=3), ids=lambda query: query.name)
@pytest.mark.parametrize("server", ["filled_dovecot", "filled_pymap"])
def test_combinations(request: pytest.FixtureRequest, server: str, query: Query) -> None:
    ask(request.getfixturevalue(server), query)


def test_most_combinations_match_something(filled_dovecot: Filled) -> None:
    found = [expected_uids(query, filled_dovecot.known, filled_dovecot.rules) for query in combinations()]
    assert sum(map(bool, found)) > len(found) / 2
