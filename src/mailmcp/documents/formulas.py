"""Writes formulas on one line: those of Office (OMML, ECMA-376 part 1, 22.1) and MathML.

A fraction becomes `3/4`, not `34`; powers and indices become `x^2` and `x_i`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mailmcp.documents.xml_elements import Element

FORMULAS: Final = frozenset({"oMath", "math"})
"""The elements that are formulas."""

_SKIPPED: Final = frozenset({"annotation", "annotation-xml", "del", "moveFrom"})
_FRACTIONS: Final = frozenset({"f", "mfrac"})
_MARKS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("sSup", "msup", "mover"), ("^",)),
    **dict.fromkeys(("sSub", "msub", "munder"), ("_",)),
    **dict.fromkeys(("sSubSup", "msubsup", "munderover"), ("_", "^")),
}
"""What stands before the second part and the third."""

_ROOTS: Final = frozenset({"rad", "msqrt", "mroot"})


def write_formula(formula: Element, hide: Callable[[str], None]) -> str:
    """Write a formula, or a part of one; `hide` gets text that is hidden."""
    parts: list[str] = []
    for each in formula.children:
        if isinstance(each, str):
            parts.append(each.strip())
        elif each.name == "r" and any(mark.is_on for mark in each.find("vanish")):
            hide(each.text())
        elif each.name not in _SKIPPED:
            parts.append(each.get("val") if each.name == "chr" else write_formula(each, hide))
    return _join(formula.name, [each for each in parts if each])


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
