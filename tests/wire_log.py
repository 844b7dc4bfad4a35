"""A plugin of pytest that logs the IMAP commands of each test, and fails a test that has no reason to write.

Only tests with a word of `WRITING` in their path may make mailmcp send a command that changes something.
Logged are all clients in this process, at their sockets, before TLS; and what a scripted peer received,
because clients in other processes use those. Clients of the tests themselves, which put mail into servers,
are other programs, and may do what they like.
"""

import imaplib
import re
from collections import Counter
from collections.abc import Generator, Iterable
from typing import Any, Final

import pytest

WRITING: Final = {"writes", "change", "draft", "undo", "soak"}
"""Words of the path of a test that is about writing."""

WRITES: Final = frozenset(
    {
        *("SELECT", "STORE", "COPY", "MOVE", "APPEND", "REPLACE", "EXPUNGE"),
        *("CREATE", "DELETE", "RENAME", "SUBSCRIBE", "UNSUBSCRIBE"),
        *("SETMETADATA", "SETACL", "DELETEACL", "SETQUOTA"),
    }
)
"""Commands that change something, or open a mailbox for it (RFC 9051, 4314, 5464, 6851, 8508, 9208).

CLOSE isn't one: it expunges only after SELECT.
"""

_PROPERTY: Final = "imap"

sent: Counter[str] = Counter()
"""Commands of this test so far."""


def note_received(name: str) -> None:
    """Note a command that a peer received, such as `UID STORE`, if it writes.

    Others are only counted where they are sent.
    """
    if (verb := name.rpartition(" ")[2]) in WRITES:
        sent[verb] += 1


def _send(wire: Any, data: Any) -> None:
    if type(wire).__module__.startswith("mailmcp."):
        commands = re.findall(rb"^%b\d+ (?:UID )?([A-Z]+)" % wire.tagpre, data, re.MULTILINE | re.IGNORECASE)
        sent.update(verb.decode().upper() for verb in commands)
    _send_unlogged(wire, data)


_send_unlogged = imaplib.IMAP4.send
imaplib.IMAP4.send = _send  # type: ignore[method-assign,assignment]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Fail a test, when all that it used has ended, if mailmcp has sent what it shouldn't."""
    try:
        yield
    finally:
        commands = dict(sorted(sent.items()))
        sent.clear()
        if commands:
            item.user_properties.append((_PROPERTY, commands))
    if written := find_forbidden(item.nodeid, commands):
        allowed = f"a path with one of the words {', '.join(sorted(WRITING))}"
        pytest.fail(f"mailmcp sent {', '.join(written)}: only tests in {allowed} may", pytrace=False)


def find_forbidden(nodeid: str, commands: Iterable[str]) -> list[str]:
    """Return which of these commands the test may not send."""
    words = set(re.split(r"[/_.]", nodeid.partition("::")[0]))
    return [] if words & WRITING else sorted(WRITES.intersection(commands))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Write the log; the workers' tests are in it, too."""
    if path := config.getoption("wire_log"):
        reports = [report for reports in terminalreporter.stats.values() for report in reports]
        lines = [
            f"{report.nodeid}\t{verb}\t{count}\n"
            for report in reports
            if getattr(report, "when", "") == "teardown"
            for name, commands in report.user_properties
            if name == _PROPERTY
            for verb, count in commands.items()
        ]
        path.write_text("".join(sorted(lines)), encoding="utf-8")
