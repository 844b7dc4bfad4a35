"""The configuration of the tests' Dovecot 2.3, each line with its reason."""

import grp
import os
import pwd
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "fake-password"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What differs between one Dovecot and another."""

    host: str
    """Address to listen on."""

    owner: pwd.struct_passwd
    """The owner of the mail, and of all processes unless the tests run as root."""

    connections: int
    """Maximum of connections of one user from one address."""

    plaintext_auth: bool
    """Whether the plain port accepts logins without STARTTLS."""

    extra: str
    """Lines to append."""


_TEMPLATE = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log

protocols = imap
listen = {host}
ssl = yes
ssl_cert = <{folder}/server.pem
ssl_key = <{folder}/server.key

mail_max_userip_connections = {connections}
disable_plaintext_auth = {disable_plaintext_auth}
auth_mechanisms = plain login

# A refused login is answered at once. The second passdb is asked only when the
# first refused, and only its refusal can say that there is no delay.
auth_failure_delay = 0
passdb {{
  driver = static
  args = password={password}
}}
passdb {{
  driver = static
  deny = yes
  args = nopassword=y nodelay=y
}}
service anvil {{
  {no_chroot}
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}

# LAYOUT=fs lets names hold dots; a folder for INBOX, that it may have children.
userdb {{
  driver = static
  args = uid={owner.pw_uid} gid={owner.pw_gid} home={folder}/homes/%u
}}
first_valid_uid = 1
mail_location = maildir:~/mail:LAYOUT=fs:INBOX=~/mail/INBOX
mail_fsync = never

namespace inbox {{
  inbox = yes
  separator = /
{mailboxes}
}}

service imap-login {{
  {no_chroot}
  # One process takes all logins, and is there before the first.
  service_count = 0
  process_min_avail = 1
  inet_listener imap {{
    port = {ports[0]}
  }}
  inet_listener imaps {{
    port = {ports[1]}
  }}
}}

{rootless}
{extra}
"""

_SPECIAL_USE = ("Sent", "Drafts", "Trash", "Junk", "Archive")
"""RFC 6154; the mailboxes bear the names of their attributes."""

_MAILBOX = """
  mailbox {name} {{
    auto = create
    special_use = \\{name}
  }}
"""


def render(config: Config, *, folder: Path, ports: tuple[int, int]) -> str:
    """Write the configuration for a server that keeps everything in one folder.

    Args:
        config: What was chosen.
        folder: Holds its certificate already.
        ports: The plain one, then the one for TLS.
    """
    as_root = os.getuid() == 0
    return _TEMPLATE.format(
        folder=folder,
        owner=config.owner,
        host=config.host,
        ports=ports,
        password=PASSWORD,
        connections=config.connections,
        disable_plaintext_auth="no" if config.plaintext_auth else "yes",
        mailboxes="".join(_MAILBOX.format(name=name) for name in _SPECIAL_USE),
        # As root, Dovecot insists on its own users, each distinct; otherwise it
        # can be nobody but us, and only root may chroot.
        no_chroot="" if as_root else "chroot =",
        rootless="" if as_root else _rootless(config.owner),
        extra=config.extra,
    )


def _rootless(owner: pwd.struct_passwd) -> str:
    group = grp.getgrgid(owner.pw_gid).gr_name
    return (
        f"default_internal_user = {owner.pw_name}\n"
        f"default_internal_group = {group}\n"
        f"default_login_user = {owner.pw_name}\n"
    )
