"""What the embedded server tells of one message, corrected where pymap's answers are not IMAP.

pymap writes Content-Disposition as one string instead of a list, counts the
headers of a part in its size, fails on a Date that is no date, and searches the
transfer-encoded text. Octets of messages it serves as they are.
"""

from pymap.backend.dict.mailbox import LoadedMessage, Message
from pymap.mime import MessageContent
from pymap.parsing.response.fetch import BodyStructure, EnvelopeStructure
from pymap.parsing.specials import FetchRequirement
from typing_extensions import override

from mailmcp.demo.body_structure import make_body_structure
from mailmcp.demo.search_text import read_search_text


class EmbeddedMessage(Message):
    """A message in an embedded mailbox."""

    __slots__ = ()

    @override
    async def load_content(self, requirement: FetchRequirement) -> "EmbeddedLoadedMessage":
        return EmbeddedLoadedMessage(self, requirement, self._content)


class EmbeddedLoadedMessage(LoadedMessage):
    """A message with its content at hand, as FETCH and SEARCH want it."""

    @override
    def get_body_structure(self) -> BodyStructure:
        return make_body_structure(self.content, self._get_envelope_structure)

    @override
    def contains(self, value: bytes) -> bool:
        return value.decode("utf-8", "replace").casefold() in read_search_text(bytes(self.content))

    @classmethod
    @override
    def _get_envelope_structure(cls, msg: MessageContent) -> EnvelopeStructure:
        envelope = super()._get_envelope_structure(msg)
        if getattr(envelope.date, "datetime", None) is None:  # of "Date :" it makes another kind of header
            envelope.date = None
        return envelope
