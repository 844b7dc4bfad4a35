"""The kinds of messages in the known mailbox: one function each, from a number to a subject and a body."""

from collections.abc import Callable
from typing import NamedTuple

from search.composing import Enclosed, Leaf, Multipart, Part

LONG_WORD = "Donau" + "dampfschiff" * 70
"""775 letters: the longest that fits a line and an argument."""

ODD = 'He said "100%* sure" \\o/ (really) [maybe] {5} ~tilde'
KEYWORDS = "UNSEEN NOT OR ALL BODY TEXT NIL SINCE 1-Jan-2024 LARGER"
TOPICS = ("invoice", "holiday plans", "Meeting notes", "garden", "quarterly report", "birthday", "travel")


class Content(NamedTuple):
    """What one kind of message holds."""

    subject: str
    part: Part
    charset: str = "utf-8"


def _text(text: str, **options: str) -> Leaf:
    return Leaf(text=text, **options)  # type: ignore[arg-type] # all options used here are strings


def _plain(number: int) -> Content:
    topic = TOPICS[number % len(TOPICS)]
    padding = "filler text of no meaning\n" * (number // 25 % 41) + "z" * (number % 3)
    if number % 500 == 0:
        padding += "a large message indeed\n" * 2000
    return Content(f"{topic} {number}", _text(f"Hello,\nthis is about {topic}.\nref{number:05}\n{padding}\n"))


def _german(number: int) -> Content:
    text = f"Viele Grüße aus Zürich, Straße {number}.\nAlles vergrößert.\n"
    return Content(f"Grüße aus Zürich {number}", _text(text, encoding="quoted-printable"))


def _spanish(number: int) -> Content:
    part = _text(
        f"Señor Muñoz, hasta mañana.\nref{number:05}\n", charset="iso-8859-1", encoding="quoted-printable"
    )
    return Content(f"Reunión {number}", part, "iso-8859-1")


def _japanese(number: int) -> Content:
    return Content(
        "請求書の件", _text(f"請求書を送ります。ref{number:05}\n", charset="iso-2022-jp"), "iso-2022-jp"
    )


def _russian(number: int) -> Content:
    part = _text(f"Привет, Отчёт готов. ref{number:05}\n", charset="koi8-r", encoding="base64")
    return Content("Отчёт за год", part, "koi8-r")


def _hidden_in_base64(number: int) -> Content:
    return Content(f"Access {number}", _text(f"The secret word is swordfish{number}.\n", encoding="base64"))


def _html(number: int) -> Content:
    html = f"<html><body><p>Your <b>parcel</b> {number} has&nbsp;arrived</p></body></html>\n"
    return Content(f"Delivery {number}", _text(html, content_type="text/html"))


def _alternative(number: int) -> Content:
    parts = (
        _text(f"Plain words of the newsletter {number}\n"),
        _text(f"<p>Marked words of the newsletter {number}</p>\n", content_type="text/html"),
    )
    return Content(f"Newsletter {number}", Multipart(subtype="alternative", parts=parts, boundary="alt"))


def _file(
    name: str, content_type: str = "application/pdf", how: str = "attachment", **options: object
) -> Leaf:
    disposition = ("Content-Disposition", f'{how}; filename="{name}"')
    known: dict[str, object] = {"file": True, "headers": (disposition,)} | options
    return Leaf(content_type=content_type, encoding="base64", **known)  # type: ignore[arg-type] # a few of each


def _mixed(*parts: Part) -> Multipart:
    return Multipart(subtype="mixed", parts=parts, boundary="mix")


def _attached(number: int) -> Content:
    return Content(f"Documents {number}", _mixed(_text("See the file.\n"), _file(f"report-{number}.pdf")))


def _inline_image(number: int) -> Content:
    image = Leaf(content_type="image/png", encoding="base64", headers=(("Content-ID", f"<logo{number}@x>"),))
    html = _text(f'<p>Look <img src="cid:logo{number}@x"></p>\n', content_type="text/html")
    return Content(f"Picture {number}", Multipart(subtype="related", parts=(html, image), boundary="rel"))


def _signed(number: int) -> Content:
    signature = _file("signature.asc", "application/pgp-signature", file=False)
    parts = (_text("This is signed.\n"), signature)
    return Content(f"Signed {number}", Multipart(subtype="signed", parts=parts, boundary="sig"))


def _forwarded(number: int) -> Content:
    inner = Enclosed(
        fields=(("From", "Inner Person <inner@within.example>"), ("Subject", f"Nested subject {number}")),
        inner=_text("The nested text speaks of walruses.\n"),
    )
    return Content(f"Fwd: something {number}", _mixed(_text("See below.\n"), inner))


def _invitation(number: int) -> Content:
    calendar = _text("BEGIN:VCALENDAR\nSUMMARY:Standup\nEND:VCALENDAR\n", content_type="text/calendar")
    parts = (_text("You are invited.\n"), calendar)
    return Content(f"Invitation {number}", Multipart(subtype="alternative", parts=parts, boundary="cal"))


def _report(number: int) -> Content:
    status = Leaf(content_type="message/delivery-status", octets=b"Reporting-MTA: dns; mx.example\n")
    parts = (_text("Could not be delivered.\n"), status)
    return Content(f"Undeliverable {number}", Multipart(subtype="report", parts=parts, boundary="rep"))


def _file_alone(number: int) -> Content:
    return Content(f"Scan {number}", _file(f"scan-{number}.pdf"))


def _photo(number: int) -> Content:
    photo = _file(f"IMG_{number}.jpg", "image/jpeg", "inline")
    return Content(f"Photos {number}", _mixed(_text("From the sea.\n"), photo))


def _text_file(number: int) -> Content:
    notes = _file("notes.txt", "text/plain", text="The file itself speaks of platypuses.\n")
    return Content(f"Notes {number}", _mixed(_text("My notes.\n"), notes))


def _smime(number: int) -> Content:
    signature = _file("smime.p7s", "application/pkcs7-signature", file=False)
    parts = (_text("Signed as companies do.\n"), signature)
    return Content(f"Certified {number}", Multipart(subtype="signed", parts=parts, boundary="p7s"))


def _foreign_name(number: int) -> Content:
    disposition = ("Content-Disposition", "attachment; filename*=utf-8''%C3%9Cbersicht.pdf")
    return Content(f"Overview {number}", _mixed(_text("See the file.\n"), _file("", headers=(disposition,))))


def _eight_bits(number: int) -> Content:
    return Content(
        f"Café {number}", _text(f"A naïve café ☕ in ÎLE-DE-FRANCE, ref{number:05}\n", encoding="8bit")
    )


def _decomposed(number: int) -> Content:
    text = f"Cafe\u0301 Zu\u0308rich\nref{number:05}\n"
    return Content(f"Cafe\u0301 decomposed {number}", _text(text, encoding="quoted-printable"))


def _odd(number: int) -> Content:
    return Content(ODD, _text(f"{ODD}\nref{number:05}\n"))


def _keywords(number: int) -> Content:
    return Content(f"{KEYWORDS} {number}", _text(f"Rules: {KEYWORDS}\n"))


def _long(number: int) -> Content:
    return Content(f"Ship {number}", _text(f"{LONG_WORD}\nref{number:05}\n"))


def _phrases(number: int) -> Content:
    words = ("red green blue", "green red blue", "red\ngreen blue", "red  green blue")[number // 25 % 4]
    return Content(f"Colours {number}", _text(f"{words}\n"))


KINDS: tuple[Callable[[int], Content], ...] = (
    _plain,
    _german,
    _spanish,
    _japanese,
    _russian,
    _hidden_in_base64,
    _html,
    _alternative,
    _attached,
    _inline_image,
    _signed,
    _forwarded,
    _invitation,
    _report,
    _file_alone,
    _photo,
    _text_file,
    _smime,
    _foreign_name,
    _eight_bits,
    _decomposed,
    _odd,
    _keywords,
    _long,
    _phrases,
)
"""The message with number n is of kind n modulo 25."""
