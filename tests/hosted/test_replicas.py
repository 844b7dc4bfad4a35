"""Many users on two replicas, one of which is killed and started, while the keys of their tokens change."""

import random
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread

from hosted.organisation import MASTER_PASSWORD, Organisation, replica, serve
from servers.dovecot import Dovecot
from servers.http_process import HttpProcess, connected

USERS = 8
MESSAGES = 7
ROUNDS = 3
FAILURES_MAX = 20
"""Of requests that met a dead replica: they are sent again, as a proxy does."""


def secret_of(user: int) -> str:
    return f"secret-{user * 7919:06d}"


class Person:
    """A user who reads all of their mail, a page here and a page there."""

    def __init__(self, number: int, organisation: Organisation, urls: list[str]) -> None:
        self.name, self.secret = f"user-{number}@example.com", secret_of(number)
        self._organisation, self._urls = organisation, urls
        self._random = random.Random(number)  # noqa: S311 - a run can be repeated
        self.failures = 0
        self.seen: list[str] = []
        """All that was ever replied, as text."""

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        reply = None
        while reply is None:
            url = self._random.choice(self._urls)
            try:
                async with connected(url, "auto", self._organisation.issue(self.name)) as client:
                    reply = await client.call_tool(tool, arguments)
            except ExceptionGroup:
                self.failures += 1
                assert self.failures < FAILURES_MAX
        self.seen.append(reply.model_dump_json())
        assert not reply.is_error, reply.structured_content
        assert reply.structured_content is not None
        data: dict[str, Any] = reply.structured_content["data"]
        return data

    async def read_everything(self) -> None:
        arguments: dict[str, object] | None = {"limit": 3}
        subjects, ids = [], []
        while arguments is not None:
            page = await self.call("imap_search_messages", **arguments)
            subjects += [row["subject"] for row in page["messages"]]
            ids += [row["message_id"] for row in page["messages"]]
            following = page["next_action"]["arguments"]
            arguments = following if "cursor" in following else None
        assert subjects == [f"{self.secret} {number}" for number in reversed(range(MESSAGES))]
        message = await self.call("imap_get_message", message_id=self._random.choice(ids))
        assert self.secret in str(message)


def test_no_user_sees_anothers_mail_and_no_page_is_lost_or_doubled(
    organisation: Organisation, mail_server: Dovecot, tmp_path: Path
) -> None:
    for number in range(USERS):
        texts = [f"Subject: {secret_of(number)} {each}\r\n\r\nText\r\n" for each in range(MESSAGES)]
        mail_server.fill(f"user-{number}@example.com", "INBOX", [each.encode() for each in texts])

    async def run(start: Callable[[], HttpProcess], doomed: HttpProcess, urls: list[str]) -> None:
        people = [Person(number, organisation, urls) for number in range(USERS)]
        for turn in range(ROUNDS):
            async with anyio.create_task_group() as tasks:
                for person in people:
                    tasks.start_soon(person.read_everything)
                if turn == 0:
                    doomed.process.kill()
                    urls.remove(doomed.url)
                    urls.append((await to_thread.run_sync(start)).url)
                if turn == 1:
                    organisation.rotate()
        for person in people:
            others = {secret_of(number) for number in range(USERS)} - {person.secret}
            everything = "".join(person.seen)
            assert [each for each in others if each in everything] == []
            assert person.secret in everything

    options = {"sign_in": "master", "master_user": "boss"}
    account = f'password = "{MASTER_PASSWORD}"\n'
    with ExitStack() as stack:
        first = stack.enter_context(serve(organisation, mail_server, tmp_path, account=account, **options))
        doomed = stack.enter_context(replica(tmp_path))
        anyio.run(run, lambda: stack.enter_context(replica(tmp_path)), doomed, [first.url, doomed.url])
