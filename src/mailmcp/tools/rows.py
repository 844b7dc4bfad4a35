"""One message in a list: what to fetch for it, and its row of data."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from pydantic import Field

from mailmcp import limits
from mailmcp.imap.fetch import id_items
from mailmcp.imap.rows import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.mail.calendar.invitation import invitation_method
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import is_seen_whole
from mailmcp.mail.header.dates import format_rfc3339, parse_date
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.mime.body_parts import list_files
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.people import people_of
from mailmcp.mail.text.snippet import ELLIPSIS, make_snippet, make_snippet_around
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment_row import FirstAttachments, file_name, first_attachments
from mailmcp.tools.evidence import SearchTerms, find_evidence, text_octets, text_of
from mailmcp.tools.people import SentMail, addresses_of
from mailmcp.tools.published import Row, Strings

ROW_PLACES_MAX: Final = 5
"""Other mailboxes named in a row: Gmail shows a message under each of its labels."""

_FIELDS = "DATE FROM TO SUBJECT MESSAGE-ID"
_TEXT_FIELDS = "CC MIME-VERSION CONTENT-TYPE CONTENT-TRANSFER-ENCODING"
"""To say where words were found, and to read the first octets of TEXT."""

_NOTHING = SearchTerms()
_ANYONES = SentMail()
_ARRIVED_LATE_S = 2 * 86_400
"""A later message may have been imported. Delayed mail arrives earlier than that."""


class ListedRow(Row):
    """One message of a list: its id, and what the id doesn't say."""

    message_id: str
    date: str
    """RFC 3339; "" if unknown."""

    arrived: str | None = None
    """When the server received it, if that is another day. Searches by time go by it by default.

    If the Date header can't be read, `date` is the same.
    """

    from_: str = Field(alias="from")
    suspicions: Strings | None = None
    """What makes the sender look like someone else, as in imap_get_message."""

    to: str | None = None
    """Set if the account's owner wrote the message."""

    subject: str
    flags: Strings
    attachments: FirstAttachments | None = None
    attachments_total: int | None = None
    """If there are more."""

    attachments_unknown: bool | None = None
    """Whether the server's list of the parts can't be read."""

    invitation: str | None = None
    """The method (RFC 5546)."""

    places: Strings | None = None
    """Ids of copies."""


class LeanMessageRow(ListedRow):
    """One message that a search found."""

    when: str | None = None
    """When the invitation is for; only in a search for invitations."""

    replaced_by: str | None = None
    """The id of a message on this page that has a newer version of the invitation."""

    not_delivered_to: Strings | None = None
    """The recipients that a delivery report is about, if their mail came back."""

    matched_in: Strings | None = None
    snippet: str | None = None


class MessageRow(LeanMessageRow):
    """The same with what the id says as fields, for programs that don't parse ids."""

    message_uri: str
    message_raw_uri: str
    mailbox: str
    uidvalidity: int
    uid: int
    size_bytes: int | None = None
    has_attachments: bool | None = None
    header_message_id: str | None = None
    email_id: str | None = None


def row_items(*, snippets: bool, terms: SearchTerms = _NOTHING) -> Callable[[Session], Sequence[str]]:
    """Choose what to fetch for a row: header fields and the structure, never whole messages.

    The server's PREVIEW (RFC 8970) is never used: it shows what HTML hides.
    """

    def items(session: Session) -> Sequence[str]:
        chosen = ["UID", "FLAGS", "INTERNALDATE", "RFC822.SIZE", "BODYSTRUCTURE", *id_items(session)]
        if snippets:
            text = f"BODY.PEEK[TEXT]<0.{text_octets(terms)}>"
            return [*chosen, f"BODY.PEEK[HEADER.FIELDS ({_FIELDS} {_TEXT_FIELDS})]", text]
        return [*chosen, f"BODY.PEEK[HEADER.FIELDS ({_FIELDS})]"]

    return items


def build_row(
    ref: MessageRef,
    fetched: FetchedMessage,
    *,
    snippet_chars: int = 0,
    terms: SearchTerms = _NOTHING,
    places: Sequence[MessageRef] = (),
    sent_mail: SentMail = _ANYONES,
) -> MessageRow:
    """Build the row of a message from what `row_items` requested, or some of it.

    `snippet_chars` 0 leaves out the snippet and `matched_in`; `places` are those of its copies.
    """
    headers = parse_headers(fetched.sections.get("HEADER.FIELDS", b""))
    structure = parse_body_structure(fetched.body_structure)
    parts = list_files(structure.root)
    files = tuple(map(file_name, parts))
    may_have_files = bool(structure.defects) and not parts
    written, received = parse_date(headers.get("Date")), fetched.internaldate_epoch
    arrived = arrived_instead(headers, fetched)
    if written and received is not None and abs(received - written.timestamp()) >= _ARRIVED_LATE_S:
        arrived = format_rfc3339(datetime.fromtimestamp(received, UTC))
    copies = [each.message_id for each in places]
    matched_in, snippet = None, None
    if snippet_chars:
        text = text_of(fetched, terms) if "TEXT" in fetched.sections else ""
        texts = {
            "subject": clean_line(headers.get("Subject")).text,
            "from": addresses_of(headers, "From"),
            "to": addresses_of(headers, "To"),
            "cc": addresses_of(headers, "Cc"),
            "body": text,
            "attachment_name": "\n".join(files),
        }
        matched_in = find_evidence(terms, texts) or None
        snippet = make_snippet_around(text, terms.in_text, snippet_chars)
    return MessageRow.model_validate(
        {
            **id_values(ref),
            "date": date_of(headers, fetched),
            "arrived": arrived,
            "from": people_of(headers, "From", max_chars=limits.ROW_CHARS_MAX).text,
            "suspicions": sent_mail.lookalikes(ref, headers) or None,
            "to": sent_mail.recipients(ref, headers),
            "subject": make_snippet(clean_line(headers.get("Subject")).text, limits.ROW_CHARS_MAX),
            "flags": flags_of(fetched),
            "attachments": first_attachments(parts) or None,
            "attachments_total": len(parts) if len(parts) > limits.ROW_FILES_MAX else None,
            "attachments_unknown": may_have_files or None,
            "invitation": invitation_method(structure.root, fetched.sections) or None,
            "places": copies[:ROW_PLACES_MAX] + [ELLIPSIS] * (len(copies) > ROW_PLACES_MAX) or None,
            "matched_in": matched_in,
            "snippet": snippet,
            "size_bytes": fetched.size_octets,
            "has_attachments": None if may_have_files else bool(files),
            "header_message_id": message_id_of(headers) or None,
            "email_id": fetched.email_id or None,
        }
    )


def id_values(ref: MessageRef) -> dict[str, object]:
    """Return the fields that identify a message: its id, its URIs and their components."""
    return {
        "message_id": ref.message_id,
        "message_uri": ref.message_uri,
        "message_raw_uri": ref.message_raw_uri,
        "mailbox": ref.mailbox,
        "uidvalidity": ref.uidvalidity,
        "uid": ref.uid,
    }


def flags_of(fetched: FetchedMessage, *, is_draft: bool | None = None) -> list[str]:
    """Return the flags that are seen whole: a server may send more in a keyword than RFC 9051 allows.

    `is_draft` says whether the one of drafts is among them; None for what the server says.
    """
    flags = [each for each in fetched.flags if each and is_seen_whole(each)]
    if is_draft is None:
        return flags
    return [*(each for each in flags if each.lower() != "\\draft"), *(["\\Draft"] if is_draft else [])]


def message_id_of(headers: Headers) -> str:
    """Return the Message-ID without its angle brackets; "" if there is none that can be shown whole."""
    written = headers.get("Message-ID").strip("<> ")
    return written if is_seen_whole(written) and len(written) <= limits.HEADER_CHARS_MAX else ""


def date_of(headers: Headers, fetched: FetchedMessage) -> str:
    """Return the Date header, or else when the server received the message; "" if neither is known."""
    moment = parse_date(headers.get("Date")) or fetched.internal_date
    return format_rfc3339(moment) if moment else ""


def arrived_instead(headers: Headers, fetched: FetchedMessage) -> str | None:
    """Return what `date_of` returns if it isn't the Date header, which is missing or can't be read."""
    unread = fetched.internal_date is not None and parse_date(headers.get("Date")) is None
    return date_of(headers, fetched) if unread else None
