"""Who a message is from and to."""

import re

import pytest

from mailmcp.mail.header.fields import parse_headers
from mailmcp.mail.people import people_of


@pytest.mark.parametrize("limit", [None, 2, 20])
@pytest.mark.parametrize(("max_chars", "name_chars"), [(100, 200), (200, 20), (400, 0)])
def test_the_first_are_named_whole_and_the_others_counted(
    limit: int | None, max_chars: int, name_chars: int
) -> None:
    known = [f"someone.{number}@a-rather-long-domain.example" for number in range(20)]
    written = ", ".join(f"{'N' * name_chars} <{each}>" for each in known)
    headers = parse_headers(f"From: {written}\r\n\r\n".encode())
    people = people_of(headers, "From", max_chars=max_chars, limit=limit)
    assert len(people.text) <= max_chars
    assert re.findall(r"[^\s<>,]+@[^\s<>,]+", people.text) == known[: people.shown]
    assert 0 < people.shown <= (limit or 20)
    assert people.text.endswith(f", {20 - people.shown} more")


LONG = ": " * 95


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("", ""),
        (f"{'long ' * 99}<a@a.example>", f"{('long ' * 8).strip()}… <a@a.example>"),
        (f"{'x' * 170}@a.example", f"{'x' * 170}@a.example"),
        (f"Ann <{'x' * 300}@a.example>", "Ann <…@a.example>"),
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
