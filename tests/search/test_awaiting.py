"""Mail that awaits a reply, in random mail of two accounts, against an oracle that reads every message."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import DEFAULTS
from search.correspondence import OWN, PEOPLE, Oracle, make_correspondence
from search.walking import walk
from servers.dovecot import Dovecot
from servers.embedded import Pymap
from thinning import thin
from tools.desk import Desk
from tools.stores import dovecot_store, pymap_store

SERVERS = [*(f"dovecot-{seed}" for seed in range(4)), "pymap-0"]
"""With a seed each. To fill pymap takes seven seconds, and it has fewer ways to be asked."""

_OWNERS = {name: Owner(addresses=(address,)) for name, address in OWN.items()}


@pytest.fixture
def correspondence(request: pytest.FixtureRequest, dovecot: Dovecot) -> Iterator[tuple[Desk, Oracle]]:
    """Random mail of two accounts on a server; the parameter names it, and the seed."""
    server, _, seed = request.param.partition("-")
    with ExitStack() as stack:
        stores = {
            name: dovecot_store(dovecot, dovecot.user(f"awaiting-{seed}-{name}"))
            if server == "dovecot"
            else pymap_store(stack.enter_context(Pymap()))
            for name in OWN
        }
        stored = make_correspondence(int(seed))
        for each in stored:
            stores[each.account].fill(each.mailbox, [each.octets], flags=each.flags, received=each.received)
        desk = stack.enter_context(Desk([store.named(name) for name, store in stores.items()]))
        desk.preferences = replace(DEFAULTS, owners=_OWNERS)
        yield desk, Oracle(stored)


CASES: tuple[tuple[str, dict[str, object], set[str], str], ...] = (
    ("from_others", {}, {"Sent"}, ""),
    ("from_me", {}, {"INBOX"}, ""),
    ("from_others", {"mailbox": "*", "sort": "oldest"}, {"INBOX", "Sent", "Archive", "Projects"}, ""),
    ("from_me", {"mailbox": "*"}, {"INBOX", "Sent", "Archive", "Projects"}, ""),
    ("from_others", {"to": PEOPLE[0]}, {"Sent"}, PEOPLE[0]),
    ("from_me", {"from": PEOPLE[1], "mailboxes": ["INBOX", "Archive"]}, {"INBOX", "Archive"}, PEOPLE[1]),
)


@pytest.mark.parametrize("correspondence", thin(SERVERS, keep_every=5), indirect=True)
def test_what_awaits_a_reply_is_what_nobody_answered(correspondence: tuple[Desk, Oracle]) -> None:
    desk, oracle = correspondence
    doubtful = sure = 0
    for side, arguments, mailboxes, person in CASES:
        expected = oracle.awaiting(side, mailboxes, person=person)
        assert expected.certain, (side, arguments)
        for limit in (7, 100):
            pages = walk(desk, {"awaiting_reply": side, "account_id": "*", "limit": limit, **arguments})
            rows = [row for page in pages for row in page.data["messages"]]
            found = [row["header_message_id"] for row in rows]
            assert len(set(found)) == len(found)
            assert expected.certain <= set(found) <= expected.possible, (side, arguments, limit)
        sure += len(expected.certain)
        doubtful += len(expected.possible - expected.certain)
    assert doubtful < sure / 10
