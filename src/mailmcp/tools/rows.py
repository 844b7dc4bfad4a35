"""One message in a list: what is fetched for it, its row of data, its line of text."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo

from pydantic import BaseModel, Field

from mailmcp import limits
from mailmcp.imap.fetch import FetchedMessage, id_items
from mailmcp.imap.session import Session
from mailmcp.mail.calendar.invitation import invitation_method
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.dates import format_rfc3339, parse_date
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.mime.body_parts import list_files
from mailmcp.mail.mime.bodystructure import parse_body_structure
from mailmcp.mail.mime.structure import Part
from mailmcp.mail.text.snippet import ELLIPSIS, make_snippet
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.evidence import SearchTerms, find_evidence, snippet_of, text_octets, text_of
from mailmcp.tools.people import addresses_of, people_of
from mailmcp.tools.sent_mail import SentMail
from mcp_envelope import code
from mcp_envelope.markdown import quote

_FIELDS = "DATE FROM TO SUBJECT MESSAGE-ID"
_EVIDENCE_FIELDS = "CC"
_TEXT_FIELDS = "MIME-VERSION CONTENT-TYPE CONTENT-TRANSFER-ENCODING"
"""With these the first octets of TEXT can be read as what they are."""

_MARKS = {
    "\\flagged": "flagged",
    "\\answered": "answered",
    "\\draft": "draft, not sent",
    "\\deleted": "deleted",
}
"""What flags are called in a line of text."""

_INVITATIONS = {"cancel": "invitation cancelled", "reply": "invitation answered"}
"""What the methods of RFC 5546 are called in a line of text; the others are invitations."""

_NOTHING = SearchTerms()
_ANYONES = SentMail()
_MEGABYTE = 1_000_000
_ARRIVED_LATE_S = 2 * 86_400
"""From here on a message may have been imported; mail that had to wait comes earlier."""


class LeanMessageRow(BaseModel):
    """One message of a page: its id, and what the id does not say."""

    message_id: str = Field(description="Send it to imap_get_message.")
    date: str = Field(description='RFC 3339; "" if unknown.')
    arrived: str | None = None
    """When the server received it, where that is another day: searches by time go by it."""

    from_: str = Field(alias="from")
    to: str | None = None
    """Of a message that the owner wrote."""

    subject: str
    flags: list[str]
    attachments: list[str] | None = None
    invitation: str | None = None
    """The method of RFC 5546."""

    places: list[str] | None = Field(None, description="Ids of copies.")
    matched_in: list[str] | None = None
    snippet: str | None = None


class MessageRow(LeanMessageRow):
    """The same with all that the id says, said again: for programs that do not take ids apart."""

    message_uri: str
    message_raw_uri: str
    mailbox: str
    uidvalidity: int
    uid: int
    size_bytes: int | None = None
    has_attachments: bool | None = None
    header_message_id: str | None = None
    email_id: str | None = None


def row_items(
    *, snippets: bool, terms: SearchTerms = _NOTHING, structure: bool = True
) -> Callable[[Session], Sequence[str]]:
    """Choose what to fetch for a row: header fields and the structure, never whole messages.

    Args:
        snippets: Whether a snippet is wanted. It is made of the first octets of the text, never the
            server's PREVIEW (RFC 8970): that one shows what HTML hides.
        terms: The words to be shown.
        structure: Whether the server can be trusted with the structures of these messages.
    """

    def items(session: Session) -> Sequence[str]:
        chosen = ["UID", "FLAGS", "INTERNALDATE", "RFC822.SIZE", *(["BODYSTRUCTURE"] if structure else [])]
        chosen += id_items(session)
        fields = f"{_FIELDS} {_EVIDENCE_FIELDS}" if snippets and terms else _FIELDS
        if snippets:
            text = f"BODY.PEEK[TEXT]<0.{text_octets(terms)}>"
            return [*chosen, f"BODY.PEEK[HEADER.FIELDS ({fields} {_TEXT_FIELDS})]", text]
        return [*chosen, f"BODY.PEEK[HEADER.FIELDS ({fields})]"]

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
    """Make the row of a message.

    Args:
        ref: Where it is.
        fetched: What `row_items` asked for, or some of it.
        snippet_chars: 0 leaves the snippet out, and where words were found.
        terms: The words of the search.
        places: Where copies of it are.
        sent_mail: Tells whether the owner wrote it.
    """
    headers = parse_headers(fetched.sections.get("HEADER.FIELDS", b""))
    root = parse_body_structure(fetched.body_structure).root
    files = None if root is None else tuple(map(file_name, list_files(root)))
    text = text_of(fetched, terms) if snippet_chars and "TEXT" in fetched.sections else ""
    return MessageRow.model_validate(
        {
            **id_values(ref),
            "date": date_of(headers, fetched),
            "arrived": _arrived(headers, fetched),
            "from": people_of(headers, "From", max_chars=limits.ROW_CHARS_MAX).text,
            "to": sent_mail.recipients(ref, headers),
            "subject": make_snippet(clean_line(headers.get("Subject")).text, limits.ROW_CHARS_MAX),
            "flags": list(fetched.flags),
            "attachments": shown_names(files or ()) or None,
            "invitation": invitation_method(root) or None,
            "places": [each.message_id for each in places][: limits.ROW_PLACES_MAX] or None,
            "matched_in": _matched_in(headers, text, files, terms) if snippet_chars else None,
            "snippet": snippet_of(text, terms, snippet_chars) if snippet_chars else None,
            "size_bytes": fetched.size_octets,
            "has_attachments": None if files is None else bool(files),
            "header_message_id": message_id_of(headers) or None,
            "email_id": fetched.email_id or None,
        }
    )


def id_values(ref: MessageRef) -> dict[str, object]:
    """Give the fields that say which message it is: its id and URIs, and what they are made of."""
    return {
        "message_id": ref.message_id,
        "message_uri": ref.message_uri,
        "message_raw_uri": ref.message_raw_uri,
        "mailbox": ref.mailbox,
        "uidvalidity": ref.uidvalidity,
        "uid": ref.uid,
    }


def file_name(part: Part) -> str:
    """Name a file: an attached message by its subject, what has no name by its type."""
    subject = clean_line(part.subject).text
    return part.filename or (f"message: {subject}" if subject else part.content_type)


def shown_names(files: Sequence[str]) -> list[str]:
    """Shorten a list of names: "…" stands for those that were left out."""
    shown = [make_snippet(name, limits.ROW_FILENAME_CHARS_MAX) for name in files[: limits.ROW_FILES_MAX]]
    return shown + [ELLIPSIS] * (len(files) > len(shown))


def _matched_in(
    headers: Headers, text: str, files: Sequence[str] | None, terms: SearchTerms
) -> list[str] | None:
    texts = {
        "subject": clean_line(headers.get("Subject")).text,
        "from": addresses_of(headers, "From"),
        "to": addresses_of(headers, "To"),
        "cc": addresses_of(headers, "Cc"),
        "body": text,
        "attachment_name": "\n".join(files or ()),
    }
    return find_evidence(terms, texts) or None


def message_id_of(headers: Headers) -> str:
    """Give the Message-ID header without its angle brackets; "" if there is none."""
    return clean_line(headers.get("Message-ID")).text.strip("<> ")[: limits.HEADER_CHARS_MAX]


def date_of(headers: Headers, fetched: FetchedMessage) -> str:
    """Give the Date header, else the day the server received it; "" if there is neither."""
    moment = parse_date(headers.get("Date")) or fetched.internal_date
    return format_rfc3339(moment) if moment else ""


def _arrived(headers: Headers, fetched: FetchedMessage) -> str | None:
    """Give the time of arrival where a reader would be misled by that of writing; else None."""
    written, arrived = parse_date(headers.get("Date")), fetched.internaldate_epoch
    if written is None or arrived is None or abs(arrived - written.timestamp()) < _ARRIVED_LATE_S:
        return None
    return format_rfc3339(datetime.fromtimestamp(arrived, UTC))


def row_lines(row: MessageRow, *, zone: tzinfo = UTC, sizes: bool = False) -> tuple[str, ...]:
    """Write a row as Markdown: when, what is special, who and what, files, the id; then the evidence.

    What is not ours is quoted: no subject can fake a column, no sender a mark.

    Args:
        row: What to write.
        zone: In which the time is shown.
        sizes: Whether to show sizes below a megabyte too.
    """
    columns = [time_column(row.date, zone)]
    if row.arrived:
        columns[0] += f", arrived {datetime.fromisoformat(row.arrived).astimezone(zone):%Y-%m-%d}"
    columns += marks_of(row.flags)
    columns += invitation_column(row.invitation or "")
    columns += [f"{_who(row)}: {quote(row.subject) or 'no subject'}"]
    columns += [*files_column(row.attachments), *_size(row, always=sizes), code(row.message_id)]
    lines = [f"- {' | '.join(columns)}"]
    if row.places:
        lines.append(f"  also {', '.join(map(code, row.places))}")
    found = f" (found in {', '.join(row.matched_in)})" if row.matched_in else ""
    if row.snippet:
        lines.append(f"  > {quote(row.snippet)}{found}")
    elif found:
        lines.append(f" {found}")
    return tuple(lines)


def time_column(date: str, zone: tzinfo) -> str:
    """Say in one column when it was in `zone`; `date` is RFC 3339, or "" where it is not known."""
    return f"{datetime.fromisoformat(date).astimezone(zone):%Y-%m-%d %H:%M}" if date else "no date"


def people_column(written: str) -> str:
    """Write addresses in a column: in round brackets, since angle brackets would cost a token each."""
    return quote(written.replace("<", "(").replace(">", ")"))


def invitation_column(method: str) -> list[str]:
    """Say in one column what a message does with an invitation; nothing for "", any other message."""
    return [_INVITATIONS.get(method, "invitation")] if method else []


def _who(row: MessageRow) -> str:
    """Name the sender, or the recipients of what the owner wrote."""
    if row.to is None:
        return people_column(row.from_) or "no sender"
    return f"to {people_column(row.to) or 'nobody'}"


def files_column(names: Sequence[str] | None, part_ids: Sequence[str] = ()) -> list[str]:
    """Name files in one column, as `shown_names` gives them; nothing where there are none.

    Args:
        names: One more than ROW_FILES_MAX stands for the rest.
        part_ids: Of the files, to stand beside their names; none if they are not to be shown.
    """
    if not names:
        return []
    count = len(names)
    shown = names[: limits.ROW_FILES_MAX]
    more = count > len(shown)
    number = "1 file" if count == 1 else f"{len(shown)}+ files" if more else f"{count} files"
    parts = [f" (part {each})" for each in part_ids] + [""] * (len(shown) - len(part_ids))
    written = [f"{quote(name)}{part}" for name, part in zip(shown, parts, strict=True)]
    return [f"{number}: {', '.join(written + [ELLIPSIS] * more)}"]


def _size(row: MessageRow, *, always: bool) -> list[str]:
    """Say how large a message is, where that is worth a column."""
    octets = row.size_bytes or 0
    if octets >= _MEGABYTE:
        return [f"{octets / _MEGABYTE:.1f} MB"]
    return [f"{octets / 1_000:.1f} kB"] if always and octets else []


def marks_of(flags: Sequence[str]) -> list[str]:
    """Say in one column what is special; nothing for an ordinary read message."""
    lowered = {flag.lower() for flag in flags}
    marks = [] if "\\seen" in lowered else ["unread"]
    marks += [mark for flag, mark in _MARKS.items() if flag in lowered]
    return [", ".join(marks)] if marks else []
