"""Names of mailboxes that have a special use (RFC 6154), for servers that don't say so.

As mail programs and providers name them, in the languages whose names mean nothing else.
"""

import re
from typing import Final

from mailmcp.imap.rows import FetchedMessage

_NAMES: Final = {
    # In lower case, separated by bars.
    "\\Archive": "archive|archives|archiv|archivo|archivio|arquivo|archief|archiwum|arkiv|архив",
    "\\Drafts": (
        "drafts|draft|entwürfe|entwurf|brouillons|borradores|bozze|rascunhos|concepten|kopie robocze|utkast|"
        "kladder|luonnokset|koncepty|piszkozatok|taslaklar|черновики|下書き|草稿|草稿箱|임시보관함"
    ),
    "\\Junk": (
        "junk|spam|junk e-mail|junk email|junk mail|bulk mail|spamverdacht|junk-e-mail|indésirables|"
        "courrier indésirable|correo no deseado|posta indesiderata|lixo eletrónico|lixo eletrônico|"
        "ongewenste e-mail|wiadomości-śmieci|skräppost|uønsket e-post|uønsket mail|roskaposti|"
        "nevyžádaná pošta|levélszemét|önemsiz|спам|нежелательная почта|"
        "迷惑メール|垃圾邮件|垃圾郵件|스팸메일함"
    ),
    "\\Sent": (
        "sent|sent items|sent mail|sent messages|gesendet|gesendete elemente|gesendete objekte|"
        "gesendete nachrichten|envoyés|éléments envoyés|messages envoyés|enviados|elementos enviados|inviata|"
        "inviati|posta inviata|enviadas|itens enviados|verzonden|verzonden items|verzonden berichten|wysłane|"
        "elementy wysłane|skickat|sendt|sendte elementer|lähetetyt|odeslaná pošta|odeslané|elküldött elemek|"
        "gönderilmiş öğeler|отправленные|送信済み|送信済みメール|已发送|已发送邮件|寄件備份|보낸메일함"
    ),
    "\\Trash": (
        "trash|bin|deleted items|deleted messages|papierkorb|gelöscht|gelöschte elemente|gelöschte objekte|"
        "corbeille|éléments supprimés|papelera|elementos eliminados|cestino|posta eliminata|lixeira|"
        "itens excluídos|itens eliminados|prullenbak|verwijderde items|kosz|elementy usunięte|papperskorg|"
        "borttagna objekt|papirkurv|slettede elementer|slettet post|roskakori|poistetut|koš|odstraněná pošta|"
        "törölt elemek|silinmiş öğeler|корзина|удаленные|удалённые|"
        "ごみ箱|ゴミ箱|已删除|已删除邮件|已刪除的郵件|휴지통"
    ),
}

_USES: Final = {name: use for use, names in _NAMES.items() for name in names.split("|")}


def is_draft(message: FetchedMessage, special_use: str) -> bool:
    """Return whether a message in a mailbox of that special use is a draft: by its flag or its mailbox."""
    return special_use == "\\Drafts" or message.has_flag("\\Draft")


def use_of(leaf: str) -> str:
    """Guess the special use of a mailbox by the last level of its name; "" for an ordinary one."""
    return _USES.get(leaf.casefold(), "")


def usual_use(name: str) -> str:
    """Guess likewise by the whole name, whatever the separator."""
    return use_of(re.split(r"[/.]", name)[-1])
