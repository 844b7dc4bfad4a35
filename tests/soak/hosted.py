"""An organisation at work: many users on two replicas behind a proxy, while things fail.

Each user reads, changes and drafts mail at random, in a mailbox whose every message has their secret word.
Meanwhile replicas are killed or ended and start again, the keys of the tokens change, and Valkey crashes.
Nobody may ever see another's word, no page may lose or double a message, and nothing is written twice: what
was said to be done is there once, what was refused isn't, and what got no answer is there once or not at all.
"""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

import anyio
import httpx2
from anyio import to_thread
from imapclient import IMAPClient

from hosted.organisation import MASTER, MASTER_PASSWORD, Organisation, replica, write_settings
from hosted.raw import Answer, LostError, call
from servers.dovecot import Dovecot
from servers.dovecot_config import PASSWORD
from servers.http_process import HttpProcess
from servers.nginx import Nginx, free_ports
from servers.valkey import Valkey

CHANGE: Final = "imap_change_messages"
MESSAGES: Final = 12
PAGE: Final = 5
CALL_TIMEOUT_S: Final = 15
REQUEST_TIMEOUT_S: Final = 60.0
ATTEMPTS: Final = 20
CALLS_PER_S: Final = 50
"""Of all users together, which two cores can do besides the rest."""

PAUSE_S: Final = 0.3
"""Before a request that got no answer is sent again."""

DOVECOT: Final = MASTER + "service imap {\n  process_limit = 2000\n}\n"
ACCOUNT: Final = (
    f'password = "{MASTER_PASSWORD}"\nwrites = "all"\nmax_sessions = 2\n'
    f"[server]\ncall_timeout_s = {CALL_TIMEOUT_S}\n"
)
REFUSALS: Final = {
    "internal/journal_failed": "Valkey is away",
    "timeout/deadline": "the journal is locked by a call of a replica that was killed",
    "conflict/confirmation_used": "the same confirmation was sent twice",
    "conflict/plan_changed": "after the first of two calls was done",
}
_WORD: Final = re.compile(r"word\d{6}")


def word_of(user: int) -> str:
    """Return what only this user may see."""
    return f"word{(user + 1) * 7919 % 1_000_000:06d}"


@dataclass(slots=True)
class Figures:
    """What a run came to."""

    calls: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    """Requests without an answer, by the kind of tool."""

    done: Counter[str] = field(default_factory=Counter)
    """Writes."""

    read_meanwhile: int = 0
    """Reads that were answered while Valkey was away."""

    events: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Bounds:
    """How many of something there must be, and how many there may be."""

    least: int = 0
    most: int = 0


class Person:
    """A user, and what they know of their mail."""

    def __init__(self, number: int, seed: int, office: "Office") -> None:
        self.name, self.word, self.office = f"user{number}@example.com", word_of(number), office
        self.random = Random(seed * 1_000 + number)  # noqa: S311 - a test, not a secret
        self._token, self._token_calls = "", 0
        self._state = ""
        self._entry_id = ""
        self._writes: list[str] = []
        """What was written, and what came of it, for a failure."""

        self.unmoved = [f"{self.word} work {each:02}" for each in range(MESSAGES)]
        """Subjects in Work that nobody tried to move yet."""

        self.there: dict[tuple[str, str], Bounds] = {}
        """By mailbox and subject; copies count in Sent, from where undoing takes them to Trash."""

        self.undone = Bounds()
        """How many of them are in Trash."""

    async def work(self, until: float) -> None:
        """Do something now and then, until a time of the event loop's clock."""
        doings: list[Callable[[], Awaitable[None]]] = [
            *(self.read_pages, self.read_pages, self.read_message, self.list_mailboxes, self.see_changes),
            *(self.flag, self.move, self.copy, self.copy_by_search, self.draft, self.undo),
        ]
        while anyio.current_time() < until:
            await self.random.choice(doings)()
            await anyio.sleep(self.random.uniform(0, 2 * self.office.think_s))

    async def read_pages(self) -> None:
        """Read INBOX in pages: all messages are there once, in order."""
        subjects: list[str] = []
        arguments: Mapping[str, Any] | None = {"mailbox": "INBOX", "limit": PAGE}
        while arguments is not None:
            data = (await self.read("imap_search_messages", arguments)).data
            subjects += [row["subject"] for row in data["messages"]]
            following = data["next_action"]["arguments"] if "next_action" in data else {}
            arguments = following if "cursor" in following else None
        assert subjects == [f"{self.word} {each:02}" for each in reversed(range(MESSAGES))], self.name

    async def read_message(self) -> None:
        """Read a message."""
        answer = await self.read("imap_get_message", {"message_id": await self._find("INBOX", "")})
        assert f"Text of {self.word}" in answer.text

    async def list_mailboxes(self) -> None:
        """List the mailboxes."""
        data = (await self.read("imap_list_mailboxes", {})).data
        assert {"INBOX", "Work", "Sent"} <= {each["name"] for each in data["mailboxes"]}

    async def see_changes(self) -> None:
        """Ask what has changed in INBOX since the last time: flags alone."""
        data = (await self.read("imap_get_changes", {"since": self._state or None, "mailbox": "INBOX"})).data
        assert data.get("created", []) + data.get("gone", []) == [], data
        self._state = data["new_state"]

    async def flag(self) -> None:
        """Flag a message of INBOX, or unflag it."""
        action = self.random.choice(["flag", "unflag"])
        await self.write(CHANGE, {"action": action, "message_ids": [await self._find("INBOX", "")]})

    async def move(self) -> None:
        """Move a message from Work to Archive; each only once."""
        if not self.unmoved:
            return
        subject = self.unmoved.pop(self.random.randrange(len(self.unmoved)))
        ids = [await self._find("Work", subject)]
        done = await self.write(CHANGE, {"action": "move", "mailbox": "Archive", "message_ids": ids})
        self.there["Archive", subject] = Bounds(done is True, done is not False)
        self.there["Work", subject] = Bounds(done is False, done is not True)

    async def copy(self) -> None:
        """Copy a message of INBOX to Sent."""
        subject = f"{self.word} {self.random.randrange(MESSAGES):02}"
        ids = [await self._find("INBOX", subject)]
        self._count(
            subject, await self.write(CHANGE, {"action": "copy", "mailbox": "Sent", "message_ids": ids})
        )

    async def copy_by_search(self) -> None:
        """Copy one by a search; the plan is confirmed by two calls at once, of which one may do it."""
        subject = f"{self.word} {self.random.randrange(MESSAGES):02}"
        arguments: dict[str, Any] = {"action": "copy", "mailbox": "Sent"}
        arguments["search"] = {"mailbox": "INBOX", "subject": subject}
        try:
            plan = await self._call(CHANGE, arguments)
        except LostError:
            return
        if not plan.reason.endswith("/confirmation_required"):
            assert plan.reason in REFUSALS, plan.text
            self.office.figures.refused[plan.reason] += 1
            return
        arguments |= plan.envelope["error"]["next_action"]["arguments"]
        outcomes: list[bool | None] = []

        async def confirm() -> None:
            self._token_calls = 0  # another token may lead to another replica
            outcomes.append(await self.write(CHANGE, arguments))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(confirm)
            tasks.start_soon(confirm)
        assert outcomes.count(True) <= 1, f"{self.name}: a confirmation counted twice"
        self._count(subject, True if True in outcomes else None if None in outcomes else False)

    async def draft(self) -> None:
        """Save a draft with a subject of its own."""
        subject = f"{self.word} draft {self.random.getrandbits(40)}"
        arguments = {"to": ["someone@example.org"], "subject": subject, "body": f"Text of {self.word}"}
        done = await self.write("imap_save_draft", arguments)
        self.there["Drafts", subject] = Bounds(done is True, done is not False)

    async def undo(self) -> None:
        """Undo the last copy, if it wasn't yet."""
        entry_id, self._entry_id = self._entry_id, ""
        if entry_id:
            done = await self.write("imap_undo", {"entry_id": entry_id})
            self.undone.least += done is True
            self.undone.most += done is not False

    def _count(self, subject: str, done: bool | None) -> None:  # noqa: FBT001 - three outcomes
        bounds = self.there.setdefault(("Sent", subject), Bounds())
        bounds.least += done is True
        bounds.most += done is not False

    async def _find(self, mailbox: str, subject: str) -> str:
        """Return the id of a message; of any one without a subject."""
        subject = subject or f"{self.word} {self.random.randrange(MESSAGES):02}"
        data = (await self.read("imap_search_messages", {"mailbox": mailbox, "subject": subject})).data
        [found] = {row["message_id"] for row in data["messages"] if row["subject"] == subject}
        return str(found)

    async def read(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool that reads, again if there is no answer: it never fails."""
        for _ in range(ATTEMPTS):
            try:
                answer = await self._call(tool, arguments)
            except LostError:
                await anyio.sleep(PAUSE_S)
            else:
                assert not answer.reason, (self.name, tool, answer.text[:2_000])
                self.office.figures.read_meanwhile += self.office.only_valkey_is_away
                return answer
        raise AssertionError(f"{self.name}: no answer to {tool}")

    async def write(self, tool: str, arguments: Mapping[str, Any]) -> bool | None:
        """Call a tool that writes; return whether it did, None if that isn't known. It isn't repeated."""
        try:
            answer = await self._call(tool, arguments)
        except LostError as error:
            self._writes.append(f"{tool} {arguments}: {error!r}")
            return None
        self._writes.append(f"{tool} {arguments}: {answer.envelope}")
        if answer.reason:
            assert answer.reason in REFUSALS, (self.name, tool, answer.text[:2_000])
            self.office.figures.refused[answer.reason] += 1
            return None if answer.reason.startswith("timeout/") else False
        if answer.data.get("unknown"):
            return None
        done = tool != CHANGE or answer.data["done"] + answer.data["already"] == 1
        if done:
            self.office.figures.done[str(arguments.get("action", tool))] += 1
        if arguments.get("action") == "copy":
            self._entry_id = answer.data["entry_id"] or ""
        return done

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool, with another token now and then; nobody else's word may be in the answer."""
        office = self.office
        if self._token_calls <= 0:
            self._token, self._token_calls = office.organisation.issue(self.name), self.random.randint(3, 20)
        self._token_calls -= 1
        office.figures.calls[tool] += 1
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            answer = await call(office.http, office.url, self._token, tool, given)
        except LostError as error:
            office.figures.lost[f"{tool}: {error}"] += 1
            raise
        words = set(_WORD.findall(answer.text))
        assert words <= {self.word}, f"{self.name} sees {words}"
        return answer

    def check(self, server: Dovecot) -> None:
        """Compare what they know with the truth on the server."""
        found: Counter[tuple[str, str]] = Counter()
        in_trash = 0
        with IMAPClient(server.host, server.plain_port, ssl=False) as client:
            client.login(self.name, PASSWORD)
            for name in ("INBOX", "Work", "Archive", "Sent", "Trash", "Drafts"):
                client.select_folder(name, readonly=True)
                uids = client.search()
                in_trash = len(uids) if name == "Trash" else in_trash
                for row in client.fetch(uids, ["ENVELOPE"]).values() if uids else ():
                    place = "Sent" if name == "Trash" else name  # copies that were undone
                    found[place, row[b"ENVELOPE"].subject.decode()] += 1
        assert self.undone.least <= in_trash <= self.undone.most, (self.name, self.undone, in_trash)
        for each in range(MESSAGES):
            self.there["INBOX", f"{self.word} {each:02}"] = Bounds(1, 1)
        self.there |= {("Work", each): Bounds(1, 1) for each in self.unmoved}
        for where, bounds in self.there.items():
            what = "\n".join(each for each in self._writes if where[1] in each)
            assert bounds.least <= found[where] <= bounds.most, (
                f"{self.name}: {where} is there {found[where]} times, "
                f"not {bounds.least} to {bounds.most}:\n{what}"
            )
        assert not found.keys() - self.there.keys(), self.name
        for each in range(MESSAGES):
            subject = f"{self.word} work {each:02}"
            assert found["Work", subject] + found["Archive", subject] == 1, (self.name, subject)


class Office:
    """The servers, and what is done to them."""

    def __init__(self, stack: ExitStack, users: int, seed: int) -> None:
        self._stack, self.think_s, self.figures = stack, users / CALLS_PER_S, Figures()
        self.organisation = stack.enter_context(Organisation())
        self.dovecot = stack.enter_context(Dovecot(extra=DOVECOT))
        self.valkey = stack.enter_context(Valkey())
        self._folder = Path(stack.enter_context(TemporaryDirectory()))
        port, *self._ports = free_ports(3)
        self.url = stack.enter_context(Nginx(port, self._ports)).url
        self.people = [Person(each, seed, self) for each in range(users)]
        for each in self.people:
            self._fill(each)
        options: dict[str, Any] = {"sign_in": "master", "master_user": "boss", "users_max": users}
        options |= {"url": self.url, "valkey_url": self.valkey.url}
        write_settings(self.organisation, self.dovecot, self._folder, account=ACCOUNT, **options)
        self._replicas = [self._start(each) for each in self._ports]
        self.http: httpx2.AsyncClient
        self.only_valkey_is_away = False

    def _fill(self, person: Person) -> None:
        for name, what in (("INBOX", ""), ("Work", "work ")):
            letters = (
                f"Subject: {person.word} {what}{each:02}\r\nMessage-ID: <{name}.{each}@example.org>\r\n"
                f"From: x@example.org\r\nTo: {person.name}\r\n\r\nText of {person.word}\r\n".encode()
                for each in range(MESSAGES)
            )
            self.dovecot.fill_before_login(person.name, name, letters)

    def _start(self, port: int) -> HttpProcess:
        return self._stack.enter_context(replica(self._folder, port=port))

    async def run(self, seconds: float) -> None:
        """Let everybody work, and let things fail meanwhile."""
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=len(self.people))
        async with (
            httpx2.AsyncClient(timeout=REQUEST_TIMEOUT_S, limits=limits) as self.http,
            anyio.create_task_group() as tasks,
        ):
            began = anyio.current_time()
            for each in self.people:
                tasks.start_soon(each.work, began + seconds)
            for share, what in (
                (0.15, self._kill_replica),
                (0.3, self._start_replica),
                (0.4, self._rotate_keys),
                (0.5, self._kill_valkey),
                (0.6, self._start_valkey),
                (0.7, self._end_replica),
                (0.8, self._rotate_keys),
            ):
                await anyio.sleep_until(began + share * seconds)
                await to_thread.run_sync(what)
                self.figures.events.append(what.__name__.removeprefix("_"))
        for each in self.people:
            await to_thread.run_sync(each.check, self.dovecot)

    def _kill_replica(self) -> None:
        self._replicas[0].process.kill()
        self._replicas[0].process.wait()

    def _start_replica(self) -> None:
        self._replicas[0] = self._start(self._ports[0])

    def _end_replica(self) -> None:
        """End the other one, as a deployment does, and start it again."""
        self._replicas[1].stop()
        assert self._replicas[1].process.returncode == 0
        self._replicas[1] = self._start(self._ports[1])

    def _rotate_keys(self) -> None:
        self.organisation.rotate()

    def _kill_valkey(self) -> None:
        self.valkey.kill()
        self.only_valkey_is_away = True

    def _start_valkey(self) -> None:
        self.only_valkey_is_away = False
        self.valkey.start()


def run(*, users: int, seconds: float, seed: int) -> Figures:
    """Let an organisation work for some time."""
    with ExitStack() as stack:
        office = Office(stack, users, seed)
        anyio.run(office.run, seconds)
        return office.figures
