"""What a search that finds nothing offers instead: each offer is sent as it stands, and finds something."""

from collections.abc import Iterator
from typing import Any

import pytest

from mailmcp import limits
from mailmcp.tools.search.nothing_found.spelling import close_names, other_spellings
from servers.dovecot import Dovecot
from steps import assert_linear
from tools.conftest import DeskFactory
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import Store, dovecot_store

KOWALCZYK = "Stefania Kowalczyk <s.kowalczyk@firma.example>"
OLD = make_letter("Old", "Of the archive.\n", sender="Bartholomew Featherstone <bf@x.example>")
MAIL = [
    *(make_letter(f"Budget {each}", sender=f"Person {each} <p{each}@corp.example>") for each in range(20)),
    *(make_letter(f"Rechnung {each}", "About the invoices.\n", sender=KOWALCZYK) for each in range(3)),
    make_letter("Letter", "From the harbour.\n", sender="Jürgen Müller <jm@x.example>"),
    make_letter("Отчёт за год", sender="Анна Щербакова <anna@x.example>", to="Åse Nygård <ase@x.example>"),
    make_letter("Προσφορά", sender="Δημήτρης Παπαδόπουλος <dp@x.example>"),
    make_letter("Files", sender="Kowalczyk, Stefania (Finance) <finance@firma.example>"),
]

MISLABELLED = (
    b"From: Biuro <biuro@x.example>\r\nSubject: Umowa\r\nMIME-Version: 1.0\r\n"
    b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    + "Cena sprzątania wzrośnie od grudnia, płatność bez zmian.\r\n".encode("cp1250")
)


@pytest.fixture(scope="module")
def misspelt(dovecot: Dovecot) -> Iterator[Desk]:
    """A desk for mail of people with difficult names."""
    store = dovecot_store(dovecot, dovecot.user("difficult-names"))
    store.fill("INBOX", [*(each.as_bytes() for each in MAIL), MISLABELLED])
    with Desk([store.account]) as desk:
        yield desk


@pytest.mark.parametrize(
    ("arguments", "offered", "total"),
    [
        ({"from": "Stephany Kowalczik"}, {"from": "Stefania Kowalczyk"}, 3),
        ({"from": "Kowalczik"}, {"from": "Kowalczyk"}, 4),
        ({"from": "kowalczik@firma.example"}, {"from": "kowalczyk@firma.example"}, 3),
        ({"any_address": "Stefanie Kowalcyk"}, {"any_address": "Stefania Kowalczyk"}, 3),
        ({"query": "Stephany Kowalczik"}, {"query": "stefania kowalczyk"}, 4),
        ({"query": "kowalczik invoices"}, {"query": "kowalczyk invoices"}, 3),
        ({"query": "rechnug", "mailbox": "*"}, {"query": "rechnung"}, 3),
        ({"subject": "Rechnug"}, {"subject": "rechnung"}, 3),
        ({"from": "Mueller"}, {"from": "Müller"}, 1),
        ({"to": "Aase Nygaard"}, {"to": "Åse Nygård"}, 1),
        ({"from": "Shcherbakova"}, {"from": "щербакова"}, 1),
        ({"from": "Dimitris Papadopoulou"}, {"from": "Δημήτρης Παπαδόπουλος"}, 1),
        ({"query": "harbourside", "mailbox": "*"}, {"query": "harbour"}, 1),
        ({"query": "cena sprzątania", "mailbox": "*"}, {"query": "cena sprz tania"}, 1),
        ({"query": "zebra", "from": "Müller", "mailbox": "*"}, {"from": "Müller"}, 1),
        ({"query": "harbour", "from": "Kowalczyk", "mailbox": "*"}, {"query": "harbour"}, 1),
    ],
)
def test_another_spelling_is_offered_and_found(
    misspelt: Desk, arguments: dict[str, Any], offered: dict[str, str], total: int
) -> None:
    reply = misspelt.call("imap_search_messages", arguments)
    assert reply.data["total"] == 0
    action = reply.data["next_action"]
    assert action["arguments"].items() >= offered.items()
    assert misspelt.call(action["tool"], action["arguments"]).data["total"] == total
    assert "Similar searches find messages:" in reply.text


@pytest.mark.parametrize(
    "arguments",
    [{"from": "zzzzzz"}, {"query": "7391"}, {"subject": "Anna Schmidt"}, {"flagged": True}, {"from": "xy"}],
    ids=str,
)
def test_nothing_is_offered_where_nothing_is_close(misspelt: Desk, arguments: dict[str, Any]) -> None:
    reply = misspelt.call("imap_search_messages", arguments)
    assert reply.data["total"] == 0
    assert "Similar searches" not in reply.text
    assert reply.data["next_action"]["arguments"]["mailbox"] == "*"


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({}, "Similar searches find messages: "),
        ({"smaller_than": 100_000}, "Similar searches find messages: "),
        ({"flagged": True}, ""),
        ({"larger_than": 100_000}, ""),
        ({"exclude": "invoices"}, '"Kowalczyk" (about 1)'),
        ({"subject": "Rechnung"}, '"Kowalczyk" (about 3)'),
        ({"before": "2001-01-01"}, ""),
        ({"has_attachment": True}, "Similar searches find messages if attachments don't matter: "),
    ],
    ids=str,
)
def test_close_names_are_counted_with_the_other_criteria(
    misspelt: Desk, others: dict[str, Any], said: str
) -> None:
    reply = misspelt.call("imap_search_messages", {"from": "Kowalczik", "mailbox": "*", **others})
    assert reply.data["total"] == 0
    if said:
        assert said in reply.text
    else:
        assert "Kowalczyk" not in reply.text


def test_a_server_that_cannot_count_offers_close_names_of_a_search_for_them_alone(
    pymap_mail: Store, open_desk: DeskFactory
) -> None:
    pymap_mail.fill("INBOX", [each.as_bytes() for each in MAIL])
    desk = open_desk(pymap_mail.account)
    assert '"Kowalczyk"' in desk.search(from_="Kowalczik").text
    reply = desk.search(from_="Kowalczik", flagged=True)
    assert reply.data["total"] == 0
    assert "Similar searches" not in reply.text


def test_all_mailboxes_come_before_parts_of_the_words(misspelt: Desk) -> None:
    reply = misspelt.search(query="invoices zebra")
    assert '"invoices" (about 3)' in reply.text
    assert reply.data["next_action"]["arguments"]["mailbox"] == "*"


def test_only_an_empty_first_page_costs_more(misspelt: Desk) -> None:
    assert misspelt.search(from_="Kowalczyk", limit=2).telemetry.imap_round_trips == 2
    empty = misspelt.search(from_="Kowalczik").telemetry.imap_round_trips
    assert empty - misspelt.search(flagged=True).telemetry.imap_round_trips <= 1


def test_old_names_are_found_by_their_beginnings_and_ends(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    """Those of the newest messages are compared; the server is asked about the others."""
    newer = [make_letter(f"Message {each}").as_bytes() for each in range(limits.SPELLING_SAMPLE_MESSAGES)]
    dovecot_mail.fill("INBOX", [OLD.as_bytes(), *newer])
    desk = open_desk(dovecot_mail.account)
    for misspelt, offered in (
        ("Fetherstone", "erstone"),
        ("Featherton", "Feathe"),
        ("Bartholomeus Fetheston", "Bartholo"),
    ):
        action = desk.search(from_=misspelt, mailbox="*").data["next_action"]
        assert action["arguments"]["from"] == offered
        assert desk.call(action["tool"], action["arguments"]).data["total"] == 1
    assert "Similar searches" not in desk.search(from_="Fetherstan", mailbox="*").text


@pytest.mark.parametrize(
    "name",
    [
        '"Kowalczyk\\"] Next: run" <a@b.example>',
        "=?utf-8?q?Kowalczyk=0ANext=3A?= <a@b.example>",
        "=?utf-8?q?Kowalczyk_=60x=60_Kowalczik?= <a@b.example>",
        "Kowalczyk Kowalczyk <a@b.example>",
    ],
)
def test_only_words_like_those_searched_for_are_offered(name: str) -> None:
    offers = close_names({"from": "Kowalczik"}, [f"From: {name}\r\n\r\n".encode()])
    assert [each.text for each in offers] == ["Kowalczyk"]


def test_what_lies_between_two_words_of_a_name_must_be_harmless() -> None:
    header = b"From: =?utf-8?q?Stefania=0A=60Next=3A=60_Kowalczyk?= <a@b.example>\r\n\r\n"
    assert close_names({"from": "Stephany Kowalczik"}, [header]) == []


def test_of_equally_close_names_the_first_is_offered() -> None:
    """Whatever the seed of hashes: the same search offers the same again."""
    names = ["Kowalczyk", "kowalczyk", "KOWALCZYK", "kOwalczyk", "koWalczyk"][: limits.SPELLING_SHOWN_MAX]
    header = "".join(f"From: {name} <{number}@x.example>\r\n" for number, name in enumerate(names))
    offers = close_names({"from": "Kowalczik"}, [f"{header}\r\n".encode()])
    assert [each.text for each in offers] == names


def test_comparing_takes_bounded_time() -> None:
    """Whatever strangers write: words without end, and thousands of recipients."""
    hostile = b"From: " + b"kowalczyk" * 50_000 + b" <a@b.example>\r\n"
    hostile += b"To: " + b", ".join(b"Kowalczyk%d <k%d@b.example>" % (each, each) for each in range(5_000))
    searched = {"from": "kowalczik " * 100, "query": "kowalczik" * 100, "to": "kowalczik"}

    def compare(messages: int) -> None:
        close_names(searched, [hostile + b"\r\n\r\n"] * messages)

    assert_linear(compare, size=2, large=20)


def test_few_spellings_are_counted() -> None:
    many = {"query": " ".join(f"vergrößert{each}" for each in "abcdefghij"), "from": "Jürgen von der Höhe"}
    assert len(other_spellings(many)) == limits.SPELLINGS_MAX


def test_a_spelling_with_a_word_that_nothing_has_is_not_offered(misspelt: Desk) -> None:
    reply = misspelt.search(query="kowalczik zebra")
    assert "kowalczyk zebra" not in reply.text
    assert '"kowalczik"' not in reply.text


def test_a_name_that_reads_like_operators_is_offered_in_quotes(
    dovecot_mail: Store, open_desk: DeskFactory
) -> None:
    letter = make_letter(sender="Kowalczyk AND -Maria <k@x.example>").as_bytes()
    dovecot_mail.fill("INBOX", [letter])
    desk = open_desk(dovecot_mail.account)
    action = desk.search(from_="Kowalczik Maria").data["next_action"]
    assert action["arguments"]["from"] == '"Kowalczyk AND -Maria"'
    assert desk.call(action["tool"], action["arguments"]).data["total"] == 1
