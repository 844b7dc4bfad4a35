# ruff: noqa: RUF001 - letters of many alphabets are meant as such
import pytest

from mailmcp.mail.text.quote_marks import (
    begins_forward,
    history_head_length,
)

BLOCKS = [  # of languages that `tests/replies` doesn't have, and one that it has
    "From: Ada|Sent: 5 Nov 2026|To: Bob|Cc: Cy|Subject: Tea",
    "De: Ada|Enviada em: 5 de novembro de 2026|Para: Bob|Assunto: Chá",
    "Od: Ada|Wysłano: czwartek, 5 listopada 2026|Do: Bob|Temat: Herbata",
    "От: Ada|Отправлено: 5 ноября 2026 \u0433.|Кому: Bob|Тема: Чай",
    "差出人: Ada|送信日時: 2026年11月5日|宛先: Bob|件名: 茶",
    "보낸 사람: Ada|보낸 날짜: 2026년 11월 5일|받는 사람: Bob|제목: 차",
    "Από: Ada|Εστάλη: Πέμπτη, 5 Νοεμβρίου 2026 9:30 πμ|Προς: Bob|Κοιν.: Cy|Θέμα: Τσάι",
    "Feladó: Ada|Elküldve: 2026. november 5., csütörtök 9:30|Címzett: Bob|Másolatot kap: Cy|Tárgy: Tea",
    "De la: Ada|Trimis: joi, 5 noiembrie 2026 09:30|Către: Bob|Subiect: Ceai",
    "מאת: Ada|נשלח: יום חמישי 5 נובמבר 2026 09:30|אל: Bob|עותק: Cy|נושא: תה",
    "من: Ada|تم الإرسال: الخميس، ٥ نوفمبر ٢٠٢٦|إلى: Bob|نسخة: Cy|الموضوع: شاي",
    "จาก: Ada|ส่ง: 5 พฤศจิกายน 2569 9:30|ถึง: Bob|สำเนา: Cy|เรื่อง: ชา",
    "Từ: Ada|Đã gửi: Thứ Năm, 5 tháng 11, 2026|Đến: Bob|Chủ đề: Trà",
    "Dari: Ada|Terkirim: Kamis, 5 November 2026 9:30|Kepada: Bob|Subjek: Teh",
    "Daripada: Ada|Dihantar: Khamis, 5 November 2026|Kepada: Bob|Subjek: Teh",
    "از: Ada|ارسال شده: پنجشنبه، ۵ نوامبر ۲۰۲۶|به: Bob|موضوع: چای",
    "Saatja: Ada|Saadetud: neljapäev, 5. november 2026|Adressaat: Bob|Teema: Tee",
]


@pytest.mark.parametrize("block", BLOCKS)
def test_copied_headers_are_known(block: str) -> None:
    lines = ["Yes.", *block.split("|"), "", "Tea?"]
    assert history_head_length(lines, 1) == block.count("|") + 1
    assert history_head_length(lines, 0) == 0


@pytest.mark.parametrize(
    ("block", "length"),
    [
        ("-----Original Message-----", 1),
        ("-------- Original-Nachricht --------", 1),
        ("-----Original Message-----||From: Ada|Sent: 5|To: Bob", 5),
        ("From: ada@x.example|Sent: 5|To: Bob", 3),
        # A trip, and an author's line above the block.
        ("From: the station|From: Ada|Sent: 5|Subject: Tea", 0),
        ("From: Ada|Sent: 5|To: Bob,|  Cy,|  Di|Subject: Tea", 6),
        (f"From: {'x' * 400}|Sent: 5|To: Bob", 0),
        ("", 0),
    ],
)
def test_the_head_of_a_quotation_is_measured(block: str, length: int) -> None:
    assert history_head_length(block.split("|"), 0) == length


@pytest.mark.parametrize(
    ("line", "forward"),
    [
        ("---------- Forwarded message ---------", True),
        ("-------- Weitergeleitete Nachricht --------", True),
        ("-" * 400, False),
    ],
)
def test_forwarded_messages_are_known(line: str, *, forward: bool) -> None:
    assert begins_forward(line) is forward
