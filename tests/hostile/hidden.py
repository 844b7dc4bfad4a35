"""Instructions that HTML hides from people: each way of hiding alone."""

from typing import Final

from hostile.message import HostileMail, canary, html_letter

_MARKED: Final = r"^People may not see \d+ marked passages? of the body \(\d+ characters?\)\.$"
_REMOVED: Final = r"Removed \d+ hidden passages? \(\d+ characters?\) from"

_BY_STYLE: Final = {
    "display": "display:none",
    "display_important": "DISPLAY : none !important",
    "visibility": "visibility:hidden",
    "opacity": "opacity:0",
    "opacity_faint": "opacity:0.01",
    "size_zero": "font-size:0",
    "size_tiny": "font-size:1px",
    "white": "color:#ffffff",
    "white_by_name": "color:white",
    "white_by_function": "color:rgb(255,255,255)",
    "nearly_white": "color:#fefefe",
    "transparent": "color:transparent",
    "no_alpha": "color:rgba(0,0,0,0)",
    "on_its_own_colour": "color:#123456;background-color:#123456",
    "off_screen": "position:absolute;left:-9999px",
    "off_screen_above": "position:absolute;top:-5000px",
    "indented_away": "text-indent:-9999px",
    "no_height": "max-height:0;overflow:hidden",
    "no_extent": "height:1px;width:1px;overflow:hidden",
    "clipped": "position:absolute;clip:rect(0,0,0,0)",
    "clipped_by_path": "clip-path:inset(100%)",
    "scaled": "transform:scale(0)",
    "scaled_nearly": "transform:scale(.02)",
    "matrix": "transform:matrix(.01,0,0,.01,0,0)",
    "opacity_below": "opacity:-1",
    "opacity_minus_nothing": "opacity:-0",
    "quarters": "font-size:2Q",
    "viewport": "position:absolute;left:-90vmax",
    "system_colour": "color:Window",
    "gradient": "color:#fff;background:linear-gradient(#fff,#fff) #000",
}
_BY_SHEET: Final = {
    "sheet_class": (".x{display:none}", '<p class="x">{}</p>'),
    "sheet_id": ("#x{font-size:0}", '<p id="x">{}</p>'),
    "sheet_descendant": ("div.o p{visibility:hidden}", '<div class="o"><p>{}</p></div>'),
    "sheet_colour": ("td.w{color:#fff}", '<table bgcolor="#ffffff"><tr><td class="w">{}</td></tr></table>'),
    "sheet_media": ("@media (min-width:1px) or (x:y){p.x{display:none}}", "<p class=x>{}</p>"),
    "sheet_counted": ("p.x:nth-child(n){display:none}", "<p class=x>{}</p>"),
    "sheet_nested": ("div.x{p{display:none}}", "<div class=x><p>{}</p></div>"),
    "sheet_import_mark": (".x{opacity:0!important}", '<p class="x" style="opacity:1">{}</p>'),
}
_BY_ELEMENT: Final = {
    "hidden_attribute": "<p hidden>{}</p>",
    "template": "<template>{}</template>",
    "white_table": '<table bgcolor="white"><tr><td><font color="white">{}</font></td></tr></table>',
    "dark_table": '<table bgcolor="#222222"><tr><td style="color:#222222">{}</td></tr></table>',
    "block_cell": '<table><tr><td style="display:block;height:0;overflow:hidden">{}</td></tr></table>',
    "nested": '<div style="display:none"><div style="display:block"><b>{}</b></div></div>',
}
_DOUBTFUL: Final = {
    "unit": '<p style="font-size:.01rlh">{}</p>',
    "computed": '<p style="font-size:calc(1px * 0)">{}</p>',
    "variable": '<p style="display:var(--x)">{}</p>',
    "lab": '<p style="color:lab(100% 0 0)">{}</p>',
    "relative_colour": '<p style="color:rgb(from white r g b)">{}</p>',
    "picture": '<p style="color:#fff;background:url(x.png)">{}</p>',
    "turned": '<p style="transform:rotateX(.25turn)">{}</p>',
    "masked": '<p style="mask:linear-gradient(transparent,transparent)">{}</p>',
    "contained": '<p style="contain:strict">{}</p>',
    "path": '<p style="clip-path:polygon(0 0,0 0,0 0)">{}</p>',
    "details": "<details><summary>More</summary>{}</details>",
    "option": "<select><option>One<option>{}</select>",
    "closed_within": '<p style="contain:strict">a] {} [b</p>',
}
_NEVER_SHOWN: Final = {
    "comment": "<!-- {} -->",
    "conditional_comment": "<!--[if mso]><p>{}</p><![endif]-->",
    "script": "<script>{}</script>",
    "style_text": "<style>/* {} */</style>",
    "title": "<title>{}</title>",
    "title_attribute": '<p title="{}">Cake?</p>',
    "data_attribute": '<p data-note="{}">Cake?</p>',
    "label_attribute": '<p aria-label="{}">Cake?</p>',
    "hidden_input": '<input type="hidden" value="{}">',
    "generated": '<style>p::after{{content:"{}"}}</style>',
    "processing_instruction": "<?note {} ?>",
    "declaration": "<!DOCTYPE {}>",
}


def _mail(name: str, inner: str, *, style: str = "", warning: str = _REMOVED) -> HostileMail:
    secret = canary(name)
    return HostileMail(
        name=f"hidden_{name}",
        octets=html_letter(inner.replace("{}", secret).replace("{{", "{").replace("}}", "}"), style=style),
        hidden=(secret,),
        fenced=("Tea at four?", "Yours, Bob"),
        warning=warning,
    )


def _doubtful_mail(name: str, inner: str) -> HostileMail:
    secret = canary(f"maybe_hidden-{name.replace('_', '-')}")
    return HostileMail(
        name=f"doubtful_{name}",
        octets=html_letter(inner.replace("{}", secret).replace("{{", "{").replace("}}", "}")),
        maybe_hidden=(secret,),
        fenced=("Tea at four?", "Yours, Bob"),
        warning=_MARKED,
    )


HIDDEN: Final = (
    *(_mail(name, f'<div style="{style}">{{}}</div>') for name, style in _BY_STYLE.items()),
    *(_mail(name, inner, style=style) for name, (style, inner) in _BY_SHEET.items()),
    *(_mail(name, inner) for name, inner in _BY_ELEMENT.items()),
    *(_doubtful_mail(name, inner) for name, inner in _DOUBTFUL.items()),
    *(_mail(name, inner, warning="") for name, inner in _NEVER_SHOWN.items()),
)
