"""Styles made at random: what hides text, by every means of getting at it, and what never does."""

import re
from random import Random
from typing import Final

HIDING: Final = re.split(
    r"\n| \| ",
    """display:none | visibility:hidden | visibility:collapse | content-visibility:hidden;display:block
opacity:0 | opacity:-1 | opacity:1% | opacity:1e-9 | opacity:calc(0) | filter:opacity(0)
font-size:0 | font-size:.1px | font-size:.01em | font-size:.05vmin | font-size:.01rlh
font-size:min(0px,1px) | font-size:max(0px,-1px) | font-size:clamp(0px,0px,1px) | font:0/0 serif
color:#fff | color:white | color:transparent | color:rgb(255 255 255/1) | color:hwb(0 100% 0)
color:lab(100% 0 0) | color:oklch(1 0 0) | color:Canvas | color:Window | color:#fefefe
color:color-mix(in srgb,white,white) | color:rgb(from white r g b) | background:#000
-webkit-text-fill-color:#fff | position:absolute;left:-90vmax
position:fixed;inset:-999px auto auto | margin-left:-9999px | margin:0 0 0 calc(-9999px)
text-indent:-999em | translate:-9999px | height:0;overflow:hidden | max-height:1px;overflow:clip
block-size:0;overflow-y:auto | max-width:0;overflow:hidden;white-space:nowrap
height:calc(0px);overflow:hidden | contain:strict | transform:scale(.01)
transform:matrix(0,0,0,0,0,0) | transform:rotateX(.25turn) | scale:0 | zoom:.01
clip-path:inset(50%) | clip-path:circle(0) | clip-path:polygon(0 0)
position:absolute;clip:rect(0,0,0,0) | mask:linear-gradient(transparent,transparent)
-webkit-mask-image:linear-gradient(transparent,transparent) | letter-spacing:-1em
line-height:0;overflow:hidden | z-index:-1;position:relative;background:#000
transform:scale(1,0) | height:min(1px,50px);overflow:hidden
color:transparent;background:linear-gradient(#fff,#fff);-webkit-background-clip:text
animation:x 1s forwards | offset-path:path('M-999 0') | mix-blend-mode:screen;color:#fff""",
)
"""Each hides a block of black text on white, in some browser at least."""

_INVALID: Final = ("nonsense", "1px 2px 3px 4px 5px 6px", "foo(1)", "12 px", "#12345", "!x", "var(--x)")
_HARMLESS: Final = re.split(
    r"\n| \| ",
    """font-weight:bold | font-family:Arial,sans-serif | text-align:center | border:1px solid #ccc
mso-line-height-rule:exactly | -webkit-text-size-adjust:100% | border-collapse:collapse
border-radius:4px | margin:0 auto | margin:0 0 16px | padding:10px 20px | padding:0 | width:100%
max-width:600px | font-size:14px | font-size:10.5pt | font-size:1.2em | line-height:1.5
line-height:24px | line-height:150% | color:#333333 | color:rgb(20,20,60) | color:windowtext
background:#ffffff | background-color:#f4f4f4 | display:block | display:inline-block
visibility:visible | opacity:1 | opacity:.8 | overflow:hidden | letter-spacing:1px
letter-spacing:-.02em | text-transform:uppercase | text-decoration:none | height:auto
vertical-align:top | word-break:break-word | position:relative | float:left | direction:ltr
mso-hide:all | background:url(https://x.example/a.png) no-repeat center / cover #ffffff
text-shadow:0 1px 0 #eee | transform:none | box-shadow:0 2px 4px rgba(0,0,0,.2) | min-width:100%
filter:alpha(opacity=90)""",
)


_SHEETS: Final = (
    r"""
.x{%s} | p.x{%s} | #i{%s} | div>.x{%s} | body p{%s} | [class~=x]{%s} | html .x{%s} | :root .x{%s} | *|p.x{%s}
@media screen{.x{%s}} | @media (min-width:1px){.x{%s}} | @media (min-width:1px) or (x:y){.x{%s}}
@supports (color:red){.x{%s}} | @layer a{.x{%s}} | @container (min-width:0){.x{%s}} | @scope (div){.x{%s}}
.x:is(p){%s} | .x:where(p){%s} | .x:not(.y){%s}
p:nth-child(n).x{%s} | div{.x{%s}} | div{& .x{%s}} | .x{&{%s}}
\.y{} .x{%s} | .x/**/{%s} | <!-- .x{%s} -->
""".strip()
    .replace(" | ", "\n")
    .split("\n")
)
"""Style sheets that may apply to the element in `hidden_page`."""


def hidden_page(random: Random, marker: str) -> str:
    """Write a page whose marker people do not see."""
    hiding = random.choice(HIDING)
    first, _, rest = hiding.partition(";")
    name, _, value = first.partition(":")
    before = ";".join(random.sample(_QUIET, 2))
    invalid = f";{name}:{random.choice(_INVALID)}"
    tail = random.choice(("", invalid, f";*{name}:inherit", f";-x-{name}:initial", ";}"))
    style = f"{before};{hiding}{tail}"
    important = ";".join(f"{each}!important" for each in hiding.split(";"))
    sheet = random.choice(_SHEETS)
    text = f"<p>{marker}</p>"
    return random.choice(
        (
            f'<p style="{style}">{marker}</p>',
            f"<p style='{important.replace(chr(39), '')}'>{marker}</p>",
            f'<div style="{style}">{random.choice((text, f"<i><b>{marker}</b></i>"))}</div>',
            f'<div><section style="{style}"><div style="font-weight:bold">{text}</div></section></div>',
            f'<style>{sheet % hiding}</style><div><p class="x" id="i">{marker}</p></div>',
            f'<style>{sheet % important}</style><div><p class="x" id="i" style="{before}">{marker}</p></div>',
            f'<style>.x{{--y:{value};{name}:var(--y);{rest}}}</style><p class="x">{marker}</p>',
            f'<body style="{style}"><div>{text}</div></body>',
            f'<html style="{style}"><body><div>{text}</div></body></html>',
            f'<font color="{random.choice(("white", "#ffffff", "FFFFFF"))}">{marker}</font>',
            f'<table bgcolor="#222222"><tr><td><font color="#222222">{marker}</font></td></tr></table>',
            f"<div hidden>{text}</div>",
        )
    )


_QUIET: Final = tuple(
    each for each in _HARMLESS if each.startswith(("font-w", "font-f", "text-a", "mso", "border"))
)


def harmless_page(random: Random, marker: str) -> str:
    """Write a page as mailing houses do, whose marker people see."""

    def style() -> str:
        return ";".join(random.sample(_HARMLESS, random.randint(1, 6)))

    phone = "@media only screen and (max-width:480px){.x{display:none!important;font-size:1px!important}}"
    dark = "@media (prefers-color-scheme:dark){.x{color:#ffffff!important;background:#ffffff}}"
    others = ".x:hover{opacity:0} #outlook a{padding:0} u + #body .x{display:none}"
    sheet = f"<style>.x{{{style()}}} {others} {phone} {dark}</style>"
    cell = f'<td class="x" style="{style()}" width="300" height="100%"><p style="{style()}">{marker}</p></td>'
    column = f'<div style="{style()};font-size:14px;display:inline-block">{marker}</div>'
    link = f'<a class="x" href="https://x.example/" style="{style()}">{marker}</a>'
    return random.choice(
        (
            f'{sheet}<table width="600" bgcolor="#ffffff"><tr>{cell}</tr></table>',
            f'{sheet}<div style="{style()}">{link}</div>',
            f'<!--[if mso]><table><tr><td><![endif]--><div style="font-size:0">{column}</div>',
            f'<body style="{style()}"><center><span style="{style()}"><b>{marker}</b></span></center></body>',
        )
    )
