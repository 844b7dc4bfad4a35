import pytest

from mailmcp.mail.html.hidden.colour import BLACK, WHITE
from mailmcp.mail.html.hidden.state import State, worst
from mailmcp.mail.html.hidden.values import MAYBE


@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        (State(), ""),
        (State(font_px=2), "font size"),
        (State(font_px=4), MAYBE),
        (State(font_px=400), MAYBE),
        (State(opacity=0.15), MAYBE),
        (State(x=-600), "position"),
        (State(x=-400, indent=-200), "position"),
        (State(y=9_000), "position"),
        (State(x=1_200), MAYBE),
        (State(x=50, right=40), MAYBE),
        (State(colour=WHITE), "colour"),
        (State(colour=WHITE, fill=BLACK), ""),
        (State(colour=WHITE, helped=True), MAYBE),
        (State(colour=WHITE, lifted=True), MAYBE),
        (State(backgrounds=(WHITE, None)), MAYBE),
        (State(inherited=frozenset({("visibility", "visibility")})), "visibility"),
        (State(box="clip"), "clip"),
        # What is not known of a box may undo colours and places, but no size.
        (State(box=MAYBE, colour=WHITE), MAYBE),
        (State(box=MAYBE, x=-600), MAYBE),
        (State(box=MAYBE, font_px=1), "font size"),
    ],
)
def test_text_is_judged_by_all_that_bears_on_it(state: State, verdict: str) -> None:
    assert state.judge_text() == verdict


def test_what_certainly_hides_is_worst() -> None:
    assert worst([]) == ""
    assert worst(["", MAYBE]) == MAYBE
    assert worst([MAYBE, "", "clip"]) == "clip"
