"""The session that `scripts/demo` shows, as a test: over stdio."""

import anyio
from scripts.demo_session import run


def test_the_session_shows_what_it_is_there_to_show() -> None:
    shown: list[str] = []

    async def play() -> None:
        await run(shown.append, mode="auto")

    anyio.run(play)
    session = "\n".join(shown)
    for sign in (
        "1 account",
        "`Projects/Grün`",
        "Get the next page",
        "station-fw-2.4.2-rc1.bin",
        "Error `invalid_input`",
        "can't be combined with since",
        "Did you mean from?",
        "messages of a conversation, oldest first",
        "[Page 1]",
        "Confirm first: Move 2 messages from `INBOX` of account demo to `Archive`.",
        "Moved 2 messages from `INBOX` to `Archive`",
        "(archive): 2 of 2 messages restored",
    ):
        assert sign in session
