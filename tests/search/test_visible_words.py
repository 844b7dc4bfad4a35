"""Words that only machines see: a next page looks for them where the first one did."""

from email.policy import SMTP

from servers.dovecot import Dovecot, Login
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import dovecot_store


def test_the_next_page_looks_where_the_first_one_did(dovecot: Dovecot, dovecot_user: Login) -> None:
    """Though a message with the word in its text has arrived meanwhile."""
    store = dovecot_store(dovecot, dovecot_user)
    letter = b"X-Trace: numbat\r\n" + make_letter("Hello").as_bytes(policy=SMTP)
    uids = store.fill("INBOX", [letter] * 3)
    with Desk([store.account]) as desk:
        first = desk.search(query="numbat", limit=2)
        assert "in names of files or in header fields that people don't see" in first.text
        assert desk.search(query="numbat", group_by="year").data["counted"] == 3
        store.fill("INBOX", [make_letter("The numbat").as_bytes(policy=SMTP)])
        second = desk.search(cursor=first.data["next_cursor"])
    assert [*first.uids, *second.uids] == uids[::-1]
