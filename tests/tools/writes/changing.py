"""Programs that tests start beside them, to be killed or to race: `python changing.py WHAT ARGUMENT…`."""

import sys
from functools import partial
from pathlib import Path

from mailmcp.imap.account import Writes
from mailmcp.imap.writes.values import Action, Fate, Order, Prepared, Result
from mailmcp.tools.journal import Carried, Entry, Journal
from mailmcp.tools.journal_files import JournalFiles
from servers.logins import plain_account
from tools.desk import Desk
from tools.writes.running import run


def move(folder: str, port: str, user: str, password: str) -> None:
    """Move message 1 of INBOX to Work."""
    account = plain_account("127.0.0.1", int(port), user, password, writes=Writes.ALL)
    order = Order(action=Action.MOVE, account_id="work", mailbox="INBOX", uids=(1,), target="Work")
    with Desk([account]) as desk:
        desk.journal = Journal(store=JournalFiles(folder=Path(folder)))
        desk.run(partial(run, orders=[order]))


def write(folder: str, count: str) -> None:
    """Write entries with an order and a result each."""
    journal = Journal(store=JournalFiles(folder=Path(folder), rotate_octets=20_000))
    uids = tuple(range(1, 40))
    order = Order(action=Action.MOVE, account_id="work", mailbox="INBOX", uids=uids, target="Work")
    prepared = Prepared(order=order, uidvalidity=1, target_uidvalidity=2)
    results = tuple(Result(uid=uid, fate=Fate.DONE, new_uid=uid) for uid in uids)
    for _ in range(int(count)):
        entry = Entry(time=journal.clock(), tool="t", action="move", account_id="work", request_id="r")
        journal.begin(entry)
        journal.add_order(entry.entry_id, 0, prepared)
        journal.add_results(entry.entry_id, Carried(prepared=prepared, results=results))


if __name__ == "__main__":
    if sys.argv[1] == "move":
        move(*sys.argv[2:])
    else:
        write(*sys.argv[2:])
