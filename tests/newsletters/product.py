"""Product news as MJML compiles them: a table in a div in a table for each column, and ghost tables for Outlook."""

from newsletters.kit import PADDING, Envelope, Newsletter, opaque, pixel, publish

HOST = "links.email.ledgerlight.example"

FEATURES = (
    (
        "Recurring invoices, finally",
        "Set an invoice once and let it go out on the first of each month, each quarter or every second Friday. "
        "Prices can rise by an index of your choice, and Ledgerlight tells you three days before anything is sent. "
        "Available on the Team plan (14 € a seat) and above.",
        "Set up a recurring invoice",
    ),
    (
        "Bank feeds from 212 more banks",
        "We have moved to a new provider. Reconnecting takes about a minute and is needed once for each account by "
        "30 November 2026; after that day feeds on the old connection stop. Your rules and matches stay as they are.",
        "Reconnect your bank",
    ),
    (
        "Keyboard first",
        "Press <code>G</code> then <code>I</code> for invoices, <code>/</code> to search and <code>?</code> for the whole "
        "list. Everything on the dashboard can now be reached without a mouse, and screen readers say what they should.",
        "See all shortcuts",
    ),
)
FIXES = (
    "Credit notes keep the exchange rate of the invoice that they correct",
    "Exports to CSV have the VAT number in its own column",
    "Attachments of up to 25 MB, instead of 10 MB",
    "Dates in reminders follow the customer's language, not yours",
    "The search finds amounts with and without a thousands separator",
)
PLANS = (
    ("Solo", "6 €", "1 seat, 50 invoices"),
    ("Team", "14 €", "10 seats, recurring invoices"),
    ("Firm", "29 €", "unlimited, audit log"),
)
FAMILY = "font-family:Inter, 'Helvetica Neue', Arial, sans-serif;"


def make() -> Newsletter:
    """Make the news."""
    features = "".join(
        _section(_image(title) + _head(title) + _text(text) + _button(action, title))
        for title, text, action in FEATURES
    )
    fixes = "".join(f'<li style="padding-bottom:6px;{FAMILY}">{fix}</li>' for fix in FIXES)
    plans = "".join(
        "<tr>"
        + "".join(
            f'<td style="padding:8px 12px;border-bottom:1px solid #e5e7eb;{FAMILY}">{part}</td>'
            for part in plan
        )
        + "</tr>"
        for plan in PLANS
    )
    body = (
        _section(
            _image("Ledgerlight")
            + _head("October at Ledgerlight", size=30, colour="#ffffff")
            + _text(
                "Three things you asked for, five that you reported, and one date to remember.",
                colour="#e0e7ff",
            ),
            background="#1e1b4b",
        )
        + _section(
            _text("Hi Ada,")
            + _text("Thank you for 1,204 votes on the roadmap. Here is what became of the first three.")
        )
        + features
        + _section(_head("Also fixed") + _raw(f"<ul>{fixes}</ul>"))
        + _section(
            _head("Plans from 1 December")
            + _raw(
                f'<table width="100%" style="border-collapse:collapse"><thead><tr><th align="left">Plan</th><th align="left">A month</th>'
                f'<th align="left">What is in it</th></tr></thead><tbody>{plans}</tbody></table>'
            )
            + _text("Who is on an old plan keeps it until the end of the paid year.")
        )
        + _section(
            _head("Office hours")
            + _text(
                "Thursday, 12 November, 16:00–17:00 CET, with Noor and Pavel from the feeds team. Bring the bank that gives you trouble."
            )
            + _button("Save my seat", "seat")
        )
        + _section(
            _text(
                f"Ledgerlight GmbH · Gerberstraße 9 · 04109 Leipzig<br>You get this since you use Ledgerlight as ada@home.example."
                f'<br><a href="{_link("prefs")}" style="color:#6b7280">Email preferences</a> · '
                f'<a href="{_link("out")}" style="color:#6b7280">Unsubscribe</a>',
                colour="#6b7280",
                size=12,
            ),
            background="#f3f4f6",
        )
    )
    html = f"""<!doctype html><html lang="en" dir="auto" xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml">
<head><title>October at Ledgerlight</title><!--[if !mso]><!--><meta http-equiv="X-UA-Compatible" content="IE=edge"><!--<![endif]-->
<meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><style type="text/css">{_css()}</style>
<!--[if mso]><noscript><xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml></noscript><![endif]-->
<!--[if lte mso 11]><style type="text/css">.mj-outlook-group-fix {{ width:100% !important; }}</style><![endif]-->
<!--[if !mso]><!--><link href="https://fonts.example/css?family=Inter:300,400,500,700" rel="stylesheet" type="text/css">
<style type="text/css">@import url(https://fonts.example/css?family=Inter:300,400,500,700);</style><!--<![endif]-->
</head><body style="word-spacing:normal;background-color:#f3f4f6;">
<div style="display:none;font-size:1px;color:#ffffff;line-height:1px;max-height:0px;max-width:0px;opacity:0;overflow:hidden;">
Recurring invoices are here{PADDING}</div>
<div aria-roledescription="email" role="article" lang="en" dir="auto" style="background-color:#f3f4f6;">{body}</div>
{pixel(HOST, "mjml")}</body></html>"""
    facts = ["October at Ledgerlight", "one date to remember", "Hi Ada", "1,204 votes"]
    facts += [
        "Recurring invoices, finally",
        "14 € a seat",
        "Set up a recurring invoice",
        "212 more banks",
        "30 November 2026",
    ]
    facts += [
        "Reconnect your bank",
        "Keyboard first",
        "See all shortcuts",
        "Also fixed",
        *FIXES,
        "Plan | A month | What is in it",
    ]
    facts += [" | ".join(plan) for plan in PLANS]
    facts += [
        "Office hours",
        "12 November, 16:00–17:00 CET",
        "Save my seat",
        "Gerberstraße 9",
        "Email preferences",
        "Unsubscribe",
    ]
    return publish(
        Envelope(
            name="product news",
            sender="Ledgerlight <news@ledgerlight.example>",
            subject="Recurring invoices, finally",
        ),
        html,
        facts=facts,
        absent=["are here", "mj-column", "urn:schemas", "AllowPNG", "@import", "\u034f"],
    )


def _link(key: str) -> str:
    return f"https://{HOST}/e/c/{opaque(key, 240)}/{opaque(key + 's', 43)}"


def _section(inner: str, background: str = "#ffffff") -> str:
    ghost = f'<table align="center" border="0" cellpadding="0" cellspacing="0" style="width:600px;" width="600" bgcolor="{background}" ><tr>'
    return f"""<!--[if mso | IE]>{ghost}<td style="line-height:0px;font-size:0px;mso-line-height-rule:exactly;"><![endif]-->
<div style="background:{background};background-color:{background};margin:0px auto;max-width:600px;">
<table align="center" border="0" cellpadding="0" cellspacing="0" role="presentation"
style="background:{background};background-color:{background};width:100%;"><tbody><tr>
<td style="direction:ltr;font-size:0px;padding:20px 0;text-align:center;">
<!--[if mso | IE]><table role="presentation" border="0" cellpadding="0" cellspacing="0"><tr><td style="vertical-align:top;width:600px;" ><![endif]-->
<div class="mj-column-per-100 mj-outlook-group-fix" style="font-size:0px;text-align:left;direction:ltr;display:inline-block;vertical-align:top;width:100%;">
<table border="0" cellpadding="0" cellspacing="0" role="presentation" style="vertical-align:top;" width="100%"><tbody>{inner}</tbody></table></div>
<!--[if mso | IE]></td></tr></table><![endif]--></td></tr></tbody></table></div><!--[if mso | IE]></td></tr></table><![endif]-->"""


def _raw(inner: str) -> str:
    return (
        '<tr><td align="left" style="font-size:0px;padding:10px 25px;word-break:break-word;"><div style="'
        f'{FAMILY}font-size:16px;line-height:1.6;text-align:left;color:#111827;">{inner}</div></td></tr>'
    )


def _text(text: str, colour: str = "#374151", size: int = 16) -> str:
    return (
        '<tr><td align="left" style="font-size:0px;padding:10px 25px;word-break:break-word;">'
        f'<div style="{FAMILY}font-size:{size}px;font-weight:400;line-height:24px;text-align:left;color:{colour};">{text}</div></td></tr>'
    )


def _head(text: str, size: int = 22, colour: str = "#111827") -> str:
    return (
        '<tr><td align="left" style="font-size:0px;padding:10px 25px 0;word-break:break-word;">'
        f'<div style="{FAMILY}font-size:{size}px;line-height:1.2;text-align:left;color:{colour};"><h2 style="margin:0">{text}</h2></div></td></tr>'
    )


def _image(name: str) -> str:
    alternative = name if name == "Ledgerlight" else ""
    return f"""<tr><td align="center" style="font-size:0px;padding:10px 25px;word-break:break-word;"><table border="0" cellpadding="0"
cellspacing="0" role="presentation" style="border-collapse:collapse;border-spacing:0px;"><tbody><tr><td style="width:550px;">
<a href="{_link(name + "img")}" target="_blank"><img alt="{alternative}" height="auto" src="https://img.ledgerlight.example/{opaque(name, 120)}.png"
style="border:0;display:block;outline:none;text-decoration:none;height:auto;width:100%;font-size:13px;" width="550"></a></td></tr></tbody></table></td></tr>"""


def _button(text: str, key: str) -> str:
    return f"""<tr><td align="left" vertical-align="middle" style="font-size:0px;padding:10px 25px;word-break:break-word;"><table border="0"
cellpadding="0" cellspacing="0" role="presentation" style="border-collapse:separate;line-height:100%;"><tbody><tr><td align="center" bgcolor="#4338ca"
role="presentation" style="border:none;border-radius:6px;cursor:auto;mso-padding-alt:10px 25px;background:#4338ca;" valign="middle">
<a href="{_link(key)}" style="display:inline-block;background:#4338ca;color:#ffffff;{FAMILY}font-size:15px;font-weight:500;line-height:120%;
margin:0;text-decoration:none;text-transform:none;padding:10px 25px;mso-padding-alt:0px;border-radius:6px;" target="_blank"> {text} </a></td></tr></tbody></table></td></tr>"""


def _css() -> str:
    columns = "".join(
        f".mj-column-per-{width} {{ width:{width}% !important; max-width: {width}%; }}\n"
        for width in (25, 33, 50, 67, 75, 100)
    )
    gecko = "".join(
        f".moz-text-html .mj-column-per-{width} {{ width:{width}% !important; max-width: {width}%; }}\n"
        for width in (25, 33, 50, 67, 75, 100)
    )
    utilities = "".join(
        f".{prefix}-{side}-{step} {{ {name}-{side}: {step * 4}px !important; }}\n"
        for prefix, name in (("p", "padding"), ("m", "margin"))
        for side in ("top", "right", "bottom", "left")
        for step in range(17)
    )
    return f"""#outlook a {{ padding:0; }} body {{ margin:0;padding:0;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%; }}
table, td {{ border-collapse:collapse;mso-table-lspace:0pt;mso-table-rspace:0pt; }} p {{ display:block;margin:13px 0; }}
img {{ border:0;height:auto;line-height:100%; outline:none;text-decoration:none;-ms-interpolation-mode:bicubic; }}
@media only screen and (min-width:480px) {{ {columns} }}
{gecko}{utilities}
@media only screen and (max-width:479px) {{ table.mj-full-width-mobile {{ width: 100% !important; }} .hide-on-phone {{ display:none !important; }} }}
@media (prefers-color-scheme: dark) {{ body, div {{ background-color:#111827 !important; color:#111827 !important; }} }}"""
