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
from servers.dovecot_config import PASSWORD, render, write_token_rules

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 1.0
COMMAND_TIMEOUT_S = 30.0

_MEMORY_OCTETS = 500_000_000
"""Room enough for some mailboxes of 20,000: containers often have 64 MB there."""

_PORT_TAKEN = "Address already in use"
"""What it logs if another program has taken a port that was free when it was chosen."""

MDBOX = "mail_location = mdbox:~/mdbox"
"""For `Dovecot(extra=…)`: a million messages in a few files, as large sites keep them."""


class Login(NamedTuple):
    """The credentials of a client."""

    user: str
    password: str


def find_dovecot() -> Path | None:
    """Find Dovecot, which Debian installs outside the path of ordinary users."""
    return _find("dovecot")


def _find(program: str) -> Path | None:
    found = shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))
    return Path(found) if found else None


class Dovecot:
    """A running Dovecot, for one `with` block.

    Args:
        extra: Lines for the end of its configuration.
        token_issuer: Whose access tokens it takes (`servers.authorization`); "" for nobody's.
    """

    host = "127.0.0.1"
    ca_file: Path
    plain_port: int
    """Offers STARTTLS."""

    tls_port: int
    """TLS from the first octet."""

    def __init__(self, *, extra: str = "", token_issuer: str = "") -> None:
        self._extra, self._issuer = extra, token_issuer
        # Dovecot refuses to serve mail as root.
        self._owner = pwd.getpwuid(os.getuid()) if os.getuid() else pwd.getpwnam("nobody")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            # Not pytest's folder: other users cannot enter it, and its socket paths grow too long.
            self._folder = Path(tempfile.mkdtemp(prefix="dovecot-", dir=_memory()))
            stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
            self._folder.chmod(0o711)
            homes = self._folder / "homes"
            homes.mkdir()
            os.chown(homes, self._owner.pw_uid, self._owner.pw_gid)
            if self._issuer:
                write_token_rules(self._issuer, self._folder, signing_key=SIGNING_KEY.encode())
            self.certificates = Certificates(self._folder)
            self.ca_file = self.certificates.ca_file
            # Held together while choosing, so that they differ.
            with socket.create_server((self.host, 0)) as plain, socket.create_server((self.host, 0)) as tls:
                self.plain_port, self.tls_port = plain.getsockname()[1], tls.getsockname()[1]
            (self._folder / "dovecot.conf").write_text(self._configure())
            stack.callback(self.stop)
            self.start()
            self._cleanup = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._cleanup.close()

    def _configure(self) -> str:
        return render(
            folder=self._folder,
            owner=self._owner,
            ports=(self.plain_port, self.tls_port),
            tokens=bool(self._issuer),
            extra=self._extra,
        )

    @property
    def pid(self) -> int:
        """Of the process whose children serve."""
        assert self._process is not None
        return self._process.pid

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
        """Make a mailbox of any size within seconds, before its user first logs in; return its size.

        UIDs count from 1. See `servers.filling.write_maildir` for the rest.
        """
        home = self._folder / "homes" / user
        name: bytes = imap_utf7.encode(mailbox)
        count = filling.write_maildir(home / "mail" / name.decode("ascii"), messages, flags=flags)
        self._give_away(home)
        return count

    def fill_mdbox_before_login(self, user: str, messages: Iterable[bytes]) -> int:
        """Make an INBOX of up to a million small messages likewise.

        For a server whose `mail_location` is `MDBOX`. See `servers.filling.write_mdbox` for the rest.
        """
        home = self._folder / "homes" / user
        count = filling.write_mdbox(home / "mdbox", messages)
        self._give_away(home)
        as_owner = {"user": self._owner.pw_uid, "group": self._owner.pw_gid, "extra_groups": []}
        subprocess.run(
            [_find("doveadm"), "-c", self._folder / "dovecot.conf", "force-resync", "INBOX"],
            env={"HOME": str(home), "USER": user},
            capture_output=True,
            check=True,
            **(as_owner if os.getuid() == 0 else {}),  # type: ignore[call-overload] # three fixed keywords
        )
        return count

    def _give_away(self, home: Path) -> None:
        if os.getuid() == 0:
            filling.change_owner(home, uid=self._owner.pw_uid, gid=self._owner.pw_gid)

    def start(self) -> None:
        """Start, and return once logins are answered; after `stop` the ports stay the same.

        Raises:
            RuntimeError: It does not start; the message holds its log.
        """
        deadline = time.monotonic() + START_TIMEOUT_S
        process, log_read = self._spawn()
        while not self._answers():
            try:
                process.wait(timeout=0.01)
            except subprocess.TimeoutExpired:
                if time.monotonic() < deadline:
                    continue
            log = self.log()
            self.stop()
            if _PORT_TAKEN not in log[log_read:] or time.monotonic() >= deadline:
                raise RuntimeError(f"Dovecot does not start:\n{log}")
            process, log_read = self._spawn()  # another program's connection has the port for a moment

    def _spawn(self) -> tuple[subprocess.Popen[bytes], int]:
        """Start the process; return it, and how long the log was before."""
        binary = find_dovecot()
        if binary is None:
            raise RuntimeError("Dovecot is not installed")
        with (self._folder / "dovecot.log").open("ab") as log:
            # A group of its own: one signal reaches it and its children, and nothing else.
            self._process = process = subprocess.Popen(
                [binary, "-F", "-c", self._folder / "dovecot.conf"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            return process, log.tell()

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
