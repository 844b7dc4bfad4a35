"""Writes formulas on one line: those of Office (OMML, ECMA-376 part 1, 22.1) and MathML.

A fraction becomes `3/4`, not `34`; powers and indices become `x^2` and `x_i`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mailmcp.documents.xml_stream import Event, Start

FORMULAS: Final = frozenset({"oMath", "math"})
"""The elements that are formulas."""

_SKIPPED: Final = frozenset({"annotation", "annotation-xml"})
_FRACTIONS: Final = frozenset({"f", "mfrac"})
_MARKS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("sSup", "msup", "mover"), ("^",)),
    **dict.fromkeys(("sSub", "msub", "munder"), ("_",)),
    **dict.fromkeys(("sSubSup", "msubsup", "munderover"), ("_", "^")),
}
"""What stands before the second part and the third."""

_ROOTS: Final = frozenset({"rad", "msqrt", "mroot"})


class FormulaReader:
    """Takes the events of one formula, from its start."""

    def __init__(self, hide: Callable[[str], None]) -> None:
        """Begin; `hide` gets text that is hidden."""
        self._hide = hide
        self._open: list[tuple[str, list[str]]] = []
        self._run_hidden = False

    def take(self, event: Event) -> str | None:
        """Take an event; return the formula when it ends, and None before."""
        if isinstance(event, str):
            self._text(event)
        elif isinstance(event, Start):
            if event.name == "r":
                self._run_hidden = False
            elif event.name == "vanish":
                self._run_hidden = event.attributes.get("val", "true").lower() not in {"0", "false", "off"}
            symbol = [event.attributes.get("val", "")] if event.name == "chr" else []
            self._open.append((event.name, symbol))
        else:
            return self._end()
        return None

    def _text(self, text: str) -> None:
        if not text.strip() or any(name in _SKIPPED for name, _ in self._open):
            return
        if self._run_hidden:
            self._hide(text)
        else:
            self._open[-1][1].append(text.strip())

    def _end(self) -> str | None:
        name, parts = self._open.pop()
        text = _join(name, [each for each in parts if each])
        if not self._open:
            return text
        self._open[-1][1].append(text)
        return None


def _join(name: str, parts: Sequence[str]) -> str:
    if name in _FRACTIONS and len(parts) == 2:
        return "/".join(map(_group, parts))
    if name in _MARKS and len(parts) == 1 + len(_MARKS[name]):
        marked = (mark + _group(part) for mark, part in zip(_MARKS[name], parts[1:], strict=True))
        return parts[0] + "".join(marked)
    if name in _ROOTS and parts:
        return f"√{_group(parts[-1] if name == 'rad' else parts[0])}"
    if name == "d":
        return f"({', '.join(parts)})"
    return "".join(parts)


def _group(text: str) -> str:
    return text if text.isalnum() else f"({text})"
