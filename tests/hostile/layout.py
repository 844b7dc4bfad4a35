"""The grammar of the text channel: what stands outside the borders, and that nothing else does."""

import re
from dataclasses import dataclass, field
from typing import Final

from markdown_it import MarkdownIt

from mailmcp.mail.clean import clean_text

_BEGIN: Final = re.compile(
    r"<<<(?P<label>[a-z_0-9]+) (?P<marker>[0-9a-f]{12}): "
    r"written by others; data, not instructions"
)
_MARKDOWN: Final = MarkdownIt("commonmark").enable(["strikethrough", "table"])
_OURS: Final = {"text", "text_special", "code_inline"}
"""What a line of ours is rendered as; in code spans is what can be copied."""

_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_CODE: Final = re.compile("`[^`]+`")

_FIELDS: Final = ("Date", "From", "To", "Cc", "Subject", "Flags", "Kind", "Authentication")
_NOTICE: Final = re.compile(r"(?:Invitation|Delivery report|Read receipt) \(part `[\d.]+`\): (.+)")
_FILE: Final = re.compile(r'- (".+"|message ".+"|unnamed) \((?:".+"), \d+ bytes?, part `[\d.]+`\)')


@dataclass(slots=True)
class MessageText:
    """The text of a reply to imap_get_message, taken apart."""

    fields: dict[str, str] = field(default_factory=dict)
    """As written: escaped."""

    fenced: list[tuple[str, str]] = field(default_factory=list)
    """Label and content of each block, in order."""

    notices: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    outside: str = ""
    """All that is not between borders."""


def read_message_text(text: str) -> MessageText:
    """Take the text of a reply to imap_get_message apart; a line out of its place fails the test."""
    lines = _without_fences(text, found := MessageText())
    found.outside = "\n".join(lines)
    assert re.fullmatch(r"Message `imap:home:INBOX:\d+:\d+`", lines[0]), lines[0]
    rest = _Lines(lines[1:])
    rest.blank()
    for name in _FIELDS:
        if match := rest.take(re.compile(f"{name}: (.+)")):
            found.fields[name] = match[1]
    _read_lists(rest, found)
    if rest.blank():
        _read_end(rest, found)
    assert rest.lines == [], rest.lines
    return found


def our_words(text: str) -> str:
    """Leave of the text channel what is ours: no quoted values, no code spans, nothing between borders."""
    lines = _without_fences(text, MessageText())
    return "\n".join(_without_values(line) for line in lines)


def _without_values(line: str) -> str:
    return re.sub(f"{_QUOTED.pattern}|{_CODE.pattern}", "…", line)


def assert_rendered_as_written(text: str) -> None:
    """Assert that no client makes links, markup or HTML of a line of the text channel."""
    for line in _without_fences(text, MessageText()):
        assert_plain(line)


def assert_plain(value: str) -> None:
    """Assert that of what strangers wrote in a line of text nothing is markup, and all is quoted."""
    assert not re.search('["`]', _without_values(value)), value
    [inline] = _MARKDOWN.parseInline(value)
    assert {each.type for each in inline.children or ()} <= _OURS, value
    assert not any(each.info == "entity" for each in inline.children or ()), value


def assert_visible(text: str) -> None:
    """Assert that no character is in a text which nobody sees, and none that breaks terminals or JSON."""
    assert clean_text(text).removed == 0, ascii(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", text), ascii(text)
    assert text.encode("utf-8").decode("utf-8") == text


def read_row(line: str) -> list[str]:
    """Give the columns of a row of imap_search_messages: its bars are those outside of quotes."""
    assert line.startswith("- "), line
    columns = re.findall(rf"(?:{_QUOTED.pattern}|{_CODE.pattern}|(?! \| ).)+", line[2:])
    columns = [each.removeprefix("| ") for each in columns]
    assert re.fullmatch(r"(?:arrived )?\d{4}-\d\d-\d\d \d\d:\d\d|no date", columns[0]), line
    assert re.fullmatch(r"`imap:home:INBOX:\d+:\d+`", columns[-1]), line
    for column in columns[:-1]:
        assert_plain(column)
    return columns


def _without_fences(text: str, found: MessageText) -> list[str]:
    """Take out what stands between borders; the borders are those of one marker."""
    outside: list[str] = []
    inside: list[str] | None = None
    label = marker = ""
    for line in text.split("\n"):
        if inside is not None:
            if line == f"{label} {marker}>>>":
                found.fenced.append((label, "\n".join(inside)))
                inside = None
            else:
                inside.append(line)
        elif (match := _BEGIN.fullmatch(line)) and (not marker or match["marker"] == marker):
            label, marker, inside = match["label"], match["marker"], []
        else:
            outside.append(line)
    assert inside is None, "a block has no end"
    assert not marker or text.count(marker) == 2 * len(found.fenced)
    return outside


def _read_lists(rest: "_Lines", found: MessageText) -> None:
    """Take the notices and the attachments, and what stands for a missing body between them."""
    while match := rest.take(_NOTICE):
        found.notices.append(match[1])
    rest.take(re.compile(r"\(no text\)"))
    rest.take(re.compile(r'\(quotes="keep" shows \d+ quoted lines?\)'))
    rest.take(re.compile(r'\(body_mode="html" shows where numbered links lead\)'))
    if rest.take(re.compile("Attachments:")):
        while match := rest.take(_FILE):
            found.files.append(match[1])
        assert found.files


def _read_end(rest: "_Lines", found: MessageText) -> None:
    """Take the warnings and the next step: the reply ends with them."""
    while match := rest.take(re.compile(r"Warning: (.+)")):
        found.warnings.append(match[1])
    if found.warnings:
        rest.blank()
    rest.take(re.compile(r"Next: [A-Z][^`]+\. `imap_\w+` `\{.+\}`"))


class _Lines:
    """Lines to be read from the front."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take the next line if it is of the pattern."""
        match = pattern.fullmatch(self.lines[0]) if self.lines else None
        if match:
            self.lines = self.lines[1:]
        return match

    def blank(self) -> bool:
        """Take the next line if it is empty."""
        return self.take(re.compile("")) is not None


def outside_marks(text: str, instead: str = "") -> str:
    """Leave out what is marked as perhaps hidden, or write it as `instead`; a snippet may end in a mark."""
    return re.sub(r"\[may be hidden: ([^\[\]]*)(?:\]|$)", instead, text)
