"""The pymap backend of the embedded server: one user, mailboxes in memory.

It wires up pymap's dict backend as pymap's command line does, without TLS, hashing in threads, other users
or a host name lookup for the greeting.
"""

import ssl
from argparse import Namespace
from collections.abc import Sequence

from pymap.backend.dict import Config, DictBackend, Login
from pymap.backend.dict import mailbox as dict_mailbox
from pymap.backend.dict.filter import FilterSet
from pymap.concurrent import Subsystem
from pymap.parsing.message import AppendMessage
from pymap.parsing.specials.flag import Flag
from pymap.user import Passwords, UserMetadata
from pysasl.hashing import BuiltinHash
from typing_extensions import override

from mailmcp.demo.mailbox import SampleMailbox
from mailmcp.demo.message import EmbeddedMessage

# pymap has no other way to say what a message in a mailbox of this backend is.
dict_mailbox.LoadedMessage = EmbeddedMessage  # type: ignore[misc]


async def make_backend(*, user: str, password: str, mailboxes: Sequence[SampleMailbox]) -> DictBackend:
    """Make a backend with one user, and fill the user's mailboxes.

    INBOX always exists (RFC 9051 section 5.1), empty if there is no mailbox with that name.
    """
    # What pymap's command line would parse: no TLS, one user, no sample data of pymap's own.
    arguments = Namespace(
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
    config = EmbeddedConfig.from_args(
        arguments,
        # One round keeps logins fast. The password is made for one run and dies with it.
        hash_context=BuiltinHash(rounds=1),
        # Hash in the loop's own thread: pymap never joins its thread pool.
        cpu_subsystem=Subsystem.for_asyncio(),
        # Unused, but without it pymap reads CERT_FILE and KEY_FILE from the environment.
        ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER),
    )
    config.apply_context()
    mailbox_set = dict_mailbox.MailboxSet()
    for mailbox in mailboxes:
        if mailbox.name.upper() != "INBOX":
            await mailbox_set.add_mailbox(mailbox.name)
        data = await mailbox_set.get_mailbox(mailbox.name)
        for message in mailbox.messages:
            flags = frozenset(Flag(flag.encode("ascii")) for flag in message.flags)
            await data.append(AppendMessage(message.octets, message.internal_date, flags))
    config.set_cache[user] = (mailbox_set, FilterSet())
    login = Login(config)
    digest = await Passwords(config).hash_password(password)
    await login.demo_user_identity.set(UserMetadata(config, user, password=digest))
    return DictBackend(login, config)


class EmbeddedConfig(Config):
    """pymap's settings, independent of the machine."""

    @property
    @override
    def greeting(self) -> bytes:
        # pymap looks up this machine's full name for its own, which takes seconds where DNS is broken.
        return b"mailmcp embedded mailbox ready"
