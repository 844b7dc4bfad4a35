"""The private Dovecot does what other tests rely on."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError, LoginError

from servers.dovecot import Dovecot, Login

TIMEOUT_S = 30.0


@contextmanager
def logged_in(server: Dovecot, login: Login) -> Iterator[IMAPClient]:
    with IMAPClient(server.host, server.plain_port, ssl=False, timeout=TIMEOUT_S) as client:
        client.login(*login)
        yield client


def test_implicit_tls_shows_a_certificate_of_its_authority(dovecot: Dovecot, dovecot_user: Login) -> None:
    context = ssl.create_default_context(cafile=str(dovecot.ca_file))
    with IMAPClient(dovecot.host, dovecot.tls_port, ssl_context=context, timeout=TIMEOUT_S) as client:
        client.login(*dovecot_user)
        assert client.select_folder("INBOX", readonly=True)[b"EXISTS"] == 0


def test_the_plain_port_offers_starttls(dovecot: Dovecot, dovecot_user: Login) -> None:
    with IMAPClient(dovecot.host, dovecot.plain_port, ssl=False, timeout=TIMEOUT_S) as client:
        client.starttls(dovecot.certificates.client_context())
        client.login(*dovecot_user)
        assert client.folder_exists("INBOX")


def test_it_advertises_what_the_product_uses_after_login(dovecot: Dovecot, dovecot_user: Login) -> None:
    with logged_in(dovecot, dovecot_user) as client:
        assert {b"ESEARCH", b"LIST-STATUS", b"SPECIAL-USE", b"UIDPLUS", b"PREVIEW", b"ID"} <= set(
            client.capabilities()
        )


def test_special_use_mailboxes_are_there_from_the_start(dovecot: Dovecot, dovecot_user: Login) -> None:
    with logged_in(dovecot, dovecot_user) as client:
        listed = {(name, delimiter): flags for flags, delimiter, name in client.list_folders()}
    assert {name for name, _ in listed} == {"INBOX", "Sent", "Drafts", "Trash", "Junk", "Archive"}
    for (name, delimiter), flags in listed.items():
        assert delimiter == b"/"
        assert name == "INBOX" or b"\\" + name.encode() in flags


def test_fill_appends_with_flags_and_dates(dovecot: Dovecot, dovecot_user: Login) -> None:
    received = datetime(2024, 2, 29, 12, tzinfo=UTC)
    messages = [b"Subject: %d\r\n\r\nText\r\n" % number for number in range(450)]
    uids = dovecot.fill(dovecot_user.user, "Reisen/Zürich", messages, flags=[b"\\Seen"], received=received)
    assert uids == list(range(1, 451))
    with logged_in(dovecot, dovecot_user) as client:
        client.normalise_times = False
        client.select_folder("Reisen/Zürich", readonly=True)
        row = client.fetch([450], ["FLAGS", "INTERNALDATE", "BODY.PEEK[]"])[450]
    assert b"\\Seen" in row[b"FLAGS"]
    assert row[b"INTERNALDATE"] == received
    assert row[b"BODY[]"] == messages[449]


@pytest.mark.full
def test_twenty_thousand_messages_are_there_in_order(dovecot: Dovecot, dovecot_user: Login) -> None:
    messages = (b"Subject: %d\r\n\r\nText\r\n" % number for number in range(1, 20_001))
    assert dovecot.fill_before_login(dovecot_user.user, "INBOX", messages, flags=[b"\\Flagged"]) == 20_000
    with logged_in(dovecot, dovecot_user) as client:
        assert client.select_folder("INBOX", readonly=True)[b"EXISTS"] == 20_000
        assert client.search(["FLAGGED", "SUBJECT", "19999"]) == [19_999]
        row = client.fetch([1], ["RFC822.SIZE", "BODY.PEEK[]"])[1]
    assert row[b"BODY[]"] == b"Subject: 1\r\n\r\nText\r\n"
    assert row[b"RFC822.SIZE"] == len(row[b"BODY[]"])


def test_a_wrong_password_is_refused(dovecot: Dovecot, dovecot_user: Login) -> None:
    with (
        IMAPClient(dovecot.host, dovecot.plain_port, ssl=False, timeout=TIMEOUT_S) as client,
        pytest.raises(LoginError, match="AUTHENTICATIONFAILED"),
    ):
        client.login(dovecot_user.user, "wrong")


def test_a_mailbox_made_anew_has_another_uidvalidity(dovecot: Dovecot, dovecot_user: Login) -> None:
    """Dovecot's word: it counts them up, so it holds also within one second."""
    seen = set()
    with logged_in(dovecot, dovecot_user) as client:
        for _ in range(3):
            client.create_folder("Project")
            seen.add(client.folder_status("Project", ["UIDVALIDITY"])[b"UIDVALIDITY"])
            client.delete_folder("Project")
    assert len(seen) == 3


def test_restart_keeps_ports_and_mail_and_says_bye(dovecot_user: Login) -> None:
    with Dovecot() as server:
        ports = (server.plain_port, server.tls_port)
        server.fill(dovecot_user.user, "INBOX", [b"Subject: kept\r\n\r\nText\r\n"])
        with logged_in(server, dovecot_user) as client:
            server.stop()
            with pytest.raises(IMAPClientError, match="shutting down"):
                client.list_folders()
        server.start()
        with logged_in(server, dovecot_user) as client:
            assert client.select_folder("INBOX")[b"EXISTS"] == 1
        assert (server.plain_port, server.tls_port) == ports


@pytest.mark.usefixtures("dovecot")
def test_nothing_is_left_behind() -> None:
    before = threading.active_count()
    with Dovecot() as server:
        folder = server.ca_file.parent
    assert not folder.exists()
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        IMAPClient(server.host, server.plain_port, ssl=False, timeout=TIMEOUT_S)


@pytest.mark.usefixtures("dovecot")
def test_plaintext_auth_can_be_forbidden() -> None:
    with Dovecot(disable_plaintext_auth=True) as server:
        login = server.user("fresh")
        with IMAPClient(server.host, server.plain_port, ssl=False, timeout=TIMEOUT_S) as client:
            assert b"LOGINDISABLED" in client.capabilities()
            with pytest.raises(LoginError, match="PRIVACYREQUIRED"):
                client.login(*login)
            client.starttls(server.certificates.client_context())
            client.login(*login)


@pytest.mark.usefixtures("dovecot")
def test_connections_of_one_user_can_be_limited() -> None:
    with Dovecot(mail_max_userip_connections=1) as server:
        login = server.user("fresh")
        with logged_in(server, login), pytest.raises(LoginError, match="LIMIT"), logged_in(server, login):
            pass


@pytest.mark.usefixtures("dovecot")
def test_extra_lines_take_effect() -> None:
    with (
        Dovecot(extra="login_greeting = Fake greeting") as server,
        IMAPClient(server.host, server.plain_port, ssl=False, timeout=TIMEOUT_S) as client,
    ):
        assert client.welcome.endswith(b"Fake greeting")


@pytest.mark.usefixtures("dovecot")
def test_a_failed_start_shows_the_log_and_leaves_nothing() -> None:
    server = Dovecot(extra="nonsense = 1")
    with pytest.raises(RuntimeError, match="Unknown setting: nonsense"), server:
        pass
    assert not server.ca_file.parent.exists()
