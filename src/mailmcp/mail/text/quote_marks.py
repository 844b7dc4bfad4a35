"""The lines with which mail programs begin a quotation: attributions, rules, copied headers.

Each program and language has its own. An attribution ends in a colon and names a
writing, or an address and a time; a copied header block names its fields one below
the other. What follows from it is for `mailmcp.mail.text.quotes`.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

ATTRIBUTION_LINES_MAX: Final = 3
"""Lines over which an attribution is wrapped."""

_ATTRIBUTION_CHARS_MAX: Final = 400
_LINE_CHARS_MAX: Final = 300
"""Longer lines begin no quotation; it also bounds the work on one line."""

_HEADER_LINES_MAX: Final = 8
"""Lines of a copied header block: four fields, and as many more for long recipients."""

_MARKING: Final = re.compile("[->_*=:\uff1a]")
_QUOTED: Final = re.compile(r"[ \t]{0,3}>")
_PREFIX: Final = re.compile(r"(?:[ \t]{0,3}>)+[ \t]?")
_WRITING: Final = re.compile(
    r"\b(?:wrote|writes|schrieb|schreibt|hat geschrieben|a écrit|écrit|escribió|escribe|ha scritto|scrive|"
    r"escreveu|escreve|schreef|heeft geschreven|napisał\w*|pisze|skrev|skrifaði|kirjoitti|napsal\w*|"
    r"írta|yazd\u0131)\b"
    r"|пише[тш]?\b|писал|写道|寫道|のメール|のメッセージ|님이 작성",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(
    r"(?:On|Am|Le|El|Il|Em|No|Op|Dnia|W dniu|Den|På|Dne|Kl|Pada)\b|[\d在于於]|\w{2,3}[.,]{1,2} ?\d",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"[^\s@<>]@[^\s@<>]")
_ANGLE_ADDRESS: Final = re.compile(r"<[^\s@<>]+@[^\s@<>]+>")
_DIGIT: Final = re.compile(r"\d")
_COLON: Final = re.compile(r"[:\uff1a][*_]{0,2}\s*\Z")

_RULE: Final = re.compile(r"\s*(?:[_-]{5,}|[*_-]{3})\s*")
_SIGNATURE: Final = re.compile(r"--\s?\Z|_{5,}|-{5,}|={5,}")

_ORIGINAL: Final = re.compile(
    r"\s*[-_=]{2,}\s*(?:"
    r"original (?:message|appointment)|ursprüngliche (?:nachricht|mail|e-mail)|original-?nachricht|"
    r"message d['\u2019]origine|message original|mensaje original|messaggio originale|mensagem original|"
    r"oorspronkelijk bericht|origineel bericht|oryginalna wiadomość|wiadomość oryginalna|"
    r"исходное сообщение|ursprungligt meddelande|original(?:e)? meddelelse|oprindelig meddelelse|"
    r"opprinnelig melding|alkuperäinen viesti|původní zpráva|eredeti üzenet|orijinal mesaj|"
    r"原始邮件|原始郵件|邮件原件|原邮件|元のメッセージ|원본 메시지"
    r")\s*[-_=]{2,}\s*",
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
_FORWARD: Final = re.compile(rf"\s*[-_=]{{2,}}\s*(?:{_FORWARD_WORDS})\s*[-_=]{{2,}}\s*", re.IGNORECASE)
_FORWARD_BEGINS: Final = re.compile(
    r"\s*(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-mail)|"
    r"début du message (?:réexpédié|transféré)|inicio del mensaje reenviado|"
    r"inizio messaggio inoltrato|início da mensagem (?:reencaminhada|encaminhada)|"
    r"begin doorgestuurd bericht|początek przekazywanej wiadomości|начало переадресованного сообщения|"
    r"vidarebefordrat brev|videresendt besked|开始转发的邮件|轉寄的郵件|転送されたメッセージ)\s?[:\uff1a]\s*",
    re.IGNORECASE,
)


HEAD_LINES_MAX: Final = _HEADER_LINES_MAX + 2
"""Lines of a head with its announcement and an empty line between."""


class _Field(StrEnum):
    """Which field a line of a copied header block names."""

    AUTHOR = "author"
    TIME = "time"
    OTHER = "other"


_LABELS: Final = {
    _Field.AUTHOR: (
        "from|von|de|da|van|od|от|från|fra|lähettäjä|feladó|kimden|gönderen|"
        "发件人|寄件者|寄件人|差出人|보낸 사람"
    ),
    _Field.TIME: (
        "sent|date|gesendet|datum|envoyé|date d['\u2019]envoi|enviado(?: el| em)?|fecha|inviato|data|"
        "enviada em|verzonden|wysłano|wysłane|отправлено|дата|skickat|sendt|dato|lähetetty|päivämäärä|"
        "odesláno|küldve|gönderildi|tarih|发送时间|寄件日期|日期|傳送時間|送信日時|日時|보낸 날짜"
    ),
    _Field.OTHER: (
        "to|an|à|para|a|aan|do|кому|till|til|vastaanottaja|komu|címzett|kime|收件人|收件者|宛先|받는 사람|"
        "subject|betreff|objet|asunto|oggetto|assunto|onderwerp|temat|тема|ämne|emne|aihe|předmět|tárgy|konu|"
        "主题|主旨|件名|제목|cc|copie|kopie|kopia|kopi|копия|抄送|副本"
    ),
}
_LABEL: Final = {
    field: re.compile(rf"\s*[*_]{{0,2}}(?:{names})\s?[*_]{{0,2}}\s?[:\uff1a]", re.IGNORECASE)
    for field, names in _LABELS.items()
}


def may_mark(line: str) -> bool:
    """Tell in no time whether a line may be one of the marks here; most lines hold none of their signs."""
    return _MARKING.search(line) is not None


def is_quoted(line: str) -> bool:
    """Tell whether a line has the quotation mark `>` in front."""
    return _QUOTED.match(line) is not None


def quoted_text(line: str) -> str:
    """Give what is quoted, without any of the marks in front; "" for an empty quoted line."""
    prefix = _PREFIX.match(line)
    return line[prefix.end() if prefix else 0 :].strip()


def quote_depth(line: str) -> int:
    """Count the marks in front: 1 for `> a`, 2 for `> > a` and `>> a`."""
    prefix = _PREFIX.match(line)
    return prefix.group().count(">") if prefix else 0


def attribution_length(lines: Sequence[str]) -> int:
    """Count the last lines of `lines` that are an attribution, such as "On …, … wrote:".

    Returns:
        0 to ATTRIBUTION_LINES_MAX. Wrapped ones count from the line that opens them.
    """
    wrapped: list[str] = []
    found = 0
    for line in reversed(lines[-ATTRIBUTION_LINES_MAX:]):
        if not line.strip() or is_quoted(line) or len(line) > _LINE_CHARS_MAX:
            break
        wrapped.insert(0, line.strip())
        joined = " ".join(wrapped)
        if not _COLON.search(joined) or len(joined) > _ATTRIBUTION_CHARS_MAX:
            break
        if _says_who_wrote(joined) and (len(wrapped) == 1 or _OPENING.match(joined)):
            found = len(wrapped)
    return found


def is_rule(line: str) -> bool:
    """Tell whether a line is only a rule, as programs draw one above a quotation."""
    return _RULE.fullmatch(line[:_LINE_CHARS_MAX]) is not None


def begins_footer(line: str) -> bool:
    """Tell whether a signature or the footer of a mailing list begins here (RFC 3676 section 4.3)."""
    return _SIGNATURE.match(line[:_LINE_CHARS_MAX]) is not None


def begins_forward(line: str) -> bool:
    """Tell whether a forwarded message begins here: it is content, not history."""
    if len(line) > _LINE_CHARS_MAX:
        return False
    return _FORWARD.fullmatch(line) is not None or _FORWARD_BEGINS.fullmatch(line) is not None


def history_head_length(lines: Sequence[str], start: int) -> int:
    """Count the lines at `start` that head an unmarked quotation, as Outlook writes it.

    They are a line such as "-----Original Message-----", a copied header block, or
    both. A block is three fields one below the other: an author, a time with a
    digit in it, and a recipient or subject.

    Returns:
        The number of lines, 0 where no quotation begins.
    """
    if len(lines[start]) > _LINE_CHARS_MAX:
        return 0
    announced = 1 if _ORIGINAL.fullmatch(lines[start]) else 0
    at = start + announced
    if announced and at < len(lines) and not lines[at].strip():
        at += 1
    block = _header_block_length(lines, at)
    return at + block - start if block else announced


def _header_block_length(lines: Sequence[str], start: int) -> int:
    if start >= len(lines) or not _LABEL[_Field.AUTHOR].match(lines[start][:_LINE_CHARS_MAX]):
        return 0
    seen: set[_Field] = set()
    length = 0
    for offset, line in enumerate(lines[start : start + _HEADER_LINES_MAX], start=1):
        if not line.strip():
            break
        field = _field_of(line[:_LINE_CHARS_MAX])
        if field is not None:
            seen.add(field)
            length = offset
    return length if len(seen) == len(_Field) else 0


def _field_of(line: str) -> _Field | None:
    for field, label in _LABEL.items():
        if label.match(line):
            return None if field is _Field.TIME and not _DIGIT.search(line) else field
    return None


def _says_who_wrote(line: str) -> bool:
    """Tell an attribution from prose that ends in a colon: it has a verb of writing, or a full address."""
    dated = _DIGIT.search(line) is not None
    if _WRITING.search(line) is None:
        return dated and _ANGLE_ADDRESS.search(line) is not None
    return _ADDRESS.search(line) is not None or (dated and _OPENING.match(line) is not None)
