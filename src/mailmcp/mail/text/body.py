"""The text of a message: from its plain text parts if they have it, else from HTML.

Which parts are the text is up to `mailmcp.mail.mime.body_parts`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from mailmcp.mail.charset.decode import Decoded, decode_text
from mailmcp.mail.clean import clean_text, is_blank
from mailmcp.mail.html.declared_charset import find_declared_charset
from mailmcp.mail.mime.body_parts import TextParts
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.mime.transfer import WIDE_CHARSETS, decode_transfer, is_identity
from mailmcp.mail.removed_content import Removed
from mailmcp.mail.text.plain import read_clear_signed, replace_uuencoded, unflow
from mailmcp.mail.text.smime import open_signed
from mailmcp.mail.text.stub import is_stub, may_be_stub

if TYPE_CHECKING:
    from mailmcp.mail.html.convert import HtmlText

MISSING_TEXT: Final = "text part is missing"

BROKEN_SIGNED_DATA: Final = "signed data cannot be read"
UNLABELLED_HTML: Final = "HTML labelled as plain text"
NULS_LOST: Final = "NUL octets may be lost: the server sends 0x80 in their place"
"""Dovecot's BODY can't hold NUL. In the charsets where most letters contain one, it can be put back."""


_HTML_START: Final = re.compile(r"\s*(?:<!doctype html\b|<html[\s>])", re.IGNORECASE)
_LINE_END: Final = re.compile(r"\r\n|\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyText:
    """The text of a message."""

    text: str
    """Readable text, with an empty line between different parts; "" if there is none."""

    html: tuple[str, ...]
    """Sources of the HTML parts, not sanitized. Each is a document of its own."""

    from_html: bool
    """Whether any of `text` was converted from HTML."""

    removed: Removed
    links: tuple[str, ...] = ()
    """The targets that have a number in `text` (`[1]`), in order."""

    clear_signed: bool = False
    """Whether a cleartext OpenPGP signature was removed from `text`."""

    defects: tuple[str, ...] = ()


def decode_part(octets: bytes, part: Part) -> Decoded:
    """Decode the content of a text part.

    Args:
        octets: Still transfer-encoded; may be cut.
        part: Its encoding, charset and format.

    Returns:
        Text with newlines, and with format=flowed paragraphs joined (RFC 3676). Invisible
        characters and HTML are still in it.
    """
    if part.is_opaque_signed:  # its text has parts of its own, if it can be opened
        return Decoded(text="", defects=(BROKEN_SIGNED_DATA,) if part.is_declared_signed else ())
    content = decode_transfer(octets, part.encoding)
    charset = part.charset
    if not charset and part.is_html:
        charset = find_declared_charset(content.octets)
    octets, defects = content.octets, content.defects
    is_wide = charset.startswith(WIDE_CHARSETS) and is_identity(part.encoding)
    if is_wide and b"\x80" in octets and b"\0" not in octets:
        octets, defects = octets.replace(b"\x80", b"\0"), (*defects, NULS_LOST)
    decoded = decode_text(octets, charset)
    text = _LINE_END.sub("\n", decoded.text)
    if part.content_type == "text/plain" and part.params.get("format", "").lower() == "flowed":
        text = unflow(text, delete_space=part.params.get("delsp", "").lower() == "yes")
    if content.before or content.after:
        pieces = (_plain(content.before, part), text, _plain(content.after, part))
        text = "\n".join(piece.strip("\n") for piece in pieces if piece.strip())
    return Decoded(text=text, defects=(*defects, *decoded.defects))


def _plain(octets: bytes, part: Part) -> str:
    """Decode the plain text around encoded text, in whatever charset a mailing list writes."""
    text = _LINE_END.sub("\n", decode_text(octets, "").text)
    return f"<pre>{escape(text)}</pre>" if text and part.is_html else text


def _is_stub(sources: Mapping[str, str], text_parts: TextParts, cut: frozenset[str]) -> bool:
    """Return whether the HTML has what the plain text should say."""
    shown = {part.part_id for part in text_parts.html}
    own = [part for part in text_parts.plain if part.part_id not in shown]
    read = {part.part_id for part in text_parts.plain}
    others = [part for part in text_parts.html if part.part_id not in read and part.part_id in sources]
    if (
        not own
        or not any(part.is_html for part in others)
        or not sources.keys() >= {each.part_id for each in own}
    ):
        return False
    plain = "\n".join(sources[part.part_id] for part in own)
    if not may_be_stub(plain, "".join(sources[part.part_id] for part in others)):
        return False
    from mailmcp.mail.html.convert import html_to_text  # noqa: PLC0415 - as in `body_text`

    html = "\n".join(
        html_to_text(sources[part.part_id]).text if part.is_html else sources[part.part_id] for part in others
    )
    return is_stub(plain, html, html_is_cut=not cut.isdisjoint(part.part_id for part in others))


def body_text(
    text_parts: TextParts,
    octets: Mapping[str, bytes],
    *,
    cut: frozenset[str] = frozenset(),
    full_links: bool = False,
) -> BodyText:
    """Read the text of a message from the content of its text parts.

    Args:
        text_parts: From `choose_text_parts`.
        octets: Content by part id, still transfer-encoded, each possibly cut. Missing parts are
            skipped, with a defect if they were needed.
        cut: Ids of the parts that are cut, if that is known.
        full_links: Whether to write long links as they are, where there is no place for `links`.

    Returns:
        The plain text if it is neither blank nor a stub, else text from HTML.
    """
    text_parts, octets = open_signed(text_parts, octets)
    sources = {
        part.part_id: decode_part(octets[part.part_id], part)
        for part in text_parts.all
        if part.part_id in octets
    }
    chosen = text_parts.plain
    if all(is_blank(sources[part.part_id].text) for part in chosen if part.part_id in sources) or (
        _is_stub({part_id: source.text for part_id, source in sources.items()}, text_parts, cut)
    ):
        chosen = text_parts.html or chosen
    texts: list[str] = []
    defects: list[str] = []
    converted: list[HtmlText] = []
    invisible, clear_signed = 0, False
    for part in chosen:
        source = sources.get(part.part_id)
        if source is None:
            defects.append(MISSING_TEXT)
            continue
        defects.extend(source.defects)
        unlabelled = not part.is_html and _HTML_START.match(source.text) is not None
        if unlabelled:
            defects.append(UNLABELLED_HTML)
        if unlabelled or part.is_html:
            # Imported here: most searches read no HTML, and it is a quarter of what they would load.
            from mailmcp.mail.html.convert import html_to_text  # noqa: PLC0415

            first = 1 + sum(len(each.links) for each in converted)
            converted.append(html_to_text(source.text, first_link=first, full_links=full_links))
            texts.append(converted[-1].text)
        else:
            text, signed = read_clear_signed(source.text)
            clear_signed = clear_signed or signed
            cleaned = clean_text(replace_uuencoded(text))
            invisible += cleaned.removed
            texts.append(cleaned.text)
    html_ids = [part.part_id for part in text_parts.html if part.is_html]
    return BodyText(
        text="\n\n".join(text.strip("\n").rstrip() for text in texts if text.strip()),
        html=tuple(sources[part_id].text for part_id in html_ids if part_id in sources),
        from_html=bool(converted),
        removed=Removed.total([Removed(invisible=invisible), *(each.removed for each in converted)]),
        links=tuple(target for each in converted for target in each.links),
        clear_signed=clear_signed,
        defects=tuple(dict.fromkeys(defects)),
    )
