"""An essay as Substack sends it: classes on everything, styles inlined on everything, buttons of pictures."""

from newsletters.kit import PADDING, Envelope, Newsletter, opaque, pixel, publish

HOST = "slowmaps.substation.example"

TEXT = (
    (
        "p",
        "In the spring of 1894 the surveyor Elin Sandvik walked from Bergen to Kirkenes with a barometer, a notebook and no map, since the map was what she had been sent to make.",
    ),
    (
        "p",
        "She came back with eleven notebooks. Nine of them are in the archive in Trondheim; the other two I found last month, in a box of sheet music, in the attic of a house that was about to be sold.",
    ),
    ("h2", "What a map leaves out"),
    (
        "p",
        "Every map is an argument about what matters. Sandvik's official sheets, printed in 1897, show heights to the metre and churches to the nearest hundred steps. Her notebooks show something else: who gave her milk, where the dogs were, which bridge sang in the wind.",
    ),
    (
        "blockquote",
        "“The height of this pass is 612 metres. The width of it is one cow.” (Notebook 4, 9 June 1894)",
    ),
    (
        "p",
        "I have spent three weeks laying one over the other. Where the printed sheet is empty, the notebooks are full. Between Lakselv and Tana there are forty kilometres with no name at all in print; in the notebooks there are sixty-three names, in three languages, each with the person who said it.",
    ),
    ("h2", "The two that were lost"),
    (
        "p",
        "Notebooks 7 and 8 cover August. They are wet at the edges and written in pencil, because ink had run out in Alta. In them Sandvik stops measuring for eleven days. She gives no reason. On the twelfth day she writes a single number, 1,204, and the measuring goes on as if nothing had happened.",
    ),
    (
        "p",
        "I know now what the number is. It is not a height. But that is for next week, when the scans are done and the archive has had time to answer.",
    ),
    ("h2", "Three things to read"),
)
READING = (
    ("The Names Beneath, by Aslak Utsi", "a dictionary of places that no map has"),
    ("Barometers and Bread", "how surveyors ate, 1850–1910"),
    ("“Empty Quarters” in the Northern Review", "on the white spots of the Cold War"),
)


def make() -> Newsletter:
    """Make the essay."""
    body = "".join(_block(tag, text) for tag, text in TEXT)
    reading = "".join(
        f'<li style="margin:8px 0 0 32px;mso-special-format:bullet;"><p style="{_P}"><a href="{_link(title)}" rel="" style="color:rgb(54,55,55);text-decoration:underline;">'
        f"{title}</a>: {about}</p></li>"
        for title, about in READING
    )
    html = f"""<html style="scrollbar-width:thin;"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>The map that Elin did not draw</title>
<style>{_css()}</style></head><body style="margin:0;"><img src="https://eotrx.{HOST}/{opaque("o", 300)}" alt="" width="1" height="1" border="0" style="height:1px !important;width:1px !important;">
<div class="preview" style="display:none;font-size:1px;color:#333333;line-height:1px;max-height:0px;max-width:0px;opacity:0;overflow:hidden;">Notebooks 7 and 8, in a box of sheet music</div>
<div class="preview" style="display:none;font-size:1px;color:#333333;line-height:1px;max-height:0px;max-width:0px;opacity:0;overflow:hidden;">{PADDING}{PADDING}</div>
<table class="email-body-container" role="presentation" width="100%" border="0" cellspacing="0" cellpadding="0"><tbody><tr><td></td><td class="content" width="550" align="left"><div style="max-width:100%;margin:0 auto;padding:0 16px;">
<div class="header-anchor-parent" style="font-size:13px;color:#777777;">Forwarded this email? <a href="{_link("subscribe")}" style="color:#777777;">Subscribe here</a> for more</div>
<div class="post typography" dir="auto" style="--image-offset-margin:-120px;padding:32px 0 0 0;font-size:16px;line-height:1.6;">
<div class="post-header" role="region" aria-label="Post header"><h1 class="post-title published" style="{_H}"><a href="{_link("post")}" style="color:rgb(54,55,55);text-decoration:none;">The map that Elin did not draw</a></h1>
<h3 class="subtitle" style="{_H}color:#777777;">On two notebooks, eleven days and a number</h3>
<table class="post-meta" role="presentation" width="auto"><tbody><tr><td><a href="{_link("author")}" style="color:rgb(54,55,55);">Jonas Hallvard</a></td><td style="color:#777777;">Nov 3</td></tr></tbody></table>
<table class="post-ufi" role="presentation" width="100%"><tbody><tr>{_icon("Like", "heart")}{_icon("Comment", "bubble")}{_icon("Restack", "arrows")}
<td align="right"><a class="email-button-outline" href="{_link("app")}" style="display:inline-block;font-weight:500;border:1px solid rgba(0,0,0,.1);border-radius:9999px;padding:8px 14px;color:#363737;">READ IN APP</a></td></tr></tbody></table></div>
<div class="body markup" dir="auto">{_figure()}{body}<ol style="margin-top:0;padding:0;">{reading}</ol>
<div><hr style="margin:32px 0;padding:0;height:1px;background:#e6e6e6;border:none;"></div>
<p style="{_P}">Slow Maps is free for everybody. If it is worth a coffee a month to you, the paid edition is 5 € a month or 50 € a year, with the scans.</p>
{_upgrade()}</div></div>
<div class="footer" style="text-align:center;font-size:12px;color:#777777;padding:24px 0;"><p style="padding:0 24px;color:#777777;">© 2026 Jonas Hallvard<br>Postboks 318, 7401 Trondheim, Norway<br>
<a href="{_link("off")}" style="text-decoration:underline;color:#777777;"><span style="color:#777777;">Unsubscribe</span></a></p></div></div></td><td></td></tr></tbody></table>{pixel(HOST, "essay")}</body></html>"""
    facts = [
        "Subscribe here",
        "The map that Elin did not draw",
        "two notebooks, eleven days",
        "Jonas Hallvard",
        "Nov 3",
        "READ IN APP",
        "The surveyor, drawn in 1896",
    ]
    facts += [
        "1894",
        "eleven notebooks",
        "What a map leaves out",
        "> “The height of this pass is 612",
        "sixty-three names",
        "The two that were lost",
        "1,204",
    ]
    facts += [
        "Three things to read",
        "1. The Names Beneath",
        "2. Barometers",
        "3. “Empty Quarters”",
        "5 € a month or 50 € a year",
        "Upgrade to paid",
        "Postboks 318",
        "Unsubscribe",
    ]
    return publish(
        Envelope(
            name="essay",
            sender="Jonas Hallvard from Slow Maps <slowmaps@substation.example>",
            subject="The map that Elin did not draw",
        ),
        html,
        facts=facts,
        absent=["Notebooks 7 and 8, in a box", "scrollbar", "markup", "\u034f"],
    )


_P = "margin:0 0 20px 0;color:rgb(54,55,55);line-height:26px;font-size:16px;font-family:Spectral,serif,-apple-system,system-ui,'Segoe UI',Roboto,sans-serif;"
_H = "font-family:'SF Pro Display',-apple-system,system-ui,BlinkMacSystemFont,'Segoe UI',Roboto;font-weight:bold;-webkit-font-smoothing:antialiased;line-height:1.16em;"


def _link(key: str) -> str:
    return f"https://{HOST}/app-link/post?publication_id=318&amp;post_id=1894&amp;utm_source=post-email-title&amp;utm_campaign=email-post-title&amp;isFreemail=true&amp;r={opaque(key, 5)}&amp;token={opaque(key, 220)}"


def _block(tag: str, text: str) -> str:
    if tag == "blockquote":
        return f'<blockquote style="border-left:4px solid #2096ff;margin:20px 0;padding:0;"><p style="{_P}margin-left:20px;">{text}</p></blockquote>'
    style = _P if tag == "p" else _H
    return f'<{tag} class="header-anchor-post" style="{style}">{text}</{tag}>'


def _icon(name: str, picture: str) -> str:
    return (
        f'<td style="vertical-align:middle;"><a class="email-icon-button" aria-label="{name}" href="{_link(name)}" style="display:inline-block;"><img class="icon" '
        f'src="https://cdn.substation.example/image/fetch/w_36,c_scale,f_png,q_auto:good,fl_progressive:steep/{picture}/{opaque(picture, 120)}" width="18" height="18" alt="" '
        'style="margin:0;display:inline-block;vertical-align:middle;"></a></td>'
    )


def _figure() -> str:
    sources = ", ".join(
        f"https://cdn.substation.example/image/fetch/w_{width},c_limit,f_auto,q_auto:good/{opaque('figure', 160)}.jpeg {width}w"
        for width in (424, 848, 1272, 1456)
    )
    return (
        f'<div class="captioned-image-container-static"><figure style="margin:0;"><a class="image-link" href="https://cdn.substation.example/{opaque("figure", 160)}.jpeg" style="display:block;">'
        f'<img class="wide-image" data-attrs="{{&quot;src&quot;:&quot;{opaque("attrs", 600)}&quot;,&quot;bytes&quot;:null}}" alt="The surveyor, drawn in 1896" srcset="{sources}" src="https://cdn.substation.example/x.jpeg" width="550"></a></figure></div>'
    )


def _upgrade() -> str:
    return (
        f'<p class="button-wrapper" style="text-align:center;cursor:pointer;border-radius:4px;"><a class="button primary" href="{_link("upgrade")}" rel="" style="font-family:system-ui;'
        'display:inline-block;box-sizing:border-box;background-color:#0b5d66;border-radius:8px;font-size:14px;color:#ffffff !important;text-decoration:none;padding:12px 20px;"><span '
        'style="color:#ffffff;text-decoration:none;">Upgrade to paid</span></a></p>'
    )


def _css() -> str:
    headings = "".join(
        f".typography .markup h{level}, .typography.editor h{level} {{ margin-top: 1em; margin-bottom: 0.625em; font-size: {3 - level * 0.3:.2f}em; color: rgb(54,55,55); }}\n"
        for level in range(1, 7)
    )
    parts = "".join(
        f".{name} .pencraft.pc-{role} {{ box-sizing: border-box; display: flex; background-color: #ffffff; color: #363737; font-size: {size}px; line-height: 20px; padding: {size}px; }}\n"
        for name in (
            "markup",
            "post",
            "footer",
            "comments",
            "poll",
            "install",
            "digest",
            "audio",
            "video",
            "recipe",
            "chat",
            "notes",
            "paywall",
            "referral",
            "crosspost",
            "gallery",
        )
        for role, size in (("reset", 14), ("shell", 15), ("button", 16), ("title", 20), ("meta", 12))
    )
    return f"""@media all and (-ms-high-contrast: none), (-ms-high-contrast: active) {{ .typography .markup ul li p {{ display:inline; }} }}
@media (min-width: 1024px) {{ #sticky-navigation {{ display:none; }} }} @media screen and (max-width: 650px) {{ .typography .markup .only-desktop {{ display:none; }} }}
{headings}{parts}"""
