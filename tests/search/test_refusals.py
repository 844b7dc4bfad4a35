"""Passing refusals don't affect later searches, and no reply is untrue meanwhile."""

import random

import pytest

from imap.scenes import Clock
from mailmcp.imap.session import REFUSAL_AGE_S
from mcp_envelope import ToolError
from servers.peer import PeerFactory
from servers.peer_actions import Respond, Rule
from servers.peer_mailbox import PeerMessage
from thinning import thin
from tools.desk import Desk
from tools.letters import make_letter
from tools.stores import peer_account

TEXTS = {1: "sensor", 2: "none", 3: "sensor", 4: "other", 5: "sensor", 6: "sensor", 7: "sensor"}
SUBJECTS = {1: "A sensor report", 3: "The sensor again", 5: "Old sensor"}
CAPABILITIES = {"extended": ("IMAP4rev1", "LITERAL+", "ESEARCH", "SORT"), "plain": ("IMAP4rev1", "LITERAL+")}
PASSING = (
    "[THROTTLED] Slow down",
    "[UNAVAILABLE] Later",
    "[LIMIT] Enough",
    "[INUSE] Busy",
    "[SERVERBUG] Oops",
)
SPEECHLESS = ("Try again later", "Request is throttled. Suggested Backoff Time: 12345 milliseconds")


def mail() -> list[PeerMessage]:
    """Seven messages; five have the word, three of them in their subjects."""
    letters = {
        uid: make_letter(SUBJECTS.get(uid, f"Message {uid}"), f"Some {text} here.\n")
        for uid, text in TEXTS.items()
    }
    return [PeerMessage(uid=uid, octets=letter.as_bytes()) for uid, letter in letters.items()]


WITH_WORD = sorted((uid for uid, text in TEXTS.items() if text == "sensor"), reverse=True)


def refusals(chance: random.Random, texts: tuple[str, ...]) -> list[Rule]:
    """Refuse some of the first commands that a search sends, one here and one there, or all from one on."""
    first, count = chance.randrange(1, 40), chance.choice([1, 2, 5, 40])
    chosen = range(first, first + count) if chance.random() < 0.5 else chance.sample(range(1, 45), count)
    return [
        Rule(
            command=command,
            nth=nth,
            action=Respond(f"{{tag}} {chance.choice(['NO', 'BAD'])} {chance.choice(texts)}\r\n".encode()),
        )
        for nth in chosen
        for command in ("UID SEARCH", *(["UID SORT"] if nth < 3 else []))
    ]


@pytest.mark.parametrize("seed", thin(range(40), keep_every=10))
@pytest.mark.parametrize("capabilities", CAPABILITIES)
@pytest.mark.parametrize("speaks", [True, False])
def test_passing_refusals_are_no_verdicts(
    peer: PeerFactory, seed: int, capabilities: str, *, speaks: bool
) -> None:
    """Without a response code that says it is passing; until the verdict expires."""
    chance = random.Random(f"{seed}{capabilities}{speaks}")  # noqa: S311 - it must repeat
    server = peer(
        messages=mail(),
        capabilities=CAPABILITIES[capabilities],
        rules=refusals(chance, PASSING if speaks else SPEECHLESS),
    )
    clock = Clock()
    with Desk([peer_account(server)], clock=clock) as desk:

        def check(*, recovered: bool) -> None:
            try:
                reply = desk.search(query="sensor")
            except ToolError:
                assert not recovered
                return
            complete = reply.data["coverage"]["complete"]
            assert reply.uids == WITH_WORD or not (complete or recovered)

        for _ in range(3):
            check(recovered=False)
        server.rules.clear()
        clock.now += 0 if speaks else REFUSAL_AGE_S
        for _ in range(2):
            check(recovered=True)
