"""CSS declarations: an inline style, or the block of a rule, to longhand properties.

Only what can make text unseen is kept. Shorthands are split so that the cascade
can weigh each property alone; lengths are reckoned in CSS pixels (CSS Values 4).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import tinycss2

from mailmcp.mail.html.validity import NUMBER, is_possible

_SIMPLE: Final = re.compile(r"[^\"'\\/{}\[\]@]*+")
_VALUE_DEPTH_MAX: Final = 4  # functions in functions; serialising deeper ones recurses
_LENGTH: Final = re.compile(rf"(?:calc\()?\s*({NUMBER})\s*(%|[a-z]*)\s*\)?")
_SPACE: Final = re.compile(r"\s+")
_FONT_SIZE: Final = re.compile(rf"(?:^|\s)((?:{NUMBER})(?:%|[a-z]+)|0)(?=[\s/]|$)")
_IMAGE: Final = re.compile(r"(?:url|gradient|image|image-set|element)\(")
_COLOUR: Final = re.compile(r"#[0-9a-f]+|[a-z-]+(?:\([^()]*+\))?")
_POSITION_WORDS: Final = frozenset(
    {"none", "repeat", "no-repeat", "repeat-x", "repeat-y", "scroll", "fixed", "local", "center", "top"}
    | {"left", "right", "bottom", "cover", "contain", "border-box", "padding-box", "content-box", "text"}
)
_PIXELS: Final = {
    "px": 1.0,
    "": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "rem": 16.0,
    "vw": 10.24,
    "vh": 7.68,
}
_EMS: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5}

PROPERTIES: Final = frozenset(
    {"display", "visibility", "opacity", "filter", "font-size", "letter-spacing", "color"}
    | {"-webkit-text-fill-color", "background-color", "background-image"}
    | {"background-clip", "-webkit-background-clip"}
    | {"height", "max-height", "width", "max-width", "overflow", "position", "left", "top", "right", "bottom"}
    | {"text-indent", "margin-left", "margin-top", "transform", "clip", "clip-path", "content-visibility"}
)
"""Properties that can make text unseen, shorthands split."""

_LOGICAL: Final = {
    "block-size": "height",
    "max-block-size": "max-height",
    "inline-size": "width",
    "max-inline-size": "max-width",
    "inset-block-start": "top",
    "inset-inline-start": "left",
    "margin-block-start": "margin-top",
    "margin-inline-start": "margin-left",
}
"""Names that depend on the direction of writing (CSS Logical Properties 1), read as for left to right."""

_SHORTHANDS: Final = frozenset(
    {"font", "background", "margin", "overflow-x", "overflow-y", "inset", "scale", "translate", *_LOGICAL}
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """One longhand property; name and value in lower case."""

    name: str
    value: str
    important: bool = False


def parse_style(style: str | None) -> tuple[Declaration, ...]:
    """Read an inline style, in the order written."""
    if not style:
        return ()
    if _SIMPLE.fullmatch(style) is None:
        return parse_block(tinycss2.parse_blocks_contents(style, skip_comments=True, skip_whitespace=True))
    found: list[Declaration] = []
    for declaration in style.lower().split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            text, bang, bang_word = value.partition("!")
            if not bang or bang_word.strip() == "important":
                found.extend(_expand(name.strip(), " ".join(text.split()), important=bool(bang)))
    return tuple(found)


def parse_block(nodes: Iterable[Any]) -> tuple[Declaration, ...]:
    """Read parsed content of a block, in the order written; what is no declaration is passed over."""
    found: list[Declaration] = []
    for node in nodes:
        if node.type == "declaration" and (node.lower_name in PROPERTIES or node.lower_name in _SHORTHANDS):
            value = _serialize(node.value)
            found.extend(_expand(node.lower_name, value, important=node.important))
    return tuple(found)


def own_values(declarations: Iterable[Declaration]) -> dict[str, str]:
    """Choose the value of each property: the last one written, an important one before others."""
    chosen: dict[str, Declaration] = {}
    for declaration in declarations:
        before = chosen.get(declaration.name)
        if before is None or declaration.important >= before.important:
            chosen[declaration.name] = declaration
    return {name: declaration.value for name, declaration in chosen.items()}


def length_px(value: str, *, em_px: float = 16.0, whole_px: float | None = None) -> float | None:
    """Reckon a length in pixels; numbers without unit are pixels, as in attributes.

    Args:
        value: As written, in lower case.
        em_px: Font size that ``em`` means.
        whole_px: What 100 % is; None if that is not known.

    Returns:
        None for what is no length, and for a percentage other than 0 of what is not known.
    """
    match = _LENGTH.fullmatch(value.strip())
    if match is None:
        return None
    number, unit = float(match[1]), match[2]
    if number == 0:
        return 0.0
    if unit == "%":
        return None if whole_px is None else number * whole_px / 100
    factor = _EMS[unit] * em_px if unit in _EMS else _PIXELS.get(unit)
    return None if factor is None else number * factor


def _serialize(tokens: list[Any]) -> str:
    if not _is_shallow(tokens, _VALUE_DEPTH_MAX):
        return ""
    return _SPACE.sub(" ", tinycss2.serialize(tokens)).strip().lower()


def _is_shallow(tokens: Iterable[Any], depth: int) -> bool:
    for token in tokens:
        inner = getattr(token, "arguments", None) or getattr(token, "content", None)
        if inner and (depth == 0 or not _is_shallow(inner, depth - 1)):
            return False
    return True


def _expand(name: str, value: str, *, important: bool) -> Iterator[Declaration]:
    for longhand, part in _longhands(name, value):
        if part and is_possible(longhand, part):
            yield Declaration(longhand, part, important)


def _longhands(name: str, value: str) -> Iterator[tuple[str, str]]:
    match name:
        case "font":
            size = _FONT_SIZE.search(value)
            yield "font-size", size[1] if size else ""
        case "background":
            yield "background-image", "url(" if _IMAGE.search(value) else "none"
            yield "background-color", _colour_in(value)
        case "margin" | "inset":
            sides = value.split()  # top, right, bottom, left; missing ones are as those opposite
            top, left = ("margin-top", "margin-left") if name == "margin" else ("top", "left")
            yield top, "".join(sides[:1])
            yield left, "".join(sides[3:4] or sides[1:2] or sides[:1])
        case "overflow-x" | "overflow-y":
            yield "overflow", value if value in ("hidden", "clip", "auto", "scroll") else ""
        case "scale" | "translate":
            yield "transform", f"{name}({value})" if value != "none" else ""
        case _:
            longhand = _LOGICAL.get(name, name)
            yield longhand, value if longhand in PROPERTIES else ""


def _colour_in(background: str) -> str:
    """Find the colour of a background; it is transparent where none is written."""
    without_images = re.sub(r"[a-z-]*(?:url|gradient|image|image-set|element)\([^)]*+\)", " ", background)
    for match in _COLOUR.finditer(without_images):
        if match.group() not in _POSITION_WORDS and not without_images[: match.start()].endswith(
            tuple("0123456789.%")
        ):
            return match.group()
    return "transparent"
