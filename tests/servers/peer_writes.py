r"""How a scripted peer changes its mailboxes, and the traps that it can set while doing so.

Traps, each as a real server does it:

- `copyuid reversed`: COPYUID names the right UIDs and pairs them wrongly (Yahoo).
- `expunge ignored`: UID EXPUNGE says OK and removes nothing (Gmail's All Mail).
- `deleted dropped`: STORE says OK and leaves out \Deleted (ACL without the right `t`).
- `store ignored`: STORE says OK and does nothing.
- `copy ignored`: COPY and MOVE likewise.
- `half moved`: MOVE moves the first half and says NO (RFC 9051 section 6.4.8 allows it).
- `read-only`: SELECT opens read-only.
- `appended unseen`: APPEND says OK and stores nothing.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from servers.peer_mailbox import PeerMailbox, PeerMessage
from servers.peer_syntax import Argument, BadCommandError, select_uids

Find = Callable[[str], PeerMailbox]

_LABELS = "X-GM-LABELS"


def store(mailbox: PeerMailbox, arguments: list[Argument], traps: Collection[str]) -> bytes:
    """Add or remove flags or labels; the lines are those of no `.SILENT`, which servers send all the same."""
    match arguments:
        case [str(uids), str(item), list(values)] if item[:1] in {"+", "-"}:
            sign, name = item[0], item[1:].removesuffix(".SILENT").upper()
        case _:
            raise BadCommandError("Arguments of STORE")
    given = {str(each) for each in values} - ({"\\Deleted"} if "deleted dropped" in traps else set())
    lines = b""
    for message in _named(mailbox, uids):
        before = message.labels if name == _LABELS else message.flags
        after = tuple(dict.fromkeys([*before, *given])) if sign == "+" else _without(before, given)
        if "store ignored" in traps:
            after = before
        if name == _LABELS:
            message.labels = after
        else:
            message.flags = after
        number = mailbox.messages.index(message) + 1
        lines += f"* {number} FETCH (UID {message.uid} FLAGS ({' '.join(message.flags)}))\r\n".encode()
    return lines


def transfer(
    mailbox: PeerMailbox, arguments: list[Argument], find: Find, traps: Collection[str], *, moves: bool
) -> tuple[bytes, str, bool]:
    """Copy or move; return the lines, COPYUID and whether it went well."""
    match arguments:
        case [str(uids), str(name)]:
            target = find(name)
        case _:
            raise BadCommandError("Arguments of COPY")
    messages = _named(mailbox, uids)
    if not messages or "copy ignored" in traps:
        return b"", "", True
    if half := moves and "half moved" in traps:
        messages = messages[: (len(messages) + 1) // 2]
    news = [_add(target, message) for message in messages]
    shown = list(reversed(news)) if "copyuid reversed" in traps else news
    olds = [message.uid for message in messages]
    copyuid = f"[COPYUID {target.uidvalidity} {_format_uids(olds)} {_format_uids(shown)}]"
    return _expunge(mailbox, messages) if moves else b"", copyuid, not half


def expunge(mailbox: PeerMailbox, arguments: list[Argument], traps: Collection[str]) -> bytes:
    """Remove those of the UIDs that are marked as deleted (RFC 4315)."""
    marked = [each for each in _named(mailbox, str(arguments[0])) if "\\Deleted" in each.flags]
    return b"" if "expunge ignored" in traps else _expunge(mailbox, marked)


def append(arguments: list[Argument], find: Find, traps: Collection[str]) -> str:
    """Store a message; return APPENDUID."""
    match arguments:
        case [str(name), list(flags), str(text)]:
            mailbox = find(name)
        case _:
            raise BadCommandError("Arguments of APPEND")
    octets = text.encode("utf-8", "surrogateescape")
    uid = mailbox.uidnext
    if "appended unseen" not in traps:
        new = PeerMessage(uid=uid, octets=octets, flags=tuple(str(each) for each in flags))
        mailbox.messages.append(new)
    return f"[APPENDUID {mailbox.uidvalidity} {uid}]"


def _named(mailbox: PeerMailbox, uids: str) -> list[PeerMessage]:
    wanted = select_uids(uids, [message.uid for message in mailbox.messages])
    return [message for message in mailbox.messages if message.uid in wanted]


def _add(mailbox: PeerMailbox, message: PeerMessage) -> int:
    uid = mailbox.uidnext
    mailbox.messages.append(replace(message, uid=uid))
    return uid


def _expunge(mailbox: PeerMailbox, messages: list[PeerMessage]) -> bytes:
    lines = b""
    for message in messages:
        number = mailbox.messages.index(message) + 1
        lines += b"* %d EXPUNGE\r\n" % number
        del mailbox.messages[number - 1]
    return lines


def _without(values: tuple[str, ...], removed: Collection[str]) -> tuple[str, ...]:
    return tuple(each for each in values if each not in removed)


def _format_uids(uids: list[int]) -> str:
    return ",".join(map(str, uids))
