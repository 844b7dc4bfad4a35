import pytest

from mailmcp.mail.header.fields import (
    HEADER_FIELD_OCTETS_MAX,
    HEADER_FIELDS_MAX,
    HEADERS_CUT,
    NOT_A_HEADER,
    header_end,
    parse_headers,
)


@pytest.mark.parametrize(
    ("octets", "items"),
    [
        (b"", ()),
        (b"\r\n", ()),
        (b"A: 1\rB: 2\r\rC: body", (("A", "1"), ("B", "2"))),
        (b"A: 1\r\nB: cut in the mid", (("A", "1"), ("B", "cut in the mid"))),
        (b" folded into nothing\r\nA: 1\r\n", (("A", "1"),)),
        ("A: 予定".encode(), (("A", "予定"),)),
        (b"A: =?utf-8?Q?x=0D=0ABcc=3A_y=C2=85?=", (("A", "x Bcc: y"),)),
        # Lone CRs: as Dovecot gives fields of a block without LF, and behind fields that a server added.
        (b"A: 1\rB: 2\r\rbody\rC: 3\r\n\r\n", (("A", "1"), ("B", "2"))),
        (b"A: 1\r\nX: 2\rA: 3\rB: 4\r\n\r\n", (("A", "1"), ("X", "2"), ("A", "3"), ("B", "4"))),
        (b"A: one\rtwo: http\rhttp://a.example\r\n", (("A", "one"), ("two", "http http://a.example"))),
    ],
)
def test_fields_come_in_order_and_on_one_line(octets: bytes, items: tuple[tuple[str, str], ...]) -> None:
    assert parse_headers(octets).items() == items


@pytest.mark.parametrize(
    ("octets", "defects"),
    [
        (b"A: 1\r\n", ()),
        (b"A: 1\r\nno colon here\r\n", (NOT_A_HEADER,)),
        (b"two words: x\r\n: nameless\r\n", (NOT_A_HEADER,)),
        (b"A: =?x-no?Q?a?=\r\n", ("unknown charset",)),
        (b"A: 1\r\n" * HEADER_FIELDS_MAX + b"B: 2\r\n", (HEADERS_CUT,)),
    ],
)
def test_what_is_wrong_is_said(octets: bytes, defects: tuple[str, ...]) -> None:
    assert parse_headers(octets).defects == defects


def test_what_is_too_long_is_cut_and_what_follows_is_read() -> None:
    recipients = b",\r\n ".join(b"r%d@a.example" % number for number in range(30_000))
    headers = parse_headers(b"To: %b\r\nCc: c@a.example\r\nSubject: behind\r\n\r\n" % recipients)
    assert headers.get("Subject") == "behind"
    assert headers.is_cut("to")
    assert not headers.is_cut("Cc")
    assert not headers.is_cut("Bcc")
    assert 0.9 * HEADER_FIELD_OCTETS_MAX < len(headers.get("To")) <= HEADER_FIELD_OCTETS_MAX


@pytest.mark.parametrize("piece", [b"\r", b"\n", b"\r\r\n", b"A:\r", b"\rA: ", b" \n", b"\x00", b"=?a?q?"])
def test_hostile_blocks_are_read_in_linear_time(piece: bytes) -> None:
    """What is quadratic would not end within the test's timeout."""
    block = piece * (2_000_000 // len(piece))
    assert header_end(block) <= len(block)
    assert len(parse_headers(b"A: 1\r\n" + block).fields) <= HEADER_FIELDS_MAX
