"""Warnings about what was removed from a text, and about what misleads in it."""

from collections.abc import Sequence

from mailmcp.mail.text.body import BodyText
from mailmcp.tools.names import GET_MESSAGE_RAW
from mailmcp.tools.wording import counted, were


def removal_warnings(texts: Sequence[BodyText], *, where: str, in_source: bool = False) -> list[str]:
    """Say what was taken out of texts and what misleads in them.

    Args:
        texts: As they were read; their numbers are added up.
        where: What the texts are called, in our words: `the body`.
        in_source: Whether to say which tool shows what was hidden.
    """
    warnings: list[str] = []
    if hidden := sum(each.hidden_removed for each in texts):
        chars = counted(sum(each.hidden_chars for each in texts), "character")
        passages = f"{counted(hidden, 'hidden passage')} ({chars}) {'was' if hidden == 1 else 'were'}"
        shown = f"; {GET_MESSAGE_RAW} has {'it' if hidden == 1 else 'them'}" if in_source else ""
        warnings.append(f"{passages} removed from {where}{shown}.")
    if maybe_hidden := sum(each.maybe_hidden for each in texts):
        chars = counted(sum(each.maybe_hidden_chars for each in texts), "character")
        marked = "it is marked" if maybe_hidden == 1 else "they are marked"
        warnings.append(
            f"{counted(maybe_hidden, 'passage')} of {where} ({chars}) may be hidden from people: {marked}."
        )
    if any(each.styles_unchecked for each in texts):
        source = f"; {GET_MESSAGE_RAW} has the source" if in_source else ""
        warnings.append(f"Styles may hide text of {where} that is not marked{source}.")
    if invisible := sum(each.invisible_removed for each in texts):
        warnings.append(f"{were(invisible, 'invisible character')} removed from {where}.")
    if misleading := sum(each.misleading_links for each in texts):
        one = misleading == 1
        links = "1 link misleads: where it goes" if one else f"{misleading} links mislead: where they go"
        warnings.append(f"In {where} {links} is shown, unless {'it runs' if one else 'they run'} code.")
    return warnings
