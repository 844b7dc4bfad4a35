"""Who a message is from and to."""

import re

import pytest

from mailmcp import limits
from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.people import people_of
from mailmcp.tools.people import first_addresses_of

FIVE = ", ".join(f"P{number} <p{number}@a.example>" for number in range(1, 6))


@pytest.mark.parametrize(
    ("value", "limit", "written"),
    [
        ("", 2, ""),
        ("Ann <ann@a.example>", 2, "Ann <ann@a.example>"),
        (FIVE, 5, FIVE),
        (FIVE, 2, "P1 <p1@a.example>, P2 <p2@a.example>, 3 more"),
        (f"{'long ' * 99}<a@a.example>, b@a.example, c@a.example", 2, None),
        (", ".join(f"{'x' * 70}{number}@a.example" for number in range(9)), 5, None),
    ],
)
def test_the_first_are_named_and_the_others_counted(value: str, limit: int, written: str | None) -> None:
    headers = parse_headers(f"To: {value}\r\n\r\n".encode())
    shown = first_addresses_of(headers, "To", limit=limit)
    assert len(shown) <= limits.ROW_CHARS_MAX
    if written is None:
        assert re.search(r", \d more$", shown)
        assert shown.count(", ") + int(shown.split()[-2]) == value.count("@")
    else:
        assert shown == written


@pytest.mark.parametrize("limit", [None, 2, 5])
@pytest.mark.parametrize("max_chars", [100, 200, 400])
@pytest.mark.parametrize("name_chars", [0, 20, 200])
def test_no_address_is_cut(limit: int | None, max_chars: int, name_chars: int) -> None:
    known = [f"someone.{number}@a-rather-long-domain.example" for number in range(20)]
    written = ", ".join(f"{'N' * name_chars} <{each}>" for each in known)
    headers = parse_headers(f"From: {written}\r\n\r\n".encode())
    people = people_of(headers, "From", max_chars=max_chars, limit=limit)
    assert len(people.text) <= max_chars
    assert re.findall(r"[^\s<>,]+@[^\s<>,]+", people.text) == known[: people.shown]
    assert 0 < people.shown <= (limit or 20)
    assert people.text.endswith(f", {20 - people.shown} more")


def test_a_name_gives_way_to_its_address() -> None:
    headers = parse_headers(f"From: {'long ' * 99}<a@a.example>\r\n\r\n".encode())
    assert people_of(headers, "From", max_chars=200).text.endswith("… <a@a.example>")
    headers = parse_headers(f"From: {'x' * 170}@a.example\r\n\r\n".encode())
    assert people_of(headers, "From", max_chars=200).text == f"{'x' * 170}@a.example"
    headers = parse_headers(f"From: Ann <{'x' * 300}@a.example>\r\n\r\n".encode())
    assert people_of(headers, "From", max_chars=200).text == "Ann <…@a.example>"
    headers = parse_headers(f"From: Ann <a@{'x' * 300}.example>\r\n\r\n".encode())
    assert people_of(headers, "From", max_chars=200).text.endswith("x.example")


LONG = ": " * 95


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (f'"Boss <boss@corp.example>, {LONG}"@evil.example', "…@evil.example"),
        (f'Al <"Boss <boss@corp.example>, {LONG}"@evil.example>', "Al <…@evil.example>"),
        (f"Al <a@[{'x' * 250}.corp.example]>", "…@[…]"),
        (
            f'", {LONG}"@evil.example, "Bob <bob@corp.example>, x" <c@evil.example>',
            '…@evil.example, "Bob <bob@corp.example>, x" <c@evil.example>',
        ),
        (f'a <a@x.example>, ", {LONG}"@evil.example, 58 more', 'a <a@x.example>, …@evil.example, "58 more"'),
        (f'n <b@x.example>, "{LONG}"@x.example, c@x.example', "n <b@x.example>, …@x.example, 1 more"),
    ],
)
def test_what_is_quoted_is_never_cut(value: str, written: str) -> None:
    """Else its closing quote is gone, and quotes after it pair with others."""
    headers = parse_headers(f"To: {value}\r\n\r\n".encode())
    limit = 2 if written.endswith("1 more") else None
    assert people_of(headers, "To", max_chars=200, limit=limit).text == written
