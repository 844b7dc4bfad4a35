"""Names of mailboxes that have a special use (RFC 6154), for servers that don't say so.

As mail programs and providers name them, in the languages whose names mean nothing else.
"""

import re
import unicodedata
from typing import Final

from mailmcp.imap.rows import FetchedMessage

_NAMES: Final = {
    # Separated by bars; compared without case and accents.
    "\\Archive": (
        "archive|archives|archived|archiv|archivo|archivados|archivio|arquivo|arquivados|archief|"
        "archiwum|arkiv|arkiver|arkisto|archívum|arhivă|arhivate|arşiv|архив|архів|αρχείο|αρχειοθέτηση|"
        "αρχειοθήκη|ארכיון|アーカイブ|보관|보관함|아카이브|存档|归档|封存|封存郵件|典藏"
    ),
    "\\Drafts": (
        "drafts|draft|entwürfe|entwurf|brouillons|borradores|bozze|rascunhos|concepten|kopie robocze|"
        "robocze|wersje robocze|szkice|utkast|kladder|udkast|luonnokset|koncepty|rozepsané|piszkozatok|"
        "ciorne|schițe|taslaklar|taslak|черновики|чернетки|πρόχειρα|προσχέδια|טיוטות|下書き|草稿|草稿箱|"
        "草稿匣|임시보관함|임시 보관함|임시저장함|초안"
    ),
    "\\Junk": (
        "junk|spam|junk e-mail|junk email|junk mail|junkmail|bulk mail|spamverdacht|junk-e-mail|"
        "indésirables|courrier indésirable|correo no deseado|posta indesiderata|lixo eletrónico|"
        "lixo eletrônico|ongewenst|ongewenste e-mail|wiadomości-śmieci|wiadomości śmieci|śmieci|"
        "niechciane|niechciana poczta|skräppost|skräp|oönskad e-post|søppelpost|nettsøppel|"
        "uønsket e-post|uønsket mail|uønsket post|uønskede mails|roskaposti|nevyžádaná pošta|levélszemét|"
        "mesaje nedorite|e-mail nedorit|nedorite|poștă nedorită|corespondență nedorită|önemsiz|"
        "önemsiz e-posta|gereksiz|gereksiz e-posta|istenmeyen|istenmeyen e-posta|istenmeyen posta|спам|"
        "нежелательная почта|небажана пошта|небажані|ανεπιθύμητα|ανεπιθύμητη αλληλογραφία|"
        "ανεπιθύμητη ηλεκτρονική αλληλογραφία|דואר זבל|זבל|ספאם|迷惑メール|垃圾邮件|垃圾郵件|垃圾郵件匣|"
        "廣告信|스팸|스팸함|스팸메일함|스팸 메일함|스팸 편지함|정크 메일|정크메일"
    ),
    "\\Sent": (
        "sent|sent items|sent mail|sent messages|gesendet|gesendete elemente|gesendete objekte|"
        "gesendete nachrichten|envoyés|éléments envoyés|messages envoyés|enviados|elementos enviados|"
        "mensajes enviados|correo enviado|inviata|inviati|posta inviata|enviadas|itens enviados|"
        "mensagens enviadas|verzonden|verzonden items|verzonden berichten|wysłane|elementy wysłane|"
        "wiadomości wysłane|skickat|skickade|skickade objekt|skickade meddelanden|sendt|sendt post|"
        "sendt e-post|sendte elementer|sendte mails|sendte meldinger|sendte beskeder|lähetetyt|"
        "odeslaná pošta|odeslané|elküldött|elküldött elemek|trimise|elemente trimise|mesaje trimise|"
        "expediate|gönderilmiş öğeler|gönderilmiş postalar|gönderilmiş iletiler|gönderilmiş|gönderilen|"
        "gönderilenler|gönderilen postalar|отправленные|надіслані|надіслані елементи|надіслана пошта|"
        "відправлені|απεσταλμένα|σταλμένα|απεσταλμένα στοιχεία|απεσταλμένα μηνύματα|פריטים שנשלחו|"
        "דואר שנשלח|נשלח|נשלחו|送信済み|送信済みメール|送信済みアイテム|送信済みトレイ|送信箱|已发送|"
        "已发送邮件|已发送的邮件|寄件備份|已傳送|已傳送的郵件|已寄出|보낸메일함|보낸 메일함|보낸편지함|"
        "보낸 편지함|보낸 항목"
    ),
    "\\Trash": (
        "trash|bin|deleted|deleted items|deleted messages|papierkorb|gelöscht|gelöschte elemente|"
        "gelöschte objekte|corbeille|éléments supprimés|papelera|elementos eliminados|cestino|"
        "posta eliminata|lixeira|itens excluídos|itens eliminados|prullenbak|verwijderd|"
        "verwijderde items|kosz|usunięte|elementy usunięte|papperskorg|papperskorgen|borttagna objekt|"
        "borttaget|papirkurv|søppelkurv|slettede|slettede elementer|slettede meldinger|slettet post|"
        "roskakori|poistetut|koš|odstraněná pošta|törölt elemek|lomtár|kuka|gunoi|coș de gunoi|"
        "coșul de gunoi|elemente șterse|mesaje șterse|șterse|silinmiş öğeler|silinmiş postalar|silinmiş|"
        "silinen öğeler|silinenler|çöp|çöp kutusu|корзина|удаленные|удалённые|кошик|смітник|видалені|"
        "видалені елементи|видалена пошта|κάδος|κάδος απορριμμάτων|κάδος ανακύκλωσης|απορρίμματα|"
        "διαγραμμένα|διαγραμμένα στοιχεία|διεγραμμένα|אשפה|פח אשפה|פריטים שנמחקו|סל מחזור|ごみ箱|ゴミ箱|"
        "削除済みアイテム|已删除|已删除邮件|已删除的邮件|垃圾箱|废件箱|已刪除|刪除的郵件|已刪除的郵件|"
        "垃圾桶|垃圾筒|휴지통|지운편지함|지운 편지함|삭제된 항목|삭제된 메시지"
    ),
}


def _folded(name: str) -> str:
    """Return a name without case and accents: servers have it composed and decomposed."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)).strip()


_USES: Final = {name: use for use, names in _NAMES.items() for name in map(_folded, names.split("|"))}


def is_draft(message: FetchedMessage, special_use: str) -> bool:
    """Return whether a message in a mailbox of that special use is a draft: by its flag or its mailbox."""
    return special_use == "\\Drafts" or message.has_flag("\\Draft")


def use_of(leaf: str) -> str:
    """Guess the special use of a mailbox by the last level of its name; "" for an ordinary one."""
    return _USES.get(_folded(leaf), "")


def usual_use(name: str) -> str:
    """Guess likewise by the whole name, whatever the separator."""
    return use_of(re.split(r"[/.]", name)[-1])
