"""Without rules, the scripted peer behaves like a small IMAP server."""

import imaplib
import re
import ssl
import threading
from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError, LoginError

from servers.certificates import Certificates, Kind
from servers.peer import Peer, PeerFactory
from servers.peer_client import TIMEOUT_S, examining, logged_in
from servers.peer_mailbox import PeerMailbox, PeerMessage, make_messages

PARTS = (
    b"Subject: Two parts\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    b"--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe text.\r\n"
    b"--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n"
    b"Content-Transfer-Encoding: base64\r\n\r\nUERG\r\n--b--\r\n"
)


def test_it_records_a_whole_conversation(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(3, 4, 9))
    with examining(server) as client:
        assert client.search("ALL") == [3, 4, 9]
    server.wait_closed(1)
    assert [command.line for command in server.commands if command.name != "CAPABILITY"] == [
        'LOGIN fake-user "fake-password"',
        'EXAMINE "INBOX"',
        "UID SEARCH ALL",
        "LOGOUT",
    ]
    assert (server.connections, server.open_connections, len(server.logins)) == (1, 0, 1)


def test_select_tells_what_the_mailbox_is_now(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(5))
    with logged_in(server) as client:
        assert client.select_folder("INBOX", readonly=True)[b"UIDVALIDITY"] == server.mailbox.uidvalidity
        server.mailbox.uidvalidity = 7
        server.mailbox.messages += make_messages(6)
        opened = client.select_folder("INBOX", readonly=True)
        assert (opened[b"UIDVALIDITY"], opened[b"UIDNEXT"], opened[b"EXISTS"]) == (7, 7, 2)
        with pytest.raises(IMAPClientError, match="NONEXISTENT"):
            client.select_folder("Elsewhere")
        with pytest.raises(IMAPClientError, match="No mailbox is selected"):
            client.search()


def test_list_and_status_of_several_mailboxes(peer: PeerFactory) -> None:
    server = peer(
        messages=make_messages(1, 2),
        mailboxes=[PeerMailbox(name="Z&APw-rich", attributes=("\\HasNoChildren", "\\Archive"))],
    )
    server.mailbox.messages[0].flags = ("\\Seen",)
    with logged_in(server) as client:
        assert client.list_folders() == [
            ((b"\\HasNoChildren",), b"/", "INBOX"),
            ((b"\\HasNoChildren", b"\\Archive"), b"/", "Zürich"),
        ]
        assert client.folder_status("INBOX", ["MESSAGES", "UNSEEN"]) == {b"MESSAGES": 2, b"UNSEEN": 1}


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        (["UNSEEN"], [2, 3]),
        (["UID", "2:*", "SUBJECT", "message 3"], [3]),
        (["OR", "SEEN", ["FROM", "nobody"]], [1]),
        (["NOT", "SEEN", "SINCE", datetime(2024, 1, 1, tzinfo=UTC).date()], [2, 3]),
        (["BEFORE", "1-Jan-2024"], []),
        (["TEXT", "message 2"], [2]),
    ],
)
def test_search_keys(peer: PeerFactory, criteria: list[object], expected: list[int]) -> None:
    server = peer(messages=make_messages(1, 2, 3))
    server.mailbox.messages[0].flags = ("\\Seen",)
    with examining(server) as client:
        assert client.search(criteria, charset="UTF-8") == expected


def test_esearch_answers_in_ranges_where_it_is_advertised(peer: PeerFactory) -> None:
    server = peer(messages=make_messages(1, 2, 3, 7))
    with imaplib.IMAP4(server.host, server.port, timeout=TIMEOUT_S) as client:
        client.login(server.user, server.password)
        client.select(readonly=True)
        client.uid("SEARCH", "RETURN (ALL COUNT)", "UID", "2:*")
        _, [answer] = client.response("ESEARCH")
        assert re.fullmatch(rb'\(TAG "\w+"\) UID ALL 2:3,7 COUNT 3', answer)
    plain = peer(capabilities=("IMAP4rev1",))
    with examining(plain) as client, pytest.raises(IMAPClientError, match="Unknown search key RETURN"):
        client.search("RETURN (COUNT) ALL")


def test_fetch_items(peer: PeerFactory) -> None:
    message = PeerMessage(uid=4, octets=PARTS, flags=("\\Seen", "$Label"))
    server = peer(messages=[message])
    items = ["FLAGS", "INTERNALDATE", "RFC822.SIZE", "BODY.PEEK[]<9.9>", "BODY.PEEK[HEADER.FIELDS (SUBJECT)]"]
    items += ["BODY.PEEK[1]", "BODY.PEEK[2]<1.2>", "BODY.PEEK[TEXT]<0.3>", "BODY.PEEK[3]", "BODYSTRUCTURE"]
    with examining(server) as client:
        client.normalise_times = False
        row = client.fetch([4], items)[4]
    assert row[b"FLAGS"] == (b"\\Seen", b"$Label")
    assert row[b"INTERNALDATE"] == message.received
    assert row[b"RFC822.SIZE"] == len(PARTS)
    assert row[b"BODY[]<9>"] == b"Two parts"
    assert row[b"BODY[HEADER.FIELDS (SUBJECT)]"] == b"Subject: Two parts\r\n\r\n"
    assert (row[b"BODY[1]"], row[b"BODY[2]<1>"], row[b"BODY[3]"]) == (b"The text.", b"ER", b"")
    assert row[b"BODY[TEXT]<0>"] == b"--b"
    parts, subtype = row[b"BODYSTRUCTURE"][:2]
    assert (subtype, len(parts)) == (b"MIXED", 2)
    assert parts[0][:7] == (b"TEXT", b"PLAIN", (b"CHARSET", b"utf-8"), None, None, b"7BIT", 9)
    assert parts[1][8] == (b"ATTACHMENT", (b"FILENAME", b"a.pdf"))


def test_an_item_that_would_mark_as_seen_is_refused(peer: PeerFactory) -> None:
    with (
        examining(peer(messages=make_messages(1))) as client,
        pytest.raises(IMAPClientError, match="Unknown"),
    ):
        client.fetch([1], ["BODY[]"])


def test_a_wrong_password_is_refused_and_counted(peer: PeerFactory) -> None:
    server = peer()
    with IMAPClient(server.host, server.port, ssl=False, timeout=TIMEOUT_S) as client:
        with pytest.raises(LoginError, match="AUTHENTICATIONFAILED"):
            client.login(server.user, "wrong")
        client.plain_login(server.user, server.password)
    assert [command.name for command in server.logins] == ["LOGIN", "AUTHENTICATE"]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (Kind.UNTRUSTED, "unable to get local issuer|self-signed"),
        (Kind.EXPIRED, "expired"),
        (Kind.OTHER_HOST, "mismatch"),
    ],
)
def test_certificates_a_client_must_refuse(
    peer: PeerFactory, certificates: Certificates, kind: Kind, reason: str
) -> None:
    server = peer(tls=certificates.server_context(kind))
    with pytest.raises(ssl.SSLCertVerificationError, match=reason):
        IMAPClient(server.host, server.port, ssl_context=certificates.client_context(), timeout=TIMEOUT_S)
    server.wait_closed(1)
    assert server.commands == []


def test_implicit_tls(peer: PeerFactory, certificates: Certificates) -> None:
    server = peer(tls=certificates.server_context())
    context = certificates.client_context()
    with IMAPClient(server.host, server.port, ssl_context=context, timeout=TIMEOUT_S) as client:
        client.login(server.user, server.password)


def test_starttls_lifts_the_ban_on_logins(peer: PeerFactory, certificates: Certificates) -> None:
    server = peer(starttls=certificates.server_context(), capabilities=("IMAP4rev1", "LOGINDISABLED"))
    with IMAPClient(server.host, server.port, ssl=False, timeout=TIMEOUT_S) as client:
        assert set(client.capabilities()) == {b"IMAP4REV1", b"LOGINDISABLED", b"STARTTLS"}
        with pytest.raises(LoginError, match="PRIVACYREQUIRED"):
            client.login(server.user, server.password)
        client.starttls(certificates.client_context())
        client._cached_capabilities = None  # noqa: SLF001 - IMAPClient keeps what it knew in the clear
        assert client.capabilities() == (b"IMAP4REV1",)
        client.login(server.user, server.password)


def test_starttls_advertised_but_refused(peer: PeerFactory, certificates: Certificates) -> None:
    server = peer(capabilities=("IMAP4rev1", "STARTTLS"))
    with (
        IMAPClient(server.host, server.port, ssl=False, timeout=TIMEOUT_S) as client,
        pytest.raises(IMAPClientError, match="establish TLS"),
    ):
        client.starttls(certificates.client_context())


def test_capabilities_may_change_with_the_login(peer: PeerFactory) -> None:
    server = peer(capabilities=("IMAP4rev1",), capabilities_after_login=("IMAP4rev1", "ESEARCH"))
    with IMAPClient(server.host, server.port, ssl=False, timeout=TIMEOUT_S) as client:
        assert not client.has_capability("ESEARCH")
        client.login(server.user, server.password)
        client._cached_capabilities = None  # noqa: SLF001
        assert client.has_capability("ESEARCH")


def test_waiting_for_a_command(peer: PeerFactory) -> None:
    server = peer()
    with logged_in(server) as client:
        asker = threading.Timer(0.01, client.noop)
        asker.start()
        assert server.wait_for("NOOP").line == "NOOP"
        asker.join()
        with pytest.raises(TimeoutError, match="NOOP number 2"):
            server.wait_for("NOOP", 0.01, nth=2)


def test_stopping_cuts_connections_and_leaves_no_thread() -> None:
    before = threading.active_count()
    with Peer() as server:
        client = IMAPClient(server.host, server.port, ssl=False, timeout=TIMEOUT_S)
        server.stop()
        with pytest.raises((IMAPClientError, OSError)):
            client.noop()
        client.shutdown()
        with pytest.raises(ConnectionRefusedError):
            IMAPClient(server.host, server.port, ssl=False, timeout=TIMEOUT_S)
    assert threading.active_count() == before
