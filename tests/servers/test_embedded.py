"""The embedded pymap is the empty, plain server other tests take it for."""

from datetime import UTC, datetime

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import LoginError

from servers.embedded import Pymap

TIMEOUT_S = 30.0


def connect(server: Pymap) -> IMAPClient:
    return IMAPClient(server.host, server.port, ssl=False, timeout=TIMEOUT_S)


def test_it_starts_with_an_empty_inbox_alone(pymap_server: Pymap) -> None:
    with connect(pymap_server) as client:
        client.login(pymap_server.user, pymap_server.password)
        assert [name for _, _, name in client.list_folders()] == ["INBOX"]
        assert client.select_folder("INBOX", readonly=True)[b"EXISTS"] == 0


def test_it_has_none_of_the_extensions_that_make_it_the_plain_path(pymap_server: Pymap) -> None:
    with connect(pymap_server) as client:
        client.login(pymap_server.user, pymap_server.password)
        absent = {b"ESEARCH", b"SPECIAL-USE", b"LIST-STATUS", b"STARTTLS"}
        assert not absent & set(client.capabilities())


def test_a_wrong_password_is_refused(pymap_server: Pymap) -> None:
    with connect(pymap_server) as client, pytest.raises(LoginError):
        client.login(pymap_server.user, "wrong")


def test_fill_appends_with_flags_and_dates(pymap_server: Pymap) -> None:
    received = datetime(2024, 2, 29, 12, tzinfo=UTC)
    messages = [b"Subject: %d\r\n\r\nText\r\n" % number for number in range(300)]
    uids = pymap_server.fill("Zürich", messages, flags=[b"\\Seen"], received=received)
    assert len(uids) == 300
    with connect(pymap_server) as client:
        client.login(pymap_server.user, pymap_server.password)
        client.normalise_times = False
        client.select_folder("Zürich", readonly=True)
        assert client.search() == uids
        row = client.fetch(uids[-1:], ["FLAGS", "INTERNALDATE", "BODY.PEEK[]"])[uids[-1]]
    assert b"\\Seen" in row[b"FLAGS"]
    assert row[b"INTERNALDATE"] == received
    assert row[b"BODY[]"] == messages[-1]


def test_two_servers_share_nothing(pymap_server: Pymap) -> None:
    with Pymap() as other:
        other.fill("Elsewhere", [b"Subject: a\r\n\r\nText\r\n"])
        with connect(pymap_server) as client:
            client.login(pymap_server.user, pymap_server.password)
            assert not client.folder_exists("Elsewhere")
