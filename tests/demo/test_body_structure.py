"""BODYSTRUCTURE as RFC 9051 section 7.5.2 writes it."""

import pytest
from pymap.mime import MessageContent
from pymap.parsing.response.fetch import EnvelopeStructure

from mailmcp.demo.body_structure import make_body_structure


def describe(message: str) -> str:
    content = MessageContent.parse(message.replace("\n", "\r\n").encode())
    structure = make_body_structure(content, lambda _: EnvelopeStructure.empty())
    return bytes(structure.extended).decode()


def test_size_and_lines_are_those_of_the_body() -> None:
    assert describe("Content-Type: text/html; charset=utf-8\n\n<p>\n</p>\n") == (
        '("text" "html" ("charset" "utf-8") NIL NIL "7BIT" 11 2 NIL NIL NIL NIL)'
    )


def test_disposition_is_a_list() -> None:
    described = describe('Content-Type: image/png\nContent-Disposition: inline; filename="a b.png"\n\nx\n')
    assert described.endswith('NIL ("inline" ("filename" "a b.png")) NIL NIL)')


def test_disposition_without_parameters() -> None:
    assert '("attachment" NIL)' in describe("Content-Type: image/png\nContent-Disposition: attachment\n\nx\n")


@pytest.mark.parametrize("header", ["", "Content-Disposition:\n"])
def test_no_disposition_is_nil(header: str) -> None:
    assert describe(f"Content-Type: image/png\n{header}\nx\n").endswith("3 NIL NIL NIL NIL)")


def test_file_names_of_other_alphabets_stay_extended_parameters() -> None:
    """RFC 2231: as the header has them, and as servers that do not decode pass them on."""
    described = describe(
        "Content-Type: text/csv\nContent-Disposition: attachment; filename*=utf-8''%C3%9Cber.csv\n\nx\n"
    )
    assert '("filename*" "utf-8\'\'%C3%9Cber.csv")' in described


def test_message_within_has_envelope_structure_and_lines() -> None:
    described = describe("Content-Type: message/rfc822\n\nSubject: inner\n\nhello\n")
    empty = " ".join(["NIL"] * 10)
    inner = '("text" "plain" NIL NIL NIL "7BIT" 7 1 NIL NIL NIL NIL)'
    assert described == f'("message" "rfc822" NIL NIL NIL "7BIT" 25 ({empty}) {inner} 3 NIL NIL NIL NIL)'


def test_parts_come_before_the_subtype() -> None:
    """The line end before a boundary counts as the part's, as in the octets pymap serves of it."""
    described = describe(
        "Content-Type: multipart/mixed; boundary=b\nContent-Disposition: inline\n\n--b\n\none\n--b\n"
        "Content-Type: application/pdf\n\ntwo\n--b--\n"
    )
    assert described == (
        '(("text" "plain" NIL NIL NIL "7BIT" 5 1 NIL NIL NIL NIL)'
        '("application" "pdf" NIL NIL NIL "7BIT" 5 NIL NIL NIL NIL)'
        ' "mixed" ("boundary" "b") ("inline" NIL) NIL NIL)'
    )


def test_multipart_without_parts_has_an_empty_one() -> None:
    """The syntax has no multipart without parts; clients would fail on pymap's."""
    assert describe("Content-Type: multipart/mixed\n\nnothing\n") == (
        '(("text" "plain" NIL NIL NIL "7BIT" 0 0 NIL NIL NIL NIL) "mixed" NIL NIL NIL NIL)'
    )
