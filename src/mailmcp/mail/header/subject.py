"""Subjects: the prefixes that programs add to replies and forwarded messages, in the common languages."""

import re
from typing import Final

_COLON: Final = r"\s*[:\uff1a]"
_REPLY: Final = re.compile(
    r"\s*(?:re|aw|antw|antwort|sv|vs|odp|res|rif|ref|ynt|回复|答复|回覆|返信|ответ|отв)"
    rf"(?:\[\d{{1,3}}\]|\(\d{{1,3}}\)|\*\d{{1,3}})?{_COLON}",
    re.IGNORECASE,
)
# "VS" is a reply in Finnish, and a forwarded message in Danish and Norwegian.
_FORWARD: Final = re.compile(
    r"\s*(?:fwd?|wg|tr|rv|enc|i|vs|vb|vl|doorst|pd|przekaz|továbbítás|пересл|转发|轉寄|転送|전달)" + _COLON,
    re.IGNORECASE,
)
_LIST_TAG: Final = re.compile(r"\s*\[[^\[\]]{1,80}\]")
_PREFIXES_MAX: Final = 20


def is_reply_subject(subject: str) -> bool:
    """Return whether a subject has the prefix of a reply, after list tags and other prefixes if any.

    A prefix that is all there is of a subject counts as its text.
    """
    start = 0
    for _ in range(_PREFIXES_MAX):
        reply = _REPLY.match(subject, start)
        match = reply or _FORWARD.match(subject, start) or _LIST_TAG.match(subject, start)
        if match is None or not subject[match.end() :].strip():
            return False
        if reply:
            return True
        start = match.end()
    return False


def is_forward_subject(subject: str) -> bool:
    """Return whether a subject begins as that of a forwarded message ("Fwd:", "WG:", "TR:" and the like).

    List tags may come before the prefix. A reply to a forwarded message is not forwarded.
    """
    start = 0
    for _ in range(_PREFIXES_MAX):
        tag = _LIST_TAG.match(subject, start)
        if tag is None:
            break
        start = tag.end()
    return _FORWARD.match(subject, start) is not None
