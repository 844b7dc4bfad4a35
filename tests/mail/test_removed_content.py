"""Warnings count what was removed."""

import pytest

from mailmcp.mail.html.convert import html_to_text
from mailmcp.mail.removed_content import Removed
from mailmcp.mail.text.alternatives import PlainOnly

RAW = "imap_get_message_raw"


@pytest.mark.parametrize(
    ("removed", "source", "expected"),
    [
        (Removed(), RAW, []),
        (Removed(hidden=1, hidden_chars=1), "", ["Removed 1 hidden passage (1 character) from the body."]),
        (Removed(hidden=1), RAW, [f"Removed 1 hidden passage (0 characters) from the body; {RAW} has it."]),
        (
            Removed(maybe_hidden=1, maybe_hidden_chars=12),
            "",
            ["People may not see 1 marked passage of the body (12 characters)."],
        ),
        (Removed(invisible=2), "", ["Removed 2 invisible characters from the body."]),
        (
            Removed(misleading_links=1),
            "",
            ["1 link in the body is misleading: its target is shown unless it runs code."],
        ),
        (
            Removed(misleading_links=3),
            "",
            ["3 links in the body are misleading: their targets are shown unless they run code."],
        ),
    ],
)
def test_removed_content_is_counted(removed: Removed, source: str, expected: list[str]) -> None:
    assert removed.warnings(where="the body", source=source) == expected
    assert Removed.total([removed, Removed()]) == removed


@pytest.mark.parametrize(
    "css", ["p{color:red}" * 20_000, ".x{}.x{color:red}" * 2_001, f"{'p' * 501}{{color:red}}"]
)
def test_style_sheets_that_are_not_applied_in_full_are_mentioned(css: str) -> None:
    warnings = html_to_text(f"<style>{css}</style><p>a</p>").removed.warnings(where="the body")
    assert warnings == ["Not all style sheets could be applied: people may not see all of the body."]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (PlainOnly(), []),
        (PlainOnly(lines=1), ["People who read the HTML don't see 1 line of the plain text."]),
        (
            PlainOnly(lines=2, maybe_lines=3, html_lines=1),
            [
                "People who read the HTML don't see 2 lines of the plain text.",
                "People who read the HTML may not see 3 lines of the plain text.",
                "The HTML has 1 line that the plain text, shown here, doesn't have: body_mode=html shows it.",
            ],
        ),
    ],
)
def test_what_only_one_text_says_is_counted(found: PlainOnly, expected: list[str]) -> None:
    assert found.warnings(html_shown_by="body_mode=html") == expected
