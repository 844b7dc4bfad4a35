r"""Reading leaves every flag as it was: \Seen, and \Recent too, which a SELECT would take away."""

from imapclient import IMAPClient

from imap.scenes import At, make_account, open_mailbox, page_request, read_page, read_round, session_on
from mailmcp.imap.fetch import fetch_messages
from mailmcp.imap.session import Session
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.message.fetch import WantedPart, fetch_parts
from mailmcp.tools.rows import row_items
from servers.dovecot import Dovecot, Login
from servers.peer import PeerFactory
from servers.peer_mailbox import make_messages

LETTER = b"From: ann@example.org\r\nSubject: Letter\r\nContent-Type: text/plain\r\n\r\nText\r\n"


def read_all_ways(session: Session) -> None:
    """Do all that the layer can do."""
    uids = read_round(session)
    uidvalidity = open_mailbox(session, "INBOX").uidvalidity
    read_page(session, page_request(query=("Letter",), unread_only=True))
    for snippets in (True, False):
        fetch_messages(session, uids, row_items(snippets=snippets)(session))
    fetch_messages(session, uids, ["UID", "BODY.PEEK[TEXT]<0.2048>"])
    for uid in uids:
        ref = MessageRef(account_id="main", mailbox="INBOX", uidvalidity=uidvalidity, uid=uid)
        fetch_parts(session, ref, lambda root: [WantedPart(root)])
    session.begin_lease()
    session.check(5)
    open_mailbox(session, "INBOX")
    session.run("NOOP")


def flags(dovecot: Dovecot, login: Login) -> dict[int, tuple[bytes, ...]]:
    with IMAPClient(dovecot.host, dovecot.plain_port, ssl=False, timeout=30) as client:
        client.login(*login)
        client.select_folder("INBOX", readonly=True)
        return {uid: row[b"FLAGS"] for uid, row in client.fetch(client.search(), ["FLAGS"]).items()}


def test_no_flag_changes_on_dovecot(dovecot: Dovecot, dovecot_user: Login) -> None:
    dovecot.fill(dovecot_user.user, "INBOX", [LETTER] * 2)
    dovecot.fill(dovecot_user.user, "INBOX", [LETTER], flags=[b"\\Seen"])
    before = flags(dovecot, dovecot_user)
    assert before == {1: (b"\\Recent",), 2: (b"\\Recent",), 3: (b"\\Seen", b"\\Recent")}
    with session_on(make_account(At(dovecot.host, dovecot.plain_port), dovecot_user)) as session:
        read_all_ways(session)
        session.log_out()
    assert flags(dovecot, dovecot_user) == before


def test_mailboxes_are_examined_and_bodies_peeked_at(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(1, 2))
    with session_on(make_account(server)) as session:
        read_all_ways(session)
    sent = [command.line for command in server.commands]
    read_only = "CAPABILITY LOGIN ID LIST STATUS EXAMINE UID FETCH NOOP"
    assert {line.split(" ")[0] for line in sent} == set(read_only.split())
    assert not any("BODY[" in line or "RFC822 " in line for line in sent)
