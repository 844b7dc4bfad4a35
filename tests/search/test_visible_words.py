"""Words where people see them, and words that only machines see, in mailboxes made at random.

The oracle reads the messages themselves, with the mail library of Python.
"""

from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from random import Random

import pytest

from servers.dovecot import Dovecot, Login
from thinning import thin
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import dovecot_store

WORDS = ("quokka", "wombat", "terna", "Grünau", "7391", "kea.example")
"""Some are in boilerplate, too: `multipart/alternative`."""

ANYWHERE = "in names of files or in header fields that people don't see"
MESSAGES = 120
PLACES = ("subject", "from", "to", "cc", "bcc", "reply-to", "text", "html", "file", "message inside")
HIDDEN = ("received", "list-id", "boundary", "x-header", "message-id", "content-id", "parameter")


def make(random: Random) -> bytes:
    """Make a message with some words in some places, most of them hidden ones."""
    words = {place: random.choice(WORDS) for place in PLACES if random.random() < 0.06}
    hidden = {place: random.choice(WORDS) for place in HIDDEN if random.random() < 0.2}
    own = "".join(random.choices("xyz", k=20))  # else two may be copies
    message = make_letter(f"About {words.get('subject', own)}", f"Dear {own} {words.get('text', '')}\n")
    for name in ("from", "to", "cc", "bcc", "reply-to"):
        if name in words:
            del message[name]
            message[name] = f"{words[name]} <someone@corp.example>"
    if random.random() < 0.5:
        message.add_alternative(f"<p>Dear all {words.get('html', '')}</p>", subtype="html")
    if "file" in words:
        message.add_attachment(
            b"%PDF", maintype="application", subtype="pdf", filename=f"a-{words['file']}.pdf"
        )
    if "message inside" in words:
        message.add_attachment(make_letter(f"Inside {words['message inside']}"))
    for place, word in hidden.items():
        ascii_word = word.encode("ascii", "ignore").decode()
        match place:
            case "boundary" if message.is_multipart():
                message.set_boundary(f"=={ascii_word}==")
            case "content-id" | "parameter" if message.is_multipart():
                part = next(message.iter_parts())
                part["Content-ID"] = f"<{ascii_word}@x>"
            case "received":
                message["Received"] = f"from {ascii_word}.relay.example by mx.corp.example"
            case _:
                message[place if place.startswith(("list", "message", "x")) else f"X-{place}"] = (
                    f"<{ascii_word}>"
                )
    return message.as_bytes(policy=SMTP)


def visible_texts(octets: bytes) -> Iterator[str]:
    """Yield what a search for words looks at first: people, subject, text."""
    message = message_from_bytes(octets, policy=default)
    assert isinstance(message, EmailMessage)
    for name in ("Subject", "From", "To", "Cc"):
        yield str(message.get(name, ""))
    for part in message.walk():
        if part.get_content_maintype() == "text":
            yield part.get_content()


def has(octets: bytes, word: str) -> bool:
    return any(word.lower() in each.lower() for each in visible_texts(octets))


def walk(desk: Desk, **arguments: object) -> tuple[list[int], Reply]:
    first = reply = desk.search(limit=7, **arguments)
    uids = reply.uids
    while reply.data.get("next_cursor"):
        desk.forget()
        reply = desk.search(cursor=reply.data["next_cursor"])
        uids += reply.uids
    return uids, first


@pytest.mark.parametrize("seed", thin(range(6), keep_every=3))
def test_what_people_see_is_found_and_anything_else_only_if_there_is_none(
    dovecot: Dovecot, dovecot_user: Login, seed: int
) -> None:
    random = Random(seed)  # noqa: S311 - nothing secret
    store = dovecot_store(dovecot, dovecot_user)
    octets = [make(random) for _ in range(MESSAGES)]
    messages = dict(zip(store.fill("INBOX", octets), octets, strict=True))
    hidden = store.fill("INBOX", [b"X-Trace: numbat\r\n" + make_letter("Nothing").as_bytes(policy=SMTP)])
    with Desk([store.account]) as desk:
        for words in [*([each] for each in WORDS), ["quokka", "wombat"], ["terna", "7391"]]:
            expected = [uid for uid in sorted(messages, reverse=True) if _have(messages[uid], words)]
            found, first = walk(desk, query=" ".join(words))
            if not expected:
                continue
            assert found == expected
            assert first.data["total"] == len(expected)
            assert not first.data.get("total_at_most")
            assert ANYWHERE not in first.data["coverage"]["method"]
            grouped = desk.search(query=" ".join(words), group_by="year")
            assert (grouped.data["counted"], grouped.data["total"]) == (len(expected), len(expected))
        found, first = walk(desk, query="numbat")
        assert found == hidden
        assert ANYWHERE in first.text
        assert desk.search(query="numbat", group_by="year").data["counted"] == 1


def _have(octets: bytes, words: list[str]) -> bool:
    return all(has(octets, each) for each in words)


def test_the_next_page_looks_where_the_first_one_did(dovecot: Dovecot, dovecot_user: Login) -> None:
    """Though a message with the word in its text has arrived meanwhile."""
    store = dovecot_store(dovecot, dovecot_user)
    letter = b"X-Trace: numbat\r\n" + make_letter("Hello").as_bytes(policy=SMTP)
    uids = store.fill("INBOX", [letter] * 3)
    with Desk([store.account]) as desk:
        first = desk.search(query="numbat", limit=2)
        store.fill("INBOX", [make_letter("The numbat").as_bytes(policy=SMTP)])
        second = desk.search(cursor=first.data["next_cursor"])
    assert [*first.uids, *second.uids] == uids[::-1]
