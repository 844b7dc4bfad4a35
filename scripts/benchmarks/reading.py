"""What messages cost to read: octets fetched for their text, tokens of newsletters, time to parse.

Newsletters of ten senders, HTML only; the sample account of the demo; a long text; a large file.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from statistics import median
from time import perf_counter
from typing import NamedTuple

from mcp.types import CallToolResult
from scripts.benchmarks.cases import ACCOUNT, GET, SEARCH
from scripts.benchmarks.host import Host, hosted, text_of
from scripts.benchmarks.made_mail import LARGE_TEXT_OCTETS, attaching, make_long_letter
from scripts.benchmarks.plan import Plan
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.site import Site
from scripts.benchmarks.vocabulary import count_tokens

from mailmcp.demo.sample_account import load_sample
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.structure import leaf_parts
from mailmcp.mail.read import read_message
from newsletters.kit import Newsletter
from newsletters.making import make_newsletters

SECTION = "reading"
NEWSLETTERS = "newsletters, tokens of the text"

TOKENS_MAX = 1_500
PARSE_MS_MAX = 150

_FENCED = re.compile(r"^<<<(\S+ \S+): written by others.*?^\1>>>$", re.DOTALL | re.MULTILINE)
_FILE_OCTETS = 10_000_000
_LINE = "The photographs of the last week are attached, in the order of the days.\n"
_SAMPLE_DAY = datetime(2026, 11, 5, tzinfo=UTC)


class _Read(NamedTuple):
    """A message as the tool gave it."""

    result: CallToolResult
    ms: float
    octets_fetched: int

    @property
    def body(self) -> str:
        """The text of the message, as it is in the reply; "" if there is none."""
        content = self.result.structured_content
        if self.result.is_error or content is None:
            raise RuntimeError(f"{GET} failed: {text_of(self.result)}")
        return content["data"]["message"].get("body_text") or ""

    @property
    def fenced(self) -> str:
        """The same in the text channel, with its borders."""
        return "".join(match[0] for match in _FENCED.finditer(text_of(self.result)))


async def measure_reading(site: Site, plan: Plan) -> list[Row]:
    """Read each message once through the tool; the long ones again, to see what of their time is parsing."""
    newsletters = make_newsletters()
    long_letter = make_long_letter(LARGE_TEXT_OCTETS)
    sample = [each.octets for mailbox in load_sample(_SAMPLE_DAY) for each in mailbox.messages]
    login = site.add_user(
        "finn",
        {
            "Newsletters": (each.message for each in newsletters),
            "Long": [long_letter],
            "Large": [attaching(_LINE * 20, {"a.zip": bytes(_FILE_OCTETS)})],
            "Sample": sample,
        },
    )
    rows: list[Row] = []
    with ProxyProcess(site.host, site.port, rtt_ms=0) as proxy:
        async with hosted(proxy.host, proxy.port, login) as host:
            reader = _Reader(host, proxy)
            read = await reader.read_all("Newsletters", len(newsletters))
            rows += [
                _octets("ten newsletters", read),
                _octets(
                    f"sample account, {len(sample)} messages", await reader.read_all("Sample", len(sample))
                ),
                _octets("a text of 100 KB, its first window", await reader.read_all("Long", 1)),
                _octets("beside a file of 10 MB", await reader.read_all("Large", 1)),
            ]
            largest = max(range(len(newsletters)), key=lambda index: len(newsletters[index].message))
            for name, mailbox, uid, octets in (
                ("text", "Long", 1, long_letter),
                ("newsletter", "Newsletters", largest + 1, newsletters[largest].message),
            ):
                rows += await _parsing(name, octets, reader, (mailbox, uid), plan)
    rows += [_tokens(newsletter, each) for newsletter, each in zip(newsletters, read, strict=True)]
    return rows


class _Reader:
    """Gets messages through the tool, and counts what comes for them."""

    def __init__(self, host: Host, proxy: ProxyProcess) -> None:
        """Take a server that reaches its mail through the proxy."""
        self._host, self._proxy = host, proxy

    async def read(self, message_id: str) -> _Read:
        """Get a message with all defaults."""
        before = self._proxy.traffic()
        result, ms = await self._host.call(GET, {"message_id": message_id})
        return _Read(result, ms, self._proxy.traffic().octets_received - before.octets_received)

    async def read_all(self, mailbox: str, count: int) -> Sequence[_Read]:
        """Get the messages of a mailbox, whose UIDs count from 1."""
        return [await self.read(each) for each in await self.ids_of(mailbox, count)]

    async def ids_of(self, mailbox: str, count: int) -> Sequence[str]:
        """Write the ids of the first messages of a mailbox."""
        page, _ = await self._host.call_well(SEARCH, {"mailbox": mailbox, "limit": 1})
        uidvalidity = page["messages"][0]["uidvalidity"]
        return [f"imap:{ACCOUNT}:{mailbox}:{uidvalidity}:{uid}" for uid in range(1, count + 1)]


def _octets(name: str, read: Iterable[_Read]) -> Row:
    """Count the octets of text that came of the octets fetched."""
    read = list(read)
    return Row(
        section=SECTION,
        name=f"octets of text: {name}",
        value=sum(len(each.body.encode()) for each in read),
        unit="",
        octets_received=sum(each.octets_fetched for each in read),
    )


def _tokens(newsletter: Newsletter, read: _Read) -> Row:
    content = read.result.structured_content or {}
    if content["data"]["message"]["body_truncated"]:
        raise RuntimeError(f"{newsletter.name} is cut: its tokens say nothing")
    tokens = count_tokens(read.fenced)
    return Row(
        section=NEWSLETTERS,
        name=f"{newsletter.name}; {count_tokens(newsletter.html):,} as HTML",
        value=tokens,
        unit="",
        octets_received=read.octets_fetched,
        targets=(Target(text=f"≤ {TOKENS_MAX:,}", found=tokens, limit=TOKENS_MAX),),
    )


async def _parsing(
    name: str, octets: bytes, reader: _Reader, place: tuple[str, int], plan: Plan
) -> Sequence[Row]:
    """Time the parsing of one message here, by turns with calls that do it and all else."""
    mailbox, uid = place
    message_id = (await reader.ids_of(mailbox, uid))[-1]
    calls, parses = [], []
    for _ in range(plan.warm_rounds + 1):
        calls.append((await reader.read(message_id)).ms)
        began = perf_counter()
        _parse(octets)
        parses.append((perf_counter() - began) * 1000)
    ms = median(parses[1:])  # the first one loads libraries
    share = median(parse / call for parse, call in zip(parses[1:], calls[1:], strict=True))
    what = f"{name} of {len(octets) // 1000} KB"
    return [
        Row(
            section=SECTION,
            name=f"parsing a {what}",
            value=ms,
            unit="ms",
            targets=(Target(text=f"≤ {PARSE_MS_MAX} ms", found=ms, limit=PARSE_MS_MAX),),
        ),
        Row(section=SECTION, name=f"its share of a call, {what}", value=share * 100, unit="%"),
    ]


def _parse(octets: bytes) -> None:
    view = parse_message(octets, complete=True)
    contents = {part.part_id: view.part_octets(part) or b"" for part in leaf_parts(view.structure)}
    read_message(view, contents)
