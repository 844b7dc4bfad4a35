"""Text whose declared charset is another single-octet one, in the languages that mail mixes up."""

from random import Random

import pytest

from mailmcp.mail.charset.decode import WRONG_CHARSET, decode_text
from mailmcp.mail.charset.mislabelled import CHARSET_WORDS_OCTETS, find_charset
from steps import count_steps

_WESTERN = {
    "de": "Sehr geehrte Frau Müller, die Gebühren für Ihre Küche überweisen wir spätestens am Freitag. Grüße, Jörg Weiß",
    "fr": "Bonjour Hélène, le déjeuner prévu à midi est annulé. Où êtes-vous ? Ça m'a été confirmé par Noël et Benoît.",
    "es": "¿Qué tal el año nuevo? El señor Núñez llegará mañana y ¡qué alegría! Después iremos a la reunión del sábado.",
    "pt": "Não há informações sobre as condições de pagamento. A reunião será amanhã às três; João já está em São Luís.",
    "it": "Perché non c'è più il caffè? Ci sarà già martedì, così potrò finire l'attività in città. È tutto, Niccolò.",
    "sv": "Hej Åsa, på måndag träffas vi för att gå igenom räkningarna. Känner du någon i Örebro? Hälsningar från Göran",
    "da": "Kære Søren, mødet er flyttet til lørdag. Vi ses på Østerbro, når børnene er hjemme. Ærø og Læsø må vente.",
    "fi": "Hyvää päivää, hyväksyittekö jo tämän erän? Työt jäävät kesken, jos päätös myöhästyy. Äiti täyttää vuosia.",
    "nl": "De coördinatie is geregeld: één ruïne, twee cafés en drie ideeën. Reünie in België, financiën zijn oké.",
    "is": "Góðan daginn, fundurinn er á þriðjudaginn. Hvað finnst þér um það? Ég mæti örugglega með börnin. Kveðja, Þóra",
    "ca": "Demà farem la col·lecció d'això: què és més útil? El català té accents. Bon Nadal a tothom, Núria i Òscar",
    "et": "Tere, Jüri! Kas õhtul on söök valmis? Öösel sõidame Võrru, pühapäeval tööle. Ära unusta küünlaid.",
}
_OTHERS = {
    "pl cp1250": "Zażółć gęślą jaźń. Prosimy o wpłatę należności do końca miesiąca, później naliczymy żądane odsetki.",
    "cs cp1250": "Příští středu přijede paní ředitelka. Těšíme se na čtvrteční večeři a děkujeme za dřívější dopis.",
    "sk cp1250": "Ďakujeme za správu. Ľudia čakajú na stretnutie v sobotu, prosím, pošlite ďalšie účty čo najskôr.",
    "sl iso8859-2": "Račun za december še ni plačan. Želimo vam srečno in uspešno novo leto, če se vidimo še prej.",
    "hr iso8859-2": "Poštovani, račun šaljemo sljedeći četvrtak. Može li se još naručiti? Želim vam ugodan božić.",
    "hu cp1250": "Kedves Győző! A jövő hétfői előadás időpontja megváltozott, kérjük, erről értesítse a többi szülőt. Gyűlés lesz hűvös időben.",
    "ro cp1250": "Bună ziua, vă rugăm să plătiţi factura până mâine. Aşteptăm răspunsul şi vă mulţumim că ne-aţi ales.",
    "tr cp1254": "Sayın yetkili, ödemeniz başarıyla alınmıştır. Yarın akşam için bir değişiklik varsa lütfen bildiriniz. Işık Güneş",
    "ru cp1251": "Добрый день! Высылаю договор, посмотрите его до пятницы.",
    "ru koi8-r": "Добрый день! Высылаю договор, посмотрите его до пятницы.",
    "uk koi8-u": "Доброго ранку! Чи можемо зустрітися наступної п'ятниці, щоб обговорити їхні пропозиції?",
    "bg cp1251": "Здравейте, изпращам ви документите за срещата в петък.",
    "el cp1253": "Καλημέρα σας, η συνάντηση μεταφέρθηκε στην Παρασκευή το πρωί.",
    "el iso8859-7": "Καλημέρα σας, η συνάντηση μεταφέρθηκε στην Παρασκευή το πρωί.",
    "he cp1255": "שלום רב, הפגישה נדחתה ליום שישי בבוקר בגלל מזג האוויר.",
    "ar cp1256": "السلام عليكم، تم تأجيل الاجتماع إلى صباح يوم الجمعة القادم.",
    "lt cp1257": "Sveiki, susitikimas nukeltas į penktadienį. Ačiū už žinią, lauksime jūsų atsakymo iki šeštadienio.",
    "lv cp1257": "Labdien, tikšanās pārcelta uz piektdienu. Lūdzu, atsūtiet rēķinu līdz mēneša beigām. Paldies jums!",
}
_RIGHT = {("cp1252", text) for text in _WESTERN.values()} | {
    (name.split()[1], text) for name, text in _OTHERS.items()
}


@pytest.mark.parametrize("name", _OTHERS)
@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1252"])
def test_words_tell_the_charset(name: str, declared: str) -> None:
    text = _OTHERS[name]
    decoded = decode_text(text.encode(name.split()[1]), declared)
    assert decoded.text == text
    (defect,) = decoded.defects
    assert defect.startswith(f"{WRONG_CHARSET} (read as ")


@pytest.mark.parametrize(
    ("language", "codec", "declared", "read_as"),
    [
        ("pl", "cp1250", "iso-8859-2", "windows-1250"),
        ("cs", "cp1250", "iso-8859-2", "windows-1250"),
        ("pl", "utf-8", "iso-8859-2", "utf-8"),
        ("ru", "utf-8", "koi8-r", "utf-8"),
    ],
)
def test_other_declared_charsets_are_judged_too(
    language: str, codec: str, declared: str, read_as: str
) -> None:
    text = next(text for name, text in _OTHERS.items() if name.startswith(language))
    decoded = decode_text(text.encode(codec), declared)
    assert (decoded.text, decoded.defects) == (text, (f"{WRONG_CHARSET} (read as {read_as})",))


def test_text_in_its_declared_charset_stays() -> None:
    """Whole texts, pieces of them down to one word, and mixtures of those that share a charset."""
    random = Random(1)  # noqa: S311 - it must repeat
    for codec, text in _RIGHT:
        words = text.split()
        shared = [other.split() for each, other in _RIGHT if each == codec == "cp1252"] or [words]
        pieces = [text]
        for _ in range(60):
            start = random.randrange(len(words))
            pieces.append(" ".join(words[start : start + random.choice((1, 2, 3, 5, 8))]))
            pieces.append(
                " ".join(word for others in random.sample(shared, min(3, len(shared))) for word in others)
            )
        for piece in pieces:
            found = find_charset(piece.encode(codec), codec)
            assert not found or piece.encode(codec).decode(found) == piece, (codec, piece, found)


@pytest.mark.parametrize(
    "text",
    [
        "Wärmedurchgang 0,24 W/m²K, 100 m³ Gas, 20 m³ Wasser, ½ Liter, ¼ Zoll, ±2 °C, 15 µm",
        "nº 5, 1ª edição, D.ª Ana, Mª José, Nº de expediente",
        "It´s John´s; l´école d´été à côté",
        "à la carte, crème brûlée, vis-à-vis, jalapeño, Señor Müller, Søren Ångström, Zoë",
        "¯\\_\u00af shrug ¯\\_ ¯",
    ],
)
def test_signs_loan_words_and_tables_prove_nothing(text: str) -> None:
    assert find_charset(text.encode("cp1252"), "cp1252") == ""


@pytest.mark.parametrize(
    "octets", ["¿eby".encode("latin-1"), "Èekám".encode("cp1252"), "Iþýk".encode("cp1252")]
)
def test_one_odd_letter_proves_nothing(octets: bytes) -> None:
    assert find_charset(octets, "cp1252") == ""


def test_long_texts_take_no_longer() -> None:
    octets = _OTHERS["pl cp1250"].encode("cp1250")

    def steps(repeated: int) -> int:
        return count_steps(lambda: find_charset(octets * repeated, "cp1252"))

    steps(1)
    assert len(octets) * 100 > CHARSET_WORDS_OCTETS
    assert steps(10_000) == steps(1_000)
