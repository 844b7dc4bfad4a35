"""The pymap backend of the embedded server: one user, mailboxes in memory.

Wires pymap's dict backend the way its command line does, without the parts an
embedded server has no use for: TLS, hashing in threads, other users, name
look-ups at each greeting.
"""

import ssl
from argparse import Namespace
from collections.abc import Sequence

from pymap.backend.dict import Config, DictBackend, Login
from pymap.backend.dict.filter import FilterSet
from pymap.concurrent import Subsystem
from pymap.config import BackendCapability
from pymap.parsing.message import AppendMessage
from pymap.parsing.specials.flag import Flag
from pymap.user import Passwords, UserMetadata
from pysasl.hashing import BuiltinHash
from typing_extensions import override

from mailmcp.demo.mailbox import SampleMailbox
from mailmcp.demo.mailbox_set import EmbeddedMailboxSet


async def make_backend(*, user: str, password: str, mailboxes: Sequence[SampleMailbox]) -> DictBackend:
    """Make a backend that knows one user, whose mailboxes are filled already.

    INBOX is always there, as RFC 9051 section 5.1 asks, and takes the messages
    of the mailbox of that name if there is one.
    """
    config = EmbeddedConfig.from_args(
        _arguments(user, password),
        # One round: the password is made for one run and dies with it, and logins stay quick.
        hash_context=BuiltinHash(rounds=1),
        # Hashing in the loop's own thread: pymap's pool of threads is never joined.
        cpu_subsystem=Subsystem.for_asyncio(),
        # Never used; given so that CERT_FILE and KEY_FILE of the environment are not read.
        ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER),
    )
    config.special_use = any(mailbox.special_use for mailbox in mailboxes)
    config.apply_context()
    config.set_cache[user] = (await _fill(mailboxes), FilterSet())
    login = Login(config)
    digest = await Passwords(config).hash_password(password)
    await login.demo_user_identity.set(UserMetadata(config, user, password=digest))
    return DictBackend(login, config)


class EmbeddedConfig(Config):
    """pymap's settings, less what depends on the machine it runs on."""

    special_use = False
    """Whether some mailbox has a special use, and the capability is announced."""

    @property
    @override
    def greeting(self) -> bytes:
        # pymap's own asks the resolver for this machine's full name: seconds, where DNS is broken.
        return b"mailmcp embedded mailbox ready"

    @property
    @override
    def backend_capability(self) -> BackendCapability:
        custom = [b"SPECIAL-USE"] if self.special_use else []
        return BackendCapability(idle=True, object_id=True, multi_append=True, custom=custom)


async def _fill(mailboxes: Sequence[SampleMailbox]) -> EmbeddedMailboxSet:
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
    """Say what pymap's command line would: no TLS, one user, no sample data of its own."""
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
