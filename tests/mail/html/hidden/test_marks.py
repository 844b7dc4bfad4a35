"""What is not known to show stays, in a mark."""

import pytest

from mailmcp.mail.html.hidden.remove import Hidden, parse_html, remove_hidden


def take_out(html: str) -> tuple[str, Hidden]:
    document = parse_html(html)
    hidden = remove_hidden(document)
    assert document.tree.body is not None
    return " ".join(document.tree.body.text().split()), hidden


TRICKS = [
    # Units, numbers and functions
    "style='font-size:.01rlh'", "style='font-size:.01ic'", "style='font-size:.01cqw'",
    "style='font-size:calc(1px * 0)'", "style='font-size:min(0px, 9px)'",
    "style='font-size:clamp(0px,0px,9px)'",
    "style='opacity:calc(1 - 1)'", "style='display:var(--x)'", "style='visibility:env(x, hidden)'",
    "style='display:none;display:nonsense'", "style='all:revert-layer'", "style='font-size-adjust:0'",
    "style='font-size:calc(1px * 1)'",
    # Colours
    "style='background:text #000'", "style='color:InfoBackground;background:#000'",
    "style='color:lab(100% 0 0)'", "style='color:color(display-p3 1 1 1)'",
    "style='color:rgb(from white r g b)'",
    "style='color:color-mix(in srgb,white,white)'", "style='color:light-dark(#fff,#000)'",
    "style='color:#fff;background:url(x.png)'", "style='color:#fff;background:#fff url(x.png)'",
    "style='color:#fff;filter:invert(1)'",
    "style='color:#fff;text-shadow:0 0 2px #000'", "style='color:#fff;background:#000 nonsense'",
    "style='background:linear-gradient(#000,#000);background-size:0;color:#fff'",
    "style='background:#000;height:0;color:#fff'",
    "style='color:#e8e8e8'", "style='-webkit-text-fill-color:var(--x)'",
    # Boxes
    "style='transform:rotateX(.25turn)'", "style='transform:translateX(-9999px)'", "style='rotate:y 90deg'",
    "style='transform:perspective(1px)'", "style='scale:calc(0)'", "style='zoom:.01'",
    "style='contain:strict'",
    "style='mask:linear-gradient(transparent,transparent)'", "style='-webkit-mask-image:url(x)'",
    "style='clip-path:polygon(0 0, 0 0, 0 0)'", "style='clip-path:inset(0 100% 0 0)'",
    "style='clip-path:url(#x)'",
    "style='position:absolute;clip:rect(0,auto,auto,0)'", "style='margin-left:calc(-9999px)'",
    "style='margin-left:100%'", "style='position:relative;left:max(1px, 8000px)'",
    "style='position:relative;right:calc(1px + 8000px)'", "style='text-indent:max(1px, 900px)'",
    "style='height:8px;overflow:hidden'",
    "style='height:1cqw;overflow:hidden'", "style='max-height:inherit;overflow:hidden'", "style='z-index:-1'",
    "style='offset-path:path(\"M-99 0\")'", "style='content:url(x)'", "style='mix-blend-mode:screen'",
    "style='filter:brightness(9)'", "style='animation:x 1s forwards'", "style='-webkit-line-clamp:1'",
    "style='-webkit-text-security:disc'",
    "style='display:table-column'", "style='border-image:linear-gradient(red,red) 1 fill'",
    # Letters and lines
    "style='letter-spacing:999px'", "style='word-spacing:-9px'", "style='line-height:0'",
    "style='font-size:999px'", "style='unicode-bidi:bidi-override;direction:rtl'",
    "style='text-decoration:line-through 3em white'",
]  # fmt: skip
"""What the value alone does not say, or says of some programs."""


@pytest.mark.parametrize("attribute", TRICKS)
def test_what_is_not_known_to_show_is_marked_and_counted(attribute: str) -> None:
    text, hidden = take_out(f"<p>a</p><div {attribute}>b <b>c</b></div><p>d</p>")
    assert text == "a[may be hidden: b c]d"
    assert (hidden.by_technique, hidden.marked, hidden.marked_chars) == ({}, 1, len("bc"))


EITHER = (
    "<style>@supports (a:b){.small{font-size:0}.unseen{visibility:hidden}.white{color:#fff}}"
    "@supports (c:d){.large{font-size:20px}.seen{visibility:visible}.black{color:#000}"
    ".button{background:#000;color:#fff}}</style>"
)
"""Either of these conditions may hold, both or none."""


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p style=z-index:-1>a]: b [</p>c", "[may be hidden: a): b (]c"),
        ("<p style=z-index:-1>a<i>b</i> c</p>", "[may be hidden: ab c]"),
        ("<div style=z-index:-1>a<p>b</p>c</div>", "[may be hidden: a][may be hidden: b][may be hidden: c]"),
        ("<div style=line-height:0>a<p style=line-height:1>b</p></div>", "[may be hidden: a]b"),
        (
            "<div style=font-size:calc(0px)>a<p style=font-size:2em>b</p></div>",
            "[may be hidden: a][may be hidden: b]",
        ),
        ("<div style=font-size:calc(0px)>a<p style=font-size:9px>b</p></div>", "[may be hidden: a]b"),
        ("<div style=z-index:-1><p hidden>a</p></div>b", "b"),
        ("<p style=z-index:-1> </p>b", "b"),
        ("<b hidden=until-found>a</b>", "[may be hidden: a]"),
        (
            "x<sup style=line-height:0>a<i style=display:block>b</i><p>c</p></sup>",
            "xa[may be hidden: b][may be hidden: c]",
        ),
        # With an old doctype, a line has no height of its own.
        ("<p>x<sup style=line-height:0>a</sup>", "xa"),
        ("<p><sup style=line-height:0>a</sup> x", "a x"),
        ("<p><sup style=line-height:0>a</sup>", "[may be hidden: a]"),
        ("<p><b>x</b><sub style=line-height:0>a</sub>", "x[may be hidden: a]"),
        (f"<p>x<sup style=line-height:0>{'a ' * 40}</sup>", f"x[may be hidden: {('a ' * 40).strip()}]"),
        ("<p style='margin-left:600px;text-indent:-600px'>a</p>", "[may be hidden: a]"),
        ("<p style='padding-left:60%;text-indent:-600px'>a</p>", "[may be hidden: a]"),
        ("<p style='margin-left:90px;text-indent:-90px'>a</p>", "a"),
        ("<p style='color:#fff;transition:color calc(99s)'>a</p>", "[may be hidden: a]"),
        ("<p style='transition:color 99s;transition:x y'>a</p>", "[may be hidden: a]"),
        ("<p style='transition-delay:99s;transition-delay:all'>a</p>", "[may be hidden: a]"),
        ("<p style='opacity:1;transition:opacity 86400s'>a</p>", "[may be hidden: a]"),
        ("<p style='transition:color .3s steps(2, end) 100ms, margin 1s'>a</p>", "a"),
        ("<p style='width:min-content;overflow:hidden'>a</p>", "[may be hidden: a]"),
        ("<p style='height:min-content;max-height:min-content;overflow:hidden'>a</p>", "a"),
        (
            "<style>p.a{font-size:0}.o{.b{font-size:9px}}</style><q class=o><p class='a b'>c",
            "[may be hidden: c]",
        ),
        # What may apply to one element and not to another.
        (
            "<style>@supports (a:b){div{display:none}}</style>"
            "<div><p style='color:#fff;color:lab(0% 0 0)'>a</p></div>",
            "[may be hidden: a]",
        ),
        (
            "<style>@supports (a:b){div{background:#000}}@supports (c:d){i{color:#fff}}</style>"
            "<div>a<b><i>b</i></b></div><i>c</i>",
            "[may be hidden: ab][may be hidden: c]",
        ),
        (
            "<div style='font-size:9px;font-size:16'><p style='font-size:9px;font-size:max(1em)'>a</p></div>",
            "a",
        ),
        ("<p style='left:-999px;position:absolute;position:foo'>a</p>", "[may be hidden: a]"),
        # What isn't certain undoes nothing around it.
        (f"{EITHER}<div class=small><p class=large>a</p></div>", "[may be hidden: a]"),
        (f"{EITHER}<div class=small><p style=font-size:9px>a</p></div>", "a"),
        (f"{EITHER}<div class=small><p class=large style=font-size:9px>a</p></div>", "a"),
        (f"{EITHER}<div class=unseen><p class=seen>a</p></div>", "[may be hidden: a]"),
        (f"{EITHER}<div class=white><p class=black>a</p></div>", "[may be hidden: a]"),
        (f"{EITHER}<div style=font-size:abs(1px)><p class=large>a</p></div>", "[may be hidden: a]"),
        (f"{EITHER}<div style=font-size:abs(1px)><sub class=large>a</sub></div>", "[may be hidden: a]"),
        (f"{EITHER}<p class=button>a</p>", "a"),
        # What depends on what isn't known isn't known either.
        ("<div style=font-size:abs(1px)><p style=font-size:3ex>a</p></div>", "[may be hidden: a]"),
        ("<div style=color:InfoText><p style=color:currentcolor>a</p></div>", "[may be hidden: a]"),
        ("<div style=color:InfoText><p style=background:#000>a</p></div>", "[may be hidden: a]"),
        ("<div style=font-size:0><p style=font-size:1rcap>a</p></div>", "[may be hidden: a]"),
        ("<div style=font-size:0><p style=font-size:calc(20px)>a</p></div>", "[may be hidden: a]"),
        (
            "<div style=font-size:1px><p style='font-size:clamp(12px, 2vw, 20px)'>a</p></div>",
            "[may be hidden: a]",
        ),
        (
            "<div style=font-size:1px><p style=font-size:calc(20px)>a<b style=font-size:14px>b</b></p></div>",
            "[may be hidden: a]b",
        ),
        ("<div style=left:-999px><p style=position:relative;left:inherit>a</p></div>", "[may be hidden: a]"),
        (
            "<div style=clip:rect(0,0,0,0)><p style=position:absolute;clip:inherit>a</p></div>",
            "[may be hidden: a]",
        ),
        ("<div style='text-indent:calc(-9px * 99)'><b style=text-indent:0>a</b></div>", "[may be hidden: a]"),
    ],
)
def test_a_mark_stands_around_each_passage_and_cannot_be_closed_within(html: str, expected: str) -> None:
    assert take_out(html)[0] == expected
