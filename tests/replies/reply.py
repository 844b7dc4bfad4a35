"""Replies as programs write them, made of two tables: what heads a quotation, and what people say.

A reply is a list of pieces, so that a test can put a line of the author's between any two of them.
"""

import textwrap
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent
_BROKEN_CHARS: Final = 70

# Above the head, a line of the head, below it, a quoted line.
_PLAIN: Final = {
    "marked": ("\n", "{}", "\n", "> {}"),
    "tight": ("\n", "{}", "", ">{}"),
    "inside": ("\n", "> {}", ">\n", "> {}"),
    "unmarked": ("\n", "{}", "\n", "{}"),
    "inline": ("", "{}", "", "> {}"),
    "flowed": ("\n", "{}", "", "> {}"),
}
# Above the head, what opens and closes the quotation, below it.
_HTML: Final = {
    "gmail": (
        '<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">',
        '<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid '
        'rgb(204,204,204);padding-left:1ex">',
        "</blockquote>",
        "</div>",
    ),
    "gmail_bare": ('<br><div class="gmail_quote">', "<br><br>", "", "</div>"),
    "cite": (
        '<br><div class="moz-cite-prefix">',
        '<br></div><blockquote type="cite" cite="mid:1@harbour.example">',
        "</blockquote>",
        "",
    ),
    "plain_quote": ("<div>&nbsp;</div><div>", "</div><blockquote>", "</blockquote>", ""),
    "bordered": (
        "<br><br><div>",
        '<br></div><blockquote style="border-left:1px solid #0857A6;margin:10px;padding:0 0 0 10px">',
        "</blockquote>",
        "",
    ),
    "word": (
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
        '<p class="MsoNormal">',
        '</p></div><p class="MsoNormal">&nbsp;</p>',
        "",
        "",
    ),
    "rule": ('<hr style="width:98%"><div id="divRplyFwdMsg">', "</div><div>&nbsp;</div>", "", ""),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply: which program wrote it, and what is in it."""

    program: str
    language: str
    shape: str
    head: tuple[str, ...]
    own: tuple[str, ...]
    old: tuple[str, ...]

    @property
    def is_html(self) -> bool:
        return self.shape in _HTML

    @property
    def is_marked(self) -> bool:
        """Whether marks or elements say where the quotation ends."""
        return self.shape not in ("unmarked", "gmail_bare", "word", "rule")


def read_replies() -> tuple[Reply, ...]:
    """Read the tables."""
    texts = {language: (own.split("|"), old.split("|")) for language, own, old in _rows("texts.txt")}
    return tuple(
        Reply(
            program=program,
            language=language,
            shape=shape,
            head=tuple(head.split("¶")),
            own=tuple(texts[language][0]),
            old=tuple(texts[language][1]),
        )
        for program, language, shape, head in _rows("programs.txt")
    )


def pieces(reply: Reply) -> list[str]:
    """Write a reply as lines of plain text or of HTML, without line ends."""
    if reply.is_html:
        opening, begin, end, closing = _HTML[reply.shape]
        return [
            *map(own_html, reply.own),
            opening + "<br>".join(reply.head) + begin,
            *(f"<div>{line}</div>" for line in reply.old),
            end + closing,
        ]
    if reply.shape == "bottom":
        return [*reply.head, *(f"> {line}" for line in reply.old * 3), "", *reply.own]
    if reply.shape == "inline":
        quoted = [f"> {line}" for line in reply.old * 3]
        return [*reply.head, *(each for own in reply.own for each in (*quoted, "", own, ""))]
    above, head, below, old = _PLAIN.get(reply.shape, _PLAIN["marked"])
    return [
        *reply.own,
        *above.splitlines(),
        *map(head.format, reply.head),
        *below.splitlines(),
        *(_broken(reply) if reply.shape.startswith("broken") else map(old.format, reply.old)),
    ]


def own_html(line: str) -> str:
    """Write a line of the author's as editors do."""
    return f"<div>{escape(line)}</div>"


def places(reply: Reply) -> range:
    """Number the places where the author may write: anywhere, but without marks not below the head."""
    lines = pieces(reply)
    return range(len(lines) + 1 if reply.is_marked else _head_at(reply, lines) + 1)


def insert(reply: Reply, place: int, *own: str) -> list[str]:
    """Write a reply with more lines of the author's, above the piece of that number."""
    lines = pieces(reply)
    head = _head_at(reply, lines)
    if reply.is_html:
        _, begin, end, _ = _HTML[reply.shape]
        written = [*map(own_html, own)]
        if head < place < len(lines):  # editors divide the quotation
            written = [end, *written, begin[begin.index("<blockquote") :]]
        return [*lines[:place], *written, *lines[place:]]
    if head < place < head + len(reply.head):
        place = head  # no one writes within an attribution
    return [*lines[:place], *own, *lines[place:]]


def _head_at(reply: Reply, lines: list[str]) -> int:
    return next(index for index, line in enumerate(lines) if reply.head[0] in line)


def octets(reply: Reply, lines: list[str], *, subject: str = "Re: Berth 12") -> bytes:
    """Make the message."""
    kind = "html" if reply.is_html else "plain"
    flowed = "; format=flowed" if reply.shape == "flowed" else ""
    return "\r\n".join(
        [
            "From: Ben Osei <ben@quay.example>",
            "To: Ada Lindqvist <ada@harbour.example>",
            "Date: Fri, 6 Nov 2026 10:00:00 +0100",
            f"Subject: {subject}",
            "MIME-Version: 1.0",
            f"Content-Type: text/{kind}; charset=utf-8{flowed}",
            "",
            *lines,
            "",
        ]
    ).encode()


def _broken(reply: Reply) -> list[str]:
    """Quote a long sentence and break the lines that the marks made too long."""
    sentence = ", ".join(line.rstrip(".?")[:1].lower() + line.rstrip(".?")[1:] for line in reply.old * 3)
    broken: list[str] = []
    for line in (f"> {line}" for line in textwrap.wrap(sentence, _BROKEN_CHARS + 2)):
        once = reply.shape == "broken_once" and len(broken) > 1
        at = line.rfind(" ", 0, _BROKEN_CHARS) if len(line) > _BROKEN_CHARS and not once else -1
        broken += [line] if at < 0 else [line[:at], line[at + 1 :]]
    return [*broken, "> Ada"]


def _rows(name: str) -> list[list[str]]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [[cell.strip(" ") for cell in line.split(" | ")] for line in lines if not line.startswith("#")]
