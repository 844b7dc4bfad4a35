"""The journal: lines that several processes write, and that any one of them may leave unfinished."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from mailmcp.imap.writes.values import Action, Fate, Known, Order, Prepared, Result
from mailmcp.reasons import Reason
from mailmcp.tools.journal import COUNTED, Carried, Entry, Journal
from mailmcp.tools.journal_files import JournalFiles
from mcp_envelope import DeadlineError, InternalError

TESTS = Path(__file__).parents[2]
NOW = datetime(2026, 11, 5, 12, tzinfo=UTC)


def start(*arguments: object) -> "subprocess.Popen[bytes]":
    """Start a program of `changing`."""
    program = Path(__file__).with_name("changing.py")
    return subprocess.Popen(
        [sys.executable, program, *map(str, arguments)], env={**os.environ, "PYTHONPATH": str(TESTS)}
    )


def begin(journal: Journal, account_id: str = "work", **others: Any) -> str:
    about = {"tool": "t", "action": "move", "account_id": account_id, "request_id": "r", **others}
    entry = Entry(time=journal.clock().replace(microsecond=0), **about)
    journal.begin(entry)
    return entry.entry_id


def prepared(*uids: int, account_id: str = "work") -> Prepared:
    order = Order(action=Action.MOVE, account_id=account_id, mailbox="Grüße", uids=uids, target="Work")
    return Prepared(order=order, uidvalidity=7, before={uid: Known() for uid in uids}, target_uidvalidity=8)


def done(*uids: int, number: int = 0) -> Carried:
    results = tuple(Result(uid=uid, fate=Fate.DONE, new_uid=uid + 100) for uid in uids)
    return Carried(prepared=prepared(*uids), number=number, results=results)


def test_what_is_written_is_read_and_the_message_of_a_draft_stays_out(tmp_path: Path) -> None:
    journal = Journal(store=JournalFiles(folder=tmp_path))
    entry_id = begin(journal, undoes="w1", read=("imap:work:INBOX:1:2",))
    known = Known(flags=("\\Seen", "$x"), labels=("ö",), header_message_id="a@b", email_id="M1")
    move = replace(prepared(3, 5), before={3: known, 5: Known()}, target_uidnext=9)
    draft = Order(action=Action.APPEND, account_id="work", mailbox="Drafts", octets=b"\xff", add=("\\Draft",))
    journal.add_order(entry_id, 0, move)
    journal.add_order(entry_id, 1, Prepared(order=draft, uidvalidity=1))
    error = InternalError("Somebody's words", reason=Reason.SERVER_REFUSED)
    results = (
        Result(uid=3, fate=Fate.DONE, new_uid=9),
        Result(uid=5, fate=Fate.FAILED, error=error),
    )
    journal.add_results(entry_id, Carried(prepared=move, results=results, looked_up=True))
    [entry] = Journal(store=JournalFiles(folder=tmp_path)).read().entries
    assert (entry.entry_id, entry.undoes, entry.read) == (entry_id, "w1", ("imap:work:INBOX:1:2",))
    assert entry.carried == (
        Carried(prepared=move, results=(results[0], replace(results[1], error=None)), looked_up=True),
        Carried(prepared=Prepared(order=replace(draft, octets=b""), uidvalidity=1), number=1),
    )
    assert [each.is_open for each in entry.carried] == [False, True]
    assert "Somebody" not in (tmp_path / "journal.jsonl").read_text()


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        begin(Journal(store=JournalFiles(folder=tmp_path / "new" / "journal")))
    finally:
        os.umask(before)
    assert (tmp_path / "new" / "journal").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "new" / "journal" / "journal.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "damage", [b'{"entry":{"entry_id":"w1"', b"\xff\xfe\n", b'{"entry_id":"w1"}\n', b"[]\n"]
)
def test_a_line_that_is_torn_or_foreign_is_counted_and_harms_no_other(tmp_path: Path, damage: bytes) -> None:
    journal = Journal(store=JournalFiles(folder=tmp_path))
    first = begin(journal)
    with (tmp_path / "journal.jsonl").open("ab") as file:
        file.write(b"\n" + damage)
    second = begin(journal)
    history = journal.read()
    assert [each.entry_id for each in history.entries] == [second, first]
    assert history.unreadable == 1


def test_lines_of_several_processes_are_all_whole_while_files_change(tmp_path: Path) -> None:
    """Some entries go with older files, once those are an hour old; here none is."""
    programs = [start("write", tmp_path, 60) for _ in range(3)]
    assert [each.wait() for each in programs] == [0, 0, 0]
    history = Journal(store=JournalFiles(folder=tmp_path)).read()
    assert (len(history.entries), history.unreadable) == (180, 0)
    assert all(len(each.carried[0].results) == 39 for each in history.entries)
    assert (tmp_path / "journal.older.jsonl").exists()


def test_an_old_file_goes_once_nothing_in_it_is_of_the_last_hour(tmp_path: Path) -> None:
    journal = Journal(store=JournalFiles(folder=tmp_path, rotate_octets=1))
    ids = [begin(journal) for _ in range(3)]
    assert [each.entry_id for each in journal.read().entries] == ids[::-1]
    old = datetime.now(UTC).timestamp() - COUNTED.total_seconds() - 1
    os.utime(tmp_path / "journal.older.jsonl", (old, old))
    last = begin(journal)
    assert [each.entry_id for each in journal.read().entries] == [last, *ids[:0:-1]]


def test_results_without_their_order_are_left_out(tmp_path: Path) -> None:
    journal = Journal(store=JournalFiles(folder=tmp_path))
    entry_id = begin(journal)
    journal.add_results(entry_id, done(1))
    journal.add_order("w0", 0, prepared(1))
    [entry] = journal.read().entries
    assert entry.carried == ()


def test_the_ceiling_counts_what_was_or_may_have_been_changed_within_the_hour(tmp_path: Path) -> None:
    def at(minutes_ago: int, *, account_id: str = "work", undoes: str = "") -> Callable[[Carried], None]:
        journal = Journal(
            store=JournalFiles(folder=tmp_path), clock=lambda: NOW - timedelta(minutes=minutes_ago)
        )
        entry_id = begin(journal, account_id, undoes=undoes)

        def write(carried: Carried) -> None:
            journal.add_order(entry_id, carried.number, carried.prepared)
            if carried.results:
                journal.add_results(entry_id, carried)

        return write

    at(60)(done(1))
    at(59)(done(1, 2))
    at(5, account_id="home")(done(1))
    at(5, undoes="w1")(done(1))
    at(4)(Carried(prepared=prepared(1, 2, 3)))  # nobody knows
    failed = Result(uid=1, fate=Fate.FAILED)
    at(3)(Carried(prepared=prepared(1, 2), results=(failed, Result(uid=2, fate=Fate.UNKNOWN))))
    lately = Journal(store=JournalFiles(folder=tmp_path)).read().lately("work", NOW)
    assert [each.changed for each in lately] == [1, 3, 2]


@pytest.mark.parametrize("make", [lambda path: path.write_text(""), lambda path: path.symlink_to("/proc")])
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, make: Callable[[Path], object]) -> None:
    folder = tmp_path / "taken"
    make(folder)
    with pytest.raises(InternalError, match=f"folder {folder} can't be written") as caught:
        begin(Journal(store=JournalFiles(folder=folder)))
    assert caught.value.reason is Reason.JOURNAL_FAILED


@pytest.mark.parametrize("room", [0, 20])
def test_a_full_disk_is_an_error_and_harms_no_other_line(tmp_path: Path, room: int) -> None:
    """Where there is room for a part of a line, it is no line."""
    journal = Journal(store=JournalFiles(folder=tmp_path))
    first = begin(journal)
    size = (tmp_path / "journal.jsonl").stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, before[1]))
    try:
        with pytest.raises(InternalError, match=r"File too large|No space left"):
            begin(journal)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    last = begin(journal)
    assert [each.entry_id for each in journal.read().entries] == [last, first]


def test_one_call_at_a_time_changes_an_account(tmp_path: Path) -> None:
    journal = Journal(store=JournalFiles(folder=tmp_path))

    async def run() -> None:
        now = anyio.current_time()
        async with journal.locked("work", deadline=now), journal.locked("home", deadline=now):
            with pytest.raises(DeadlineError, match="Another call is changing mail in account work"):
                async with journal.locked("work", deadline=now):
                    pytest.fail("two at a time")
        async with journal.locked("work", deadline=now):
            pass

    anyio.run(run)
