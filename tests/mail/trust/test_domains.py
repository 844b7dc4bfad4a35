import pytest

from mailmcp.mail.trust.domains import (
    domain_of,
    is_provider,
    organisation_of,
    safe_domain,
    same_organisation,
)


@pytest.mark.parametrize(
    ("address", "domain"),
    [
        ("Ada@Corp.Example", "corp.example"),
        ("ada@xn--bcher-kva.example.", "bücher.example"),
        ("ada", ""),
        ("ada@xn--99999999.example", "xn--99999999.example"),
    ],
)
def test_the_domain_of_an_address_is_read_as_people_see_it(address: str, domain: str) -> None:
    assert domain_of(address) == domain


@pytest.mark.parametrize(
    ("domain", "organisation"),
    [
        ("corp.example", "corp.example"),
        ("mx.eu.corp.example", "corp.example"),
        ("[192.0.2.1]", "[192.0.2.1]"),
        ("192.0.2.1", "192.0.2.1"),
    ],
)
def test_an_organisation_is_what_was_registered(domain: str, organisation: str) -> None:
    assert organisation_of(domain) == organisation


def test_users_of_one_provider_are_no_organisation() -> None:
    assert same_organisation("corp.example", "mail.corp.example")
    assert not same_organisation("one.co.uk", "other.co.uk")
    assert not same_organisation("gmail.com", "gmail.com")
    assert is_provider("gmail.com")
    assert not is_provider("corp.example")


@pytest.mark.parametrize(
    ("domain", "shown"),
    [
        ("mx.corp.example", "corp.example"),
        ("corp.example.evil.example", "evil.example"),
        ("[2001:db8::1]", "?2001?db8??1?"),
    ],
)
def test_what_is_shown_is_short_ascii_without_markup(domain: str, shown: str) -> None:
    assert safe_domain(domain) == f'"{shown}"'
