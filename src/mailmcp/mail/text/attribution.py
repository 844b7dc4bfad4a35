"""Attributions: the words that programs put above a quotation, such as "On …, Ada wrote:".

An attribution says when, who, and that they wrote, and nothing else. So every word of it must be a
date, a name, an address, a verb, or a small word of its language. A line with any other word is
prose, and prose is the author's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from mailmcp.mail.text.quote_marks import is_quoted

ATTRIBUTION_LINES_MAX: Final = 3
"""How many lines an attribution is wrapped over."""

_CHARS_MAX: Final = 400
"""Characters of an attribution, its lines joined. This also bounds the work on one line."""

_WORDS_MAX: Final = 30

# By language: words that begin an attribution, verbs (capitalised ones only begin one), small words.
_LANGUAGES: Final = {
    "English": ("On At", "wrote writes Quoting", "at via from"),
    "German": ("Am", "schrieb schreibt geschrieben Zitat", "am um uhr hat folgendes dem von"),
    "French": ("Le", "écrit Citant", "à a h de"),
    "Spanish": ("El En", "escribió escribe escrito Citando", "a las la de ha"),
    "Catalan": ("El", "escrit", "a les de del va ha"),
    "Italian": ("Il In", "scritto scrive Citando", "giorno data alle ore ha di da"),
    "Portuguese": ("Em Às", "escreveu escreve Citando", "às à a s de"),
    "Romanian": ("În Pe", "scris", "la a"),
    "Dutch": ("Op", "schreef geschreven Citeren", "om heeft het volgende van"),
    "Danish, Norwegian": ("Den", "skrev", "kl følgende"),
    "Swedish": ("Den På", "skrev", "kl på följande"),
    "Icelandic": ("Þann", "skrifaði", "kl"),
    "Finnish": ("", "kirjoitti", "klo kello"),
    "Polish": ("W Dnia", "napisał napisała napisana pisze", "w dniu dnia o godz a użytkownik przez"),
    "Czech, Slovak": ("Dne Dňa", "napsal napsala napísal napísala", "v o a odesílatel"),
    "Croatian, Slovenian": ("Dana", "napisao napisala napisal", "u ob je la"),
    "Hungarian": ("", "írta", "ezt időpont keltezéssel"),
    "Turkish": ("", "yazd\u0131", "tarihinde şunu saat"),
    "Russian": ("В", "пишет написал написала", "в г а от пользователь"),
    "Ukrainian": ("", "пише написав написала", "о р в користувач"),
    "Bulgarian": ("На", "написа", "в г"),
    "Greek": ("Στις", "έγραψε", "στις ο η χρήστης π.μ μ.μ"),
    "Vietnamese": ("Vào", "viết", "vào lúc đã thg th tháng"),
    "Indonesian": ("Pada", "menulis", "pada tanggal pukul"),
    "parts of names, halves of the day": (
        "",
        "",
        "von van der den ter ten zu du da di do dos das le la el al bin y e af am pm a.m p.m m p vorm nachm",
    ),
}
_OPENERS, _VERBS, _SMALL = (
    frozenset(word for language in _LANGUAGES.values() for word in language[column].split())
    for column in range(3)
)
_PRONOUN: Final = re.compile(  # at the start of a sentence: the author speaks
    "I|He|She|We|They|You|Ich|Er|Sie|Wir|Ihr|Je|Elle|Elles|Ils|Nous|Vous|Yo|Ella|Ellos|Lui|Lei|Io|Eu|Ele|Ela|"
    "Ik|Hij|Zij|Wij|Jag|Han|Hon|Jeg|Hun|Hän|Ja|Ona|Já|Ő|Ben|Я|Он|Она|Мы|Вы|Они"
)
# Chinese, Japanese and Korean do not separate words with spaces.
_EASTERN: Final = re.compile(
    r"(?:[^\s@\d]{1,40}+\s){0,4}+@?\s?(?:[在于於]\s?)?"
    r"\d{4}\s?[年년/.-][\d\s年月日周週星期一二三四五六天火水木金土上下午早晚中凌晨點点時时分秒년월일요전후오화수목토에"
    r"():/.,\uff0c\u3001APMGT+-]*+"
    r"(?:[^\s@\d]{1,40}+\s){0,4}+@?\s?"
    r"(?:写道|寫道|のメール|のメッセージ|님이 작성|이\(가\) 쓴 글)[:\uff1a]"
)

_ENDING: Final = re.compile(r"(?:[:\uff1a]|(?<!-)-{2,}+|\bwrote)[*_]{0,2}\s*\Z")
_ADDRESS: Final = re.compile(
    r"<[^<>@]*+@[^<>]*+>|\(\s*+[^\s()<>@]++@[^\s()<>@]++\s*+\)|\[mailto:[^\]]*+\]|[^\s<>()@]++@[^\s<>():,@]++"
)
_QUOTED_NAME: Final = re.compile(r"\"[^\"]++\"|“[^”]++”|„[^“”]++[“”]|«[^»]++»")
_WORD: Final = re.compile(r"[^\s,;:()\[\]<>\"'|\uff1a\uff0c]+(?::\d\d)*")
_DATE: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}")
_CLOCK: Final = re.compile(r"(?<![\d.])\d{1,2}(?:[:.]| ?h ?)\d\d(?!\d|[./]\d)")
_ZONE: Final = re.compile(r"[+-]\d\d:?\d\d\b|\b(?:GMT|UTC)\b")
_EXACT: Final = re.compile(r":\d\d:\d\d [+-]\d{4}\b")
_WEEKDAY: Final = re.compile(r"[^\W\d]{2,3} \d|[^\W\d]{1,14}(?:[.,]{1,2} \d|, [^\W\d]{1,14}\.? \d)")

# The shape of an attribution is a letter for each word: Opener, Weekday, Digits, word of a daTe, Name,
# Address, Small word, Verb, X for any other.
_BEGINS: Final = re.compile(r"[OWD]|[NS]*[NA]S*V|[NS]*A|V[NS]*A")
_DATE_WORD: Final = re.compile(r"(^(?:[OW]S*)?|[DV]S*)X(?=S*D)")
_WRITER: Final = re.compile(r"[NA]S*V|VS*[NA]|^[NS]*A")
_QUOTED: Final = "Q"
_YOU: Final = "you"

_FULL_CHARS_MIN: Final = 40
"""Characters of a line that a program wrapped because it was full."""

_BROKEN: Final = re.compile(r"[,<(]\Z|[+-]\d{4}\Z|:\d\d:\d\d\Z")
_SENTENCE_END: Final = re.compile(r"(?:[!?…:;。\uff01\uff1f\uff1a]|(?<!\d)\.)[\"'”»)]?\Z|--\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """An attribution, and how much it says."""

    lines: int = 1
    """How many lines it has; 0 without a date: the author may have written it ("Bob wrote:"), so it stays."""

    certain: bool = False
    """Whether it can begin a quotation without marks: it has a date, and a time or an address."""


def find_attribution(lines: Sequence[str]) -> Attribution | None:
    """Find the shortest attribution that the last line ends.

    Lines are joined only where a program may have wrapped them, and never across the end of a sentence.
    """
    if not lines or not _ENDING.search(lines[-1][-_CHARS_MAX:]):
        return None
    joined, dateless = "", None
    for count in range(1, min(ATTRIBUTION_LINES_MAX, len(lines)) + 1):
        line, below = lines[-count].strip(), joined
        joined = f"{line} {below}".strip()
        if not line or is_quoted(line) or len(joined) > _CHARS_MAX or (below and _SENTENCE_END.search(line)):
            break
        found = _judge(joined)
        if found is None or (below and not _may_be_broken(line, below)):
            continue
        if found.lines:
            return replace(found, lines=count)
        dateless = dateless or found
    return dateless


def _may_be_broken(line: str, below: str) -> bool:
    """Return whether a program may have wrapped a line here: it is full, or the next one belongs to it."""
    return len(line) >= _FULL_CHARS_MIN or below.startswith("<") or _BROKEN.search(line) is not None


def _judge(text: str) -> Attribution | None:
    """Check by its words whether a text is an attribution."""
    text = text.strip("*_ ")
    barred = text.startswith("--") and text.endswith("--")
    text = text.strip("-: ") if barred else text
    addresses = " ".join(_ADDRESS.findall(text)).lower() if "@" in text else ""
    for _ in range(2 if addresses else 0):  # once more for <ada@x.example<mailto:ada@x.example>>
        text = _ADDRESS.sub(" @ ", text)
    text = " ".join(_QUOTED_NAME.sub(f" {_QUOTED} ", text).split())
    if _EASTERN.fullmatch(text):
        return Attribution(certain=True)
    words = [bare for word in _WORD.findall(text) if (bare := word.strip(".-\u2013*_!?"))]
    shape = _shape(words, text, addresses)
    ended = text.endswith((":", "\uff1a")) or ("V" in shape and (barred or _EXACT.search(text)))
    if not ended or len(shape) > _WORDS_MAX or "X" in shape or not _BEGINS.match(shape):
        return None
    date, clock = _DATE.search(text), _CLOCK.search(text)
    if "V" not in shape:
        by_program = shape[0] == "W" or _QUOTED in words or _ZONE.search(text)
        return Attribution(certain=bool(by_program)) if date and clock and shape[-1] == "A" else None
    if not _WRITER.search(shape):
        return None
    if "D" not in shape:
        return Attribution(lines=0, certain=barred)
    exact = barred or (date and (addresses or (clock and _YOU not in words)))
    return Attribution(certain=bool(exact)) if shape[0] in "OWD" or barred or (date and clock) else None


def _shape(words: Sequence[str], text: str, addresses: str) -> str:
    """Return a letter for each word, for what it is."""
    shape = "".join(_letter(word, addresses) for word in words)
    first = shape[:1]
    if words and words[0] in _VERBS:
        first = "V"
    elif words and words[0] in _OPENERS:
        first = "O"
    elif first != "S" and _WEEKDAY.match(text):
        first = "W"
    return _DATE_WORD.sub(r"\1T", first + shape[1:])


def _letter(word: str, addresses: str) -> str:
    if word == "@":
        return "A"
    if any(map(str.isdigit, word)):
        return "D"
    if word in _VERBS and word[0].islower():
        return "V"
    if word.lower() in _SMALL:
        return "S"
    is_name = (
        word == _YOU
        or "_" in word
        or (not word[0].islower() and not _PRONOUN.fullmatch(word))
        or (len(word) > 1 and word in addresses)
    )
    return "N" if is_name else "X"
