"""The whole corpus in a real mailbox: every message and every part of it is to be had through the tools.

The files are compared with what Python's own parser makes of the same octets: it shares no
line with ours or the server's.
"""

import email
import json
from collections.abc import Iterator
from contextlib import suppress
from email.message import Message
from email.policy import compat32
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mcp_envelope import InvalidInputError, NotFoundError
from servers.dovecot import Dovecot
from thinning import thin
from tools.desk import Desk
from tools.files import get
from tools.stores import dovecot_store

CORPUS = {path.stem: path for path in sorted((Path(__file__).parents[2] / "corpus").glob("*.eml"))}
STORED = sorted(CORPUS.keys() - {"empty_message"})
"""Dovecot refuses a message without octets."""

TAKEN_APART_ELSEWHERE = {
    "nuls": "Dovecot gives another octet for the NUL in the subject",
    "utf_16le_undeclared": "Dovecot says us-ascii where no charset is declared",
    "boundary_inside_a_line": "Dovecot takes a line for a boundary that only begins like one",
    "boundary_used_twice": "Dovecot ends the inner multipart where the outer one ends",
    "similar_boundaries": "as boundary_inside_a_line",
    "boundary_without_quotes": "Dovecot ends such a boundary at an equals sign, and finds an empty part more",
}
"""Messages that the server has changed, or divides into other parts: what is shown is what it has."""

NAMED_ELSEWHERE = {"name_unclosed_quote": "Dovecot gives nothing of such a name"}

NOT_AS_PYTHON = TAKEN_APART_ELSEWHERE | {
    "base64_joined": "Python stops at the first padding",
    "base64_html_with_list_footer": "Python reads a footer as base64",
    "base64_unpadded_with_list_footer": "as base64_html_with_list_footer",
    "boundary_missing_parameter": "Python does not look for a boundary that was not declared",
    "boundary_wrong": "as boundary_missing_parameter",
    "broken_base64": "Python gives up decoding",
    "broken_headers": "Python ends the headers at the first line that is none",
    "nul_octets_not_encoded": "Dovecot replaces NUL by 0x80 (RFC 3501 section 4.3.1)",
    "forwarded_in_base64": "against RFC 2046 section 5.2.1; Python does not decode it",
    "comments_in_a_date": "Python ends the headers at a name with spaces behind it",
    "qp_soft_break_space": "Python knows no blanks behind a soft line break",
    "text_without_headers": "Dovecot takes the first paragraph for the header",
}
"""Messages whose octets Python's parser reads in another way."""

_AS_WRITTEN = compat32.clone(max_line_length=0)

MAILBOX = "Corpus"


class Walk(NamedTuple):
    """A desk, and the ids of the messages of the corpus by their names."""

    desk: Desk
    ids: dict[str, str]


@pytest.fixture(scope="module")
def corpus(dovecot: Dovecot) -> Iterator[Walk]:
    store = dovecot_store(dovecot, dovecot.user("corpus"))
    uids = store.fill(MAILBOX, [CORPUS[name].read_bytes() for name in STORED])
    with Desk([store.account]) as desk:
        validity = desk.search(mailbox=MAILBOX, limit=1).data["messages"][0]["uidvalidity"]
        ids = (f"imap:work:{MAILBOX}:{validity}:{uid}" for uid in uids)
        yield Walk(desk, dict(zip(STORED, ids, strict=True)))


def expected_of(name: str) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads(CORPUS[name].with_suffix(".json").read_text(encoding="utf-8"))
    return expected


@pytest.mark.parametrize(
    "name", thin(sorted(set(STORED) - TAKEN_APART_ELSEWHERE.keys() - NAMED_ELSEWHERE.keys()), keep_every=5)
)
def test_a_message_reads_as_it_does_without_a_server(corpus: Walk, name: str) -> None:
    message = corpus.desk.message(corpus.ids[name], quotes="keep", body_max_chars=100_000)
    expected = expected_of(name)
    assert message["subject"] == expected["subject"]
    assert (message["body_text"] or "") == expected["text"]
    shown = [(row["part_id"], row["filename"], row.get("subject") or "") for row in message["attachments"]]
    assert shown == [(row["part_id"], row["filename"], row["subject"]) for row in expected["attachments"]]


NO_FIELDS = {"bare_cr_behind_crlf", "bare_cr_received"}
"""Dovecot finds no fields behind a bare CR."""


def test_every_row_says_what_its_message_says(corpus: Walk) -> None:
    rows: dict[str, dict[str, Any]] = {}
    cursor: dict[str, object] = {"mailbox": MAILBOX, "limit": 100}
    while cursor:
        page = corpus.desk.search(**cursor)
        rows |= {row["message_id"]: row for row in page.data["messages"]}
        cursor = {"cursor": page.data["next_cursor"]} if page.data["has_more"] else {}
    assert set(rows) == set(corpus.ids.values())
    for name, message_id in corpus.ids.items():
        if name in NO_FIELDS:
            continue
        row, message = rows[message_id], corpus.desk.message(message_id)
        for key in ("from", "subject", "date"):
            said = message[key]
            assert row[key] == said or (said.startswith(row[key].removesuffix("…")) and len(said) > 200), name


@pytest.mark.parametrize("name", thin(STORED, keep_every=5))
def test_every_part_can_be_fetched(corpus: Walk, name: str) -> None:
    desk, message_id = corpus.desk, corpus.ids[name]
    known = parts_by_python(email.message_from_bytes(CORPUS[name].read_bytes()))
    listed = [row["part_id"] for row in desk.message(message_id)["attachments"]]
    named = part_ids(desk, message_id)
    assert set(listed) <= set(named) or len(named) == 50
    for part_id in dict.fromkeys([*listed, *named]):
        with suppress(InvalidInputError):  # a part without text
            assert "text" in get(desk, message_id, part_id).data, part_id
        (file,) = get(desk, message_id, part_id, mode="content").outcome.embedded
        if name not in NOT_AS_PYTHON:
            assert same_lines(file.octets) == same_lines(known[part_id]), part_id


def test_parts_that_servers_see_in_an_encoded_message_are_not_offered(corpus: Walk) -> None:
    message_id = corpus.ids["forwarded_in_base64"]
    assert part_ids(corpus.desk, message_id) == ["1", "2"]
    with pytest.raises(NotFoundError):
        get(corpus.desk, message_id, "2.1")


def part_ids(desk: Desk, message_id: str) -> list[str]:
    """Ask for a part that there is not: the error names those that are."""
    with pytest.raises(NotFoundError) as caught:
        get(desk, message_id, "9999")
    part_ids = caught.value.details["part_ids"]
    assert isinstance(part_ids, list)
    return part_ids


def same_lines(octets: bytes) -> bytes:
    """End all lines alike: Dovecot stores CRLF, Python writes LF; a last one may be the boundary's."""
    return octets.replace(b"\r\n", b"\n").replace(b"\r", b"\n").strip(b"\n")


def parts_by_python(message: Message) -> dict[str, bytes]:
    """Number the parts as IMAP does (RFC 9051 section 6.4.5.1), and decode the leaves."""
    return dict(_body(message, ""))


def _body(message: Message, above: str) -> Iterator[tuple[str, bytes]]:
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        yield from _children(message, above)
    else:
        yield from _part(message, f"{above}1")


def _children(message: Message, above: str) -> Iterator[tuple[str, bytes]]:
    for number, child in enumerate(message.get_payload(), start=1):
        assert isinstance(child, Message)
        yield from _part(child, f"{above}{number}")


def _part(part: Message, part_id: str) -> Iterator[tuple[str, bytes]]:
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        yield from _children(part, f"{part_id}.")
        return
    if part.is_multipart():  # a message inside, or the blocks of a report
        inside = [each for each in part.get_payload() if isinstance(each, Message)]
        yield part_id, b"".join(each.as_bytes(policy=_AS_WRITTEN) for each in inside)
        if part.get_content_type() == "message/rfc822":
            yield from _body(inside[0], f"{part_id}.")
        return
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    yield part_id, content
