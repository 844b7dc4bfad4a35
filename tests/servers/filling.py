"""Adds messages to mailboxes: over IMAP, or directly into the files of a Maildir or of an mdbox.

The first way works with any server and says which UIDs came of it; the second
is for mailboxes of tens of thousands, the third for a million, and both only
before a server has opened them.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from imapclient import IMAPClient

_BATCH = 200
"""Messages in one MULTIAPPEND (RFC 3502): enough to be fast, few enough to fail legibly."""

_MDBOX_FILE_MESSAGES = 50_000

_MAILDIR_FLAGS = {b"\\Draft": "D", b"\\Flagged": "F", b"\\Answered": "R", b"\\Seen": "S", b"\\Deleted": "T"}


def append(
    client: IMAPClient,
    mailbox: str,
    messages: Iterable[bytes],
    *,
    flags: Sequence[bytes] = (),
    received: datetime | None = None,
) -> list[int]:
    """Append messages to a mailbox, and create it if it is missing.

    Args:
        client: Logged in, to a server with MULTIAPPEND and UIDPLUS.
        mailbox: Decoded name.
        messages: Whole messages; any number, none of them empty.
        flags: Set on each of them.
        received: INTERNALDATE of each, with its zone; None for now.

    Returns:
        Their UIDs, in order.

    Raises:
        RuntimeError: The server refused them.
    """
    if not client.folder_exists(mailbox):
        client.create_folder(mailbox)
    options: dict[str, object] = {"flags": flags}
    if received is not None:
        options["date"] = received
    uids: list[int] = []
    rest = iter(messages)
    while batch := [{"msg": octets, **options} for octets in islice(rest, _BATCH)]:
        # IMAPClient leaves this one answer to be judged by its caller.
        status, data = client.multiappend(mailbox, batch)
        if status != "OK":
            raise RuntimeError(f"APPEND to {mailbox!r}: {status} {data}")
        uids.extend(_appended_uids(data[0]))
    return uids


def write_maildir(folder: Path, messages: Iterable[bytes], *, flags: Sequence[bytes] = ()) -> int:
    """Write messages as the files of a new Maildir; UIDs will follow their order, from 1.

    The names carry the sizes, so that the server need not read the files to know
    them; one is received each minute.

    Args:
        folder: The Maildir, which must not exist yet.
        messages: Whole messages with CRLF line ends.
        flags: System flags set on each of them.

    Returns:
        How many there were.
    """
    first_received = datetime(2024, 1, 1, tzinfo=UTC)
    for part in ("cur", "new", "tmp"):
        (folder / part).mkdir(parents=True)
    current = str(folder / "cur")
    letters = "".join(sorted(_MAILDIR_FLAGS[flag] for flag in flags))
    count = 0
    for count, octets in enumerate(messages, start=1):
        seconds = int((first_received + timedelta(minutes=count - 1)).timestamp())
        name = f"{current}/{seconds}.M{count:06}P1.test,S={len(octets)},W={len(octets)}:2,{letters}"
        # Path costs half as much again as the writing does, over 20,000 files.
        with open(name, "wb") as file:  # noqa: PTH123
            file.write(octets)
        os.utime(name, (seconds, seconds))
    return count


def write_mdbox(folder: Path, messages: Iterable[bytes]) -> int:
    """Write messages as the INBOX of a new mdbox, whose indexes `doveadm force-resync` then builds.

    A million take some seconds. UIDs follow the order of the messages, from 1; one is received each five
    minutes, and none has flags.

    Args:
        folder: The mdbox, which must not exist yet.
        messages: Whole messages with LF line ends.

    Returns:
        How many there were.
    """
    storage = folder / "storage"
    storage.mkdir(parents=True)
    (folder / "mailboxes" / "INBOX" / "dbox-Mails").mkdir(parents=True)
    received, step = int(datetime(2016, 1, 1, tzinfo=UTC).timestamp()), 300
    rest, count, number = iter(messages), 0, 0
    while batch := list(islice(rest, _MDBOX_FILE_MESSAGES)):
        number += 1
        with (storage / f"m.{number}").open("wb") as file:
            file.write(b"2 M1e C%x\n" % received)
            for octets in batch:
                size, virtual_size = len(octets), len(octets) + octets.count(b"\n")
                file.write(b"\x01\x02N          %016X\n%b" % (size, octets))
                file.write(b"\n\x01\x03\nR%x\nV%x\n" % (received + count * step, virtual_size))
                file.write(b"G%032x\nBINBOX\n\n" % (count + 1))
                count += 1
    return count


def change_owner(folder: Path, *, uid: int, gid: int) -> None:
    """Give a folder and its content to the user a server runs as."""
    for parent, _, files in os.walk(folder):
        os.chown(parent, uid, gid)
        for name in files:
            os.chown(f"{parent}/{name}", uid, gid)


def _appended_uids(answer: bytes) -> Iterator[int]:
    """Read the UIDs of ``[APPENDUID 38505 3955:3957] done`` (RFC 4315 section 3)."""
    code = answer[answer.index(b"[APPENDUID ") : answer.index(b"]")]
    for span in code.split(b" ")[2].split(b","):
        first, _, last = span.partition(b":")
        yield from range(int(first), int(last or first) + 1)
