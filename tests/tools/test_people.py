"""Who a message is from and to."""

import re

import pytest

from mailmcp import limits
from mailmcp.mail.header.fields import parse_headers
from mailmcp.tools.people import addresses_of, first_addresses_of

FIVE = ", ".join(f"P{number} <p{number}@a.example>" for number in range(1, 6))


@pytest.mark.parametrize(
    ("value", "most", "written"),
    [
        ("", 2, ""),
        ("Ann <ann@a.example>", 2, "Ann <ann@a.example>"),
        (FIVE, 5, FIVE),
        (FIVE, 2, "P1 <p1@a.example>, P2 <p2@a.example>, 3 more"),
        (f"{'long ' * 99}<a@a.example>, b@a.example, c@a.example", 2, None),
        (", ".join(f"{'x' * 70}{number}@a.example" for number in range(9)), 5, None),
    ],
)
def test_the_first_are_named_and_the_others_counted(value: str, most: int, written: str | None) -> None:
    headers = parse_headers(f"To: {value}\r\n\r\n".encode())
    shown = first_addresses_of(headers, "To", most=most)
    assert len(shown) <= limits.ROW_CHARS_MAX
    if written is None:
        assert re.search(r", \d more$", shown)
        assert shown.count(", ") + int(shown.split()[-2]) == value.count("@")
    else:
        assert shown == written


def test_several_fields_are_one_list() -> None:
    headers = parse_headers(b"To: a@a.example\r\nTo: Bob\x07 <b@a.example>\r\n\r\n")
    assert addresses_of(headers, "To") == "a@a.example, Bob <b@a.example>"
    assert addresses_of(headers, "Cc") == ""
