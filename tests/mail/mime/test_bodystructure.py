"""Parsed as in production: a server's line through IMAPClient's parser."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imapclient.response_parser import parse_response
from imapclient.response_types import BodyData

from mailmcp.limits import STRUCTURE_DEPTH_MAX, STRUCTURE_PARTS_MAX
from mailmcp.mail.mime.bodystructure import PART_UNREADABLE, parse_body_structure
from mailmcp.mail.mime.structure import TOO_DEEP, TOO_MANY, Part, Structure, find_part, leaf_parts


def parse(line: bytes) -> Structure:
    return parse_body_structure(parse_response([line])[0])


def outline(part: Part) -> list[tuple[str, str]]:
    return [(part.part_id, part.content_type), *(line for child in part.parts for line in outline(child))]


@pytest.mark.parametrize(
    ("imap_envelope", "subject"),
    [
        (b"NIL", ""),
        (b'("date")', ""),
        (b'("date" NIL)', ""),
        (b'(NIL "=?utf-8?Q?Gr=C3=BC=C3=9Fe?= an alle")', "Grüße an alle"),
        (b'(NIL "Re: berth 12" NIL NIL NIL NIL NIL NIL NIL NIL)', "Re: berth 12"),
    ],
)
def test_an_attached_message_has_its_subject(imap_envelope: bytes, subject: str) -> None:
    line = b'("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 9 %s ("TEXT" "PLAIN" NIL NIL NIL "7BIT" 2 1) 3)'
    root = parse(line % imap_envelope).root
    assert root is not None
    assert root.subject == subject
    assert [part.part_id for part in root.parts] == ["1.1"]


PDF = Part(part_id="1", content_type="application/pdf", encoding="base64", size_octets=8)
TEXT = Part(part_id="1", content_type="text/plain", size_octets=12)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (
            b'("TEXT" "PLAIN" ("CHARSET" "ASCII") NIL NIL "7BIT" 12 1)',
            replace(TEXT, params={"charset": "ASCII"}),
        ),
        (
            b'("application" "pdf" NIL NIL NIL "base64" 8 NIL "attachment")',
            replace(PDF, disposition="attachment"),
        ),
    ],
)
def test_single_parts_are_part_1(line: bytes, part: Part) -> None:
    assert parse(line) == Structure(root=part)


@pytest.mark.parametrize(
    ("line", "expected", "defects"),
    [
        (b'("text" "plain")', [("1", "text/plain")], (PART_UNREADABLE,)),
        (b'("text" "plain" NIL NIL NIL "7bit" NIL 1)', [("1", "text/plain")], (PART_UNREADABLE,)),
        (b'("message" "rfc822" NIL NIL NIL "7bit" 5 NIL NIL 1)', [("1", "message/rfc822")], ()),
    ],
)
def test_what_servers_leave_out_is_done_without(
    line: bytes, expected: list[tuple[str, str]], defects: tuple[str, ...]
) -> None:
    structure = parse(line)
    assert structure.root is not None
    assert outline(structure.root) == expected
    assert structure.defects == defects


def test_imapclients_own_form_is_read_too() -> None:
    """`BodyData` holds the children in a list."""
    leaf = (b"text", b"plain", None, None, None, b"7bit", 3, 1)
    structure = parse_body_structure(BodyData.create((leaf, leaf, b"mixed", None)))
    assert structure.root is not None
    assert [part.part_id for part in structure.root.parts] == ["1", "2"]


def test_nesting_is_bounded() -> None:
    raw: object = (b"text", b"plain", None, None, None, b"7bit", 3, 1)
    for _ in range(5_000):
        raw = (raw, b"mixed")
    structure = parse_body_structure(raw)
    assert structure.root is not None
    assert len(outline(structure.root)) == STRUCTURE_DEPTH_MAX
    assert structure.defects == (TOO_DEEP,)


def test_the_number_of_parts_is_bounded() -> None:
    leaf = (b"text", b"plain", None, None, None, b"7bit", 3, 1)
    structure = parse_body_structure((*([leaf] * 5_000), b"mixed"))
    assert structure.root is not None
    assert len(outline(structure.root)) == STRUCTURE_PARTS_MAX
    assert structure.defects == (TOO_MANY,)


_WORDS = st.sampled_from(b"text plain html message rfc822 mixed inline attachment charset \xff".split())
_ATOMS = st.none() | st.integers(-5, 2**70) | _WORDS | st.binary(max_size=6)
_LEAVES = st.tuples(_WORDS, _WORDS, _ATOMS, _ATOMS, _ATOMS, _ATOMS, _ATOMS)
_TREES = st.recursive(
    _ATOMS | _LEAVES, lambda inner: st.lists(inner | _LEAVES, max_size=10).map(tuple), max_leaves=40
)


@given(raw=_TREES)
def test_any_nest_of_tuples_is_read_without_an_error(raw: object) -> None:
    structure = parse_body_structure(raw)
    assert structure.root is not None or structure.defects
    ids = [part.part_id for part in leaf_parts(structure.root)]
    assert len(ids) == len(set(ids))
    assert all(find_part(structure.root, part_id) is not None for part_id in ids)
