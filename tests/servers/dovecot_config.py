"""The configuration of the tests' Dovecot 2.3, each line with its reason."""

import grp
import os
import pwd
from base64 import b64encode
from pathlib import Path

PASSWORD = "fake-password"


_TEMPLATE = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log

protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <{folder}/server.pem
ssl_key = <{folder}/server.key

mail_max_userip_connections = 20
disable_plaintext_auth = no
auth_mechanisms = plain login{token_mechanisms}

# A refused login is answered at once. The second passdb is asked only when the
# first refused, and only its refusal can say that there is no delay.
auth_failure_delay = 0
{token_passdb}passdb {{
  driver = static
  mechanisms = plain login
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

_TOKEN_PASSDB = """passdb {{
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = {folder}/oauth2.conf.ext
}}
"""

_TOKEN_RULES = """
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={folder}/keys/
issuers = {issuer}
username_attribute = email
scope = imap
"""
"""The key is in keys/default/HS256/default: client, algorithm and key id."""

_SPECIAL_USE = ("Sent", "Drafts", "Trash", "Junk", "Archive")
"""RFC 6154; the mailboxes bear the names of their attributes."""

_MAILBOX = """
  mailbox {name} {{
    auto = create
    special_use = \\{name}
  }}
"""


def render(
    *,
    folder: Path,
    owner: pwd.struct_passwd,
    ports: tuple[int, int],
    tokens: bool,
    extra: str,
) -> str:
    """Write the configuration for a server that keeps everything in one folder.

    Args:
        folder: Holds its certificate already.
        owner: Of the mail, and of all processes unless the tests run as root.
        ports: The plain one, then the one for TLS.
        tokens: Whether it takes access tokens, besides passwords; it validates them by itself.
        extra: Lines to append.
    """
    as_root = os.getuid() == 0
    return _TEMPLATE.format(
        folder=folder,
        owner=owner,
        ports=ports,
        password=PASSWORD,
        token_mechanisms=" xoauth2 oauthbearer" if tokens else "",
        token_passdb=_TOKEN_PASSDB.format(folder=folder) if tokens else "",
        mailboxes="".join(_MAILBOX.format(name=name) for name in _SPECIAL_USE),
        # As root, Dovecot insists on its own users, each distinct; otherwise it
        # can be nobody but us, and only root may chroot.
        no_chroot="" if as_root else "chroot =",
        rootless="" if as_root else rootless(owner),
        extra=extra,
    )


def write_token_rules(issuer: str, folder: Path, *, signing_key: bytes) -> None:
    """Write what validates access tokens (JWT, HS256), beside the configuration."""
    keys = folder / "keys" / "default" / "HS256"
    keys.mkdir(parents=True)
    (keys / "default").write_bytes(b64encode(signing_key))
    (folder / "oauth2.conf.ext").write_text(_TOKEN_RULES.format(folder=folder, issuer=issuer))


def rootless(owner: pwd.struct_passwd) -> str:
    """Write who runs what, for an ordinary user."""
    group = grp.getgrgid(owner.pw_gid).gr_name
    return (
        f"default_internal_user = {owner.pw_name}\n"
        f"default_internal_group = {group}\n"
        f"default_login_user = {owner.pw_name}\n"
    )
