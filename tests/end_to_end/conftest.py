"""One mailbox for all conversations, and a server process for each era and dialect."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.settings_files import write_settings
from documents.documents import zipped
from documents.pdf_file import pdf
from documents.pictures import image
from end_to_end.conversation import Conversation
from servers.dovecot import Dovecot
from tools.letters import make_letter, make_numbered
from tools.stores import Store, dovecot_store

MAILBOX = "Reisen/Zürich 日本"


@pytest.fixture(scope="module")
def store(dovecot: Dovecot, request: pytest.FixtureRequest) -> Store:
    """Mail of a user of this module's own, some of it unread, all of it recent."""
    user = f"end-to-end-{request.module.__name__.rpartition('.')[2]}"
    store = dovecot_store(dovecot, dovecot.user(user))
    store.fill("INBOX", make_numbered(*range(1, 26)))
    letter = make_letter("Offer _for_ `Zürich`", "Plain\u200b text\n", html="<p>Rich <b>text</b></p>")
    letter.add_attachment("name;size\n", subtype="csv", filename="list.csv")
    files = zipped({"scan.pdf": pdf([b"0 0 595 842 re f"]), "photo.jpg": image(3_136, 100, kind="JPEG")})
    letter.add_attachment(files, maintype="application", subtype="zip", filename="files.zip")
    store.fill(MAILBOX, [letter.as_bytes()], flags=[b"\\Flagged"])
    return store


@pytest.fixture(scope="module", params=["legacy", "auto"])
def era(request: pytest.FixtureRequest) -> str:
    """How the client negotiates: the handshake of old, or 2026-07-28."""
    return str(request.param)


@pytest.fixture(scope="module")
def config(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_settings(tmp_path_factory.mktemp("settings"), store.account)


@pytest.fixture(scope="module")
def conversation(config: Path, era: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    """A conversation in the default dialect."""
    with Conversation(config, mode=era, folder=tmp_path_factory.mktemp("logs")) as talk:
        yield talk
