"""Zips, honest and not."""

import io
import struct
import zipfile

import pytest

from documents.documents import relations, zipped
from documents.reading import writer
from mailmcp import limits
from mailmcp.documents.archive import Archive
from mailmcp.documents.extraction import Cause, UnreadableError
from mailmcp.documents.xml_elements import XML_DEPTH_MAX


def _open(content: bytes) -> Archive:
    return Archive(io.BytesIO(content), writer())


def _refusal(content: bytes, name: str = "a.xml") -> Cause:
    with pytest.raises(UnreadableError) as refused:
        list(_open(content).elements(name))
    return refused.value.cause


def _patched(content: bytes, *, declared: int) -> bytes:
    """Let the directory declare another size of the first entry."""
    place = content.index(b"PK\x01\x02") + 24
    return content[:place] + struct.pack("<I", declared) + content[place + 4 :]


def test_targets_cannot_leave_the_archive() -> None:
    archive = _open(
        zipped({"a/_rels/b.xml.rels": relations(("1", "k", "../../../etc/x"), ("2", "k", "/c.xml"))})
    )
    assert archive.relations("a/b.xml") == {"1": ("k", "etc/x"), "2": ("k", "c.xml")}


def test_what_declares_too_much_is_refused() -> None:
    """Ten gigabytes in a few octets."""
    bomb = _patched(zipped({"a.xml": "<a/>"}), declared=limits.ARCHIVE_OCTETS_MAX + 1)
    assert _refusal(bomb) is Cause.TOO_LARGE


def test_what_declares_too_little_ends_early() -> None:
    """A hundred megabytes that claim to be five octets: no more than those are unpacked."""
    bomb = _patched(zipped({"a.xml": "<a>  " + " " * 100_000_000 + "</a>"}), declared=5)
    with pytest.raises(zipfile.BadZipFile, match="CRC"):
        list(_open(bomb).elements("a.xml"))


def test_encrypted_entries_are_said_to_be() -> None:
    content = bytearray(zipped({"a.xml": "<a/>"}))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert _refusal(bytes(content)) is Cause.ENCRYPTED


def test_a_document_type_is_refused() -> None:
    assert _refusal(zipped({"a.xml": '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'})) is Cause.MALFORMED


def test_elements_that_nest_too_deeply_are_refused() -> None:
    depth = XML_DEPTH_MAX + 1
    assert _refusal(zipped({"a.xml": "<a>" * depth + "</a>" * depth})) is Cause.MALFORMED
