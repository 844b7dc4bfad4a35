"""A private Dovecot for the tests, on free loopback ports, in a temporary folder.

Runs as root and as an ordinary user. Every user name logs in with one fake
password and has a mail home of its own, so tests keep apart by user name.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Self

import psutil
from imapclient import IMAPClient, imap_utf7

from servers import filling
from servers.authorization import SIGNING_KEY
from servers.certificates import Certificates
from servers.dovecot_config import PASSWORD, Config, render, write_token_rules

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 1.0
COMMAND_TIMEOUT_S = 30.0

_PORT_ATTEMPTS = 3

_MEMORY_OCTETS = 500_000_000
"""Room enough for some mailboxes of 20,000: containers often have 64 MB there."""


PORT_TAKEN = "Address already in use"
"""What it logs if another program has taken a port that was free when it was chosen."""


class Login(NamedTuple):
    """The credentials of a client."""

    user: str
    password: str


MDBOX = "mail_location = mdbox:~/mdbox"
"""For `Dovecot(extra=…)`: a million messages in a few files, as large sites keep them."""


def find_dovecot() -> Path | None:
    """Find Dovecot, which Debian installs outside the path of ordinary users."""
    return _find("dovecot")


def _find(program: str) -> Path | None:
    found = shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))
    return Path(found) if found else None


class Dovecot:
    """A running Dovecot, for one `with` block.

    Args:
        mail_max_userip_connections: Most connections of one user from one address.
        disable_plaintext_auth: Advertise LOGINDISABLED on the plain port until
            STARTTLS. Dovecot does that only to clients of another address, so it
            listens on 127.0.0.2 then, which needs Linux.
        extra: Lines for the end of its configuration.
        token_issuer: Whose access tokens it takes (`servers.authorization`); "" for nobody's.
    """

    ca_file: Path
    plain_port: int
    """Offers STARTTLS."""

    tls_port: int
    """TLS from the first octet."""

    def __init__(
        self,
        *,
        mail_max_userip_connections: int = 20,
        disable_plaintext_auth: bool = False,
        extra: str = "",
        token_issuer: str = "",
    ) -> None:
        self.host = "127.0.0.2" if disable_plaintext_auth else "127.0.0.1"
        self._config = Config(
            host=self.host,
            # Dovecot refuses to serve mail as root.
            owner=pwd.getpwuid(os.getuid()) if os.getuid() else pwd.getpwnam("nobody"),
            connections=mail_max_userip_connections,
            plaintext_auth=not disable_plaintext_auth,
            extra=extra,
            token_issuer=token_issuer,
        )
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            # Not pytest's folder: other users cannot enter it, and its socket paths grow too long.
            self._folder = Path(tempfile.mkdtemp(prefix="dovecot-", dir=_memory()))
            stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
            self._prepare()
            for attempt in range(_PORT_ATTEMPTS):
                self._choose_ports()
                try:
                    self.start()
                    break
                except RuntimeError:
                    # A chosen port can be gone again by the time Dovecot takes it.
                    if attempt == _PORT_ATTEMPTS - 1 or "Address already in use" not in self.log():
                        raise
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        with self._cleanup:
            self.stop()

    def user(self, name: str) -> Login:
        """Return the login of a user, who is created by logging in."""
        return Login(name, PASSWORD)

    def fill(
        self,
        user: str,
        mailbox: str,
        messages: Iterable[bytes],
        *,
        flags: Sequence[bytes] = (),
        received: datetime | None = None,
    ) -> list[int]:
        """Append messages, as `servers.filling.append` does, and return their UIDs."""
        trusting = self.certificates.client_context()
        with IMAPClient(self.host, self.tls_port, ssl_context=trusting, timeout=COMMAND_TIMEOUT_S) as client:
            client.login(*self.user(user))
            return filling.append(client, mailbox, messages, flags=flags, received=received)

    def fill_before_login(
        self, user: str, mailbox: str, messages: Iterable[bytes], *, flags: Sequence[bytes] = ()
    ) -> int:
        """Make a mailbox of any size within seconds, before its user first logs in.

        UIDs count from 1. See `servers.filling.write_maildir` for the rest.

        Returns:
            How many messages there were.
        """
        home = self._folder / "homes" / user
        name: bytes = imap_utf7.encode(mailbox)
        count = filling.write_maildir(home / "mail" / name.decode("ascii"), messages, flags=flags)
        if os.getuid() == 0:
            filling.change_owner(home, uid=self._config.owner.pw_uid, gid=self._config.owner.pw_gid)
        return count

    def fill_mdbox_before_login(self, user: str, messages: Iterable[bytes]) -> int:
        """Make an INBOX of up to a million small messages within seconds, before its user first logs in.

        For a server whose `mail_location` is `MDBOX`. See `servers.filling.write_mdbox` for the rest.

        Returns:
            How many messages there were.

        Raises:
            RuntimeError: Dovecot doesn't accept them.
        """
        home = self._folder / "homes" / user
        count = filling.write_mdbox(home / "mdbox", messages)
        owner = self._config.owner
        if os.getuid() == 0:
            filling.change_owner(home, uid=owner.pw_uid, gid=owner.pw_gid)
        as_owner = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        resync = subprocess.run(
            [_find("doveadm"), "-c", self._folder / "dovecot.conf", "force-resync", "INBOX"],
            env={"HOME": str(home), "USER": user},
            capture_output=True,
            check=False,
            **(as_owner if os.getuid() == 0 else {}),  # type: ignore[call-overload] # three fixed keywords
        )
        if resync.returncode:
            raise RuntimeError(f"doveadm force-resync: {resync.stderr.decode(errors='replace')}")
        return count

    def start(self) -> None:
        """Start, and return once logins are answered; after `stop` the ports stay the same.

        Raises:
            RuntimeError: It does not start; the message holds its log.
        """
        process = self._spawn()
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._answers():
            try:
                process.wait(timeout=0.01)
            except subprocess.TimeoutExpired:
                if time.monotonic() < deadline:
                    continue
            log = self.log()
            self.stop()
            if PORT_TAKEN in log[self._log_read :] and time.monotonic() < deadline:
                process = self._spawn()  # another program's connection has the port for a moment
                continue
            raise RuntimeError(f"Dovecot does not start:\n{log}")

    def _spawn(self) -> subprocess.Popen[bytes]:
        binary = find_dovecot()
        if binary is None:
            raise RuntimeError("Dovecot is not installed")
        with (self._folder / "dovecot.log").open("ab") as log:
            self._log_read = len(self.log())
            # A group of its own: one signal reaches it and its children, and nothing else.
            self._process = process = subprocess.Popen(
                [binary, "-F", "-c", self._folder / "dovecot.conf"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return process

    def stop(self) -> None:
        """Stop it as Ctrl-C would: clients get BYE. Mail stays until the block ends."""
        if self._process is None:
            return
        process, self._process = self._process, None
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            children = psutil.Process(process.pid).children(recursive=True)
            os.killpg(process.pid, signal.SIGTERM)
            psutil.wait_procs(children, timeout=STOP_TIMEOUT_S)
            # All that serve clients or write mail have ended; the master would
            # take up to six seconds more to find out.
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def log(self) -> str:
        """Return its log so far."""
        return (self._folder / "dovecot.log").read_text(errors="replace")

    def _prepare(self) -> None:
        self._folder.chmod(0o711)
        homes = self._folder / "homes"
        homes.mkdir()
        os.chown(homes, self._config.owner.pw_uid, self._config.owner.pw_gid)
        if self._config.token_issuer:
            write_token_rules(self._config, self._folder, signing_key=SIGNING_KEY.encode())
        self.certificates = Certificates(self._folder)
        self.ca_file = self.certificates.ca_file

    def _choose_ports(self) -> None:
        # Held together while choosing, so that they differ.
        with socket.create_server((self.host, 0)) as plain, socket.create_server((self.host, 0)) as tls:
            self.plain_port, self.tls_port = plain.getsockname()[1], tls.getsockname()[1]
        text = render(self._config, folder=self._folder, ports=(self.plain_port, self.tls_port))
        (self._folder / "dovecot.conf").write_text(text)

    def _answers(self) -> bool:
        try:
            with socket.create_connection((self.host, self.plain_port), timeout=START_TIMEOUT_S) as client:
                return client.recv(4) == b"* OK"
        except OSError:
            return False


def _memory() -> Path | None:
    """Return a folder in memory, where 20,000 messages take a tenth of the time, or None."""
    folder = Path("/dev/shm")  # noqa: S108 - `mkdtemp` makes a name in it that nobody can guess
    if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free < _MEMORY_OCTETS:
        return None
    return folder
