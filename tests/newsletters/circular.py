"""An invitation written in Word and sent by Outlook: MsoNormal on each paragraph, and lists made of spans."""

from newsletters.kit import Envelope, Newsletter, opaque, pixel, publish

HOST = "nam02.safelinks.protection.example"

PROGRAMME = (
    ("09:30", "Doors open, coffee in the library", "Hall B"),
    ("10:00", "Welcome: Margit Solheim, president", "Great Hall"),
    ("10:15", "A hundred years of thunder: Dr Ines Quiroga", "Great Hall"),
    ("11:30", "Workshops, first round (see below)", "Rooms 2, 4 and 7"),
    ("13:00", "Lunch: soup, bread, and something for vegans", "Canteen"),
    ("14:15", "Workshops, second round", "Rooms 2, 4 and 7"),
    ("16:00", "The general assembly, members only", "Great Hall"),
    ("17:30", "Walk to the lightning tower, 40 minutes, warm clothes", "Meet at the gate"),
    ("19:00", "Dinner at the Three Herons, paid by each", "Quay 14"),
)
WORKSHOPS = (
    "Building a field mill from a biscuit tin (Henk, room 2, 12 places, material 15 €)",
    "Reading radar pictures without fear (Salma, room 4, 30 places)",
    "Your station's data in ten lines of Python (Ada and Pavel, room 7, bring a laptop)",
)
AGENDA = (
    "Minutes of 2025",
    "Report of the treasurer: 18,402.17 € on 30 September",
    "Fees for 2027: 48 € instead of 45 €",
    "Election of two auditors",
    "Any other business, in writing by 14 November",
)


def make() -> Newsletter:
    """Make the invitation."""
    paragraphs = (
        "Dear members, dear friends of the society,",
        "the committee has the pleasure of inviting you to our autumn meeting, which this year is also our hundredth. It takes place on "
        "<b>Saturday, 21 November 2026</b>, from half past nine, in the <b>Old Observatory, Sternwartstraße 7, Eastwold</b>.",
        "Please tell Berit by <b>Friday, 13 November</b> whether you come, which workshop you would like in the morning and which in the afternoon, and whether you need a bed: the "
        "youth hostel keeps eleven for us at 34 € a night with breakfast.",
    )
    closing = (
        "From the station take tram 4 (direction Hafen) to “Sternwarte”, nine minutes. There are six parking spaces, which we ask you to leave to those who need them. The Great Hall has an "
        "induction loop; room 7 is up two flights of stairs, and Henk will swap rooms if anybody tells us.",
        "We look forward to seeing you,",
        "Margit Solheim<br>President, Society of Amateur Meteorologists<br>Tel. +47 55 01 23 45",
    )
    html = f"""<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word" xmlns:m="http://schemas.microsoft.com/office/2004/12/omml" xmlns="http://www.w3.org/TR/REC-html40">
<head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=Generator content="Microsoft Word 15 (filtered medium)"><!--[if !mso]><style>v\\:* {{behavior:url(#default#VML);}}</style><![endif]-->
<style><!--
{_css()}
--></style><!--[if gte mso 9]><xml><o:shapedefaults v:ext="edit" spidmax="1026" /></xml><![endif]--></head>
<body lang=EN-GB link="#0563C1" vlink="#954F72" style='word-wrap:break-word'><div class=WordSection1>
<p class=MsoNormal align=center style='text-align:center'><span style='font-size:20.0pt;font-family:"Cambria",serif;color:#1F3864;mso-fareast-language:DE'>Invitation to the hundredth autumn meeting<o:p></o:p></span></p>
{"".join(_normal(each) for each in paragraphs)}
<h2><span lang=EN-US style='mso-fareast-font-family:"Times New Roman"'>Programme<o:p></o:p></span></h2>
<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse;border:none;mso-border-alt:solid windowtext .5pt;mso-yfti-tbllook:1184;mso-padding-alt:0cm 5.4pt 0cm 5.4pt'>
{"".join(_row(*each) for each in PROGRAMME)}</table>
<h2>Workshops<o:p></o:p></h2>{"".join(_bullet(each) for each in WORKSHOPS)}
<h2>Agenda of the general assembly<o:p></o:p></h2><ol style='margin-top:0cm' start=1 type=1>{"".join(_numbered(each) for each in AGENDA)}</ol>
<p class=MsoNormal><span style='display:none;mso-hide:all'>Draft 3, not to be sent before Berit has seen the treasurer's figure<o:p></o:p></span></p>
{_normal(f'Answer on <a href="{_link("form")}"><span style="color:#0563C1">the form</span></a>, or by mail to <a href="mailto:berit@meteosociety.example">berit@meteosociety.example</a>. The map is <a href="https://meteosociety.example/map">here</a>.')}
{"".join(_normal(each) for each in closing)}
<p class=MsoNormal><span style='font-size:8.0pt;color:gray'>You get this as a member. <a href="{_link("leave")}">Unsubscribe from circulars</a><o:p></o:p></span></p></div>{pixel(HOST, "word")}</body></html>"""
    facts = [
        "hundredth autumn meeting",
        "Saturday, 21 November 2026",
        "Sternwartstraße 7",
        "Friday, 13 November",
        "34 € a night",
        "Programme",
    ]
    facts += [" | ".join(row) for row in PROGRAMME]
    facts += [
        "Workshops",
        *WORKSHOPS,
        "Agenda",
        *(f"{number}. {each}" for number, each in enumerate(AGENDA, 1)),
    ]
    facts += [
        "berit@meteosociety.example",
        "https://meteosociety.example/map",
        "tram 4",
        "induction loop",
        "Margit Solheim",
        "+47 55 01 23 45",
        "Unsubscribe from circulars",
    ]
    return publish(
        Envelope(
            name="circular",
            sender="Margit Solheim <president@meteosociety.example>",
            subject="Invitation: hundredth autumn meeting, 21 November",
        ),
        html,
        facts=facts,
        absent=["Draft 3", "MsoNormal", "WordSection", "behavior", "urn:", "mso-"],
    )


def _link(key: str) -> str:
    return (
        f"https://{HOST}/?url=https%3A%2F%2Fforms.meteosociety.example%2F{opaque(key, 40)}&amp;data=05%7C02%7Cada%40home.example%7C{opaque(key + 'd', 36)}%7C84df9e7fe9f640afb435aaaaaaaaaaaa%7C1%7C0%7C638%7CUnknown%7C"
        f"{opaque(key + 'u', 150)}%3D%7C0%7C%7C%7C&amp;sdata={opaque(key + 's', 43)}%3D&amp;reserved=0"
    )


_SPAN = 'font-size:11.0pt;font-family:"Calibri",sans-serif;mso-ascii-theme-font:minor-latin;mso-hansi-theme-font:minor-latin;mso-bidi-theme-font:minor-latin;color:black;mso-fareast-language:EN-US'


def _normal(text: str) -> str:
    return f"<p class=MsoNormal style='mso-margin-top-alt:auto;mso-margin-bottom-alt:auto;text-align:justify'><span lang=EN-US style='{_SPAN}'>{text}<o:p></o:p></span></p><p class=MsoNormal><span lang=EN-US style='{_SPAN}'><o:p>&nbsp;</o:p></span></p>\n"


def _row(when: str, what: str, where: str) -> str:
    cells = "".join(
        f"<td width={width} valign=top style='width:{width * 0.75}pt;border:solid windowtext 1.0pt;border-top:none;mso-border-top-alt:solid windowtext .5pt;mso-border-alt:solid windowtext .5pt;padding:0cm 5.4pt 0cm 5.4pt'>"
        f"<p class=MsoNormal style='mso-line-height-rule:exactly'><span lang=EN-US style='{_SPAN}'>{text}<o:p></o:p></span></p></td>"
        for width, text in ((80, when), (380, what), (160, where))
    )
    return f"<tr style='mso-yfti-irow:0;mso-yfti-firstrow:yes'>{cells}</tr>\n"


def _bullet(text: str) -> str:
    return (
        "<p class=MsoListParagraph style='margin-left:36.0pt;text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol;mso-fareast-font-family:Symbol;mso-bidi-font-family:Symbol'>"
        "<span style='mso-list:Ignore'>·<span style='font:7.0pt \"Times New Roman\"'>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>"
        f"<span lang=EN-US style='{_SPAN}'>{text}<o:p></o:p></span></p>\n"
    )


def _numbered(text: str) -> str:
    return f"<li class=MsoListParagraph style='color:black;margin-left:0cm;mso-list:l1 level1 lfo2'><span lang=EN-US style='{_SPAN}'>{text}<o:p></o:p></span></li>\n"


def _css() -> str:
    fonts = "".join(
        f'@font-face\n\t{{font-family:"{name}";\n\tpanose-1:2 4 5 3 5 4 6 3 2 4;}}\n'
        for name in ("Cambria Math", "Calibri", "Cambria", "Wingdings", "Symbol", "Segoe UI", "Aptos")
    )
    headings = "".join(
        f'h{level}\n\t{{mso-style-priority:9;\n\tmso-style-link:"Heading {level} Char";\n\tmargin-top:12.0pt;\n\tmargin-right:0cm;\n\tmargin-bottom:0cm;\n\tmargin-left:0cm;\n\tpage-break-after:avoid;\n\t'
        f'font-size:{20 - 2 * level}.0pt;\n\tfont-family:"Cambria",serif;\n\tcolor:#2F5496;\n\tfont-weight:normal;}}\n'
        for level in range(1, 7)
    )
    lists = "".join(
        f"@list l{number}\n\t{{mso-list-id:{1204031894 + number};\n\tmso-list-type:hybrid;\n\tmso-list-template-ids:-{opaque(str(number), 9)} 134807553 134807555 134807557;}}\n"
        + "".join(
            f"@list l{number}:level{level}\n\t{{mso-level-number-format:bullet;\n\tmso-level-text:\\F0B7;\n\tmso-level-tab-stop:none;\n\tmso-level-number-position:left;\n\ttext-indent:-18.0pt;\n\tfont-family:Symbol;}}\n"
            for level in range(1, 10)
        )
        for number in range(7)
    )
    return f"""/* Font Definitions */
{fonts}/* Style Definitions */
p.MsoNormal, li.MsoNormal, div.MsoNormal\n\t{{margin:0cm;\n\tfont-size:11.0pt;\n\tfont-family:"Calibri",sans-serif;\n\tmso-fareast-language:EN-US;}}
{headings}a:link, span.MsoHyperlink\n\t{{mso-style-priority:99;\n\tcolor:#0563C1;\n\ttext-decoration:underline;}}
p.MsoListParagraph\n\t{{mso-style-priority:34;\n\tmargin-left:36.0pt;}}
@page WordSection1\n\t{{size:612.0pt 792.0pt;\n\tmargin:70.85pt 70.85pt 2.0cm 70.85pt;}}
/* List Definitions */
{lists}"""
