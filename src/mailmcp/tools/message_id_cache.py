"""The Message-IDs of messages that were listed, so that one that has moved since can be looked for.

Kept for as long as the process lives, the latest ones only; losing one costs nothing but a
better next step. Only the event loop touches it.
"""

from collections import OrderedDict

from mailmcp import limits


class MessageIdCache:
    """Message-ID headers by message id, least recently listed dropped first."""

    def __init__(self, *, entries: int = limits.MESSAGE_ID_CACHE_ENTRIES) -> None:
        self._most = entries
        self._held: OrderedDict[str, str] = OrderedDict()

    def remember(self, message_id: str, header_message_id: str) -> None:
        """Keep the Message-ID of a message; "" says nothing."""
        if not header_message_id:
            return
        self._held[message_id] = header_message_id
        self._held.move_to_end(message_id)
        if len(self._held) > self._most:
            self._held.popitem(last=False)

    def header_of(self, message_id: str) -> str:
        """Give the Message-ID of a message that was listed; "" if it is not known."""
        return self._held.get(message_id, "")
