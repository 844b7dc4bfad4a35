"""The confirmation of an order, made from a shop system's template: goods, sums, addresses, and what comes next."""

from newsletters.kit import PADDING, Envelope, Newsletter, opaque, pixel, publish

HOST = "klclick3.shoplane.example"

ITEMS = (
    ("Oak shelf, 120 cm", "oiled, with brackets", "OS-120-OIL", 2, "64.00 €", "128.00 €"),
    ("Desk lamp Kvist", "brass, E14", "DL-KV-BR", 1, "89.90 €", "89.90 €"),
    ("LED bulb E14, 4 W", "warm white, pack of 3", "LED-E14-4", 2, "14.50 €", "29.00 €"),
    ("Linen curtain", "140 × 250 cm, sand", "LC-140-SA", 4, "39.00 €", "156.00 €"),
    ("Curtain rod", "160–300 cm, black", "CR-160-BK", 2, "27.50 €", "55.00 €"),
    ("Wall plugs, box of 50", "8 mm", "WP-8-50", 1, "6.20 €", "6.20 €"),
    ("Picture ledge", "60 cm, white, second choice", "PL-60-W2", 3, "11.00 €", "33.00 €"),
    ("Felt pads", "sheet of 24", "FP-24", 1, "3.40 €", "3.40 €"),
    ("Gift card", "sent to mail@grandma.example", "GC-50", 1, "50.00 €", "50.00 €"),
)
SUMS = (
    ("Goods", "550.50 €"),
    ("Voucher HOUSE10 (not on gift cards)", "−50.05 €"),
    ("Delivery, two parcels", "9.90 €"),
    ("Delivery to the third floor", "15.00 €"),
    ("Total", "525.35 €"),
    ("of which VAT 19 %", "75.90 €"),
)
STEPS = (
    "Parcel 1 (lamp, bulbs, curtains, small things) leaves us on Thursday, 5 November, and should be with you on Saturday.",
    "Parcel 2 (shelves, rods, ledges) comes by carrier, who rings you the day before: Tuesday, 10 November, 13:00–17:00.",
    "The gift card was sent at 08:14 today.",
)


def make() -> Newsletter:
    """Make the confirmation."""
    items = "".join(_item(*item) for item in ITEMS)
    sums = "".join(
        f'<tr class="subtotal-line"><td class="subtotal-line__title" style="padding:5px 0"><p style="color:#777;line-height:1.2em;font-size:16px;margin:0"><span style="font-size:16px">{name}</span></p></td>'
        f'<td class="subtotal-line__value" style="padding:5px 0" align="right"><strong style="font-size:16px;color:#555">{amount}</strong></td></tr>'
        for name, amount in SUMS
    )
    steps = "".join(f'<li style="color:#555;line-height:150%;font-size:16px">{step}</li>' for step in STEPS)
    html = f"""<!DOCTYPE html><html lang="en"><head><title>Order HF-2026-118204 confirmed</title><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><meta name="viewport" content="width=device-width">
<link rel="stylesheet" type="text/css" href="https://cdn.shoplane.example/assets/mailer/{opaque("css", 60)}.css"><style>{_css()}</style></head>
<body style="margin:0"><span class="preheader">Thank you, Ada! Two parcels{PADDING}</span><table class="body" style="height:100%!important;width:100%!important;border-spacing:0;border-collapse:collapse"><tr><td>
{_row(f'<table class="row"><tr><td class="shop-name__cell"><a href="{_link("home")}"><img src="https://cdn.shoplane.example/s/files/{opaque("logo", 90)}/email_logo.png" alt="Holmfeld Home" width="180"></a></td><td class="order-number__cell" align="right" style="text-transform:uppercase;font-size:14px;color:#999"><span class="order-number__text" style="font-size:16px">Order HF-2026-118204</span></td></tr></table>')}
{_row(f'<h1 style="font-weight:normal;font-size:24px;margin:0 0 10px">Thank you for your order</h1><p style="color:#777;line-height:150%;font-size:16px;margin:0">Hi Ada, we are getting your order ready. We will tell you when each parcel has been sent, and here is what happens when:</p><ul>{steps}</ul>{_actions()}')}
{_row(f'<h2 style="font-weight:normal;font-size:20px">Order summary</h2><table class="row" style="width:100%;border-spacing:0">{items}</table><table class="row subtotal-lines" style="width:100%;margin-top:15px;border-top:1px solid #e5e5e5">{sums}</table>')}
{_row(_customer())}
{_row('<h2 style="font-weight:normal;font-size:20px">Good to know</h2><p style="color:#777;font-size:16px">You can change the address or cancel until parcel 1 is packed, on Thursday at 07:00. Curtains and rods may go back within 100 days, even if they have hung. For the shelves please keep the cartons until you have looked at the edges: oak that was damaged on the way is replaced, but the carrier wants to see how it was packed. Bulbs and batteries do not belong in the bin; every shop of ours takes them back. The lamp is of energy class E and has a guarantee of five years from the day of delivery.</p>')}
{_row(f'<p class="disclaimer__subtext" style="color:#999;font-size:14px">Questions? Reply to this mail or write to <a href="mailto:care@holmfeld.example">care@holmfeld.example</a>, or call +49 40 555 0199 (Mon–Fri 8–18).<br>Holmfeld Home AG, Speicherreihe 3, 20457 Hamburg · <a href="https://holmfeld.example/terms">Terms</a> · <a href="{_link("off")}">Unsubscribe from offers</a></p>')}
</td></tr></table>{pixel(HOST, "order")}</body></html>"""
    facts = [
        "Holmfeld Home",
        "HF-2026-118204",
        "Thank you for your order",
        *STEPS,
        "Track your order",
        "Visit our shop",
        "Order summary",
    ]
    for name, about, number, count, _, total in ITEMS:
        facts += [f"{name} × {count}", about, number, total]
    facts += [part for line in SUMS for part in line]
    facts += [
        "Deliver to",
        "Ada Byron",
        "14 Mill Lane",
        "Paid with",
        "ending in 4242",
        "Thursday at 07:00",
        "100 days",
        "care@holmfeld.example",
        "+49 40 555 0199",
        "https://holmfeld.example/terms",
        "Unsubscribe from offers",
    ]
    return publish(
        Envelope(
            name="order",
            sender="Holmfeld Home <orders@holmfeld.example>",
            subject="Order HF-2026-118204 confirmed",
        ),
        html,
        facts=facts,
        absent=["Thank you, Ada!", "subtotal-line", "\u034f", "stylesheet"],
    )


def _link(key: str) -> str:
    return f"https://{HOST}/f/a/{opaque(key, 24)}~~/{opaque(key + 'a', 12)}~/{opaque(key + 'b', 230)}~~"


def _row(inner: str) -> str:
    return f"""<table class="row section" style="width:100%;border-spacing:0;border-collapse:collapse;border-top-width:1px;border-top-color:#e5e5e5;border-top-style:solid"><tr><td class="section__cell"
style="padding:40px 0;font-family:-apple-system,BlinkMacSystemFont,'Segoe UI','Roboto','Oxygen','Ubuntu','Cantarell','Fira Sans','Droid Sans','Helvetica Neue',sans-serif"><center><table class="container"
style="width:560px;text-align:left;border-spacing:0;border-collapse:collapse;margin:0 auto"><tr><td style="font-family:-apple-system,BlinkMacSystemFont,'Segoe UI','Roboto','Oxygen',sans-serif">{inner}</td></tr></table></center></td></tr></table>"""


def _item(name: str, about: str, number: str, count: int, price: str, total: str) -> str:
    family = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI','Roboto','Oxygen','Ubuntu','Cantarell','Fira Sans','Droid Sans','Helvetica Neue',sans-serif"
    return f"""<tr class="order-list__item" style="width:100%;border-bottom-width:1px;border-bottom-color:#e5e5e5;border-bottom-style:solid"><td class="order-list__item__cell" style="{family};padding:15px 0"><table style="border-spacing:0;border-collapse:collapse"><tr>
<td style="{family}"><img src="https://cdn.shoplane.example/s/files/{opaque(number, 110)}_compact_cropped.jpg" align="left" width="60" height="60" class="order-list__product-image" style="margin-right:15px;border-radius:8px;border:1px solid #e5e5e5"></td>
<td class="order-list__product-description-cell" style="{family};width:75%"><a href="{_link(number)}" style="text-decoration:none"><span class="order-list__item-title" style="font-size:16px;font-weight:600;line-height:1.4;color:#555">{name} × {count}</span></a><br>
<span class="order-list__item-variant" style="font-size:14px;color:#999">{about}</span><br><span class="order-list__item-sku" style="font-size:14px;color:#999">{number} · {price} each</span></td>
<td class="order-list__price-cell" style="{family};white-space:nowrap" align="right"><p class="order-list__item-price" style="color:#555;line-height:150%;font-size:16px;font-weight:600;margin:0 0 0 15px">{total}</p></td></tr></table></td></tr>"""


def _actions() -> str:
    button = "font-size:16px;text-decoration:none;display:block;color:#fff;padding:20px 25px"
    return f"""<table class="row actions" style="width:100%;margin-top:20px"><tr><td class="actions__cell"><table class="button main-action-cell" style="float:left;margin-right:15px"><tr><td class="button__cell" align="center" bgcolor="#1f4e79" style="border-radius:4px"><a href="{_link("track")}" class="button__text" style="{button}">Track your order</a></td></tr></table>
<table class="link secondary-action-cell" style="margin-top:19px"><tr><td class="link__cell"><span class="or" style="font-size:16px;color:#999">or</span> <a href="{_link("shop")}" style="font-size:16px;color:#1f4e79">Visit our shop</a></td></tr></table></td></tr></table>"""


def _customer() -> str:
    head = '<h4 style="font-weight:500;font-size:16px;color:#555;margin:0 0 5px">'
    return f"""<h2 style="font-weight:normal;font-size:20px">Your details</h2><table class="row"><tr><td class="customer-info__item" valign="top" style="width:50%">{head}Deliver to</h4><p style="color:#777;font-size:16px">Ada Byron<br>14 Mill Lane<br>Third floor, left<br>4020 Linz<br>Austria</p></td>
<td class="customer-info__item" valign="top" style="width:50%">{head}Invoice to</h4><p style="color:#777;font-size:16px">Byron Instruments<br>14 Mill Lane<br>4020 Linz<br>Austria<br>ATU12345678</p></td></tr><tr><td valign="top">{head}Carrier</h4><p style="color:#777;font-size:16px">Nordpost, by appointment</p></td><td valign="top">{head}Paid with</h4><p style="color:#777;font-size:16px"><img src="https://cdn.shoplane.example/visa.png" height="24" alt=""> Card ending in 4242</p></td></tr></table>"""


def _css() -> str:
    rules = "".join(
        f".{block}__{part} {{ font-size: {size}px; line-height: 150%; color: #{shade}; margin: 0; padding: 0; border-collapse: collapse; }}\n"
        for block in (
            "order-list",
            "customer-info",
            "subtotal-line",
            "button",
            "link",
            "disclaimer",
            "shop-name",
            "order-number",
            "gift-card",
            "tracking",
            "refund",
            "note",
        )
        for part, size, shade in (
            ("cell", 16, "555555"),
            ("title", 18, "333333"),
            ("value", 16, "555555"),
            ("text", 14, "777777"),
            ("image", 12, "999999"),
            ("spacer", 16, "cccccc"),
        )
    )
    return f".preheader {{ display: none; visibility: hidden; mso-hide: all; font-size: 1px; color: #fff; line-height: 1px; max-height: 0; overflow: hidden; }}\n@media (max-width: 600px) {{ .container {{ width: 94% !important; }} .main-action-cell {{ float: none !important; }} }}\n{rules}"
