"""Rules and values that may not apply: whatever some of them hide together isn't shown as ordinary text.

Each document is compared with those that have each combination of its doubtful rules for certain.
"""

import itertools
import random
from collections.abc import Callable

import pytest

from mailmcp.mail.html.convert import HtmlText, html_to_text

DOCUMENTS = 60
VALUES = {
    "display": ("none", "block", "inline", "contents", "flex"),
    "visibility": ("hidden", "visible", "collapse"),
    "opacity": ("0", "1", ".05", ".3"),
    "font-size": ("0", "1px", "16px", "1em", "50%", "10%", "smaller", "inherit", "1rem", "300%"),
    "line-height": ("0", "1", "2px", ".1em"),
    "letter-spacing": ("-1em", "0", "-16px"),
    "color": ("#fff", "#000", "red", "inherit", "transparent"),
    "background": ("#fff", "#000", "red", "none", "inherit"),
    "width": ("0", "1px", "100px", "auto", "50%"),
    "height": ("0", "1px", "2em", "auto"),
    "overflow": ("hidden", "visible", "auto"),
    "position": ("absolute", "static"),
    "left": ("-9999px", "0", "auto"),
    "text-indent": ("-9999px", "0"),
}
FAMILIES = (
    ("font-size",),
    ("font-size", "line-height", "letter-spacing"),
    ("color", "background", "opacity"),
    ("display", "visibility", "opacity"),
    ("width", "height", "overflow", "display", "font-size"),
    ("position", "left", "text-indent"),
    tuple(VALUES),
)
BODIES = (
    "<div class=e0><div class=e1><p class=e2>MARK</p></div></div>",
    "<div class=e0><span class=e1><b class=e2>MARK</b></span></div>",
    "<table class=e0><tr class=e1><td class=e2>MARK</td></tr></table>",
)
Rule = tuple[str, str]
"""A rule as it may apply, and as it certainly does."""


def make_rule(choose: random.Random, family: tuple[str, ...], number: int) -> Rule:
    """Make a rule of which nobody knows whether it applies: by its condition, or by its value."""
    name = choose.choice(family)
    selector = f".e{choose.randrange(3)}"
    lengths = [value for value in VALUES[name] if value.endswith(("px", "em", "%"))]
    if lengths and choose.random() < 0.4:
        value = choose.choice(lengths)
        return f"{selector}{{{name}:max({value})}}", f"{selector}{{{name}:{value}}}"
    rule = f"{selector}{{{name}:{choose.choice(VALUES[name])}{choose.choice(('', '!important'))}}}"
    return f"@supports (x{number}:y){{{rule}}}", rule


def make_document(choose: random.Random) -> tuple[int, Callable[[tuple[int | None, ...]], str]]:
    """Make a document with doubtful rules; None stands for one that may apply, 0 and 1 for what is known."""
    family = choose.choice(FAMILIES)
    doubts = [make_rule(choose, family, number) for number in range(choose.randint(2, 3))]
    rules: list[tuple[int, Rule]] = [(number, rule) for number, rule in enumerate(doubts)]
    for _ in range(choose.randint(0, 4)):
        name = choose.choice(family)
        rule = f".e{choose.randrange(3)}{{{name}:{choose.choice(VALUES[name])}}}"
        rules.append((-1, (rule, rule)))
    choose.shuffle(rules)
    body = choose.choice(BODIES)

    def write(known: tuple[int | None, ...]) -> str:
        written = [
            may if number < 0 or known[number] is None else does * (known[number] or 0)
            for number, (may, does) in rules
        ]
        return f"<!doctype html><style>{''.join(written)}</style><p>shown</p>{body}"

    return len(doubts), write


def is_seen(shown: HtmlText) -> bool:
    return "MARK" in shown.text and not shown.maybe_hidden


@pytest.mark.parametrize("seed", range(20))
def test_what_any_combination_hides_is_no_ordinary_text(seed: int) -> None:
    choose = random.Random(seed)  # noqa: S311 - it must repeat
    compared = 0
    for _ in range(DOCUMENTS):
        count, write = make_document(choose)
        shown = html_to_text(write((None,) * count))
        if not is_seen(shown) or shown.styles_unchecked:
            continue
        for known in itertools.product((0, 1), repeat=count):
            document = write(known)
            assert is_seen(html_to_text(document)), (write((None,) * count), document)
            compared += 1
    assert compared
