# ruff: noqa: RUF001 - letters of many alphabets are meant as such
"""Month names of many languages to English ones, for dates whose programs write them in the user's language.

Names are stems: "янв" stands for "янв.", "январь" and "января". Of a name that means different months in
two languages ("listopad" is November in Poland, October in Croatia), the weekday decides.
"""

import re
import unicodedata
from typing import Final

MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_STEMS: Final = {  # a month's stems are joined by "/"
    "Arabic": "يناير/جانفي فبراير/فيفري مارس أبريل/ابريل/إبريل/أفريل مايو/ماي يونيو/يونيه/جوان "
    "يوليو/يوليه/جويلية أغسطس/اغسطس/أوت سبتمبر أكتوبر/اكتوبر نوفمبر ديسمبر",
    "Arabic, Levant": "- شباط آذار نيسان أيار حزيران تموز آب أيلول - - -",
    "Basque": "urt ots mar api mai eka uzt abu ira urr aza abe",
    "Bulgarian": "яну фев мар апр май юни юли авг сеп окт ное дек",
    "Catalan": "gen feb març abr maig juny jul ag/ago set oct nov des",
    "Croatian": "sij velj ožu tra svi lip srp kol ruj lis stu pro",
    "Czech": "led úno bře dub kvě čen/čvn/červen/června/červnu čec/čvc/července/červenec srp zář říj lis pro",
    "Dutch": "jan feb mrt/maa apr mei jun jul aug sep okt nov dec",
    "Estonian": "jaan veebr märts apr mai juuni juuli aug sept okt nov dets",
    "Finnish": "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",
    "French": "janv fév/fevr/fév mars avr mai juin juil aoû/aou sept oct nov déc",
    "Galician": "xan feb mar abr mai xuñ xul ago set out nov dec",
    "German": "jän/jan feb mär/mrz/maer apr mai jun jul aug sep okt nov dez",
    "Greek": "ιαν φεβ μαρ/μάρ απρ μαι/μαΐ/μάι/μαϊ ιουν/ιούν ιουλ/ιούλ αυγ/αύγ σεπ οκτ νοε/νοέ δεκ",
    "Hebrew": "ינו פבר מרץ/מרס אפר מאי יונ יול אוג ספט אוק נוב דצמ",
    "Hindi": "जन फ़र/फर मार्च अप्रैल मई जून जुल अग सित अक्ट/अक्तू नव दिस",
    "Hungarian": "jan feb már ápr máj jún júl aug szept okt nov dec",
    "Icelandic": "jan feb mar apr maí jún júl ágú sep okt nóv des",
    "Indonesian, Malay": "jan feb/peb mac apr mei jun jul agu/agt/ogo sep okt nov des/dis",
    "Italian": "gen feb mar apr mag giu lug ago set ott nov dic",
    "Latvian": "jan feb mar apr mai jūn jūl aug sep okt nov dec",
    "Lithuanian": "sau vas kov bal geg bir lie rgp/rugp rgs/rugs spa lap grd/gruod",
    "Polish": "sty lut mar kwi maj cze lip sie wrz paź/paz lis gru",
    "Portuguese": "jan fev mar abr mai jun jul ago set out nov dez",
    "Romanian": "ian feb mar apr mai iun iul aug sep oct/octombrie noi/nov dec",
    "Russian": "янв фев мар апр май/мая июн июл авг сен окт ноя дек",
    "Serbian": "јан феб мар апр мај јун јул авг сеп окт нов дец",
    "Slovak, Slovenian": "jan feb mar apr máj/maj jún/jun júl/jul aug/avg sep okt nov dec",
    "Spanish": "ene feb mar abr may jun jul ago sep/set oct nov dic",
    "Swedish, Danish, Norwegian": "jan feb mar apr maj/mai jun jul aug sep okt nov dec/des",
    "Thai": "ม.ค/มกรา ก.พ/กุมภา มี.ค/มีนา เม.ย/เมษา พ.ค/พฤษภา มิ.ย/มิถุนา ก.ค/กรกฎา ส.ค/สิงหา ก.ย/กันยา "
    "ต.ค/ตุลา พ.ย/พฤศจิกา ธ.ค/ธันวา",
    "Turkish": "oca şub mar nis may haz tem ağu eyl eki/ekim kas ara",
    "Ukrainian": "січ лют бер кві тра чер лип сер вер жов лис гру",
}
_WEEKDAYS: Final = {
    "Croatian": frozenset(["pon", "uto", "sri", "čet", "pet", "sub", "ned"]),
    "Czech": frozenset(
        ["po", "út", "st", "čt", "pá", "so", "ne", "pon", "úte", "stř", "čtv", "pát", "sob", "ned"]
    ),
    "Polish": frozenset(["wt", "śr", "pt", "pon", "wto", "śro", "czw", "pią", "sob", "nie", "nd"]),
}
"""Short and long ones by their first letters, of the languages that don't agree."""

_BETWEEN: Final = frozenset(
    ["de", "del", "di", "d", "of", "г", "року", "р", "ngày", "năm", "gada", "m", "den", "les"]
)
"""Words between day, month and year."""

_BY_STEM: Final[dict[str, dict[str, int]]] = {}
for _language, _stems in _STEMS.items():
    for _number, _month in enumerate(_stems.split()):
        for _stem in _month.split("/"):
            _BY_STEM.setdefault(_stem, {})[_language] = _number
_STEM_CHARS: Final = range(max(map(len, _BY_STEM)), 1, -1)  # the longest stem counts

_USUAL: Final = re.compile(rf"\d\s+(?:{'|'.join(MONTHS)})\s+\d{{2,4}}\b")
_ENGLISH: Final = re.compile(
    r"(?<![^\W\d_])(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![^\W\d_])",
    re.IGNORECASE,
)
# Letters, and marks on them that aren't letters: of Thai and Hindi. Thai abbreviations have dots inside.
_LETTER: Final = r"(?:[^\W\d_]|[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])"
_WORD: Final = re.compile(rf"{_LETTER}++(?:\.{_LETTER}++)*+")
_EASTERN: Final = re.compile(r"[年日년일]")
_NUMBERED: Final = re.compile(
    r"(?:(?<!\d)(1[0-2]|0?[1-9])|(十[一二]?|[一二三四五六七八九]))\s*[月월]|\bth(?:áng|g)\.?\s*(1[0-2]|0?[1-9])(?!\d)",
    re.IGNORECASE,
)
_CHINESE: Final = {
    digits: number
    for number, digits in enumerate(
        ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"]
    )
}
_THAI: Final = re.compile(r"[\u0e00-\u0e7f]")
_THAI_YEAR: Final = re.compile(r"(?<!\d)2[45]\d\d(?!\d)")
_THAI_YEARS_AHEAD: Final = 543  # the Buddhist era


def with_english_months(text: str) -> str:
    """Return a date with English names of its months; unchanged if all it names are English."""
    if _USUAL.search(text):
        return text
    text = unicodedata.normalize("NFC", text)
    if _THAI.search(text):
        text = _THAI_YEAR.sub(lambda match: str(int(match[0]) - _THAI_YEARS_AHEAD), text)
    text = _EASTERN.sub(" ", _NUMBERED.sub(_numbered, text))
    words = [match[0].casefold() for match in _WORD.finditer(text)]
    return _WORD.sub(lambda match: _in_english(match[0], words), text)


def _numbered(match: re.Match[str]) -> str:
    number = _CHINESE[match[2]] if match[2] else int(match[1] or match[3]) - 1
    return f" {MONTHS[number]} "


def _in_english(word: str, words: list[str]) -> str:
    """Return the English name of a month; "" for a word between, any other word as it is."""
    folded = word.casefold()
    if folded in _BETWEEN:
        return ""
    if _ENGLISH.fullmatch(word):
        return word
    if folded.startswith("ב"):  # Hebrew: "in November"
        folded = folded[1:]
    stems = (_BY_STEM.get(folded[:length]) for length in _STEM_CHARS if length <= len(folded))
    found = next((each for each in stems if each is not None), {})
    months = set(found.values())
    if len(months) > 1:
        named = {each for word in words for each in (word, word[:3])}
        months = {found[each] for each in found if not _WEEKDAYS.get(each, named).isdisjoint(named)}
    return MONTHS[months.pop()] if len(months) == 1 else word
