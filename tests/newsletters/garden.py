"""A monthly letter as Mailchimp makes them: one style block a section, and everything inlined again."""

from newsletters.kit import PADDING, Envelope, Newsletter, opaque, pixel, publish

HOST = "tideandthistle.us7.list-manage.example"

ARTICLES = (
    (
        "Plant garlic before the first hard frost",
        "Break the bulbs into cloves on the day you plant them, not before. Set each clove point up, five "
        "centimetres deep and a hand apart, and cover the bed with straw. Our trial beds at Kellow Farm gave "
        "31 % more from cloves set in the second week of November than from those set in March.",
        "Read the garlic trial",
    ),
    (
        "What to do with green tomatoes",
        "Lay them in a drawer with one ripe apple and look at them every second day. Those that are as large "
        "as a walnut will ripen; smaller ones become chutney. Marit's recipe needs 2 kg of tomatoes, 500 g of "
        "onions and a slow hour and a half.",
        "Get Marit's chutney recipe",
    ),
    (
        "The compost question",
        "Ruth from Penhale asks whether autumn leaves belong on the heap. They do, but in a cage of their own: "
        "leaves rot by fungi and need two years, while kitchen waste is done in eight months. Shred oak and "
        "beech with the mower first, and keep walnut leaves away from the vegetable beds.",
        "Ask us your question",
    ),
    (
        "Tools: oil now, thank yourself in March",
        "Wash off the soil, rub the blades with fine steel wool and wipe them with linseed oil. Handles want "
        "sandpaper once a year. We sharpen secateurs for 6.50 € a pair if you bring them to the shop by "
        "21 November; bring the springs too, since half of those we see are past saving.",
        "Book a sharpening slot",
    ),
)
DATES = (
    ("Sat 7 November, 10:00", "Pruning apples, with Tomasz", "Orchard gate, 18 €"),
    ("Wed 11 November, 19:30", "Talk: soil without digging", "Village hall, free"),
    ("Sat 21 November, 09:00", "Hedge laying, two days", "Kellow Farm, 95 €"),
    ("Sun 29 November, 14:00", "Wreaths from the garden", "Glasshouse, 24 €"),
)
SECTIONS = ("Preheader", "Header", "Body", "Upper Columns", "Lower Columns", "Footer")


def make() -> Newsletter:
    """Make the letter."""
    html = f"""<!doctype html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head><!-- NAME: 1 COLUMN --><!--[if gte mso 15]><xml><o:OfficeDocumentSettings><o:AllowPNG/>
<o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->
<meta charset="UTF-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>*|MC:SUBJECT|*</title>
<style type="text/css">{_css()}</style></head>
<body style="height:100%;margin:0;padding:0;width:100%;-ms-text-size-adjust:100%;background-color:#F4F1EA">
<!--*|IF:MC_PREVIEW_TEXT|*--><!--[if !gte mso 9]><!----><span class="mcnPreviewText" style="display:none; font-size:0px;
line-height:0px; max-height:0px; max-width:0px; opacity:0; overflow:hidden; visibility:hidden; mso-hide:all;">Garlic
goes in, secateurs come out{PADDING}</span><!--<![endif]--><!--*|END:IF|*-->
<center><table align="center" border="0" cellpadding="0" cellspacing="0" height="100%" width="100%" id="bodyTable"
style="border-collapse:collapse;mso-table-lspace:0pt;mso-table-rspace:0pt"><tr><td align="center" valign="top" id="bodyCell">
<!--[if (gte mso 9)|(IE)]><table align="center" width="600" style="width:600px;"><tr><td width="600"><![endif]-->
<table border="0" cellpadding="0" cellspacing="0" width="100%" class="templateContainer" style="max-width:600px !important">
<tr><td valign="top" id="templatePreheader">{
        _text(f'<a href="{_link("archive")}" target="_blank">View this email in your browser</a>')
    }</td></tr>
<tr><td valign="top" id="templateHeader">{_image("logo", "Tide &amp; Thistle", "home")}
{
        _text(
            "<h1>The garden in November</h1><p>Dear Ada, the clocks have gone back, and so have we: to the shed.</p>"
        )
    }</td></tr>
<tr><td valign="top" id="templateBody">{"".join(_article(*each) for each in ARTICLES)}
{
        _text(
            "<h2>Dates</h2><table border='0' width='100%'>"
            + "".join(_date(*each) for each in DATES)
            + "</table>"
        )
    }
{_button("See all courses", "courses")}</td></tr>
<tr><td valign="top" id="templateFooter">{_follow()}{
        _text(
            "<em>Copyright © 2026 Tide &amp; Thistle Seeds, All rights reserved.</em><br><br><strong>Our mailing address is:"
            "</strong><br>Tide &amp; Thistle Seeds, 4 Harbour Lane, Penhale TR99 0AA<br><br>Want to change how you receive "
            f'these emails?<br>You can <a href="{_link("profile")}">update your preferences</a> or '
            f'<a href="{_link("unsubscribe")}">unsubscribe from this list</a>.'
        )
    }</td></tr>
</table><!--[if (gte mso 9)|(IE)]></td></tr></table><![endif]--></td></tr></table></center>
{pixel(HOST, "garden")}</body></html>"""
    facts = ["View this email in your browser", "The garden in November", "Dear Ada"]
    for title, text, link in ARTICLES:
        facts += [title, text[-40:], link]
    facts += [part for date in DATES for part in date]
    facts += ["See all courses", "4 Harbour Lane", "update your preferences", "unsubscribe from this list"]
    return publish(
        Envelope(
            name="garden letter",
            sender="Tide & Thistle <hello@tideandthistle.example>",
            subject="The garden in November",
        ),
        html,
        facts=facts,
        absent=["secateurs come out", "MC:SUBJECT", "mcn", "\u034f", "AllowPNG", "@tab"],
    )


def _link(key: str) -> str:
    return f"https://{HOST}/track/click?u={opaque(key, 26)}&amp;id={opaque(key + 'id', 10)}&amp;e={opaque(key + 'e', 220)}"


def _text(inner: str) -> str:
    inner = inner.replace(
        "<p>",
        (
            '<p style="margin:10px 0;padding:0;mso-line-height-rule:exactly;-ms-text-size-adjust:100%;'
            '-webkit-text-size-adjust:100%;color:#3b3a36;font-family:Georgia,Times,serif;font-size:16px;line-height:150%">'
        ),
    ).replace(
        "<a ",
        '<a style="mso-line-height-rule:exactly;-ms-text-size-adjust:100%;color:#2f6b3c;text-decoration:underline" ',
    )
    return f"""<table border="0" cellpadding="0" cellspacing="0" width="100%" class="mcnTextBlock" style="min-width:100%;
border-collapse:collapse;mso-table-lspace:0pt;mso-table-rspace:0pt"><tbody class="mcnTextBlockOuter"><tr>
<td valign="top" class="mcnTextBlockInner" style="padding-top:9px"><!--[if mso]><table align="left" border="0" width="100%"><tr>
<td valign="top" width="600" style="width:600px;"><![endif]-->
<table align="left" border="0" cellpadding="0" cellspacing="0" style="max-width:100%;min-width:100%" width="100%"
class="mcnTextContentContainer"><tbody><tr><td valign="top" class="mcnTextContent" style="padding:0 18px 9px;
word-break:break-word;color:#3b3a36;font-family:Georgia,Times,serif;font-size:16px;line-height:150%;text-align:left">
{inner}</td></tr></tbody></table><!--[if mso]></td></tr></table><![endif]--></td></tr></tbody></table>"""


def _image(name: str, alternative: str, key: str) -> str:
    return f"""<table border="0" width="100%" class="mcnImageBlock" style="min-width:100%"><tbody class="mcnImageBlockOuter">
<tr><td valign="top" style="padding:9px" class="mcnImageBlockInner"><a href="{_link(key)}" target="_blank"><img align="center"
alt="{alternative}" src="https://mcusercontent.example/{opaque(name, 25)}/images/{opaque(name + "i", 36)}.png" width="564"
style="max-width:1128px;padding-bottom:0;display:inline!important;vertical-align:bottom;border:0;height:auto;outline:none"
class="mcnImage"></a></td></tr></tbody></table>"""


def _article(title: str, text: str, link: str) -> str:
    return (
        _image(title, "", title)
        + _text(f"<h2>{title}</h2><p>{text}</p>")
        + _button(link, title)
        + '<table class="mcnDividerBlock" width="100%"><tr><td style="border-top:2px solid #EAEAEA"><span></span></td></tr></table>'
    )


def _button(text: str, key: str) -> str:
    return f"""<table border="0" cellpadding="0" cellspacing="0" width="100%" class="mcnButtonBlock"><tbody><tr><td align="center"
style="padding:0 18px 18px" class="mcnButtonBlockInner"><table border="0" class="mcnButtonContentContainer"
style="border-collapse:separate!important;border-radius:4px;background-color:#2F6B3C"><tbody><tr><td align="center" valign="middle"
class="mcnButtonContent" style="font-family:Arial;font-size:16px;padding:18px"><a class="mcnButton" title="{text}" href="{_link(key)}"
target="_blank" style="font-weight:bold;letter-spacing:normal;line-height:100%;text-align:center;text-decoration:none;color:#FFFFFF">
{text}</a></td></tr></tbody></table></td></tr></tbody></table>"""


def _date(when: str, what: str, where: str) -> str:
    cell = (
        '<td style="border-bottom:1px solid #ddd6c8;padding:6px 8px 6px 0;font-family:Georgia,Times,serif">'
    )
    return f"<tr>{cell}<strong>{when}</strong></td>{cell}{what}</td>{cell}{where}</td></tr>"


def _follow() -> str:
    icons = "".join(
        f'<td align="center" valign="middle" width="24"><a href="{_link(name)}"><img src="https://cdn.mcimages.example/'
        f'{name.lower()}-48.png" alt="{name}" style="display:block" height="24" width="24"></a></td>'
        for name in ("Photogram", "Facepage", "Website")
    )
    return f'<table class="mcnFollowBlock" width="100%"><tr><td align="center"><table><tr>{icons}</tr></table></td></tr></table>'


def _css() -> str:
    """Write the style block: comments for the editor, then a rule, for each section and element."""
    reset = """p{margin:10px 0;padding:0}table{border-collapse:collapse}h1,h2,h3,h4{display:block;margin:0;padding:0}
img,a img{border:0;height:auto;outline:none;text-decoration:none}body,#bodyTable,#bodyCell{height:100%;margin:0;padding:0;width:100%}
.mcnPreviewText{display:none !important}#outlook a{padding:0}img{-ms-interpolation-mode:bicubic}
.ReadMsgBody{width:100%}.ExternalClass{width:100%}a[href^=tel],a[href^=sms]{color:inherit;cursor:default;text-decoration:none}
a[x-apple-data-detectors]{color:inherit !important;text-decoration:none !important;font-size:inherit !important}
.templateContainer{max-width:600px !important}.mcnImage,.mcnRetinaImage{vertical-align:bottom}.mcnDividerBlock{table-layout:fixed}"""
    rules = [reset]
    for section in SECTIONS:
        name = "#template" + section.replace(" ", "")
        for element, size in (
            ("", 16),
            (" .mcnTextContent,{0} .mcnTextContent p", 16),
            (" .mcnTextContent a", 15),
        ):
            rules.append(
                f"/*\n@tab {section}\n@section {section} Style\n@tip Set the style for your email's {section.lower()}.\n*/\n"
                f"{name}{element.format(name)}{{/*@editable*/background-color:#FFFFFF;/*@editable*/background-image:none;\n"
                f"/*@editable*/background-repeat:no-repeat;/*@editable*/background-position:center;\n"
                f"/*@editable*/background-size:cover;/*@editable*/border-top:0;/*@editable*/border-bottom:0;\n"
                f"/*@editable*/padding-top:9px;/*@editable*/padding-bottom:9px;/*@editable*/color:#202020;\n"
                f"/*@editable*/font-family:Georgia;/*@editable*/font-size:{size}px;/*@editable*/line-height:150%}}"
            )
            rules.append(
                f"@media only screen and (max-width: 480px){{/*\n@tab Mobile Styles\n@section {section} Text\n"
                f"@tip Make the text larger in size for better readability on small screens.\n*/\n{name}{element.format(name)}"
                f"{{/*@editable*/font-size:14px !important;/*@editable*/line-height:150% !important}}}}"
            )
    return "\n".join(rules)
