"""One message in a list: what is fetched for it, its row of data, its line of text."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from pydantic import BaseModel, Field

from mailmcp.envelope import limits
from mailmcp.envelope.markdown import code, escape
from mailmcp.imap.fetch import FetchedMessage
from mailmcp.imap.session import Session
from mailmcp.mail.address import format_address, parse_addresses
from mailmcp.mail.body import body_text
from mailmcp.mail.clean import clean_line
from mailmcp.mail.dates import format_rfc3339, parse_date
from mailmcp.mail.headers import Headers, parse_headers
from mailmcp.mail.ids import MessageRef
from mailmcp.mail.message import read_message
from mailmcp.mail.snippet import make_snippet
from mailmcp.mail.text_parts import choose_text_parts
from mailmcp.tools.message_parts import whole_lines

_FIELDS = "DATE FROM SUBJECT"
_TEXT_FIELDS = f"{_FIELDS} MIME-VERSION CONTENT-TYPE CONTENT-TRANSFER-ENCODING"
"""With these the first octets of TEXT can be read as what they are."""


class LeanMessageRow(BaseModel):
    """One message of a page: its id, and what the id does not say."""

    message_id: str = Field(description="Send it to imap_get_message.")
    date: str = Field(description='RFC 3339; "" if unknown.')
    from_: str = Field(alias="from")
    subject: str
    flags: list[str]
    snippet: str | None = None


class MessageRow(LeanMessageRow):
    """The same with all that the id says, said again: for programs that do not take ids apart."""

    message_uri: str
    message_raw_uri: str
    mailbox: str
    uidvalidity: int
    uid: int


def row_items(*, snippets: bool) -> Callable[[Session], Sequence[str]]:
    """Choose what to fetch for a row: header fields, never whole messages.

    A snippet is the server's PREVIEW (RFC 8970) where there is one, else made of the
    first octets of the text.
    """

    def items(session: Session) -> Sequence[str]:
        basic = ["UID", "FLAGS", "INTERNALDATE"]
        if not snippets:
            return [*basic, f"BODY.PEEK[HEADER.FIELDS ({_FIELDS})]"]
        if session.can("PREVIEW"):
            return [*basic, "PREVIEW", f"BODY.PEEK[HEADER.FIELDS ({_FIELDS})]"]
        return [
            *basic,
            f"BODY.PEEK[HEADER.FIELDS ({_TEXT_FIELDS})]",
            f"BODY.PEEK[TEXT]<0.{limits.SNIPPET_OCTETS}>",
        ]

    return items


def make_row(ref: MessageRef, fetched: FetchedMessage, *, snippet_chars: int) -> MessageRow:
    """Make the row of a message; `snippet_chars` of 0 leaves the snippet out."""
    headers = parse_headers(fetched.sections.get("HEADER.FIELDS", b""))
    return MessageRow.model_validate(
        {
            "message_id": ref.message_id,
            "message_uri": ref.message_uri,
            "message_raw_uri": ref.message_raw_uri,
            "mailbox": ref.mailbox,
            "uidvalidity": ref.uidvalidity,
            "uid": ref.uid,
            "date": date_of(headers, fetched),
            "from": make_snippet(addresses_of(headers, "From"), limits.ROW_CHARS_MAX),
            "subject": make_snippet(clean_line(headers.get("Subject")).text, limits.ROW_CHARS_MAX),
            "flags": list(fetched.flags),
            "snippet": _snippet(fetched, snippet_chars) if snippet_chars else None,
        }
    )


def date_of(headers: Headers, fetched: FetchedMessage) -> str:
    """Give the Date header, else the day the server received it; "" if there is neither."""
    moment = parse_date(headers.get("Date")) or fetched.internal_date
    return format_rfc3339(moment) if moment else ""


def addresses_of(headers: Headers, name: str) -> str:
    """Write the addresses of a header, as `Name <address>, …`; "" if there are none."""
    written = ", ".join(map(format_address, parse_addresses(*headers.raw_all(name))))
    return clean_line(written).text[: limits.HEADER_CHARS_MAX]


def _snippet(fetched: FetchedMessage, max_chars: int) -> str:
    if fetched.preview is not None:
        return make_snippet(fetched.preview.decode("utf-8", "replace"), max_chars)
    head, text = fetched.sections.get("HEADER.FIELDS", b""), fetched.sections.get("TEXT", b"")
    cut = len(text) >= limits.SNIPPET_OCTETS
    # What is cut is read as if it were whole: the start of a text is all a snippet shows.
    view = read_message(head + (whole_lines(text) if cut else text), complete=True)
    text_parts = choose_text_parts(view.structure)
    octets = {part.part_id: view.part_octets(part) or b"" for part in text_parts.all}
    seen = body_text(text_parts, octets).text
    return make_snippet(seen.rstrip("\ufffd") if cut else seen, max_chars)


def row_lines(row: MessageRow) -> tuple[str, ...]:
    """Write a row as Markdown: when (UTC), what is special, who, what, and the id; then the snippet.

    Bars part the columns, and escaping keeps them out of the values: no subject can fake a column.
    """
    moment = datetime.fromisoformat(row.date).astimezone(UTC) if row.date else None
    columns = [f"{moment:%Y-%m-%d %H:%M}" if moment else "no date", *_marks(row.flags)]
    # Angle brackets would have to be escaped, at a token each.
    sender = row.from_.replace("<", "(").replace(">", ")")
    columns += [escape(sender) or "no sender", escape(row.subject) or "no subject", code(row.message_id)]
    line = f"- {' | '.join(columns)}"
    return (line, f"  > {escape(row.snippet)}") if row.snippet else (line,)


def _marks(flags: Sequence[str]) -> list[str]:
    """Say in one column what is special; nothing for an ordinary read message."""
    lowered = {flag.lower() for flag in flags}
    marks = [] if "\\seen" in lowered else ["unread"]
    marks += [name for name in ("flagged", "answered", "draft", "deleted") if f"\\{name}" in lowered]
    return [", ".join(marks)] if marks else []
