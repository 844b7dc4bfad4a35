"""A digest of a network of professionals: cards in tables in tables, and long counters on each of them."""

from newsletters.kit import PADDING, Envelope, Newsletter, opaque, pixel, publish

HOST = "www.colleagueweb.example"

JOBS = (
    (
        "Hydrologist, flood forecasting",
        "Meteo Alpina",
        "Graz, Austria (hybrid)",
        "72,000–84,000 €",
        "3 connections work here",
    ),
    ("Senior data engineer", "Nordlys Energi", "Tromsø, Norway", "910,000 kr", "Actively recruiting"),
    (
        "Python developer, instruments",
        "Sensoria Labs",
        "Remote in the EU",
        "65,000–78,000 €",
        "Be an early applicant",
    ),
    (
        "Field technician, weather stations",
        "Kantonaler Messdienst",
        "Chur, Switzerland",
        "CHF 88,000",
        "Posted 2 days ago",
    ),
    (
        "Head of observation networks",
        "Institut Tramontane",
        "Toulouse, France",
        "on application",
        "1 former colleague works here",
    ),
    (
        "Research software engineer",
        "University of Eastwold",
        "Eastwold, United Kingdom",
        "£44,263–£52,841",
        "Closes 20 November",
    ),
)
POSTS = (
    (
        "Dr Mira Okonkwo",
        "Head of Calibration at Sensoria Labs",
        "We left forty humidity sensors in a salt cave for a year. Thirty-eight came back within one per cent, one "
        "drifted by six, and one is now home to a spider. All the data are public from today.",
        "418",
        "57",
    ),
    (
        "Piet van Aalst",
        "Hydrologist, Waterschap Noord",
        "A reminder from last night's storm: the gauge you trust most is the one you cleaned last. Ours at the mill "
        "read 12 mm too little because of three oak leaves.",
        "233",
        "41",
    ),
    (
        "Yuki Tanabe",
        "Founder, Kumo Balloons",
        "Launch number 500 is on Friday at 06:00 UTC from Sapporo. If your school would like to follow the radiosonde live, write "
        "to me: we have twelve receivers to give away.",
        "1,092",
        "188",
    ),
)
PEOPLE = (
    ("Salma Haddad", "Radar meteorologist", "12 mutual connections"),
    ("Leon Fischer", "Instrument maker", "7 mutual connections"),
    ("Ottilie Brandt", "Editor, Journal of Snow", "4 mutual connections"),
)


def make() -> Newsletter:
    """Make the digest."""
    jobs = "".join(_job(*job) for job in JOBS)
    posts = "".join(_post(*post) for post in POSTS)
    people = "".join(_person(*person) for person in PEOPLE)
    html = f"""<html xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en"><head><meta http-equiv="Content-Type" content="text/html;charset=utf-8">
<meta name="HandheldFriendly" content="true"><title></title><!--[if mso]><style type="text/css">td, th, div, p, a, span {{font-family: Arial, sans-serif !important;}}</style><![endif]-->
<style type="text/css">{_css()}</style></head><body dir="ltr" class="font-sans bg-color-background-canvas w-full m-0 p-0" style="-webkit-text-size-adjust:100%;margin:0;width:100%;background-color:#f3f2f0;padding:0;padding-top:8px">
<div class="h-0 opacity-0 text-transparent invisible overflow-hidden w-0 max-h-[0]" style="visibility:hidden;height:0;max-height:0;width:0;overflow:hidden;opacity:0;mso-hide:all" data-email-preheader="true">Six jobs and three posts for you</div>
<div class="h-0 opacity-0 text-transparent invisible overflow-hidden w-0 max-h-[0]" style="visibility:hidden;height:0;max-height:0;width:0;overflow:hidden;opacity:0;mso-hide:all">{PADDING}</div>
<table role="presentation" valign="top" border="0" cellspacing="0" cellpadding="0" width="512" align="center" class="mercado-container w-[512px] max-w-[512px] mx-auto my-0 p-0"><tbody>
<tr><td class="text-center p-3" style="padding:24px;text-align:center"><a href="{_link("logo")}"><img alt="Colleagueweb" src="https://static.licdn.example/{opaque("logo", 40)}" width="84" height="21" style="outline:none;text-decoration:none"></a></td></tr>
{_card(f'<h2 style="margin:0;font-weight:500;font-size:20px">Ada, your week in six jobs and three posts</h2><p style="margin:0;font-weight:400;color:rgba(0,0,0,.6)">You appeared in 19 searches this week, 4 more than last week. <a href="{_link("searches")}">See all searches</a></p>')}
{_card('<h2 style="margin:0;font-size:18px">Jobs that match “measurement”</h2>' + f'<table role="presentation" width="100%"><tbody>{jobs}</tbody></table>' + _button("See all 38 jobs", "jobs"))}
{_card('<h2 style="margin:0;font-size:18px">Posts you may have missed</h2>' + posts)}
{_card('<h2 style="margin:0;font-size:18px">People you may know</h2>' + f'<table role="presentation" width="100%"><tbody>{people}</tbody></table>')}
{_card(_footer(), "#f3f2f0")}
</tbody></table>{pixel(HOST, "digest")}</body></html>"""
    facts = [
        "Colleagueweb",
        "six jobs and three posts",
        "19 searches",
        "See all searches",
        "Jobs that match “measurement”",
    ]
    for job in JOBS:
        facts += [job[0], job[1], job[2], job[3], job[4]]
    facts += ["See all 38 jobs", "Posts you may have missed"]
    for name, title, text, likes, comments in POSTS:
        facts += [name, title, text[-50:], likes, comments]
    facts += [
        "People you may know",
        *(part for person in PEOPLE for part in person),
        "ada@home.example",
        "Unsubscribe",
        "Wilton Plaza",
    ]
    return publish(
        Envelope(
            name="digest",
            sender="Colleagueweb <updates@colleagueweb.example>",
            subject="Six jobs and three posts for you",
            encoding="base64",
        ),
        html,
        facts=facts,
        absent=["Six jobs and three posts for you", "mercado", "\u034f", "trackingId"],
    )


def _link(key: str) -> str:
    return (
        f"https://{HOST}/comm/jobs/view/{int(opaque(key, 5).encode().hex(), 16) % 10**10}/?trackingId={opaque(key + 't', 24)}%3D%3D&amp;refId=ByteString%28length%3D16%2Cbytes%3D{opaque(key + 'r', 8)}%29"
        f"&amp;lipi=urn%3Ali%3Apage%3Aemail_email_job_alert_digest_01%3B{opaque(key + 'l', 22)}%3D%3D&amp;midToken={opaque(key + 'm', 14)}&amp;midSig={opaque(key + 's', 14)}&amp;trk=eml-{opaque(key, 40)}&amp;otpToken={opaque(key + 'o', 190)}"
    )


def _card(inner: str, background: str = "#ffffff") -> str:
    return f"""<tr><td class="pb-2" style="padding-bottom:16px"><table role="presentation" valign="top" border="0" cellspacing="0" cellpadding="0" width="100%" class="rounded-[8px]"
style="-webkit-text-size-adjust:100%;mso-table-lspace:0pt;mso-table-rspace:0pt;-ms-text-size-adjust:100%;border-radius:8px;background-color:{background}"><tbody><tr>
<td style="-webkit-text-size-adjust:100%;mso-table-rspace:0pt;mso-table-lspace:0pt;-ms-text-size-adjust:100%;padding:24px">{inner}</td></tr></tbody></table></td></tr>"""


def _job(title: str, company: str, place: str, pay: str, note: str) -> str:
    cell = (
        "-webkit-text-size-adjust:100%;mso-table-rspace:0pt;mso-table-lspace:0pt;-ms-text-size-adjust:100%;"
    )
    return f"""<tr><td class="pt-3" style="{cell}padding-top:24px"><table role="presentation" width="100%"><tbody><tr><td valign="top" width="48" style="{cell}width:48px">
<a href="{_link(title + "logo")}" target="_blank"><img src="https://media.licdn.example/dms/image/{opaque(company, 90)}/company-logo_100_100" alt="" width="48" height="48"></a></td>
<td valign="top" style="{cell}padding-left:8px"><table role="presentation" width="100%"><tbody>
<tr><td class="pb-0" style="{cell}padding-bottom:0"><a class="font-bold text-md" href="{_link(title)}" target="_blank" style="color:#0a66c2;cursor:pointer;display:inline-block;text-decoration:none;font-size:16px;font-weight:600;line-height:1.25">{title}</a></td></tr>
<tr><td style="{cell}"><p class="text-system-gray-100 text-xs" style="margin:0;font-weight:400;font-size:12px;line-height:1.25;color:#1f1f1f">{company} · {place}</p></td></tr>
<tr><td style="{cell}"><p style="margin:0;font-size:12px;color:rgba(0,0,0,.6)">{pay} a year</p></td></tr>
<tr><td style="{cell}"><p style="margin:0;font-size:12px;color:rgba(0,0,0,.6)">{note}</p></td></tr></tbody></table></td></tr></tbody></table></td></tr>"""


def _post(name: str, title: str, text: str, likes: str, comments: str) -> str:
    return f"""<table role="presentation" width="100%" style="padding-top:16px"><tbody><tr><td width="40" valign="top"><img src="https://media.licdn.example/dms/image/{opaque(name, 90)}/profile-displayphoto" alt="{name}" width="40" height="40" style="border-radius:100%"></td>
<td style="padding-left:8px"><a href="{_link(name)}" style="color:#282828;font-weight:600;text-decoration:none">{name}</a><br><span style="font-size:12px;color:#666666">{title}</span></td></tr></tbody></table>
<p style="margin:0;padding-top:8px;font-size:14px;line-height:1.4;color:#282828">{text}</p><p style="margin:0;font-size:12px;color:#666666">{likes} reactions · {comments} comments</p>
{_button("Join the conversation", name + "join")}"""


def _person(name: str, title: str, note: str) -> str:
    return f"""<tr><td style="padding:8px 0"><a href="{_link(name + "p")}" style="color:#282828;font-weight:600">{name}</a><br>{title}</td><td style="font-size:12px;color:#666666">{note}</td>
<td align="right"><a href="{_link(name + "c")}" style="color:#0a66c2;border:1px solid #0a66c2;border-radius:24px;padding:4px 12px">Connect</a></td></tr>"""


def _button(text: str, key: str) -> str:
    return f"""<table role="presentation" border="0" cellspacing="0" cellpadding="0" width="auto" class="font-sans border-separate"><tbody><tr><td class="btn-md border-color-brand" style="height:min-content;border-radius:24px;padding:12px 24px;text-align:center;font-size:16px;font-weight:600;border:1px solid #0a66c2"><a href="{_link(key)}" target="_blank"
style="color:#0a66c2;cursor:pointer;display:inline-block;text-decoration:none"><table role="presentation" width="auto"><tbody><tr><td class="text-center"><a href="{_link(key)}" tabindex="-1" aria-hidden="true" class="no-underline"><span class="no-underline text-md">{text}</span></a></td></tr></tbody></table></a></td></tr></tbody></table>"""


def _footer() -> str:
    return (
        f'<p style="font-size:12px;color:#1f1f1f">This email was intended for Ada Byron (Instrument maker), ada@home.example. <a href="{_link("why")}">Learn why we included this.</a></p><p style="font-size:12px"><a '
        f'href="{_link("unsub")}">Unsubscribe</a> · <a href="{_link("help")}">Help</a></p><p style="font-size:12px;color:#1f1f1f">© 2026 Colleagueweb Ireland, Wilton Plaza, Dublin 2.</p>'
    )


def _css() -> str:
    names = (("text", "color"), ("bg", "background-color"), ("border", "border-color"))
    return "".join(
        f".{short}-gray-{step} {{ {name}: rgba(0,0,0,{step / 100}) !important; }}\n"
        for short, name in names
        for step in range(55, 100, 5)
    ) + "".join(
        f"@media only screen and (max-width: {width}px) {{ .phone\\:w-{width} {{ width: {width}px !important; }} .phone\\:hidden {{ display: none !important; }} }}\n"
        for width in (320, 400, 480, 600)
    )
