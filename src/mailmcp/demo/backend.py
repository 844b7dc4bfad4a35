"""The pymap backend of the embedded server: one user, mailboxes in memory.

It wires up pymap's dict backend as pymap's command line does, without TLS, hashing in threads, other users
or a host name lookup for the greeting. Mailboxes are corrected where pymap would mislead a client:

* Special use (RFC 6154), which pymap lacks.
* UIDVALIDITY that only grows (RFC 9051 section 2.3.1.1). pymap draws half of it at random.
* A session whose mailbox is deleted gets BYE. pymap would go on by name, in whatever mailbox is created next
  with that name, under the old UIDVALIDITY.
"""

import ssl
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pymap.backend.dict import Config, DictBackend, Login
from pymap.backend.dict.filter import FilterSet
from pymap.backend.dict.mailbox import MailboxData, MailboxSet, Message
from pymap.concurrent import Subsystem
from pymap.config import BackendCapability
from pymap.exceptions import ResponseError
from pymap.listtree import ListEntry, ListTree
from pymap.mailbox import MailboxSnapshot
from pymap.parsing.message import AppendMessage
from pymap.parsing.response import Response, ResponseBye
from pymap.parsing.specials import ObjectId
from pymap.parsing.specials.flag import Flag
from pymap.selected import SelectedSet
from pymap.user import Passwords, UserMetadata
from pysasl.hashing import BuiltinHash
from typing_extensions import override

from mailmcp.demo.mailbox import SampleMailbox
from mailmcp.demo.message import EmbeddedMessage

_DELETED: Final = "\0deleted"
"""Replaces a deleted mailbox's name in the sessions that had it open; no mailbox can have this name."""


async def make_backend(*, user: str, password: str, mailboxes: Sequence[SampleMailbox]) -> DictBackend:
    """Make a backend with one user, and fill the user's mailboxes.

    INBOX always exists (RFC 9051 section 5.1), empty if there is no mailbox with that name.
    """
    config = EmbeddedConfig.from_args(
        _arguments(user, password),
        # One round keeps logins fast. The password is made for one run and dies with it.
        hash_context=BuiltinHash(rounds=1),
        # Hash in the loop's own thread: pymap never joins its thread pool.
        cpu_subsystem=Subsystem.for_asyncio(),
        # Unused, but without it pymap reads CERT_FILE and KEY_FILE from the environment.
        ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER),
    )
    config.special_use = any(mailbox.special_use for mailbox in mailboxes)
    config.apply_context()
    config.set_cache[user] = (await _fill(mailboxes), FilterSet())
    login = Login(config)
    digest = await Passwords(config).hash_password(password)
    await login.demo_user_identity.set(UserMetadata(config, user, password=digest))
    return DictBackend(login, config)


async def _fill(mailboxes: Sequence[SampleMailbox]) -> "EmbeddedMailboxSet":
    uses = {mailbox.name: mailbox.special_use for mailbox in mailboxes if mailbox.special_use}
    mailbox_set = EmbeddedMailboxSet(uses)
    for mailbox in mailboxes:
        if mailbox.name.upper() != "INBOX":
            await mailbox_set.add_mailbox(mailbox.name)
        data = await mailbox_set.get_mailbox(mailbox.name)
        for message in mailbox.messages:
            flags = frozenset(Flag(flag.encode("ascii")) for flag in message.flags)
            await data.append(AppendMessage(message.octets, message.internal_date, flags))
    return mailbox_set


def _arguments(user: str, password: str) -> Namespace:
    """Return what pymap's command line would parse: no TLS, one user, no sample data of pymap's own."""
    return Namespace(
        host=None,
        port=0,
        debug=False,
        cert=None,
        key=None,
        tls=False,
        passlib_cfg=None,
        proxy_protocol=None,
        demo_data=False,
        demo_user=user,
        demo_password=password,
    )


class EmbeddedConfig(Config):
    """pymap's settings, independent of the machine."""

    special_use = False
    """Whether some mailbox has a special use, so that the capability is advertised."""

    @property
    @override
    def greeting(self) -> bytes:
        # pymap looks up this machine's full name for its own, which takes seconds where DNS is broken.
        return b"mailmcp embedded mailbox ready"

    @property
    @override
    def backend_capability(self) -> BackendCapability:
        custom = [b"SPECIAL-USE"] if self.special_use else []
        return BackendCapability(idle=True, object_id=True, multi_append=True, custom=custom)


class MailboxDeletedError(ResponseError):
    """The open mailbox was deleted. The session ends, as in Dovecot."""

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
        if isinstance(deleted, _EmbeddedMailbox):
            deleted.open_in.end_all()

    def _new_mailbox(self) -> "_EmbeddedMailbox":
        self._uid_validity = max(self._uid_validity + 1, MailboxSnapshot.new_uid_validity())
        return _EmbeddedMailbox(self, self._uid_validity)


class _EmbeddedMailbox(MailboxData):
    """One mailbox, whose messages are `EmbeddedMessage`."""

    def __init__(self, owner: EmbeddedMailboxSet, uid_validity: int) -> None:
        super().__init__(owner._content_cache, owner._thread_cache)  # noqa: SLF001  # pymap shares them so
        self._uid_validity = uid_validity
        self._selected_set = self.open_in = _Sessions()
        self._messages: dict[int, Message] = _Messages()


class _Messages(dict[int, Message]):
    """Messages by UID. Makes an `EmbeddedMessage` of each that is appended, copied or moved here."""

    @override
    def __setitem__(self, uid: int, message: Message) -> None:
        super().__setitem__(uid, EmbeddedMessage.copy(message, recent=message.recent))


class _Sessions(SelectedSet):
    """The sessions that have a mailbox open."""

    def end_all(self) -> None:
        """End each session at its next command."""
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
