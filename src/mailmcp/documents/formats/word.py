"""DOCX: WordprocessingML (ECMA-376 part 1, clause 17) as paragraphs, lists and rows.

The document as it would read with all changes accepted: deletions and the places
where text was moved from are left out, and so is hidden text, which is counted.
"""

from collections.abc import Callable
from typing import BinaryIO, Final

from mailmcp.documents.archive import Archive
from mailmcp.documents.formats.word_part import PartReader
from mailmcp.documents.formats.word_styles import read_styles
from mailmcp.documents.writer import Writer

_NOTES: Final = ("footnotes", "endnotes", "comments")
_MARGINS: Final = frozenset({"header", "footer"})


def read(content: BinaryIO, out: Writer) -> None:
    """Write the body, then notes and comments, then each distinct line of headers and footers once.

    Raises:
        Refusal: It is no DOCX, or too large.
        StopReading: Enough was read.
    """
    archive = Archive(content, out)
    main = archive.main_part()
    relations = archive.relations(main)
    parts = dict(relations.values())
    styles = read_styles(archive.events(parts.get("styles", "")))
    body = PartReader(out.line, out.hide, styles, links={id_: path for id_, (_, path) in relations.items()})
    body.read(archive.events(main))
    for kind in _NOTES:
        PartReader(out.line, out.hide, styles).read(archive.events(parts.get(kind, "")))
    distinct = _distinct(out.line)
    for kind, path in relations.values():
        if kind in _MARGINS:
            PartReader(distinct, out.hide, styles).read(archive.events(path))


def _distinct(line: Callable[[str], None]) -> Callable[[str], None]:
    """Hand each line on once: every section has its own headers, which mostly say the same."""
    seen: set[str] = set()

    def once(text: str) -> None:
        if text not in seen:
            seen.add(text)
            line(text)

    return once
