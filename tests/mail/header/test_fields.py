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
        (b"A: 1\r\nB: 2\r\n\r\n", (("A", "1"), ("B", "2"))),
        (b"A: 1\rB: 2\r\rC: body", (("A", "1"), ("B", "2"))),
        (b"A: one\r\n two\r\n\tthree\r\n", (("A", "one two three"),)),
        (b"A: 1\r\nB: cut in the mid", (("A", "1"), ("B", "cut in the mid"))),
        (b"From ada Thu Nov  5 09:30:00 2026\r\nA: 1\r\n", (("A", "1"),)),
        (b" folded into nothing\r\nA: 1\r\n", (("A", "1"),)),
        (b"A: x\x00y\x07\r\n", (("A", "x y"),)),
        ("A: 予定".encode(), (("A", "予定"),)),
        (b"A: caf\xe9", (("A", "café"),)),
        (b"A: =?utf-8?Q?x=0D=0ABcc=3A_y=C2=85?=", (("A", "x Bcc: y"),)),
        (b"A: =?utf-8?Q?one?=\r\n =?utf-8?Q?two?=\r\n", (("A", "onetwo"),)),
        # Lone CRs: as Dovecot gives fields of a block without LF, and behind fields that a server added.
        (b"A: 1\rB: 2\r\rbody\rC: 3\r\n\r\n", (("A", "1"), ("B", "2"))),
        (b"A: 1\r\nX: 2\rA: 3\rB: 4\r\n\r\n", (("A", "1"), ("X", "2"), ("A", "3"), ("B", "4"))),
        (b"A: 1\r\nX: 2\rB: 3\r\rbody\rC: 4", (("A", "1"), ("X", "2"), ("B", "3"))),
        (b"A: one\rtwo: http\rhttp://a.example\r\n", (("A", "one"), ("two", "http http://a.example"))),
        (b"A: one\r two\r\rthree\r\nB: 2\r\n\r\n", (("A", "one two three"), ("B", "2"))),
    ],
)
def test_fields_come_in_order_and_on_one_line(octets: bytes, items: tuple[tuple[str, str], ...]) -> None:
    assert parse_headers(octets).items() == items


def test_names_compare_without_case_and_the_first_counts() -> None:
    headers = parse_headers(b"Received: 1\r\nX: =?utf-8?Q?y?=\r\nRECEIVED: 2\r\n")
    assert headers.get("received") == "1"
    assert headers.get_all("Received") == ("1", "2")
    assert headers.get("absent") == ""
    assert headers.get_all("absent") == ()
    assert headers.raw_all("x")[0] == "=?utf-8?Q?y?="
    assert headers.raw_all("X") == ("=?utf-8?Q?y?=",)


@pytest.mark.parametrize(
    ("octets", "defects"),
    [
        (b"A: 1\r\n", ()),
        (b"A: 1\r\nno colon here\r\n", (NOT_A_HEADER,)),
        (b"From ann@x.example Thu Nov  5 09:30:00 2026\r\nA: 1\r\n", ()),
        (b"two words: x\r\n: nameless\r\n", (NOT_A_HEADER,)),
        (b"A: caf\xe9\r\n", ("8-bit text without a charset",)),
        (b"A: =?x-no?Q?a?=\r\n", ("unknown charset",)),
        (b"A: 1\r\n" * HEADER_FIELDS_MAX + b"B: 2\r\n", (HEADERS_CUT,)),
    ],
)
def test_what_is_wrong_is_said(octets: bytes, defects: tuple[str, ...]) -> None:
    assert parse_headers(octets).defects == defects


@pytest.mark.parametrize(
    ("octets", "end"),
    [
        (b"A: 1\r\n\r\nbody", 8),
        (b"A: 1\r\rbody", 6),
        (b"A: 1\rB: 2\r\rbody\r\n\r\nmore", 11),
        (b"A: 1\r\nB: 2\r\rbody\r\n\r\nmore", 20),
    ],
)
def test_the_body_begins_after_the_empty_line(octets: bytes, end: int) -> None:
    assert header_end(octets) == end


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
