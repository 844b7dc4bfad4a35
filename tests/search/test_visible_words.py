"""Words where people see them, and words that only machines see, in mailboxes made at random.

The oracle reads the messages themselves, with the mail library of Python.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from random import Random

import pytest

from mailmcp import limits
from servers.dovecot import Dovecot, Login
from thinning import thin
from tools.desk import Desk, Reply
from tools.letters import make_letter
from tools.stores import dovecot_store

WORDS = ("quokka", "wombat", "terna", "Grünau", "7391", "kea.example")
"""Some are in boilerplate, too: `multipart/alternative`."""

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
    """Yield what a person sees of a message."""
    message = message_from_bytes(octets, policy=default)
    assert isinstance(message, EmailMessage)
    for name in ("Subject", "From", "To", "Cc", "Bcc", "Reply-To", "Sender"):
        yield str(message.get(name, ""))
    for part in message.walk():
        yield part.get_filename() or ""
        if part.get_content_maintype() == "text":
            yield part.get_content()
        elif part.get_content_type() == "message/rfc822":
            yield " ".join(WORDS)  # it has headers of its own: that can't be decided, and counts as seen


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
def test_what_people_see_is_found_and_the_rest_is_counted(
    dovecot: Dovecot, dovecot_user: Login, seed: int
) -> None:
    random = Random(seed)  # noqa: S311 - nothing secret
    store = dovecot_store(dovecot, dovecot_user)
    octets = [make(random) for _ in range(MESSAGES)]
    messages = dict(zip(store.fill("INBOX", octets), octets, strict=True))
    hidden = 0
    with Desk([store.account]) as desk:
        for words in [*([each] for each in WORDS), ["quokka", "wombat"], ["terna", "7391"]]:
            # Dovecot overlooks some encoded names of files: what it finds anywhere is the mail to divide.
            anywhere, everything = walk(desk, query=" ".join(f'"{each}"' for each in words))
            expected = [uid for uid in anywhere if all(has(messages[uid], each) for each in words)]
            found, first = walk(desk, query=" ".join(words))
            assert found == expected
            assert first.data["total"] == len(expected)
            assert not first.data.get("total_at_most")
            grouped = desk.search(query=" ".join(words), group_by="year")
            assert (grouped.data["counted"], grouped.data["total"]) == (len(expected), len(expected))
            technical = len(anywhere) - len(found)
            said = [each for each in first.outcome.warnings if "technical header fields" in each]
            assert said == [] if not technical else said[0].startswith(f"Left out: {technical} ")
            assert not [each for each in everything.outcome.warnings if "technical" in each]
            hidden += technical
    assert hidden > MESSAGES // 2, "there is little to tell apart"


def test_places_are_filled_in_the_order_of_all_mailboxes(dovecot: Dovecot, dovecot_user: Login) -> None:
    """Messages move up where technical matches are left out: their ranks must be known, too."""
    random = Random(7)  # noqa: S311 - nothing secret
    store = dovecot_store(dovecot, dovecot_user)
    received: dict[tuple[str, int], datetime] = {}
    messages: dict[tuple[str, int], bytes] = {}
    for step in range(24):
        mailbox = random.choice(("INBOX", "Other"))
        octets = [make(random) for _ in range(4)]
        moment = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=step * 37 % 24)
        for uid, each in zip(store.fill(mailbox, octets, received=moment), octets, strict=True):
            received[mailbox, uid], messages[mailbox, uid] = moment, each
    with Desk([store.account]) as desk:
        for word in ("terna", "quokka"):
            everything = desk.search(query=f'"{word}"', mailbox="*", limit=100).data["messages"]
            anywhere = {(row["mailbox"], row["uid"]) for row in everything}
            reply = desk.search(query=word, mailbox="*", limit=3)
            rows = reply.data["messages"]
            while reply.data.get("next_cursor"):
                reply = desk.search(cursor=reply.data["next_cursor"])
                rows += reply.data["messages"]
            found = [(row["mailbox"], row["uid"]) for row in rows]
            assert {*found} == {each for each in anywhere if has(messages[each], word)}
            assert len(found) == len({*found})
            moments = [received[each] for each in found]
            assert moments == sorted(moments, reverse=True)


@pytest.mark.full
def test_more_technical_matches_than_one_page_checks(dovecot: Dovecot, dovecot_user: Login) -> None:
    letter = make_letter("About nothing", "Dear all\n", html="<p>Dear all</p>").as_bytes()
    true = make_letter("About Terna").as_bytes()
    count = limits.VISIBLE_CANDIDATES_MAX
    store = dovecot_store(dovecot, dovecot_user)
    store.fill("INBOX", [true, *[letter] * count, true, *[letter] * count, true])
    with Desk([store.account]) as desk:
        uids, first = walk(desk, query="terna")
    assert uids == [2 * count + 3, count + 2, 1]
    assert first.data["total_at_most"]
    assert first.outcome.warnings[-1].startswith(
        f"Left out: {count - 1} messages with a match only in technical"
    )
