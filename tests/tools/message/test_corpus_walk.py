"""The whole corpus in a real mailbox: every message and every part of it is to be had through the tools."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.structure import find_part
from mailmcp.mail.mime.transfer import decode_transfer
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


@pytest.mark.parametrize("name", thin(sorted(set(STORED) - TAKEN_APART_ELSEWHERE.keys()), keep_every=5))
def test_every_part_can_be_fetched(corpus: Walk, name: str) -> None:
    desk, message_id = corpus.desk, corpus.ids[name]
    view = parse_message(CORPUS[name].read_bytes(), complete=True)
    listed = [row["part_id"] for row in desk.message(message_id)["attachments"]]
    named = part_ids(desk, message_id)
    assert set(listed) <= set(named)
    for part_id in named[:50]:
        with suppress(InvalidInputError):  # a part without text
            assert "text" in get(desk, message_id, part_id).data, part_id
        (file,) = get(desk, message_id, part_id, mode="content").outcome.embedded
        part = find_part(view.structure, part_id)
        assert part is not None, part_id
        octets = decode_transfer(view.part_octets(part) or b"", part.encoding).octets
        assert same_lines(file.octets) == same_lines(octets), part_id


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
    """End all lines alike: Dovecot stores CRLF, and 0x80 for NUL; a last one may be the boundary's."""
    return octets.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\0", b"\x80").strip(b"\n")
