"""Reads random messages with every function of `mailmcp.mail` that takes one, and says what went wrong.

Run as a program, so that the memory is its own: `python -m random_mail.reading SEED FIRST CASES`
writes one JSON object.
"""

import json
import re
import resource
import sys
import traceback
from collections.abc import Iterator
from random import Random

from mailmcp.mail.calendar.invitation import calendar_text
from mailmcp.mail.message import MessageView, parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts, list_attachments
from mailmcp.mail.mime.structure import Part, find_part, leaf_parts
from mailmcp.mail.notices import choose_notice_parts, read_notices
from mailmcp.mail.protection import protection_note
from mailmcp.mail.read import read_attached_message
from mailmcp.mail.text.body import BodyText, body_text
from mailmcp.mail.text.snippet import make_snippet
from random_mail.message import make_message

_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
_FORBIDDEN_IN_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SNIPPET_CHARS = 80


def read_whole(octets: bytes, *, complete: bool) -> None:
    """Read a message in every way; whatever is not as it must be raises AssertionError."""
    view = parse_message(octets, complete=complete)
    parts = list(_all_parts(view.structure))
    for part in parts:
        assert find_part(view.structure, part.part_id) is not None, part.part_id
        assert 0 <= part.size_octets <= len(octets), part
    here = {part.part_id: _octets_of(view, part) for part in parts if not part.is_multipart}
    text_parts = choose_text_parts(view.structure)
    body = body_text(text_parts, here)
    _check_text(body)
    for attachment in list_attachments(view.structure, text_parts):
        assert find_part(view.structure, attachment.part_id) is not None, attachment
        _check_lines(attachment.filename, attachment.subject, attachment.content_type)
    for notice in read_notices(choose_notice_parts(view.structure), here):
        _check_lines(*notice.fields, *notice.fields.values(), *notice.defects)
    for part in leaf_parts(view.structure):
        if part.is_calendar:
            _check_text(calendar_text(here[part.part_id], part))
        elif part.is_message:
            _check_text(read_attached_message(here[part.part_id]).body)
    protection_note(view.structure, body.text, clear_signed=body.clear_signed)
    assert len(make_snippet(body.text, _SNIPPET_CHARS)) <= _SNIPPET_CHARS
    json.dumps([body.text, view.defects], ensure_ascii=False).encode("utf-8")


def _all_parts(root: Part | None) -> Iterator[Part]:
    if root is not None:
        yield root
        for part in root.parts:
            yield from _all_parts(part)


def _octets_of(view: MessageView, part: Part) -> bytes:
    span = view.tree.spans[part.part_id]
    assert 0 <= span.start <= span.end <= len(view.octets), span
    return view.octets[span.start : span.end]


def _check_text(body: BodyText) -> None:
    found = _FORBIDDEN.search(body.text)
    assert found is None, f"{found!r} in the text"


def _check_lines(*lines: str) -> None:
    for line in lines:
        found = _FORBIDDEN_IN_LINE.search(line)
        assert found is None, f"{found!r} in {line!r}"


def main(seed: str, first: int, cases: int) -> dict[str, object]:
    """Read `cases` messages from number `first` on; each depends on the seed and its number alone."""
    read_whole(make_message(Random(seed)), complete=True)  # noqa: S311 - imports and tables are not what is measured
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    failures: list[dict[str, object]] = []
    for number in range(first, first + cases):
        random = Random(f"{seed} {number}")  # noqa: S311 - it must repeat
        octets = make_message(random)
        try:
            read_whole(octets, complete=True)
            read_whole(octets[: random.randrange(len(octets) + 1)], complete=False)
        except Exception:  # noqa: BLE001 - whatever it is, the case is told
            failures.append({"case": number, "error": traceback.format_exc(limit=-4)})
    # Kilobytes on Linux, octets on macOS.
    unit = 1 if sys.platform == "darwin" else 1_024
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit
    return {"failures": failures, "grown_octets": grown}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
