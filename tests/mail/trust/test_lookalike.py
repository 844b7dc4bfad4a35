import pytest

from mailmcp.mail.trust.lookalike import (
    alphabets_of,
    imitates_address,
    imitates_domain,
    is_disguised,
    skeleton,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("corp", "c0rp"),
        ("corp", "\u0441\u043erp"),
    ],
)
def test_what_looks_alike_has_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("word", "alphabets", "disguised"),
    [
        ("Anna", {"LATIN"}, False),
        ("\u0410nna", {"LATIN", "CYRILLIC"}, True),
        ("Ив\u0061\u043d", {"LATIN", "CYRILLIC"}, True),
        ("", set(), False),
    ],
)
def test_words_in_disguise_are_told_from_words_of_two_alphabets(
    word: str, alphabets: set[str], *, disguised: bool
) -> None:
    assert (set(alphabets_of(word)), is_disguised(word)) == (alphabets, disguised)


@pytest.mark.parametrize(
    ("domain", "own", "imitates"),
    [
        ("c0rp.example", "corp.example", True),
        ("corp.example.evil.example", "corp.example", True),
        ("lovelce.example", "lovelace.example", True),
        # Honest neighbours.
        ("corp.example", "corp.example", False),
        ("lovelace-fanclub.example", "lovelace.example", False),
    ],
)
def test_domains_that_imitate_the_owners_are_found(domain: str, own: str, *, imitates: bool) -> None:
    assert imitates_domain(domain, own) is imitates


@pytest.mark.parametrize(
    ("address", "own", "imitates"),
    [
        ("ada.love1ace@gmail.com", "ada.lovelace@gmail.com", True),
        ("\u0430da@mx.corp.example", "ada@corp.example", True),
        ("ADA@corp.example", "ada@corp.example", False),
        ("bob@corp.example", "ada@corp.example", False),
        ("ada.love1ace@gmx.de", "ada.lovelace@gmail.com", False),
    ],
)
def test_addresses_that_imitate_the_owners_are_found(address: str, own: str, *, imitates: bool) -> None:
    assert imitates_address(address, own) is imitates
