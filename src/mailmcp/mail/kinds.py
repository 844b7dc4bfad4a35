"""Of what kind a message is, by its header fields and its structure.

`mailmcp.model.mail_kind` has the table of signs. Nothing else of a message is looked at.
"""

import re
from collections.abc import Mapping
from typing import Final

from mailmcp.mail.calendar.invitation import NO_CONTENTS, invitation_method
from mailmcp.mail.header.address import addresses_in
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.mime.structure import Part
from mailmcp.model.mail_kind import DISCUSSION, SIGNS, MailKind, Sign, WantedKind

_SEPARATORS: Final = re.compile(r"[._-]+")


def is_of_kind(
    headers: Headers, root: Part | None, wanted: WantedKind, contents: Mapping[str, bytes] = NO_CONTENTS
) -> bool:
    """Return whether a message is of a kind.

    Args:
        headers: With at least `WantedKind.header_fields`.
        root: The structure, if `WantedKind.needs_structure`; None if it is unknown.
        wanted: The kind.
        contents: As for `invitation_method`.
    """
    match wanted.kind:
        case MailKind.INVITATION:
            return bool(invitation_method(root, contents))
        case MailKind.NEWSLETTER:
            return _is_newsletter(headers)
        case MailKind.AUTOMATIC:
            return _has_sign(headers, MailKind.AUTOMATIC)
        case MailKind.PERSONAL:
            others = _is_newsletter(headers) or _has_sign(headers, MailKind.AUTOMATIC)
            senders = addresses_in(headers, "From")
            return bool(senders) and not (
                others or senders <= frozenset(wanted.own) or invitation_method(root, contents)
            )


def _is_newsletter(headers: Headers) -> bool:
    return _has_sign(headers, MailKind.NEWSLETTER) and not _shows(headers, DISCUSSION)


def _has_sign(headers: Headers, kind: MailKind) -> bool:
    return any(_shows(headers, sign) for sign in SIGNS[kind])


def _shows(headers: Headers, sign: Sign) -> bool:
    if sign.field == "From":
        return any(sign.pattern.search(_local_part(address)) for address in addresses_in(headers, "From"))
    return any(sign.pattern.search(value) for value in headers.get_all(sign.field))


def _local_part(address: str) -> str:
    return _SEPARATORS.sub("", address.rpartition("@")[0].partition("+")[0])
