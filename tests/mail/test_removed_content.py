"""Warnings count what was removed."""

import pytest

from mailmcp.mail.removed_content import plain_text_warnings, removal_warnings
from mailmcp.mail.text.alternatives import PlainOnly
from mailmcp.mail.text.body import BodyText


def text(
    hidden: tuple[int, int] = (0, 0),
    invisible: int = 0,
    misleading: int = 0,
    maybe_hidden: tuple[int, int] = (0, 0),
) -> BodyText:
    return BodyText(
        text="",
        html=(),
        from_html=True,
        hidden_removed=hidden[0],
        hidden_chars=hidden[1],
        invisible_removed=invisible,
        maybe_hidden=maybe_hidden[0],
        maybe_hidden_chars=maybe_hidden[1],
        misleading_links=misleading,
    )


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], []),
        ([text()], []),
        ([text((1, 1))], ["Removed 1 hidden passage (1 character) from the body."]),
        (
            [text((1, 120)), text(), text((2, 180))],
            ["Removed 3 hidden passages (300 characters) from the body."],
        ),
        (
            [text(maybe_hidden=(1, 12))],
            ["People may not see 1 marked passage of the body (12 characters)."],
        ),
        (
            [text(maybe_hidden=(1, 12)), text(maybe_hidden=(1, 1))],
            ["People may not see 2 marked passages of the body (13 characters)."],
        ),
        ([text(invisible=2)], ["Removed 2 invisible characters from the body."]),
        (
            [text(misleading=1)],
            ["1 link in the body is misleading: its target is shown unless it runs code."],
        ),
        (
            [text(misleading=1), text(misleading=2)],
            ["3 links in the body are misleading: their targets are shown unless they run code."],
        ),
    ],
)
def test_removed_content_is_counted(texts: list[BodyText], expected: list[str]) -> None:
    assert removal_warnings(texts, where="the body") == expected


@pytest.mark.parametrize(
    ("passages", "expected"),
    [
        (1, "Removed 1 hidden passage (0 characters) from the body; imap_get_message_raw has it."),
        (2, "Removed 2 hidden passages (0 characters) from the body; imap_get_message_raw has them."),
    ],
)
def test_the_warning_names_the_tool_that_shows_hidden_text(passages: int, expected: str) -> None:
    assert removal_warnings([text((passages, 0))], where="the body", source="imap_get_message_raw") == [
        expected
    ]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (PlainOnly(), []),
        (PlainOnly(lines=1), ["People who read the HTML don't see 1 line of the plain text."]),
        (
            PlainOnly(lines=2, maybe_lines=3),
            [
                "People who read the HTML don't see 2 lines of the plain text.",
                "People who read the HTML may not see 3 lines of the plain text.",
            ],
        ),
    ],
)
def test_what_only_the_plain_text_shows_is_counted(found: PlainOnly, expected: list[str]) -> None:
    assert plain_text_warnings(found) == expected
