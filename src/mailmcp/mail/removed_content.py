"""What was removed from a text, or may mislead in it, and the warnings about that."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from mailmcp.wording import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """Counts of one text."""

    hidden: int = 0
    """Passages that the HTML certainly hides, which were removed."""

    hidden_chars: int = 0
    """Characters of these passages, as they would read."""

    maybe_hidden: int = 0
    """Passages that a style may hide, whose value isn't understood or which some obey: each is marked."""

    maybe_hidden_chars: int = 0
    invisible: int = 0
    """Invisible and bidirectional control characters that were removed."""

    misleading_links: int = 0
    """Links whose text names another host than the one they lead to; the text shows the real one."""

    sheets_cut: int = 0
    """Documents whose style sheets are too large to apply all of them."""

    @staticmethod
    def total(found: Iterable["Removed"]) -> "Removed":
        """Add up the counts of several texts."""
        texts = list(found)
        names = (each.name for each in fields(Removed))
        return Removed(**{name: sum(getattr(each, name) for each in texts) for name in names})

    def warnings(self, *, where: str, source: str = "") -> list[str]:
        """List what a reader must know.

        Args:
            where: What to call the text: `the body`.
            source: Name of the tool that shows what was hidden, or "" not to name one.
        """
        found: list[str] = []
        if self.hidden:
            shown = f"; {source} has {'it' if self.hidden == 1 else 'them'}" if source else ""
            chars = counted(self.hidden_chars, "character")
            found.append(f"Removed {counted(self.hidden, 'hidden passage')} ({chars}) from {where}{shown}.")
        if self.maybe_hidden:
            passages = counted(self.maybe_hidden, "marked passage")
            chars = counted(self.maybe_hidden_chars, "character")
            found.append(f"People may not see {passages} of {where} ({chars}).")
        if self.sheets_cut:
            found.append(f"Not all style sheets could be applied: people may not see all of {where}.")
        if self.invisible:
            found.append(f"Removed {counted(self.invisible, 'invisible character')} from {where}.")
        if self.misleading_links == 1:
            found.append(f"1 link in {where} is misleading: its target is shown unless it runs code.")
        elif self.misleading_links:
            links = f"{self.misleading_links} links in {where}"
            found.append(f"{links} are misleading: their targets are shown unless they run code.")
        return found
