"""The keys by which conversations are found."""

from datetime import UTC, datetime

from mailmcp.imap.thread import id_queries, subject_query

OR = b"OR"


def test_one_id_is_asked_for_in_three_fields() -> None:
    [query] = id_queries(["1@a.example"])
    text = b'"1@a.example"'
    message_id, references, in_reply_to = (
        (b"HEADER", name, text) for name in (b"MESSAGE-ID", b"REFERENCES", b"IN-REPLY-TO")
    )
    assert query.keys == (OR, *message_id, OR, *references, *in_reply_to)


def test_messages_that_are_known_are_not_looked_for_themselves() -> None:
    [query] = id_queries(["1@a.example"], known={"1@a.example"})
    assert b"MESSAGE-ID" not in query.keys
    assert query.keys.count(b"HEADER") == 2


def test_many_ids_are_divided_into_searches_that_fit_a_line() -> None:
    ids = [f"{number:04}.{'x' * 60}@a.example" for number in range(100)]
    queries = list(id_queries(ids))
    assert len(queries) > 1
    for query in queries:
        assert sum(len(word) + 1 for word in query.keys) < 8_000
        assert query.keys.count(OR) == query.keys.count(b"HEADER") - 1
    asked = [word for query in queries for word in query.keys if word.startswith(b'"')]
    assert asked == [b'"%b"' % each.encode() for each in ids for _ in range(3)]


def test_a_tree_of_many_keys_is_not_deep() -> None:
    [query] = id_queries([f"{number}@a.example" for number in range(20)])
    depth = deepest = 0
    open_branches = []
    for word in query.keys:
        if word == OR:
            open_branches.append(2)
            depth = len(open_branches)
            deepest = max(deepest, depth)
        elif word == b"HEADER":
            while open_branches:
                open_branches[-1] -= 1
                if open_branches[-1]:
                    break
                open_branches.pop()
    assert deepest <= 6


def test_ids_beyond_ascii_are_left_out() -> None:
    assert list(id_queries(["ü@a.example"])) == []


def test_subjects_are_asked_for_around_a_day() -> None:
    query = subject_query('say "hi"', datetime(2026, 3, 10, tzinfo=UTC))
    assert query.keys == (
        b"SENTSINCE",
        b"6-Feb-2026",
        b"SENTBEFORE",
        b"11-Apr-2026",
        b"SUBJECT",
        b'"say \\"hi\\""',
    )
