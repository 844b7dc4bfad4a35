"""Warnings about what was removed from a text, or may mislead in it."""

from collections.abc import Sequence

from mailmcp.mail.html.convert import HtmlText
from mailmcp.mail.text.body import BodyText
from mailmcp.tools.names import GET_MESSAGE_RAW
from mailmcp.wording import counted


def removal_warnings(
    texts: Sequence[BodyText | HtmlText], *, where: str, in_source: bool = False
) -> list[str]:
    """List what was removed from texts and what may mislead in them.

    Args:
        texts: The texts; their counts are added up.
        where: What to call them: `the body`.
        in_source: Whether to name the tool that shows what was hidden.
    """
    warnings: list[str] = []
    if hidden := sum(each.hidden_removed for each in texts):
        chars = counted(sum(each.hidden_chars for each in texts), "character")
        source = f"; {GET_MESSAGE_RAW} has {'it' if hidden == 1 else 'them'}" if in_source else ""
        warnings.append(f"Removed {counted(hidden, 'hidden passage')} ({chars}) from {where}{source}.")
    if maybe_hidden := sum(each.maybe_hidden for each in texts):
        chars = counted(sum(each.maybe_hidden_chars for each in texts), "character")
        warnings.append(f"People may not see {counted(maybe_hidden, 'marked passage')} of {where} ({chars}).")
    if any(each.styles_unchecked for each in texts):
        source = f"; {GET_MESSAGE_RAW} has the source" if in_source else ""
        warnings.append(f"Styles may hide text of {where} that is not marked{source}.")
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
