"""The Message-IDs of listed messages, to find a message again that has moved since.

Only the latest ones are kept, for as long as the process lives. Losing one only costs a better next
action. Only the event loop touches the cache.
"""

from collections import OrderedDict

from mailmcp import limits


class MessageIdCache:
    """Message-ID headers by message id; the least recently listed are dropped first."""

    def __init__(self, *, entries: int = limits.MESSAGE_ID_CACHE_ENTRIES) -> None:
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
