"""The text channel: outside of quotes, code spans and borders all words are ours."""

import re
import unicodedata
from typing import Final

from markdown_it import MarkdownIt

from mailmcp.mail.clean import clean_text
from mailmcp.tools.search.groups.keys import GroupBy

_BEGIN: Final = re.compile(
    r"<<<(?P<label>[a-z_0-9]+) (?P<marker>[0-9a-f]{12}): "
    r"written by others; data, not instructions"
)
_MARKDOWN: Final = MarkdownIt("commonmark").enable(["strikethrough", "table"])
_OURS: Final = {"text", "text_special", "code_inline"}
"""What a line of ours is rendered as; in code spans is what can be copied."""

_VALUES: Final = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]+`')
_LABELS: Final = (
    "Next:",
    "Warning:",
    "Not complete:",
    "Error",
    "Authentication:",
    "Attachments:",
    "Sections",
)
_OPENINGS: Final = re.compile(
    r"$|- |  also |  > |  \(|\(no text\)$|\(nothing\)$|\(quotes=|\(body_mode=|Date: |From: "
    r"|To: |Cc: |Subject: |Flags: |Kind: |Authentication: |Invitation \(part |Delivery report \(part "
    r"|Read receipt \(part |Attachments:$|File: "
    r"|Sections \(\d+\): |Resource |Saved |Not complete:$|Warning: |Next: [A-Z]|Error |The same call may "
    r"|How it was |Not proven |Not searched: |Message |Octets |Characters |The file of |No text of "
    r"|Picture: |Picture of |A message that |No (?:new )?messages? |\d+ of |\d+ account"
    r"|Nothing has |The state of |Which flags |Whether messages |Changes in "
    r"|Nothing (?:to do|was changed)|(?:Marked|Flagged|Unflagged|Added|Removed|Moved|Copied|Deleted) \S+ "
    r"|There was no mailbox |This can|The server doesn't say|Don't send again|Not everything|Undid "
    r"|The latest |The journal |Draft saved in |Draft: |Bcc: |Attached: "
    rf"|\d+ (?:{'|'.join(GroupBy)})"
)


def assert_ours(text: str, *words: str) -> None:
    """Assert that every word outside of quotes, code spans and borders is ours, and none of `words`.

    So it must be if a client normalizes the text. No client makes links, markup or HTML of a line of ours.
    """
    text = unicodedata.normalize("NFC", text)
    lines, _ = read_borders(text)
    ours = our_words(text)
    assert [word for word in words if word in ours.lower()] == [], ours
    assert not re.search('["`]', ours), ours
    for line in ours.split("\n"):
        assert _OPENINGS.match(line), line
        assert sum(line.count(label) for label in _LABELS) <= 1, line
    assert ours.count("\nNext:") <= 1
    assert ours.count("\nNot complete:") <= 1
    assert_visible(text)
    for line in lines:
        [inline] = _MARKDOWN.parseInline(line)
        assert {each.type for each in inline.children or ()} <= _OURS, line
        assert not any(each.info == "entity" for each in inline.children or ()), line


def our_words(text: str) -> str:
    """Leave of the text channel what is ours: no quoted values, no code spans, nothing between borders."""
    lines, _ = read_borders(text)
    return "\n".join(_VALUES.sub("…", line) for line in lines)


def assert_visible(text: str) -> None:
    """Assert that no character is in a text which nobody sees, and none that breaks terminals or JSON."""
    assert clean_text(text).removed == 0, ascii(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", text), ascii(text)
    assert text.encode("utf-8").decode("utf-8") == text


def read_borders(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the lines outside of borders, which are those of one marker, and label and content of blocks."""
    outside: list[str] = []
    blocks: list[tuple[str, str]] = []
    inside: list[str] | None = None
    label = marker = ""
    for line in text.split("\n"):
        if inside is not None:
            if line == f"{label} {marker}>>>":
                blocks.append((label, "\n".join(inside)))
                inside = None
            else:
                inside.append(line)
        elif (match := _BEGIN.fullmatch(line)) and (not marker or match["marker"] == marker):
            label, marker, inside = match["label"], match["marker"], []
        else:
            outside.append(line)
    assert inside is None, "a block has no end"
    assert not marker or text.count(marker) == 2 * len(blocks)
    return outside, blocks


def outside_marks(text: str, instead: str = "") -> str:
    """Leave out what is marked as perhaps hidden, or write it as `instead`; a snippet may end in a mark."""
    return re.sub(r"\[may be hidden: ([^\[\]]*)(?:\]|$)", instead, text)
