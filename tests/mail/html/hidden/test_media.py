import pytest

from mailmcp.mail.html.hidden.media import media_matches


@pytest.mark.parametrize(
    "queries",
    [
        "", "all", "SCREEN", "only screen", "print, screen", "not print", "not yahoo",
        "not all and (max-width: 480px)", "screen and (min-width: 480px)", "(min-width:1px)",
        "(min-width: 40em) and (max-width: 2000px)", "(min-device-width: 1023px)", "(min-height: 100px)",
        "(orientation: landscape)", "(prefers-color-scheme: light)", "( orientation : landscape )",
        "screen and (-webkit-min-device-pixel-ratio: 0)",
    ],
)  # fmt: skip
def test_holds_in_a_window_on_a_desk(queries: str) -> None:
    assert media_matches(queries) is True


@pytest.mark.parametrize(
    "queries",
    [
        "print", "speech", "only print, tv", "not screen", "not all", "yahoo",
        "screen and (max-width: 600px)", "only screen and (max-width:480)", "print and (unknown)",
        "only screen and (max-device-width: 480px)", "(max-width: 480px) and (unknown: 1)",
        "(prefers-color-scheme: dark)", "(orientation: portrait)", "(prefers-reduced-motion: reduce)",
        "(-ms-high-contrast: none), (-ms-high-contrast: active)",
    ],
)  # fmt: skip
def test_does_not_hold_there(queries: str) -> None:
    assert media_matches(queries) is False


@pytest.mark.parametrize(
    "queries",
    [
        "(unknown)", "(unknown: 1)", "(grid)", "(scripting: none)", "(color-gamut: p3)", "(height: 3px)",
        "(max-width: x)", "(min-width: 1rlh)", "(min-width: 1%)",
        "(prefers-color-scheme: dar\u212a)",
        "(max-width: 128ex)", "(min-height: 9ch)", "(width >= 600px)", "(width)",
        "(min-width:1)", "(min-orientation:landscape)", "(-webkit-min-device-pixel-ratio: 1)",
        "(max-device-width: 1024px)", "(min-device-width: 1025px)", "(min-width: 10.6666667in)",
        "not all and (-webkit-min-device-pixel-ratio: 1)", "not all and (-ms-high-contrast: none)",
        "not print and (color) or (grid)", "not layer",
        "(min-width: 0%)", "not all and (max-width: 0%)", "not all and (min-height: 1024)",
        "(orientation: x)",
        "(min-width: 1px) or (color)", "((min-width: 1px))", "not (print)", "(min-width: calc(1px))",
        "screen and", "screen and(min-width:1px)", "print,", "@", ",", "screen (min-width: 1px)", "?",
        "unknown(, all", "print\\,all", "print/*,all,*/", "(a,all,b)", "not all and [a,all,b]", "('a,all,b')",
        "(min-width:1\u0661px)",
    ],
)  # fmt: skip
def test_may_hold_or_not_where_it_is_not_understood(queries: str) -> None:
    assert media_matches(queries) is None
