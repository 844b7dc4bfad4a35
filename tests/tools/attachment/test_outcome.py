"""Replies with the text of an attachment."""

from mailmcp.documents.extraction import Section
from mailmcp.mail.mime.structure import Part
from mailmcp.model.message_ref import MessageRef
from mailmcp.tools.attachment.inside import FetchedFile
from mailmcp.tools.attachment.text import AttachmentText
from mailmcp.tools.attachment.tool import (
    AttachmentOutcome,
    GetAttachmentArguments,
    short_issues,
    text_outcome,
)
from mailmcp.tools.text_window import cut_window
from mcp_envelope import Untrusted

REF = MessageRef(account_id="home", mailbox="INBOX", uidvalidity=7, uid=3)
PART = Part(part_id="2", content_type="application/pdf", filename="a`b`<i>.pdf", size_octets=10)


ARGUMENTS = GetAttachmentArguments.model_validate({"message_id": REF.message_id, "part_id": "2"})


def outcome_of(read: AttachmentText, offset: int = 0, max_chars: int = 100) -> AttachmentOutcome:
    window = cut_window(read.text, offset=offset, max_chars=max_chars)
    return text_outcome(FetchedFile(ref=REF, part=PART, octets=b""), read, window, arguments=ARGUMENTS)


def sheets(count: int, *, chars: int = 100) -> AttachmentText:
    names = tuple(Section(name=f"Sheet *{number}*", offset=number * chars) for number in range(count))
    return AttachmentText(text="x" * chars * count, sections=names)


def names_of(read: AttachmentText, offset: int, max_chars: int = 250) -> list[str]:
    return [row.name for row in outcome_of(read, offset, max_chars).data.sections or []]


def test_the_first_window_names_all_sections_and_later_ones_their_own() -> None:
    read = sheets(6)
    assert len(names_of(read, 0)) == 6
    assert names_of(read, 250) == ["Sheet *2*", "Sheet *3*", "Sheet *4*"]
    assert names_of(read, 500) == ["Sheet *5*"]


def test_a_later_window_of_a_text_without_sections_names_none() -> None:
    data = outcome_of(AttachmentText(text="abcdef"), offset=2).data
    assert (data.sections, data.text, data.text_total_chars) == (None, "cdef", 6)


def test_sections_are_bounded_and_the_text_says_how_many_there_are() -> None:
    read = sheets(80)
    outcome = outcome_of(read)
    assert len(outcome.data.sections or []) == 50
    (line,) = [block for block in outcome.blocks if isinstance(block, str) and block.startswith("Sections")]
    assert line.startswith('Sections (80): "Sheet \\*0\\*" at 0; ')
    assert line.endswith("; …")
    assert outcome.warnings == ("Named 50 of 80 sections; later windows name theirs.",)
    assert not outcome_of(sheets(50)).warnings


def test_names_of_strangers_are_quoted_and_their_text_is_fenced() -> None:
    read = AttachmentText(text="Text", warnings=("Said.",))
    outcome = outcome_of(read)
    assert outcome.blocks[0] == 'File: "a\\`b\\`\\<i>.pdf" ("application/pdf", 10 bytes)'
    assert outcome.blocks[1:] == (Untrusted(label="text", text="Text"),)
    assert outcome.data.sections is None
    assert outcome.warnings == ("Said.",)
    assert outcome.references == {"message_id": REF.message_id}


def test_an_empty_text_is_shown_as_no_text() -> None:
    outcome = outcome_of(AttachmentText())
    assert outcome.blocks[1:] == ("(no text)",)
    assert outcome.data.text == ""


def test_a_file_that_may_be_cut_is_an_issue() -> None:
    assert short_issues(REF, short=False) == ()
    (issue,) = short_issues(REF, short=True)
    assert issue.about == {
        "uid": 3,
        "message_id": REF.message_id,
        "mailbox": "INBOX",
        "account_id": "home",
    }
