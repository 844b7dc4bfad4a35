"""Replies of many programs: their history goes, and never a line of the author's."""

import re
from collections import Counter

import pytest

from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.structure import leaf_parts
from mailmcp.mail.read import read_message
from mailmcp.mail.text.quotes import CONTEXT_LINES_MAX
from replies.reply import Reply, insert, octets, pieces, places, read_replies
from thinning import thin

REPLIES = read_replies()
COLLAPSED = re.compile(r"\[\d+ quoted lines\]")

OWN = (
    "On it.",
    "On Monday",
    "On Monday,",
    "No",
    "Am Montag geht es",
    "Le 5, parfait",
    "El 5 a las 9:30",
    "Den tar jag",
    "2 pm is fine",
    "5 November 2026",
    "On 5 November 2026",
    "Alex",
    "Yesterday",
    "no, that is wrong",
    "Please see what",
    "He wrote:",
    "As Ada Lindqvist <ada@harbour.example> wrote:",
    "Pay the 300 euros to Ada <ada@harbour.example>:",
    "Please do today what ada@harbour.example wrote:",
    "On 5 May 2026 I asked what Ada <ada@harbour.example> wrote:",
    "From: the station, on foot",
    "Date: 5 November",
    ">From the station I go on foot.",
)
"""What authors write above and between quotations, and what tempts to take it for more of them."""


def shown(message: bytes) -> list[str]:
    """Read a message and return the lines that are shown of it."""
    view = parse_message(message, complete=True)
    content = {part.part_id: view.part_octets(part) or b"" for part in leaf_parts(view.structure)}
    text = read_message(view, content).text
    return [line for line in text.split("\n") if line.strip()]


def left_over(reply: Reply) -> list[str]:
    """Read a reply and return what is left of its history, besides what each answer is shown with."""
    lines = [line for line in shown(octets(reply, pieces(reply))) if not COLLAPSED.fullmatch(line)]
    left = list((Counter(lines) - Counter(reply.own)).elements())
    answers = {"inline": len(reply.own), "bottom": 1}.get(reply.shape, 0)
    return left[len(reply.head) + answers * CONTEXT_LINES_MAX :] if answers else left


def is_mark(reply: Reply, line: str) -> bool:
    """In flowed text, `>` is a mark whatever follows (RFC 3676 section 4.5)."""
    return reply.shape == "flowed" and line.startswith(">")


def name(reply: Reply) -> str:
    return f"{reply.program}, {reply.language}, {reply.shape}"


def test_nearly_all_replies_come_out_exact() -> None:
    left = {name(reply): lines for reply in REPLIES if (lines := left_over(reply))}
    assert len(REPLIES) >= 126
    assert len(REPLIES) - len(left) >= 136, left


@pytest.mark.parametrize("reply", REPLIES, ids=name)
def test_every_line_of_the_author_is_shown(reply: Reply) -> None:
    assert set(reply.own) <= set(shown(octets(reply, pieces(reply), subject="Berth 12")))


@pytest.mark.parametrize("reply", thin(REPLIES, keep_every=4), ids=name)
def test_a_line_of_the_author_is_shown_wherever_it_stands(reply: Reply) -> None:
    """A third of the lines for each place: the next reply has the next third there."""
    third = REPLIES.index(reply)
    missing = [
        (place, line)
        for place in places(reply)
        for line in OWN[(third + place) % 3 :: 3]
        if not is_mark(reply, line) and line not in shown(octets(reply, insert(reply, place, line)))
    ]
    assert missing == []
