import pytest

from mailmcp.mail.html.hidden.doubts import possible_values
from mailmcp.mail.html.hidden.values import UNKNOWN

RULE, OTHER_RULE = (2, (0, 0, 1), 0), (2, (0, 0, 1), 1)


@pytest.mark.parametrize(
    ("found", "values"),
    [
        # A rule applies as a whole or not at all.
        ({"color": {("red", RULE)}, "display": {("block", RULE)}}, {"color": "red", "display": "block"}),
        # Of two rules, one may apply alone.
        ({"color": {("red", RULE)}, "opacity": {("1", OTHER_RULE)}}, {"color": UNKNOWN, "opacity": UNKNOWN}),
        ({"height": {("9px", RULE)}, "top": {("0", OTHER_RULE)}}, {"height": UNKNOWN, "top": UNKNOWN}),
        ({"color": {("red", RULE), ("red", OTHER_RULE)}}, {"color": UNKNOWN}),
        # What undoes nothing of the other may stay what it is.
        ({"color": {("red", RULE)}, "height": {("9px", OTHER_RULE)}}, {"color": "red", "height": "9px"}),
        ({"top": {("1px", RULE)}, "margin-top": {("9px", OTHER_RULE)}}, {"top": "1px", "margin-top": "9px"}),
        ({"top": {("1px", RULE)}, "padding-left": {("0", OTHER_RULE)}}, {"top": "1px", "padding-left": "0"}),
        (
            {"top": {("1px", RULE)}, "padding-left": {("9px", OTHER_RULE)}},
            {"top": UNKNOWN, "padding-left": UNKNOWN},
        ),
        # A float leaves the background of its box, and its box.
        (
            {"color": {("red", RULE)}, "top": {("0", RULE)}, "float": {("left", OTHER_RULE)}},
            {"color": UNKNOWN, "top": UNKNOWN, "float": UNKNOWN},
        ),
        # Several values of one property, and colors that only some browsers know.
        ({"margin-top": {("1px", RULE), ("2px", OTHER_RULE)}}, {"margin-top": UNKNOWN}),
        ({"color": {("fff", "color")}}, {"color": UNKNOWN}),
        ({"top": {("9px", "top")}}, {"top": "9px"}),
    ],
)
def test_values_are_known_if_what_hides_can_not_apply_without_what_undoes_it(
    found: dict[str, set[tuple[str, object]]], values: dict[str, str]
) -> None:
    assert dict(possible_values(found)) == values
