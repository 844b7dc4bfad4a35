"""Nobody in the sample account is anybody."""

from email.headerregistry import Address

import pytest

from mailmcp.demo.sample import people

PEOPLE = [value for value in vars(people).values() if isinstance(value, Address)]


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person.username)
def test_domains_belong_to_nobody(person: Address) -> None:
    """RFC 2606 section 3."""
    assert person.domain.endswith(("example.com", "example.org", "example.net"))


def test_addresses_are_unique() -> None:
    assert len({person.addr_spec for person in PEOPLE}) == len(PEOPLE)
