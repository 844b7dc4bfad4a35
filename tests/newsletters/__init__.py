"""Ten HTML-only mails, made in the ways of ten kinds of programs, and what a reading of them must hold."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.structure import leaf_parts
from mailmcp.mail.text.body import decode_part


@dataclass(frozen=True, slots=True, kw_only=True)
class Newsletter:
    """One of them."""

    name: str
    message: bytes
    html: str
    facts: Sequence[str]
    """What a reader would miss, in the order of the text."""

    absent: Sequence[str]
    """What no reader sees."""


def _load(path: Path) -> Newsletter:
    view = parse_message(path.read_bytes(), complete=True)
    [part] = leaf_parts(view.structure)
    html = decode_part(view.part_octets(part) or b"", part).text
    said = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return Newsletter(name=path.stem, message=view.octets, html=html, **said)


NEWSLETTERS = tuple(map(_load, sorted(Path(__file__).parent.glob("*.eml"))))
