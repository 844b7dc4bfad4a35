import pytest

from mailmcp.mail.html.media import media_holds


@pytest.mark.parametrize(
    "queries",
    [
        "",
        "all",
        "SCREEN",
        "only screen",
        "print, screen",
        "not print",
        "not all and (max-width: 480px)",
        "screen and (min-width: 480px)",
        "(min-width:1px)",
        "(min-width: 40em) and (max-width: 2000px)",
        "(width >= 600px)",
        "(600px <= width <= 2000px)",
        "(width > 600px)",
        "(max-device-width: 1024px)",
        "(min-height: 100px)",
        "(orientation: landscape)",
        "(prefers-color-scheme: light)",
        "(hover: hover)",
        "(color)",
        "/* x */ screen /* y */",
        "screen and (-webkit-min-device-pixel-ratio: 0)",
    ],
)
def test_holds_in_a_window_on_a_desk(queries: str) -> None:
    assert media_holds(queries)


@pytest.mark.parametrize(
    "queries",
    [
        "print",
        "speech",
        "only print, tv",
        "not screen",
        "not all",
        "screen and (max-width: 600px)",
        "only screen and (max-device-width: 480px)",
        "(width < 600px)",
        "(2000px <= width)",
        "(height: 3px)",
        "(max-width: x)",
        "(prefers-color-scheme: dark)",
        "(orientation: portrait)",
        "(prefers-reduced-motion: reduce)",
        "(unknown)",
        "(unknown: 1)",
        "(grid)",
        "(min-width: 1px) or (color)",
        "((min-width: 1px))",
        "screen and",
        "yahoo",
        "print,",
        "@",
        ",",
    ],
)
def test_does_not_hold_there(queries: str) -> None:
    assert not media_holds(queries)
