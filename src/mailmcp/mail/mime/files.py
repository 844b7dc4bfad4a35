"""The parts of a message that a person would call a file.

Fewer than the attachments that can be fetched: images of the HTML, signatures, alternatives
of the text such as an invitation's calendar, and the parts of a report are left out. So
"has an attachment" means what a person who reads the message sees.
"""

from collections.abc import Iterator
from typing import Final

from mailmcp.mail.mime.structure import REPORT_TYPES, Part
from mailmcp.mail.mime.text_parts import choose_text_parts

_NEVER: Final = REPORT_TYPES | frozenset(
    {
        "application/pkcs7-signature",
        "application/x-pkcs7-signature",
        "application/pgp-signature",
        "application/pgp-encrypted",
        "application/ms-tnef",
        "text/rfc822-headers",
    }
)
"""Signatures and wrappings, which mail programs hide or take apart, and what reports are made of."""


def list_files(root: Part | None) -> tuple[Part, ...]:
    """List the leaves that a person would call a file; in order.

    A leaf is one if it has a file name or the disposition "attachment", or if it is a whole
    message inside; it is none if it is text of the message, an image that the HTML shows
    (of multipart/related, with a Content-ID), an alternative to the text without a file
    name, or one of the types above. A multipart/report has none. A message of one part that is
    no text is a file.
    """
    if root is None:
        return ()
    texts = {part.part_id for part in choose_text_parts(root).all}
    return tuple(part for part in _candidates(root, "") if part.part_id not in texts)


def _candidates(part: Part, parent_type: str) -> Iterator[Part]:
    if part.content_type == "multipart/report":
        return
    if part.is_multipart:
        for child in part.parts:
            yield from _candidates(child, part.content_type)
    elif _is_file(part, parent_type):
        yield part


def _is_file(part: Part, parent_type: str) -> bool:
    if part.content_type in _NEVER:
        return False
    if parent_type == "multipart/related" and part.content_id and part.content_type.startswith("image/"):
        return False
    if parent_type == "multipart/alternative":
        return bool(part.filename) and part.disposition == "attachment"
    alone = not parent_type  # the whole message, whose text it is not
    return alone or bool(part.filename) or part.disposition == "attachment" or part.is_message
