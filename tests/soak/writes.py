"""Random changes of mail, each held against the truth on the server, whatever others do and whatever is cut.

A run is a world, a desk with the tools that write, and a proxy between the desk and the server. Each step
reads the truth, makes a call, and reads the truth again: what the reply says must have happened, and nothing
else, and no message may be lost or doubled.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic
from typing import Any, Final, Self
from unittest.mock import patch

from mailmcp.imap.account import Writes
from mailmcp.imap.pool import AUTH_BACKOFF_S
from mailmcp.imap.writes import look_up
from mailmcp.model.message_ref import parse_ref
from mailmcp.model.owner import Owner
from mailmcp.tools.preferences import DEFAULTS
from mcp_envelope import ConfirmationRequired, ToolError
from soak.cutting import CuttingProxy
from soak.world import Place, Seen, Truth, World, numbers
from tools.desk import Desk, Reply
from tools.stores import Store

CHANGE: Final = "imap_change_messages"
UNDO: Final = "imap_undo"
DRAFT: Final = "imap_save_draft"

FLAGS: Final = {
    "mark_read": ("\\Seen", True),
    "mark_unread": ("\\Seen", False),
    "flag": ("\\Flagged", True),
    "unflag": ("\\Flagged", False),
    "add_keywords": ("$Later", True),
    "remove_keywords": ("$Later", False),
}
MOVES: Final = {"archive": "Archive", "junk": "Junk", "not_junk": "INBOX", "trash": "Trash"}
_CUT_OF_HUNDRED: Final = 40
_SETTLE_S: Final = 0.3
"""How long a server goes on here after its client is gone."""

_REPORTED: Final = 1_000
"""Operations between two reports."""

_UNDONE: Final = 20
"""Entries that are kept for an undo."""


def place_of(message_id: str) -> Place:
    """Read an id."""
    ref = parse_ref(message_id)
    assert ref is not None
    return Place(ref.mailbox, ref.uidvalidity, ref.uid)


def expand(ids: str) -> list[str]:
    """Write out ids with ranges of UIDs."""
    head, _, ranges = ids.rpartition(":")
    edges = [each.split("-") for each in ranges.split(",")]
    return [f"{head}:{uid}" for some in edges for uid in range(int(some[0]), int(some[-1]) + 1)]


@dataclass(slots=True, kw_only=True)
class Said:
    """What a reply says of each message."""

    done: dict[Place, Place | None] = field(default_factory=dict)
    failed: set[Place] = field(default_factory=set)
    unknown: set[Place] = field(default_factory=set)
    entry_id: str = ""

    @classmethod
    def of(cls, reply: Reply) -> Self:
        """Read a reply of a tool that changes or undoes."""
        data, said = reply.data, cls()
        said.entry_id = str(data.get("entry_id") or "")
        for each in data["changed"]:
            old, _, new = each.partition(" -> ")
            olds = expand(old)
            news = [place_of(some) for some in expand(new)] if new else [None] * len(olds)
            said.done |= dict(zip(map(place_of, olds), news, strict=True))
        for issue in data["issues"]:
            about = (
                {place_of(each) for each in expand(str(issue["message_id"]))}
                if issue.get("message_id")
                else set()
            )
            (said.unknown if issue.get("outcome") == "unknown" else said.failed).update(about)
        return said


@dataclass(slots=True, kw_only=True)
class Done:
    """A change that may be undone."""

    action: str
    said: Said
    before: dict[Place, Seen]
    """The messages that are done, as they were."""


@dataclass(slots=True)
class Figures:
    """What a run came to."""

    calls: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    cut: int = 0
    """Connections."""

    interleaved: int = 0
    """Things that the second client did in the middle of a call."""

    acts: int = 0
    """Things that it did in all."""

    @property
    def operations(self) -> int:
        """Ours and the second client's."""
        return self.calls.total() + self.acts


@dataclass(slots=True)
class Clock:
    """A clock that can be put forward."""

    passed_s: float = 0.0

    def __call__(self) -> float:
        """Return seconds."""
        return monotonic() + self.passed_s


class Soak:
    """One user's mail, changed at random."""

    def __init__(self, world: World, desk: Desk, proxy: CuttingProxy, clock: Clock) -> None:
        self.world, self.desk, self.proxy, self.clock = world, desk, proxy, clock
        self.random = world.random
        self.figures = Figures()
        self._undoable: list[Done] = []
        self._touched: set[str] = set()
        self._failure: BaseException | None = None
        self._cut = 0
        """Connections that were cut before the call."""

        self._last: tuple[str, Mapping[str, Any], object] = ("", {}, None)
        """The last call: tool, arguments, what came back."""

    def run(self, operations: int, report: Callable[[int], None] = lambda _done: None) -> Figures:
        """Do so many things, and report now and then how many were done.

        The journal begins anew then: it is read in each call, and nobody else changes so much in an hour.
        """
        reported = 0
        while self.figures.operations < operations:
            if self.figures.operations - reported >= _REPORTED:
                reported = self.figures.operations
                report(reported)
                self._undoable = []
                for each in self.desk.journal_folder.glob("*.jsonl"):
                    each.unlink()
            for _ in range(self.random.randint(0, 8)):
                self.world.act()
            self.step()
            self.figures.acts = self.world.acts
        self.figures.cut = self.proxy.cut
        return self.figures

    def step(self) -> None:
        """Make one call, and check what it did."""
        before = self.world.truth()
        choices: list[Callable[[Truth], None]] = [self._change, self._undo, self._draft]
        try:
            self.random.choices(choices, weights=[6, 3, 1])[0](before)
        except (AssertionError, KeyError) as error:
            self._explain(error, before)
            raise

    def _explain(self, error: BaseException, before: Truth) -> None:
        """Add to what was wrong what there is to know of the last call."""
        after, later = self.world.truth(), self.proxy.cut - self._cut
        error.add_note(f"call: {self._last[0]} {self._last[1]}")
        error.add_note(f"reply: {self._last[2]}")
        error.add_note(f"others touched: {sorted(self._touched)}; {later} connections were cut")
        error.add_note(f"before and not now: {sorted(map(str, before.items() - after.items()))}")
        error.add_note(f"now and not before: {sorted(map(str, after.items() - before.items()))}")

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> Reply | ToolError:
        """Call a tool, and confirm what it asks for; the connection may be cut, and others may act."""
        self._touched, self._failure, self._cut = set(), None, self.proxy.cut
        self._last = (tool, arguments, None)
        self.proxy.cuts_of_hundred = _CUT_OF_HUNDRED if self.random.randrange(3) == 0 else 0
        self.proxy.before_write = self._act_in_the_middle if self.random.randrange(4) == 0 else None
        try:
            try:
                reply = self.desk.call(tool, dict(arguments))
            except ConfirmationRequired as plan:
                reply = self.desk.call(tool, {**arguments, "confirm": plan.token})
        except ToolError as error:
            self._last = (tool, arguments, error)
            if error.reason in {"login_unanswered", "backing_off"}:
                self.clock.passed_s += AUTH_BACKOFF_S  # nobody waits here
            return error
        else:
            self._last = (tool, arguments, reply.data)
            return reply
        finally:
            self.proxy.cuts_of_hundred, self.proxy.before_write = 0, None
            if self._failure:
                raise self._failure

    def _act_in_the_middle(self) -> None:
        """Change flags or places of messages in the middle of a call; these aren't checked."""
        try:
            before = self.world.truth()
            self.world.shuffle()
            after = self.world.truth()
            self.figures.interleaved += 1
            differing = before.items() ^ after.items()
            self._touched |= {seen.number for _, seen in differing}
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that runs the test
            self._failure = error

    def _change(self, before: Truth) -> None:
        mailbox = self.random.choice(self.world.mailboxes)
        there = [place for place in before if place.mailbox == mailbox]
        if not there:
            return
        action = self.random.choice([*FLAGS, *FLAGS, *MOVES, "move", "move", "copy", "delete_forever"])
        arguments: dict[str, Any] = {"action": action}
        if action in {"add_keywords", "remove_keywords"}:
            arguments["keywords"] = ["$Later"]
        if action in {"move", "copy"}:
            arguments["mailbox"] = self.random.choice(self.world.mailboxes)
        if self.random.randrange(12) == 0:
            targets = there
            arguments["search"] = {"mailbox": mailbox}
        else:
            targets = self.random.sample(there, min(self.random.randint(1, 12), len(there)))
            arguments["message_ids"] = [each.message_id for each in targets]
        reply = self._call(CHANGE, arguments)
        self.figures.calls[action] += 1
        after = self.world.truth()
        if isinstance(reply, ToolError):
            self.figures.outcomes[f"{action}: {reply.reason}"] += 1
            self._check_untouched(before, after, {})
            assert numbers(after) == numbers(before)
            return
        said = Said.of(reply)
        self._count(action, said)
        self._check(action, said, before, after)
        if said.entry_id:
            self._keep(action, said, {place: before[place] for place in said.done})

    def _keep(self, action: str, said: Said, before: dict[Place, Seen]) -> None:
        """Keep a change, to be undone perhaps."""
        self._undoable = [*self._undoable, Done(action=action, said=said, before=before)][-_UNDONE:]

    def _check(self, action: str, said: Said, before: Truth, after: Truth) -> None:
        """Check that what a reply says has happened, and nothing else."""
        for old, new in said.done.items():
            seen = before[old]
            if seen.number in self._touched:  # drafts have no numbers, so one stands for all
                continue
            if action in FLAGS:
                flag, is_set = FLAGS[action]
                assert (flag in after[old].flags) is is_set, (action, old)
                differing = after[old].flags ^ seen.flags
                assert differing <= {flag}, (action, old, seen.flags, after[old].flags)
                continue
            assert new is not None or action == "delete_forever", (action, old)
            assert new is None or after[new] == seen, (action, old, new)
            assert (old in after) is (action == "copy"), (
                f"{action}: {old} is there {after.get(old)}, now {self.world.truth().get(old)}; "
                f"{self.proxy.cut - self._cut} connections were cut"
            )
        for old in said.failed & before.keys():
            assert after.get(old) == before[old] or before[old].number in self._touched, (action, old)
        change = said.done.keys() | said.unknown
        self._check_untouched(before, after, dict.fromkeys([*change, *filter(None, said.done.values())]))
        made, gone = self._made_and_gone(action, said, before)
        unsure = Counter(before[each].number for each in said.unknown & before.keys())
        if action == "delete_forever":  # others may have moved it before, so that it has left its mailbox
            unsure += Counter(self._touched)
        difference = numbers(after)
        difference.subtract(numbers(before) + made)
        difference.update(gone)
        for number, count in difference.items():
            assert abs(count) <= unsure[number], f"{action}: message {number} is lost or doubled"
            if action not in {"copy", "delete_forever"}:
                assert count >= 0, f"{action}: message {number} is lost"

    @staticmethod
    def _made_and_gone(action: str, said: Said, before: Truth) -> tuple[Counter[str], Counter[str]]:
        done = Counter(before[each].number for each in said.done if before[each].number)
        return (
            done if action == "copy" else Counter(),
            done if action == "delete_forever" else Counter(),
        )

    def _check_untouched(self, before: Truth, after: Truth, changed: Mapping[Place, object]) -> None:
        """Check that all other messages are where and as they were.

        Marks of a deletion that was interrupted may be taken off.
        """
        for place, seen in before.items():
            if place not in changed and seen.number not in self._touched:
                unmarked = replace(seen, flags=seen.flags - {"\\Deleted"})
                assert after.get(place) in {seen, unmarked}, f"{place} wasn't to be changed"

    def _undo(self, before: Truth) -> None:
        if not self._undoable:
            return
        done = self._undoable.pop(self.random.randrange(len(self._undoable)))
        reply = self._call(UNDO, {"entry_id": done.said.entry_id})
        self.figures.calls["undo"] += 1
        after = self.world.truth()
        if isinstance(reply, ToolError):
            self.figures.outcomes[f"undo {done.action}: {reply.reason}"] += 1
            self._check_untouched(before, after, {})
            assert numbers(after) == numbers(before)
            return
        said = Said.of(reply)
        self._count(f"undo {done.action}", said)
        was = {new or old: (old, done.before[old]) for old, new in done.said.done.items()}
        for place, new in said.done.items():
            old, seen = was[place]
            if seen.number in self._touched:  # drafts have no numbers, so one stands for all
                continue
            if done.action in FLAGS:
                flag, _ = FLAGS[done.action]
                assert (flag in after[place].flags) is (flag in seen.flags), (done.action, place)
            elif done.action in {"copy", "draft"}:
                assert new is not None
                assert new.mailbox == "Trash", place
            else:
                assert new is not None
                assert new.mailbox == old.mailbox, place
                assert after[new].number == seen.number
        change = said.done.keys() | said.unknown
        self._check_untouched(before, after, dict.fromkeys([*change, *filter(None, said.done.values())]))
        difference = numbers(after)
        difference.subtract(numbers(before))
        unsure = Counter(before[each].number for each in said.unknown & before.keys())
        for number, count in difference.items():
            assert 0 <= count <= unsure[number], f"undo: message {number} is lost or doubled"

    def _draft(self, before: Truth) -> None:
        reply = self._call(DRAFT, {"to": ["ann@example.org"], "subject": "Draft", "body": "Text"})
        self.figures.calls["draft"] += 1
        after = self.world.truth()
        new = after.keys() - before.keys()
        made = {place for place in new if place.mailbox == "Drafts" and not after[place].number}
        if isinstance(reply, ToolError):
            self.figures.outcomes[f"draft: {reply.reason}"] += 1
            assert len(made) <= 1
        else:
            saved = place_of(reply.data["message_id"])
            assert saved in made
            assert made == {saved} or after[saved].number in self._touched  # others may move drafts
            self.figures.outcomes["draft: done"] += 1
            said = Said(done=dict.fromkeys(made), entry_id=reply.data["entry_id"])
            self._keep("draft", said, {each: after[each] for each in made})
        self._check_untouched(before, after, {})
        assert numbers(after) == numbers(before)

    def _count(self, action: str, said: Said) -> None:
        for name in ("done", "failed", "unknown"):
            if some := getattr(said, name):
                self.figures.outcomes[f"{action}: {name}"] += len(some)


@contextmanager
def opened_soak(store: Store, seed: int) -> Iterator[Soak]:
    """Open a soak of a user's empty store."""
    random = Random(seed)  # noqa: S311 - a test, not a secret
    with ExitStack() as stack:
        stack.enter_context(patch.object(look_up, "SETTLE_S", _SETTLE_S))
        proxy = stack.enter_context(CuttingProxy(store.account.host, store.account.port, random))
        account = replace(
            store.account,
            port=proxy.port,
            writes=Writes.ALL,
            writes_per_hour=10**9,
            special_uses={f: f"\\{f}" for f in ("Archive", "Trash", "Junk", "Drafts")},
        )
        world = stack.enter_context(World.opened(store, random))
        clock = Clock()
        desk = stack.enter_context(Desk([account], clock=clock))
        desk.preferences = replace(DEFAULTS, owners={"work": Owner(addresses=("owner@example.org",))})
        yield Soak(world, desk, proxy, clock)
