"""Bodies as mail programs make them: what is history goes, what anybody wrote or forwarded stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailmcp.mail.text.attribution import find_attribution
from mailmcp.mail.text.quote_marks import history_head_length, is_quoted
from mailmcp.mail.text.quotes import KEPT_LINES_MAX, collapse_quotes
from steps import assert_linear

OLD = "> one\n> two\n> three\n> four"
HEAD = "On 5 Nov 2026, Ada wrote:"
EXACT = "On Thu, Nov 5, 2026 at 9:30 AM Ada <ada@x.example> wrote:"
OUTLOOK = "From: Ada <ada@x.example>\nSent: Thursday, 5 November 2026 09:30\nTo: Bob\nSubject: Tea"


def gone(count: int) -> str:
    return f"[{count} quoted lines]" if count > 1 else "[1 quoted line]"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # History at the end, with and without an attribution, a blank line or a second level.
        (f"Yes.\n\n{OLD}", f"Yes.\n\n{gone(4)}"),
        (f"Yes.\n\nOn 5 Nov 2026, Ada <ada@x.example> wrote:\n{OLD}\n", f"Yes.\n\n{gone(5)}\n"),
        (
            f"Yes.\nAda <ada@x.example> wrote:\n{OLD}\n\n\n",
            f"Yes.\nAda <ada@x.example> wrote:\n{gone(4)}\n\n\n",
        ),
        (f"Yes.\n\nOn Thu, 5 Nov 2026,\nAda\n<ada@x.example> wrote:\n{OLD}", f"Yes.\n\n{gone(7)}"),
        ("Yes.\n>> a\n> > b\n>>> c\n> d", f"Yes.\n{gone(4)}"),
        (f"Yes.\n\n{OLD}\n\n{OLD}", f"Yes.\n\n{gone(9)}"),
        (f"Yes.\n\n> {HEAD}\n{OLD}", f"Yes.\n\n{gone(5)}"),
        # A long head costs more than the line in its place.
        (f"Yes.\n\n{EXACT}\n> one", f"Yes.\n\n{gone(2)}"),
        (f"Yes.\n\n{HEAD}\n> one", None),
        # A citation above the history is the author's.
        (f"You said:\n{OLD}\n\n{HEAD}\n{OLD}", f"You said:\n{OLD}\n\n{gone(5)}"),
        (f"See:\n{OLD}\nYes.\n\n{OUTLOOK}\n\nTea?", f"See:\n{OLD}\nYes.\n\n{gone(6)}"),
        # What may be the author's words about a quotation stays.
        (f"Yes.\n\nBob wrote:\n{OLD}", f"Yes.\n\nBob wrote:\n{gone(4)}"),
        # What stands right above an answer stays, with whom it is from.
        (f"{OLD}\n>\n> Tea?\n\nYes.\n\n{OLD}", f"{gone(5)}\n> Tea?\n\nYes.\n\n{gone(4)}"),
        (f"{OLD}\n> > older\n> Tea?\nYes.", f"{gone(5)}\n> Tea?\nYes."),
        # Short ones are cheaper to keep.
        ("Yes.\n\n> one\n> two\n> three", None),
        ("> one\n> two\n> three\n> four\n\nYes.", None),
        # Signatures and the footers of lists stay, wherever they stand.
        (f"Yes.\n-- \nBob\n\n{OLD}", f"Yes.\n-- \nBob\n\n{gone(4)}"),
        (f"Yes.\n\n{OLD}\n\n=========\nBob", f"Yes.\n\n{gone(4)}\n\n=========\nBob"),
        # Nothing but quotations: that is the message.
        (f"On 5 Nov 2026, Ada wrote:\n{OLD}", None),
        ("", None),
        # Prose above a quotation is the author's.
        (f"Look what he wrote:\n{OLD}", f"Look what he wrote:\n{gone(4)}"),
        # Without marks: all below the copied headers.
        (f"Yes.\n\n-----Original Message-----\n{OUTLOOK}\n\nTea?", f"Yes.\n\n{gone(7)}"),
        ("Yes.\n\n-----Original Message-----\n\nTea?\nOr cake?", f"Yes.\n\n{gone(4)}"),
        (f"Yes.\n\n---\n\n{OUTLOOK}", f"Yes.\n\n{gone(6)}"),
        (f"Yes.\n\n{EXACT}\n\nTea?\n\n{EXACT}\n{OLD}", f"Yes.\n\n{gone(9)}"),
        (f"Yes.\n\n{OUTLOOK}\n\nTea?\n\n{HEAD}\n{OLD}", f"Yes.\n\n{gone(12)}"),
        # Only a program says so exactly who wrote when, and then something follows.
        (f"Yes.\n\n{EXACT}", None),
        # Marks below are about it: what stands between is the author's.
        (f"Yes.\n\n{OUTLOOK}\n\nTea!\n\n{OLD}", f"Yes.\n\n{OUTLOOK}\n\nTea!\n\n{gone(4)}"),
        # Copied headers above marked lines: answers may follow.
        (f"Yes.\n\n-----Original Message-----\n{OUTLOOK}\n\n{OLD}", f"Yes.\n\n{gone(10)}"),
        # A forwarded message is content, with or without a word above.
        (f"---------- Forwarded message ---------\n{OUTLOOK}\n\nTea?", None),
        (f"{OUTLOOK}\n\nTea?\nOr cake?", None),
        (f"________________________________\n{OUTLOOK}\n\nTea?", None),
        # What only looks like copied headers.
        ("New entry:\n\nFrom: Ada\nEmail: ada@x.example\nSubject: Tea\nMessage: a\nb\nc", None),
    ],
)
def test_history_becomes_one_line(body: str, expected: str | None) -> None:
    """None: the body stays as it is."""
    result = collapse_quotes(body)
    assert result.text == (body if expected is None else expected)
    shown = sum(line.startswith("[") and "quoted lines" in line for line in result.text.split("\n"))
    assert result.lines_collapsed == len(body.split("\n")) - len(result.text.split("\n")) + shown


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # A citation, a form that was filled in.
        (f"A poem:\n\n{OLD}", None),
        (f"{OLD}\n\nTea?\n\n{OLD}", None),
        (f"New entry:\n\n{OUTLOOK}\n\nTea?", None),
        # History all the same, if a program that forgets what it answers says so.
        (f"Yes.\n\n{HEAD}\n{OLD}", f"Yes.\n\n{gone(5)}"),
        (f"Yes.\n\n-----Original Message-----\n{OUTLOOK}\n\nTea?", f"Yes.\n\n{gone(7)}"),
    ],
)
def test_a_new_message_may_cite(body: str, expected: str | None) -> None:
    """None: the body stays as it is."""
    assert collapse_quotes(body, reply=False).text == (body if expected is None else expected)


def test_copied_headers_begin_the_content_of_a_forwarded_message() -> None:
    """Outlook writes the same block above what it forwards: only the subject tells."""
    body = f"FYI\n\n{OUTLOOK}\n\nTea?"
    assert collapse_quotes(body, forwarded=True).text == body
    assert collapse_quotes(body).text == f"FYI\n\n{gone(6)}"
    assert collapse_quotes(f"FYI\n{OLD}", forwarded=True).text == f"FYI\n{gone(4)}"


_ORDINARY = ("", "> a", "> b", ">", ">> c", "Yes.", "No.", "-- ", "_____", "[9 quoted lines]")
_TELLING = ("On 5 Nov 2026, Ada wrote:", "Ada <a@x.example>", "wrote:", "-----Original Message-----")
_LINES = st.lists(
    st.sampled_from([*_ORDINARY, *_TELLING, "--- Forwarded message ---", *OUTLOOK.split("\n")])
    | st.text(max_size=20),
    max_size=60,
)


@given(_LINES)
def test_collapsing_twice_is_collapsing_once(lines: list[str]) -> None:
    once = collapse_quotes("\n".join(lines))
    assert collapse_quotes(once.text).text == once.text


@given(_LINES)
def test_what_nobody_quoted_stays(lines: list[str]) -> None:
    """Only marked lines, attributions and what is below copied headers may go."""
    body = "\n".join(lines)
    lines = body.split("\n")
    result = collapse_quotes(body)
    heads = [index for index in range(len(lines)) if history_head_length(lines, index)]
    above = lines[: heads[0]] if heads else lines
    own = [
        line
        for index, line in enumerate(above)
        if line.strip()
        and not is_quoted(line)
        and not any(
            (found := find_attribution(above[: end + 1])) is not None and found.lines > end - index
            for end in range(index, min(index + 3, len(above)))
        )
        and not set(line.strip()) <= set("_-*")
    ]
    remaining = iter(result.text.split("\n"))
    assert all(line in remaining for line in own)
    if not result.lines_collapsed:
        assert result.text == body
    else:
        assert result.lines_collapsed > KEPT_LINES_MAX


_PIECES = (
    *("> a\n", "> a\nb\n", " >" * 200 + "\n", "-----\n", "from:" * 60, "wrote:\n\n> a\n", "From: a\n> b\n"),
    *(f"{OUTLOOK}\n\n", "<" * 290 + ":\n> a\n", "1@" * 140 + ":\n> a\n", "a" * 299 + ":\n> a\n"),
)


@pytest.mark.parametrize("piece", _PIECES, ids=lambda piece: repr(piece[:20]))
def test_time_is_linear(piece: str) -> None:
    def collapse(size: int) -> None:
        body = "Hi\n" + piece * (size // len(piece))
        collapse_quotes(body)

    assert_linear(collapse, large=240_000)
