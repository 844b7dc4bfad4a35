"""What the octets of a message prove of a search: its header fields, its attachments.

Given to `mailmcp.imap.search.run`, which knows no mail, as functions.
"""

from collections.abc import Iterator

from mailmcp.imap.search.verify import Proofs
from mailmcp.mail.header.address import format_address, parse_addresses
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.mime.body_parts import list_files
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.text.snippet import normalize_words
from mailmcp.model.query import SearchQuery

_NO_BRACKETS = str.maketrans(dict.fromkeys('<>()"\\', " "))


def prove_headers(octets: bytes, criteria: SearchQuery) -> bool:
    """Tell whether header fields hold what is asked of them; case does not matter.

    A text is held if it stands in a decoded field, in the name and address of one of its
    mailboxes, or in the field as it was sent; a Message-ID if it is the field. Brackets and
    quotes around addresses and names do not matter. `octets` are a header block.
    """
    headers = parse_headers(octets)
    asked = (
        (criteria.from_, ("From",)),
        (criteria.to, ("To",)),
        (criteria.cc, ("Cc",)),
        (criteria.subject, ("Subject",)),
        (criteria.any_address, ("From", "To", "Cc")),
    )
    message_id = _bare(criteria.header_message_id)
    if message_id and _bare(headers.get("Message-ID")) != message_id:
        return False
    return all(_holds(headers, names, text) for text, names in asked if text)


def _bare(message_id: str) -> str:
    """Give a Message-ID, which is compared as a whole, without its angle brackets."""
    return message_id.strip().removeprefix("<").removesuffix(">").casefold()


def _holds(headers: Headers, names: tuple[str, ...], text: str) -> bool:
    brackets = _NO_BRACKETS if names != ("Subject",) and text.translate(_NO_BRACKETS).strip() else {}
    wanted = _comparable(text.translate(brackets))
    forms = (form.translate(brackets) for name in names for form in _forms(headers, name))
    return any(wanted in _comparable(form) for form in forms)


def _forms(headers: Headers, name: str) -> Iterator[str]:
    yield from headers.get_all(name)
    raw = headers.raw_all(name)
    yield from raw
    if name in {"From", "To", "Cc"}:
        yield from map(format_address, parse_addresses(*raw))


def _comparable(text: str) -> str:
    return " ".join(normalize_words(text).casefold().split())


def has_attachments(body_structure: object) -> bool:
    """Tell whether a message has a part that a person would call a file.

    Args:
        body_structure: As `FetchedMessage.body_structure`; one that cannot be read has none.
    """
    return bool(list_files(parse_body_structure(body_structure).root))


PROOFS = Proofs(headers=prove_headers, attachment=has_attachments)
