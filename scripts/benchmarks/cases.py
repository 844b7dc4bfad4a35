"""The calls that are measured, each with the least that could answer it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scripts.benchmarks.floor import Floor
from scripts.benchmarks.host import hosted
from scripts.benchmarks.made_mail import RARE_WORD, SENDER
from scripts.benchmarks.site import MAILBOX, Site

PAGE_SIZE = 10
SEARCH = "imap_search_messages"
GET = "imap_get_message"
ACCOUNT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call."""

    name: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    floor: Callable[[Floor], None] | None = None
    """None for a call that asks no mail server."""

    round_trips: int = 0
    """Most that a warm call may take, by design."""

    slow: bool = False
    """Whether the server takes long over it, so that fewer repetitions must do."""


async def make_cases(site: Site) -> list[Case]:
    """List the calls; one real search tells the cursor of the next page."""
    async with hosted(site.host, site.port, site.login) as host:
        page, _ = await host.call_well(SEARCH, {})
    return [*_listing_cases(), *_search_cases(site, str(page["next_cursor"])), *_message_cases(site)]


def message_id(site: Site, uid: int) -> str:
    """Write the id of a message as mailmcp gives it."""
    return f"imap:{ACCOUNT}:{MAILBOX}:{site.uidvalidity}:{uid}"


def _listing_cases() -> list[Case]:
    return [
        Case(name="list accounts", tool="imap_list_accounts"),
        Case(
            name="list mailboxes",
            tool="imap_list_mailboxes",
            floor=lambda floor: floor.list_mailboxes(with_counts=False),
            round_trips=1,
        ),
        Case(
            name="list mailboxes, counts",
            tool="imap_list_mailboxes",
            arguments={"include_counts": True},
            floor=lambda floor: floor.list_mailboxes(with_counts=True),
            round_trips=1,
        ),
    ]


def _search_cases(site: Site, cursor: str) -> list[Case]:
    second = site.newest[PAGE_SIZE : 2 * PAGE_SIZE]
    return [
        Case(
            name="search, everything",
            tool=SEARCH,
            floor=lambda floor: floor.fetch_page(b"ALL", found=site.newest, size=PAGE_SIZE),
            round_trips=2,
        ),
        Case(
            name="search, by sender",
            tool=SEARCH,
            arguments={"from": SENDER},
            floor=lambda floor: floor.fetch_page(
                b"FROM", f'"{SENDER}"'.encode(), found=site.from_sender, size=PAGE_SIZE
            ),
            round_trips=2,
        ),
        Case(
            name="search, word in text",
            tool=SEARCH,
            arguments={"query": RARE_WORD},
            floor=lambda floor: floor.fetch_word(RARE_WORD, found=site.with_rare_word, size=PAGE_SIZE),
            round_trips=2,
            slow=True,
        ),
        Case(
            name="next page",
            tool=SEARCH,
            arguments={"cursor": cursor},
            floor=lambda floor: floor.fetch_rows(second),
            round_trips=1,
        ),
    ]


def _message_cases(site: Site) -> list[Case]:
    def case(name: str, uid: int) -> Case:
        return Case(
            name=name,
            tool=GET,
            arguments={"message_id": message_id(site, uid)},
            floor=lambda floor: floor.fetch_message(uid),
            round_trips=1,
        )

    return [
        case("message, 8 KB", site.special.typical),
        case("message, 100 KB text", site.special.large_text),
        case("message, 10 MB file", site.special.attachments[1]),
    ]
