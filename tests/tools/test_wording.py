"""One is one, and none is many."""

from mailmcp.tools.wording import counted, were


def test_things_are_counted() -> None:
    assert [counted(count, "line") for count in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]
    assert counted(1, "mailbox", "mailboxes") == "1 mailbox"
    assert counted(2, "mailbox", "mailboxes") == "2 mailboxes"


def test_what_was_done_to_them_is_said() -> None:
    assert (were(1, "line"), were(2, "line")) == ("1 line was", "2 lines were")
