"""What a draft needs of its account: mailboxes, the message it answers or forwards, the draft it replaces.

A message is forwarded as people expect it, its text below the new one and its files attached. As an attached
message it would take along all that its HTML hides: here as in a reply, that is left out. Blocking.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Final

from mailmcp import limits
from mailmcp.imap.fetch import fetch_messages
from mailmcp.imap.mailboxes import find_special, list_mailboxes, name_special
from mailmcp.imap.session import Session
from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.address import parse_addresses
from mailmcp.mail.header.dates import parse_date
from mailmcp.mail.header.fields import Headers, parse_headers
from mailmcp.mail.header.subject import is_forward_subject, is_reply_subject
from mailmcp.mail.html.marks import without_marked
from mailmcp.mail.mime.body_parts import choose_text_parts, list_files
from mailmcp.mail.mime.transfer import decode_transfer
from mailmcp.mail.people import fit_address
from mailmcp.mail.read import head_lines, text_to_fetch
from mailmcp.mail.text.body import BodyText, body_text
from mailmcp.mail.text.snippet import make_snippet
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment.part import fetch_part
from mailmcp.tools.attachment.save import safe_filename
from mailmcp.tools.draft.compose import is_unchanged
from mailmcp.tools.draft.files import FILES_OCTETS_MAX, File, check_size
from mailmcp.tools.errors import fetch_error
from mailmcp.tools.message.fetch import WantedPart, fetch_parts
from mcp_envelope import BaseReason, InvalidInputError, Report

NO_HEADERS: Final = Headers()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found; the mailboxes are "" if there are none."""

    drafts: str
    new_drafts: str
    """What a mailbox for drafts is called, or is to be called."""

    trash: str
    append_limit: int
    headers: Headers = NO_HEADERS
    """Those of the message that is answered or forwarded, as its body; and its files, if it is forwarded."""

    body: BodyText | None = None
    files: tuple[File, ...] = ()


def look(session: Session, refs: Mapping[str, MessageRef], report: Report) -> Found:
    """Look at mailboxes and messages, by the names of the arguments.

    Two or three round trips, and one for each file and each MiB of it.

    Raises:
        InvalidInputError: `replaces` is no draft of ours or has changed, or the files are too large.
        ToolError: A message isn't there or can't be fetched.
    """
    listed = list_mailboxes(session)
    found = Found(
        drafts=find_special(listed, "\\Drafts"),
        new_drafts=name_special(listed, "\\Drafts", session.account.special_uses),
        trash=find_special(listed, "\\Trash"),
        append_limit=session.connection.append_limit,
    )
    if "replaces" in refs:
        _check_earlier(session, refs["replaces"], found.drafts)
    ref = refs.get("reply_to") or refs.get("forward")
    if not ref:
        return found
    parts = fetch_parts(session, ref, lambda root: map(WantedPart, text_to_fetch(root)))
    root = parts.view.structure
    body = body_text(choose_text_parts(root), parts.octets, cut=parts.cut, full_links=True)
    attached, files = list_files(root) if "forward" in refs else (), list[File]()
    check_size("forward", sum(part.decoded_size for part in attached))
    for part in attached:
        fetched = fetch_part(session, ref, part.part_id, lambda _: FILES_OCTETS_MAX * 3 // 2, report)
        octets = decode_transfer(fetched.octets, part.encoding).octets
        files.append(File(name=safe_filename(part), content_type=part.content_type, octets=octets))
    return replace(found, headers=parts.view.headers, body=body, files=tuple(files))


def _check_earlier(session: Session, ref: MessageRef, drafts: str) -> None:
    session.choose(ref.mailbox, uidvalidity=ref.uidvalidity)
    fetched = fetch_messages(session, [ref.uid], ("FLAGS", "BODY.PEEK[HEADER.FIELDS (MESSAGE-ID DATE)]"))
    if ref.uid in fetched.failures:
        raise fetch_error(ref, fetched.failures[ref.uid])
    row = fetched.messages[ref.uid]
    headers = parse_headers(row.sections.get("HEADER.FIELDS", b""))
    if ref.mailbox != drafts or not row.has_flag("\\Draft") or not is_unchanged(headers):
        problem = (
            "is not a draft that was saved here, or another program has changed it since. It was kept, and "
            "nothing was saved. Read it; without `replaces`, the new draft is saved beside it."
        )
        raise InvalidInputError.of("replaces", BaseReason.INVALID_VALUE, problem)


def subject_of(headers: Headers, *, reply: bool) -> str:
    """Write the subject of a reply or a forwarded message; a prefix that it has isn't doubled."""
    subject = make_snippet(clean_line(headers.get("Subject")).text, limits.HEADER_CHARS_MAX)
    if is_reply_subject(subject) if reply else is_forward_subject(subject):
        return subject
    return f"{'Re' if reply else 'Fwd'}: {subject}".rstrip()


def quote_original(headers: Headers, body: BodyText, zone: tzinfo) -> str:
    """Write what stands below the text of a reply: who wrote when, and the text behind `>`."""
    senders = parse_addresses(*headers.raw_all("From"))
    who = fit_address(senders[0], limits.ROW_CHARS_MAX) if senders else "Somebody"
    date = parse_date(headers.get("Date"))
    when = f"On {date.astimezone(zone):%Y-%m-%d %H:%M}, " if date else ""
    quoted = (f">{each}" if each.startswith(">") else f"> {each}" for each in _lines(body))
    return "\n".join([f"{when}{who} wrote:", *quoted])


def forward_original(headers: Headers, body: BodyText) -> str:
    """Write what stands below the text of a forwarded message: its header, and its text."""
    head = ["---------- Forwarded message ----------", *head_lines(headers), ""]
    return "\n".join([*head, *_lines(body)])


def _lines(body: BodyText) -> list[str]:
    """Return the lines of a text without what may be hidden, and a mark where it was cut."""
    text = without_marked(body.text)
    kept = text[: limits.BODY_CHARS_MAX].rstrip().split("\n")
    return kept if len(text) <= limits.BODY_CHARS_MAX else [*kept, "[…]"]
