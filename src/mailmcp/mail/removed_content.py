"""Warnings about what was removed from a text, may mislead in it, or is in the plain text alone."""

from collections.abc import Sequence

from mailmcp.mail.html.convert import HtmlText
from mailmcp.mail.text.alternatives import PlainOnly
from mailmcp.mail.text.body import BodyText
from mailmcp.wording import counted


def removal_warnings(texts: Sequence[BodyText | HtmlText], *, where: str, source: str = "") -> list[str]:
    """List what was removed from texts and what may mislead in them.

    Args:
        texts: The texts; their counts are added up.
        where: What to call them: `the body`.
        source: Name of the tool that shows what was hidden, or "" not to name one.
    """
    warnings: list[str] = []
    if hidden := sum(each.hidden_removed for each in texts):
        chars = counted(sum(each.hidden_chars for each in texts), "character")
        shown = f"; {source} has {'it' if hidden == 1 else 'them'}" if source else ""
        warnings.append(f"Removed {counted(hidden, 'hidden passage')} ({chars}) from {where}{shown}.")
    if maybe_hidden := sum(each.maybe_hidden for each in texts):
        chars = counted(sum(each.maybe_hidden_chars for each in texts), "character")
        warnings.append(f"People may not see {counted(maybe_hidden, 'marked passage')} of {where} ({chars}).")
    if invisible := sum(each.invisible_removed for each in texts):
        warnings.append(f"Removed {counted(invisible, 'invisible character')} from {where}.")
    if misleading := sum(each.misleading_links for each in texts):
        if misleading == 1:
            warnings.append(f"1 link in {where} is misleading: its target is shown unless it runs code.")
        else:
            warnings.append(
                f"{misleading} links in {where} are misleading: their targets are shown unless they run code."
            )
    return warnings


def plain_text_warnings(
    plain_only: PlainOnly, *, where: str = "the plain text", html_shown_by: str = ""
) -> list[str]:
    """List what people may not see of a plain text, because they read the HTML, and what only the HTML says.

    Args:
        plain_only: From `mailmcp.mail.text.alternatives`.
        where: What to call the plain text.
        html_shown_by: What shows the HTML, if anything does.
    """
    warnings: list[str] = []
    if plain_only.lines:
        lines = counted(plain_only.lines, "line")
        warnings.append(f"People who read the HTML don't see {lines} of {where}.")
    if plain_only.maybe_lines:
        lines = counted(plain_only.maybe_lines, "line")
        warnings.append(f"People who read the HTML may not see {lines} of {where}.")
    if plain_only.html_lines:
        lines = counted(plain_only.html_lines, "line")
        shown = (
            f": {html_shown_by} shows {'it' if plain_only.html_lines == 1 else 'them'}"
            if html_shown_by
            else ""
        )
        warnings.append(f"The HTML has {lines} that {where}, shown here, doesn't have{shown}.")
    return warnings
