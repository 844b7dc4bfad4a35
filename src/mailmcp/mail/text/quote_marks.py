"""The marks of quotations: `>`, rules, announcements, copied header blocks, footers.

Each program and language has its own. Attributions are up to `mailmcp.mail.text.attribution`, and
what follows from the marks is up to `mailmcp.mail.text.quotes`.
"""

import re
from collections.abc import Sequence
from typing import Final

_LINE_CHARS_MAX: Final = 300
"""Longer lines begin no quotation. This also bounds the work on one line."""

_HEADER_LINES_MAX: Final = 8
"""Lines of a copied header block: four fields, and as many more for long recipients."""

_MARKING: Final = re.compile("[->_*=:\u2010\uff1a]")
_QUOTED: Final = re.compile(
    r"[ \t]{0,3}>(?!From |:\s*\Z)"
)  # not the author's ">From " of mbox files, nor a broken "<…>:"
_PREFIX: Final = re.compile(r"(?:[ \t]{0,3}>)+[ \t]?")
_DIGIT: Final = re.compile(r"\d")

_RULE: Final = re.compile(r"\s*(?:[_-]{5,}|[*_-]{3})\s*")
_SIGNATURE: Final = re.compile(r"--\s?\Z|_{5,}|-{5,}|={5,}")

_BAR: Final = r"[-_=\u2010]{2,}"
_ORIGINAL: Final = re.compile(
    rf"\s*\*?{_BAR}\s*(?:"
    r"original (?:message|appointment|e-?mail)|ursprüngliche (?:nachricht|mail|e-mail)|original-?nachricht|"
    r"(?:message|e-?mail|courriel) d['\u2019]origine|message original|mensaje original|missatge original|"
    r"messaggio originale|mensagem original|mesaj(?:ul)? original|"
    r"oorspronkelijk bericht|origineel bericht|oryginalna wiadomość|wiadomość oryginalna|"
    r"исходное (?:сообщение|письмо)|вихідне повідомлення|оригінальне повідомлення|оригинално съобщение|"
    r"ursprungligt (?:meddelande|mail)|original(?:e)? meddelelse|oprindelig (?:meddelelse|besked|mail)|"
    r"opprinnelig (?:melding|e-post)|alkuperäinen viesti|původní (?:zpráva|e-mail)|pôvodná správa|"
    r"eredeti (?:üzenet|levél)|orijinal (?:mesaj|ileti)|izvorna poruka|originalna poruka|αρχικό μήνυμα|"
    r"pesan asli|mesej asal|thư gốc|tin nhắn gốc|הודעה מקורית|الرسالة الأصلية|رسالة أصلية|"
    r"پیام اصلی|ข้อความต้นฉบับ|"
    r"原始邮件|原始郵件|邮件原件|原邮件|元のメッセージ|원본 메시지"
    rf")\s*{_BAR}\*?\s*",
    re.IGNORECASE,
)
_FORWARD_WORDS: Final = (
    r"forwarded message|weitergeleitete (?:nachricht|mail)|message (?:transféré|réexpédié)|"
    r"mensaje reenviado|messaggio inoltrato|mensagem (?:encaminhada|reencaminhada)|"
    r"doorgestuurd bericht|przekazana wiadomość|wiadomość przekazana|"
    r"(?:пере\w+|переадрес\w+) (?:сообщение|письмо)|vidarebefordrat meddelande|"
    r"videresendt (?:meddelelse|melding)|välitetty viesti|přeposlaná zpráva|továbbított (?:üzenet|levél)|"
    r"yönlendirilen ileti|转发的?邮件[^\s-]*|已转发邮件|轉寄的?郵件|転送(?:された)?メッセージ|전달된 메시지"
)
_FORWARD: Final = re.compile(rf"\s*\*?{_BAR}\s*(?:{_FORWARD_WORDS})\s*{_BAR}\*?\s*", re.IGNORECASE)
_FORWARD_BEGINS: Final = re.compile(
    r"\s*(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-mail)|"
    r"début du message (?:réexpédié|transféré)|inicio del mensaje reenviado|"
    r"inizio messaggio inoltrato|início da mensagem (?:reencaminhada|encaminhada)|"
    r"begin doorgestuurd bericht|początek przekazywanej wiadomości|начало переадресованного сообщения|"
    r"vidarebefordrat brev|videresendt besked|开始转发的邮件|轉寄的郵件|転送されたメッセージ)\s?[:\uff1a]\s*",
    re.IGNORECASE,
)


HEAD_LINES_MAX: Final = _HEADER_LINES_MAX + 2
"""Lines of a head, with its announcement and an empty line between."""


_LABELS: Final = {
    "author": (
        "from|von|de|da|van|od|от|від|från|fra|frá|lähettäjä|feladó|kimden|gönderen|odesílatel|από|"
        "de la|šalje|saatja|nuo|no|од|nork|dari|daripada|từ|người gửi|"
        "מאת|من|المرسل|از|فرستنده|จาก|से|प्रेषक|"
        "发件人|寄件者|寄件人|差出人|보낸 사람"
    ),
    "time": (
        "sent|date|gesendet|datum|envoyé(?: le)?|message du|date d['\u2019]envoi|enviad[oa](?: el| em| o)?|"
        "fecha|enviat|inviato|data|trimis(?: la)?|verzonden|wysłano|wysłane|отправлено|надіслано|дата|"
        "изпратено|skickat|sendt|dato|lähetetty|päivämäärä|odesláno|odoslané|poslano|poslato|послато|"
        "(?:el)?küldve|dátum|gönderildi|gönderme tarihi|tarih|στάλθηκε|εστάλη|ημερομηνία|"
        "saadetud|išsiųsta|nosūtīts|bidalia|terkirim|dikirim|dihantar|tanggal|tarikh|"
        "đã gửi|ngày(?: gửi)?|gửi|"
        "נשלח(?:ה)?|תאריך|تم الإرسال|(?:تاريخ )?الإرسال|أ\u064f?رسلت?|مرسل|(?:ال)?تاريخ|"
        "ارسال[ \u200c]?شده|تاریخ|"
        "ส่ง(?:เมื่อ)?|วันที่(?:ส่ง)?|भेजा गया|दिनांक|发送时间|寄件日期|傳送日期|日期|傳送時間|送信日時|日時|보낸 날짜"
    ),
    "recipient": (
        "to|an|à|para|per a|a|aan|do|кому|до|till|til|vastaanottaja|komu|címzett|kime|"
        "al\u0131c\u0131|za|prima|kome|за|către|catre|προς|adressaat|kellele|kam|nori|"
        "kepada|ke|untuk|đến|tới|người nhận|אל|לכבוד|إلى|الى|به|گیرنده|ถึง|प्रति|को|"
        "收件人|收件者|宛先|받는 사람|cc|copie(?: à)?|kopie|kopia|kopi|копия|копія|抄送|副本|"
        "másolatot kap|másolat|κοιν\\.?|κοινοποίηση|tembusan|salinan|đồng gửi|"
        "עותק|העתק|نسخة(?: إلى)?|رونوشت|สำเนา(?:ถึง)?"
    ),
    "subject": (
        "subject|betreff|objet|sujet|asunto|assumpte|oggetto|assunto|subiect|onderwerp|temat|тема|относно|"
        "ämne|emne|efni|aihe|předmět|predmet|zadeva|tárgy|konu|θέμα|tema|tēma|teema|naslov|gaia|"
        "subjek|perihal|chủ đề|tiêu đề|נושא|(?:ال)?موضوع|(?:หัว)?เรื่อง|หัวข้อ|विषय|"
        "主题|主旨|件名|제목"
    ),
}
_LABEL: Final = {
    field: re.compile(rf"\s*[*_]{{0,2}}(?:{names})\s?[*_]{{0,2}}\s?[:\uff1a]", re.IGNORECASE)
    for field, names in _LABELS.items()
}


def may_mark(line: str) -> bool:
    """Check quickly whether a line can hold a mark: most lines have none of their characters."""
    return _MARKING.search(line) is not None


def is_quoted(line: str) -> bool:
    """Return whether a line begins with the quotation mark `>`."""
    return _QUOTED.match(line) is not None


def quoted_text(line: str) -> str:
    """Return what a line quotes, without its marks; "" for an empty quoted line."""
    prefix = _PREFIX.match(line)
    return line[prefix.end() if prefix else 0 :].strip()


def quote_depth(line: str) -> int:
    """Count the marks: 1 for `> a`, 2 for `> > a` and `>> a`."""
    prefix = _PREFIX.match(line)
    return prefix.group().count(">") if prefix else 0


def is_rule(line: str) -> bool:
    """Return whether a line is only a rule, as programs draw above a quotation."""
    return _RULE.fullmatch(line[:_LINE_CHARS_MAX]) is not None


def begins_footer(line: str) -> bool:
    """Return whether a signature or a mailing list footer begins here (RFC 3676 section 4.3)."""
    return _SIGNATURE.match(line[:_LINE_CHARS_MAX]) is not None


def begins_forward(line: str) -> bool:
    """Return whether a forwarded message begins here: it is content, not history."""
    if len(line) > _LINE_CHARS_MAX:
        return False
    return _FORWARD.fullmatch(line) is not None or _FORWARD_BEGINS.fullmatch(line) is not None


def history_head_length(lines: Sequence[str], start: int) -> int:
    """Count the lines at `start` that head an unmarked quotation, as Outlook writes it.

    They are a line such as "-----Original Message-----", a copied header block, or both. A block has
    one field a line and begins with the author or the time. It must have both of these, and a
    subject, or a recipient if an address or the announcement shows that it is about mail.

    Returns:
        The number of lines; 0 if no quotation begins here.
    """
    announced = int(announces_original(lines[start]))
    at = start + announced
    if announced and at < len(lines) and not lines[at].strip():
        at += 1
    block = _header_block_length(lines, at, announced=bool(announced))
    return at + block - start if block else announced


def announces_original(line: str) -> bool:
    """Return whether a line announces the original message."""
    return len(line) <= _LINE_CHARS_MAX and _ORIGINAL.fullmatch(line) is not None


def _header_block_length(lines: Sequence[str], start: int, *, announced: bool) -> int:
    first = _field_of(lines[start]) if start < len(lines) else ""
    if first not in ("author", "time"):
        return 0
    seen: set[str] = set()
    length = 0
    about_mail = announced
    for offset, line in enumerate(lines[start : start + _HEADER_LINES_MAX], start=1):
        if not line.strip():
            break
        field = _field_of(line)
        if field in seen and field != "recipient":
            return 0  # what is above belongs to the author
        if field:
            seen.add(field)
            length = offset
        about_mail = about_mail or "@" in line
    whole = "subject" in seen or ("recipient" in seen and about_mail)
    return length if whole and {"author", "time"} <= seen else 0


def _field_of(line: str) -> str:
    """Return which field of a copied header block a line has; "" if it has none."""
    if len(line) > _LINE_CHARS_MAX:
        return ""
    for field, label in _LABEL.items():
        if label.match(line):
            return "" if field == "time" and not _DIGIT.search(line) else field
    return ""
