"""Mail in the charsets it is really written in.

Written by hand rather than by the standard library, which would turn all of it
into UTF-8: a Japanese telephone still sends ISO-2022-JP.
"""

# ruff: noqa: RUF001  # letters of other alphabets are the content here, and meant

import base64
import quopri
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.header import Header
from email.utils import format_datetime
from typing import Final

from mailmcp.demo.sample.letter import SEEN, Placed, place_octets
from mailmcp.demo.sample.people import OWNER


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignLetter:
    """A letter and the charset and transfer encoding it is sent in."""

    charset: str
    cte: str
    name: str
    addr_spec: str
    subject: str
    text: str
    days_ago: float
    mailbox: str = "INBOX"


LETTERS: Final = (
    ForeignLetter(
        charset="iso-8859-1",
        cte="quoted-printable",
        name="Jürgen Müßig",
        addr_spec="j.muessig@example.org",
        subject="Rückfrage zur Messhöhe über Grund",
        text="Sehr geehrte Frau Lindqvist,\n\nin der Anleitung steht eine Messhöhe von 2 m. Gilt das auch für"
        " verschneite Flächen, oder muss der Fühler dann höher hängen?\n\nMit freundlichen Grüßen\n"
        "Jürgen Müßig\n",
        days_ago=2.3,
    ),
    ForeignLetter(
        charset="windows-1252",
        cte="8bit",
        name="Hélène Lefèvre",
        addr_spec="h.lefevre@example.org",
        subject="Devis pour l’été : 12 stations à 380 €",
        text="Bonjour,\n\nnous souhaitons équiper douze refuges avant l’été. Pourriez-vous nous faire un"
        " devis « clés en main », à moins de 380 € l’unité ?\n\nBien à vous,\nHélène Lefèvre\n",
        days_ago=3.1,
    ),
    ForeignLetter(
        charset="iso-2022-jp",
        cte="7bit",
        name="佐藤 美咲",
        addr_spec="sato@example.org",
        subject="二号機の設置について",
        text="リンドクヴィスト様\n\nお世話になっております。\n二号機を屋上に設置しました。\n"
        "写真は明日お送りします。\n\n佐藤 美咲\n",
        days_ago=0.9,
    ),
    ForeignLetter(
        charset="shift_jis",
        cte="base64",
        name="気象クラブ",
        addr_spec="club@example.org",
        subject="【お知らせ】春の観測会",
        text="会員の皆様\n\n春の観測会を四月十二日に行います。\n集合は午前九時、駅前です。\n"
        "雨天の場合は中止します。\n",
        days_ago=16,
        mailbox="日本語",
    ),
    ForeignLetter(
        charset="euc-jp",
        cte="8bit",
        name="気象クラブ",
        addr_spec="club@example.org",
        subject="会費のお願い",
        text="会員の皆様\n\n今年度の会費は三千円です。\n今月末までにお願いいたします。\n",
        days_ago=31,
        mailbox="日本語",
    ),
    ForeignLetter(
        charset="gb2312",
        cte="base64",
        name="王小明",
        addr_spec="wang@example.org",
        subject="关于气象站电池的问题",
        text="您好:\n\n我们的气象站在零下二十度时电池电压下降很快。\n请问有没有适合低温的电池?\n\n"
        "谢谢!\n王小明\n",
        days_ago=4.6,
    ),
    ForeignLetter(
        charset="koi8-r",
        cte="8bit",
        name="Анна Соколова",
        addr_spec="a.sokolova@example.org",
        subject="Датчик влажности: вопрос о калибровке",
        text="Здравствуйте!\n\nДатчик влажности показывает 104 процента.\nМожно ли откалибровать его самим?\n"
        "\nС уважением,\nАнна Соколова\n",
        days_ago=5.8,
    ),
    ForeignLetter(
        charset="utf-8",
        cte="base64",
        name="ليلى حداد",
        addr_spec="l.haddad@example.org",
        subject="طلب عرض سعر لعشر محطات",
        text="مرحبا،\n\nنحتاج إلى عشر محطات أرصاد للمزارع.\nهل يمكنكم إرسال عرض سعر مع الشحن؟\n\n"
        "مع التحية،\nليلى حداد\n",
        days_ago=6.4,
    ),
    ForeignLetter(
        charset="utf-8",
        cte="8bit",
        name="Lucas Martin",
        addr_spec="lucas.martin@example.org",
        subject="🎉 Priya's talk won the audience prize 🏆👏",
        text="Just so that you know 😀 – 112 votes, the runner-up had 61.\n\nThe cup is heavy. 🏋️\n\nLucas\n",
        days_ago=7.2,
    ),
    ForeignLetter(
        charset="euc-kr",
        cte="base64",
        name="김민준",
        addr_spec="minjun@example.org",
        subject="부품 재고 문의",
        text="안녕하세요.\n\n온도 센서 부품의 재고가 있는지 알고 싶습니다.\n\n감사합니다.\n김민준\n",
        days_ago=9.5,
    ),
)


def make_languages(now: datetime) -> Iterator[Placed]:
    """Make one message of each letter."""
    for index, letter in enumerate(LETTERS):
        when = now - timedelta(days=letter.days_ago)
        flags = (SEEN,) if index % 4 else ()
        yield place_octets(_to_octets(letter, index, when), mailbox=letter.mailbox, flags=flags, when=when)


def _to_octets(letter: ForeignLetter, index: int, when: datetime) -> bytes:
    name = Header(letter.name, letter.charset).encode()
    subject = Header(letter.subject, letter.charset, header_name="Subject").encode(linesep="\r\n")
    lines = (
        f"Date: {format_datetime(when)}",
        f"From: {name} <{letter.addr_spec}>",
        f"To: {OWNER}",
        f"Subject: {subject}",
        f"Message-ID: <letter.{index}.{when:%Y%m%d%H%M}@example.org>",
        "MIME-Version: 1.0",
        f"Content-Type: text/plain; charset={letter.charset}",
        f"Content-Transfer-Encoding: {letter.cte}",
    )
    body = letter.text.replace("\n", "\r\n").encode(letter.charset)
    if letter.cte == "base64":
        body = base64.encodebytes(body).replace(b"\n", b"\r\n")
    elif letter.cte == "quoted-printable":
        body = quopri.encodestring(body)
    return "".join(f"{line}\r\n" for line in lines).encode("ascii") + b"\r\n" + body
