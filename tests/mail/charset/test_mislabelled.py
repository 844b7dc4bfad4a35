"""Text whose declared charset is another single-octet one, in the languages that mail mixes up."""

from random import Random

import pytest

from mailmcp.mail.charset.decode import WRONG_CHARSET, decode_text

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
    "hr iso8859-2": "Poštovani, račun šaljemo sljedeći četvrtak. Može li se još naručiti? Želim vam ugodan božić.",
    "ru cp1251": "Добрый день! Высылаю договор, посмотрите его до пятницы.",
    "ru koi8-r": "Добрый день! Высылаю договор, посмотрите его до пятницы.",
    "uk koi8-u": "Доброго ранку! Чи можемо зустрітися наступної п'ятниці, щоб обговорити їхні пропозиції?",
    "bg cp1251": "Здравейте, изпращам ви документите за срещата в петък.",
    "el cp1253": "Καλημέρα σας, η συνάντηση μεταφέρθηκε στην Παρασκευή το πρωί.",
    "el iso8859-7": "Καλημέρα σας, η συνάντηση μεταφέρθηκε στην Παρασκευή το πρωί.",
    "he cp1255": "שלום רב, הפגישה נדחתה ליום שישי בבוקר בגלל מזג האוויר.",
    "ar cp1256": "السلام عليكم، تم تأجيل الاجتماع إلى صباح يوم الجمعة القادم.",
}


@pytest.mark.parametrize("name", _OTHERS)
@pytest.mark.parametrize("declared", ["iso-8859-1", "windows-1252"])
def test_words_tell_the_charset(name: str, declared: str) -> None:
    text = _OTHERS[name]
    decoded = decode_text(text.encode(name.split()[1]), declared)
    assert decoded.text == text
    (defect,) = decoded.defects
    assert defect.startswith(f"{WRONG_CHARSET} (read as ")


def test_utf_8_is_known_whatever_is_declared() -> None:
    decoded = decode_text(_OTHERS["pl cp1250"].encode(), "iso-8859-2")
    assert (decoded.text, decoded.defects) == (_OTHERS["pl cp1250"], (f"{WRONG_CHARSET} (read as utf-8)",))


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
    assert decode_text(text.encode("cp1252"), "windows-1252").text == text


def test_text_of_western_europe_stays() -> None:
    """Whole texts, pieces of them down to one word, and mixtures."""
    random = Random(1)  # noqa: S311 - it must repeat
    words = [text.split() for text in _WESTERN.values()]
    for own in words:
        for _ in range(60):
            start = random.randrange(len(own))
            piece = " ".join(own[start : start + random.choice((1, 2, 3, 5, 8))])
            mixture = " ".join(word for others in random.sample(words, 3) for word in others)
            for text in (piece, mixture, " ".join(own)):
                assert decode_text(text.encode("cp1252"), "windows-1252").text == text
