"""The mailboxes of the embedded server, corrected where pymap's would mislead a client.

Special use (RFC 6154), which pymap does not have. UIDVALIDITY that only grows
(RFC 9051 section 2.3.1.1), where pymap draws half of it at random. And a session
whose mailbox is deleted hears BYE: pymap would go on by name, into whatever is
created there next, under the UIDVALIDITY of before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pymap.backend.dict.mailbox import MailboxData, MailboxSet, Message
from pymap.exceptions import ResponseError
from pymap.listtree import ListEntry, ListTree
from pymap.mailbox import MailboxSnapshot
from pymap.parsing.response import Response, ResponseBye
from pymap.parsing.specials import ObjectId
from pymap.selected import SelectedSet
from typing_extensions import override

from mailmcp.demo.message import EmbeddedMessage

_DELETED: Final = "\0deleted"
"""Stands for the name of a deleted mailbox in sessions that had it open; no mailbox can be called so."""


class MailboxDeletedError(ResponseError):
    """The mailbox a session has open is gone; the session ends, as Dovecot's do."""

    @override
    def get_response(self, tag: bytes) -> Response:
        return ResponseBye(b"The selected mailbox was deleted.")


class EmbeddedMailboxSet(MailboxSet):
    """The mailboxes of one user.

    Args:
        special_use: Attributes with their backslash, by mailbox name.
    """

    def __init__(self, special_use: Mapping[str, str]) -> None:
        super().__init__()
        self._special_use = dict(special_use)
        self._uid_validity = 0
        self._inbox = self._new_mailbox()

    @override
    async def list_mailboxes(self) -> ListTree:
        plain = await super().list_mailboxes()
        tree = _SpecialUseTree(self.delimiter, self._special_use)
        return tree.update(*(entry.name for entry in plain.list() if entry.exists))

    @override
    async def get_mailbox(self, name: str) -> MailboxData:
        if name == _DELETED:
            raise MailboxDeletedError
        return await super().get_mailbox(name)

    @override
    async def add_mailbox(self, name: str) -> ObjectId:
        async with self._set_lock.write_lock():
            if name in self._set:
                raise ValueError(name)
            self._set[name] = mailbox = self._new_mailbox()
            return mailbox.mailbox_id

    @override
    async def delete_mailbox(self, name: str) -> None:
        deleted = self._set.get(name)
        await super().delete_mailbox(name)
        if isinstance(deleted, EmbeddedMailbox):
            deleted.open_in.forget()

    def _new_mailbox(self) -> "EmbeddedMailbox":
        self._uid_validity = max(self._uid_validity + 1, MailboxSnapshot.new_uid_validity())
        return EmbeddedMailbox(self, self._uid_validity)


class EmbeddedMailbox(MailboxData):
    """One mailbox, whose messages are `EmbeddedMessage`."""

    def __init__(self, owner: EmbeddedMailboxSet, uid_validity: int) -> None:
        super().__init__(owner._content_cache, owner._thread_cache)  # noqa: SLF001  # shared by pymap's design
        self._uid_validity = uid_validity
        self._selected_set = self.open_in = _Sessions()
        self._messages: dict[int, Message] = _Messages()


class _Messages(dict[int, Message]):
    """Messages by UID; makes an `EmbeddedMessage` of each, whether appended, copied or moved here."""

    @override
    def __setitem__(self, uid: int, message: Message) -> None:
        super().__setitem__(uid, EmbeddedMessage.copy(message, recent=message.recent))


class _Sessions(SelectedSet):
    """The sessions that have a mailbox open."""

    def forget(self) -> None:
        """Make every one of them end at its next command."""
        for selected in self._set:
            selected.lookup = _DELETED


@dataclass(frozen=True)
class _SpecialUseEntry(ListEntry):
    special_use: bytes

    @property
    @override
    def attributes(self) -> Sequence[bytes]:
        return [*super().attributes, self.special_use]


class _SpecialUseTree(ListTree):
    __slots__ = ["_special_use"]

    def __init__(self, delimiter: str, special_use: Mapping[str, str]) -> None:
        super().__init__(delimiter)
        self._special_use = special_use

    @override
    def list_matching(self, ref_name: str, filter_: str) -> Iterable[ListEntry]:
        for entry in super().list_matching(ref_name, filter_):
            use = self._special_use.get(entry.name, "") if entry.exists else ""
            if use:
                # pymap writes the backslash of every attribute itself.
                attribute = use.removeprefix("\\").encode("ascii")
                yield _SpecialUseEntry(entry.name, entry.exists, entry.marked, entry.has_children, attribute)
            else:
                yield entry
