"""Message ids as models send them, and the Message-IDs by which messages that have moved are found again."""

import re
from collections import OrderedDict
from typing import Final

from mailmcp.model.message_ref import MessageRef, parse_ref
from mailmcp.model.resource_uri import parse_resource_uri
from mailmcp.reasons import Reason
from mailmcp.tools.errors import search_for
from mcp_envelope import InvalidInputError

MESSAGE_ID_CACHE_ENTRIES: Final = 5_000
"""Remembered Message-IDs of listed messages: half a megabyte, and more than a session lists."""

_QUOTES = " \t`'\"<>“”"
_HEADER = re.compile(r"(?!imap:)[!#-;=?A-_a-~]{1,250}@[!#-;=?A-_a-~]{1,250}")
"""A Message-ID without its angle brackets, strict enough to be nothing else: printable ASCII with one @."""


def is_message_id(text: str) -> bool:
    """Return whether a text is a message id or the URI of a message."""
    return _read(text) is not None


def is_header_id(text: str) -> bool:
    """Return whether a text is a Message-ID: one word of printable ASCII, without its angle brackets."""
    return _HEADER.fullmatch(text) is not None


def parse_message_id(text: str, *, argument: str = "message_id") -> MessageRef:
    """Read an id, or the URI of the message or of something in it; quotes around it don't matter.

    Raises:
        InvalidInputError: With reason `malformed_id`, of the argument.
    """
    ref = _read(text)
    if ref is not None:
        return ref
    bare = text.strip(_QUOTES)
    if is_header_id(bare):
        raise InvalidInputError.of(
            argument,
            Reason.MALFORMED_ID,
            "is a Message-ID header, not a message_id. Search for it by header_message_id.",
            next_action=search_for("*", bare),
        )
    raise InvalidInputError.of(
        argument,
        Reason.MALFORMED_ID,
        "is not a message id. Send a message_id as imap_search_messages returns it, "
        "of the form imap:{account_id}:{mailbox}:{uidvalidity}:{uid}.",
    )


def _read(text: str) -> MessageRef | None:
    bare = text.strip(_QUOTES)
    if not bare.startswith("imap://"):
        return parse_ref(bare)
    try:
        return parse_resource_uri(bare).ref
    except InvalidInputError:
        return None


class MessageIdCache:
    """The Message-IDs of the messages listed last, to find a message again that has moved since.

    Losing one only costs a better next action. Only the event loop touches the cache.
    """

    def __init__(self, *, entries: int = MESSAGE_ID_CACHE_ENTRIES) -> None:
        self._limit = entries
        self._headers: OrderedDict[str, str] = OrderedDict()

    def remember(self, message_id: str, header_message_id: str) -> None:
        """Remember the Message-ID of a message, unless it is ""."""
        if not header_message_id:
            return
        self._headers[message_id] = header_message_id
        self._headers.move_to_end(message_id)
        if len(self._headers) > self._limit:
            self._headers.popitem(last=False)

    def header_of(self, message_id: str) -> str:
        """Return the Message-ID of a listed message; "" if it is unknown."""
        return self._headers.get(message_id, "")
