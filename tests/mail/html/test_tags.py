from mailmcp.mail.html import tags


def test_what_is_dropped_is_written_as_nothing_else() -> None:
    assert not tags.DROPPED & tags.IGNORED
    assert not (tags.IGNORED | tags.VOID) & tags.WRITTEN_AS.keys()


def test_what_another_is_written_as_is_kept_and_of_its_kind() -> None:
    """A block stays one, so that lines end where they did."""
    for name, written in tags.WRITTEN_AS.items():
        assert written not in tags.DROPPED | tags.IGNORED | tags.WRITTEN_AS.keys()
        assert (name in tags.BLOCKS) == (written in tags.BLOCKS)


def test_parts_of_a_table_end_only_parts_of_a_table() -> None:
    for ended in tags.TABLE_PARTS.values():
        assert set(ended) <= tags.TABLE_PARTS.keys()
