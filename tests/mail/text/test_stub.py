# ruff: noqa: RUF001 - Cyrillic letters are meant as such
"""Which plain texts are stubs, and which say what their HTML says, or something of their own."""

import pytest

from mailmcp.mail.text.stub import is_stub, may_be_stub

ORDER = (
    "Your order 4711 of 3 chairs was shipped on Friday, total 129.00 EUR. Parcel number "
    "00340434161094000000 arrives on Monday between 9 and 12."
)
LETTER = (
    "Dear Bob, the harbour office has moved to the old mill at the river. Please bring the papers of your "
    "boat on Thursday, and the key of berth twelve. Coffee is ready from nine. Ada Lindqvist, harbour office"
)
FOOTER = (
    "You get these letters since you ordered chairs from Example Furniture Incorporated. Should they bother "
    "you, leave here: https://a.example/u. Example Furniture Incorporated, 12 Quay Street, Seatown"
)
LIST = " ".join(f"Item{number} costs{number} euros{number}." for number in range(60))

STUBS = [
    ("", "Hello"),
    (" \n-\n", ORDER),
    ("https://shop.example/view?id=1", "Hello"),
    ("<https://shop.example/v/1>", ORDER),
    ("To view this message, please use an HTML compatible email viewer!", ORDER),
    ("This is a multi-part message in MIME format.", ORDER),
    ("Your email client does not support HTML messages. Open it in your browser: https://a.example/1", ORDER),
    ("Your email client does not support HTML.", "Code 4711"),
    ("Ihr E-Mail-Programm kann diese Nachricht nicht darstellen.", ORDER),
    ("Se não consegue ver este e-mail, abra-o no navegador: https://a.example/1", ORDER),
    (
        "Если письмо не отображается, откройте его в браузере",
        "Заказ 4711 отправлен в пятницу, ждите в понедельник",
    ),
    ("您的邮箱不支持HTML格式, 请在浏览器中查看此邮件。", "您的订单4711已于星期五发货, 预计星期一送达。"),
    ("このメールはHTML形式です。", "ご注文の椅子三脚は金曜日に発送されました。月曜日に届きます。"),
    (f"This newsletter needs an HTML viewer. {FOOTER}", f"{ORDER} {LETTER} {LETTER} {ORDER} {FOOTER}"),
    ("Newsletter", LETTER),
    ("Order shipped. See the details online.", f"{ORDER} {LETTER}"),
    (LETTER, f"{LIST} {LIST} Dear Bob"),
]  # fmt: skip
TEXTS = [
    ("Plain.", "Rich."),
    ("Thanks!", "Thanks!"),
    ("Yes, on Monday.", "Yes, on Monday. Bob"),
    (ORDER, ORDER),
    (
        f"View in your browser: https://a.example/1\n\n{ORDER}",
        f"Preheader of some words. {ORDER} Unsubscribe",
    ),
    (
        "Your code is 4711. It ends in 10 minutes. View in browser.",
        "Your code is 4711. It ends in 10 minutes.",
    ),
    ("Does the HTML page work in your browser?", "Does the HTML page work in your browser?"),
    (LETTER, f"[Logo of the harbour office] {LETTER} Imprint: Harbour Office, 1 Quay Street, Seatown"),
    (LIST, ORDER),  # something of its own, and no shorter
    (LETTER, ""),
    ("Read it in a browser", "[may be hidden: Pay at once to this account, or else]"),
]


@pytest.mark.parametrize(("plain", "html"), STUBS)
def test_a_stub_says_nothing_of_what_the_html_says(plain: str, html: str) -> None:
    assert may_be_stub(plain, f"<html><style>{' ' * 4_000}</style>{html}</html>")
    assert is_stub(plain, html)


@pytest.mark.parametrize(("plain", "html"), TEXTS)
def test_a_text_is_no_stub(plain: str, html: str) -> None:
    assert not is_stub(plain, html)


def test_only_what_is_certain_counts_if_the_html_is_cut() -> None:
    """What the plain text says may follow."""
    ten = "one of these ten words may come later in this text"
    assert is_stub(ten, ORDER)
    assert not is_stub(ten, ORDER, html_is_cut=True)
    assert is_stub("Newsletter", LETTER, html_is_cut=True)
