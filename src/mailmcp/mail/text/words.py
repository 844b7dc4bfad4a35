"""The words by which the plain text and the HTML of a message are compared."""

import re
from typing import Final

ADDRESS: Final = re.compile(r"(?:https?:|ftp:|mailto:|tel:|www\.)\S+|[\w.+-]{1,64}@[\w.-]+", re.IGNORECASE)
UNSPACED: Final = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
"""Letters of scripts that don't separate words."""

WORD: Final = re.compile(rf"[{UNSPACED}]|[^\W\d_{UNSPACED}]+")
_TARGET: Final = re.compile(r"<[^<>\s]*>|\[\d{1,6}(?:: [^\[\]\n]*)?\]")

BOILERPLATE: Final = frozenset(
    # What plain parts say about the HTML and the mailing list: nothing an agent could act on.
    WORD.findall(
        """
        if you can cannot not read see view display displayed properly correctly this that the your our a an
        e mail email message newsletter is are was in it to of on or and at as with html format text plain
        version online browser web webpage page click please here link following below images program client
        use using compatible viewer reader capable enabled multi part mime
        does do support contains receive received receiving because subscribed unsubscribe subscription list
        preferences wenn sie diese dieser diesen nachricht nicht richtig korrekt angezeigt anzeigen wird
        werden lesen können klicken bitte hier den im ansehen öffnen abmelden abbestellen ihr ihrem ihren
        der die das und si vous ne pouvez pas lire voir afficher ce cet cette courriel correctement cliquez
        ici lien dans votre navigateur en ligne désabonner désinscrire no puede ver leer este correo mensaje
        correctamente haga clic aquí su navegador versión línea não consegue visualizar esta mensagem clique
        aqui seu se non riesci visualizzare leggere questa questo messaggio correttamente clicca qui nel tuo
        kunt deze niet goed lezen bekijk klik uw de het
        """
    )
)


def words_of(text: str) -> list[str]:
    """List the words of a text, without addresses; the characters, in scripts without spaces."""
    return WORD.findall(ADDRESS.sub(" ", text).casefold())


def without_targets(text: str) -> str:
    """Return a text without what `html.links` writes after the text of links."""
    return _TARGET.sub(" ", text)
