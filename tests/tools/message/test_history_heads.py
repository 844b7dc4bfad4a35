# ruff: noqa: RUF001 - letters of the Hebrew alphabet are meant as such
"""The history below the headers that Outlook copies is collapsed, in whatever language Outlook runs."""

import re
from html import escape

import pytest

from tools.conftest import DeskFactory
from tools.letters import make_letter
from tools.stores import Store

HEADS = {
    "Greek": "Από: {}¶Εστάλη: Πέμπτη, 3 Σεπτεμβρίου 2026 9:12 πμ¶Προς: Bob¶Θέμα: RE: Προσφορά",
    "Hungarian": "Feladó: {}¶Elküldve: 2026. szeptember 3., csütörtök 9:12¶Címzett: Bob¶Tárgy: RE: Ajánlat",
    "Romanian": "De la: {}¶Trimis: joi, 3 septembrie 2026 09:12¶Către: Bob¶Subiect: RE: Ofertă",
    "Hebrew": "מאת: {}¶נשלח: יום חמישי 3 ספטמבר 2026 09:12¶אל: Bob¶נושא: הצעה",
    "Hebrew, marked": "\u200fמאת: {}¶\u200fנשלח: יום חמישי 3 ספטמבר 2026¶\u200fאל: Bob¶\u200fנושא: הצעה",
    "Arabic": "من: {}¶تم الإرسال: الخميس، 3 سبتمبر 2026 9:12 ص¶إلى: Bob¶الموضوع: عرض",
    "Thai": "จาก: {}¶ส่ง: วันพฤหัสบดีที่ 3 กันยายน 2569 9:12¶ถึง: Bob¶เรื่อง: ข้อเสนอ",
    "Vietnamese": "Từ: {}¶Đã gửi: Thứ Năm, 3 tháng 9, 2026 9:12 SA¶Đến: Bob¶Chủ đề: Báo giá",
    "Indonesian": "Dari: {}¶Terkirim: Kamis, 3 September 2026 9:12¶Kepada: Bob¶Subjek: RE: Penawaran",
}
ADA = "Ada <ada@harbour.example>"
COLLAPSED = re.compile(r"\[\d+ quoted lines\]")
BORDER = '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'


def reply_below(head: str, *, html: bool) -> bytes:
    """Make a reply as Outlook does: the answer, then copied headers, then all of the first message."""
    fields = head.format(ADA).split("¶")
    message = make_letter("Re: Offer", "\n".join(["Gladly.", "", *fields, "", "Shall we meet?", "Ada", ""]))
    message["In-Reply-To"] = "<1@harbour.example>"
    if html:
        parted = (field.partition(":") for field in fields)
        block = "<br>".join(f"<b>{name}:</b>{escape(value)}" for name, _, value in parted)
        message.set_content(
            f"<p>Gladly.</p><div>{BORDER}<p>{block}</p></div></div><p>Shall we meet?</p><p>Ada</p>",
            subtype="html",
        )
    return message.as_bytes()


@pytest.mark.parametrize("html", [False, True], ids=["plain", "html"])
def test_history_below_copied_headers_is_collapsed(
    dovecot_mail: Store, open_desk: DeskFactory, *, html: bool
) -> None:
    dovecot_mail.fill("INBOX", [reply_below(head, html=html) for head in HEADS.values()])
    desk = open_desk(dovecot_mail.account)
    texts = [COLLAPSED.sub("…", desk.message(each)["body_text"]) for each in desk.message_ids()]
    assert dict(zip(HEADS, texts, strict=True)) == dict.fromkeys(HEADS, "Gladly.\n\n…")
