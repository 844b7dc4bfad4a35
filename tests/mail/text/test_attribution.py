"""Attributions: those of `tests/replies/programs.txt`, and what only looks like one."""

import pytest

from mailmcp.mail.text.attribution import find_attribution
from replies.reply import Reply, read_replies

LEFT_OVER = (
    "Apple Mail, in three lines",
    "a name without capitals",
    "a forum's user name",
    "a note by hand",
    "Lotus Notes, in columns",
    "K-9, old",
    "Gnus",
    "Horde",
    "an old mobile",
)
REPLIES = [
    reply
    for reply in read_replies()
    if not reply.is_html and reply.head[-1].endswith((":", "\uff1a", "--")) and reply.program not in LEFT_OVER
]
"""Those with an attribution, not copied headers."""


def lines_of(lines: list[str]) -> int:
    found = find_attribution(lines)
    return found.lines if found else 0


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: f"{reply.program}, {reply.language}")
@pytest.mark.parametrize("above", [["Hello.", ""], ["Hello."], []], ids=["blank", "sentence", "nothing"])
def test_attributions_of_programs_and_languages_are_known(reply: Reply, above: list[str]) -> None:
    head = [line for line in reply.head if "Original Message" not in line]
    assert lines_of([*above, *head]) == len(head)


@pytest.mark.parametrize(
    "line",
    [
        "He wrote:",
        "Ada wrote on 5 May:",
        "Call 555 or write to ada@x.example:",
        "Please do today what ada@x.example wrote:",
        "On 5 May 2026 at 9:30 I wrote:",
        "2 pm is fine. On 26.06.2014 14:41, Ada wrote:",
        "On 5 May she wrote",
        "> On 5 May 2026, Ada wrote:",
        f"On 5 May 2026 {'Ada ' * 40}wrote:",
        "5 November 2026:",
        ":",
    ],
)
def test_prose_is_not_an_attribution(line: str) -> None:
    assert find_attribution(["Hello.", "", line]) is None


HEAD = "On 26.06.2014 14:41, Ada Lovelace <ada@x.example> wrote:"
CUT = ["On Thu, Nov 5, 2026 at 9:30 AM Ada Lovelace <", "ada@x.example> wrote:"]


@pytest.mark.parametrize(
    ("lines", "length"),
    [
        # The shortest that begins like one.
        (["2 pm is fine.", HEAD], 1),
        (["2 pm is fine", HEAD], 1),
        # Lines are joined where a program breaks them: when they are full, or before what belongs to them.
        (CUT, 2),
        (["On 5 Nov 2026, Ada", "<ada@x.example>", "wrote:"], 3),
        (["On 5 November 2026,", "Ada Lovelace <ada@x.example> wrote:"], 2),
        (["On 5 November 2026,", "Quoting Ada Lovelace <ada@x.example>:"], 0),
        (["Alex", "Ada Lovelace <ada@x.example> wrote:"], 0),
        # Never over the end of a sentence, a blank line or a quotation.
        (["On Thu, Nov 5, 2026 at 9:30 AM Ada Lovelace <", "", "ada@x.example> wrote:"], 0),
        (["Please do today what", "ada@x.example wrote:"], 0),
        ([], 0),
    ],
    ids=lambda case: " / ".join(case) if isinstance(case, list) else "",
)
def test_the_lines_of_an_attribution_are_counted(lines: list[str], length: int) -> None:
    assert lines_of(lines) == length


@pytest.mark.parametrize(
    ("line", "certain"),
    [
        (HEAD, True),
        ("Am 05.11.26 um 09:30 schrieb Ada Lovelace:", True),
        ("чт, 5 нояб. 2026 \u0433. в 09:30, Ada <ada@x.example>:", True),
        # A heading of a plan reads the same.
        ("05.11.2026 09:30 Ada Lovelace <ada@x.example>:", False),
        ("On 5 Nov 2026 at 9:30 you wrote:", False),
        ("Ada Lovelace <ada@x.example> wrote:", False),
    ],
)
def test_few_attributions_can_begin_history_without_marks(line: str, *, certain: bool) -> None:
    found = find_attribution([line])
    assert found is not None
    assert found.certain is certain
