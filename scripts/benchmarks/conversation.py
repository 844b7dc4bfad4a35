"""A conversation of thirty messages in three mailboxes: found, fetched and read in one call."""

from dataclasses import replace

from scripts.benchmarks.cases import ACCOUNT, SEARCH, Case
from scripts.benchmarks.host import hosted
from scripts.benchmarks.made_mail import make_notes
from scripts.benchmarks.plan import RTTS_MS, Plan
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target
from scripts.benchmarks.samples import row_of, take_rounds, trips_target
from scripts.benchmarks.site import Site

from tools.talks import make_talk

SECTION = "conversation"
THREAD = "imap_get_thread"
TRIPS_MAX = 8

_LENGTH = 30
_OLD = 10
_OTHERS = 1_000
"""Messages beside the conversation in each mailbox."""

_PARAGRAPH = "The offer stands as it is, and the delivery is in the week after that. " * 8


async def measure_conversation(site: Site, plan: Plan) -> list[Row]:
    """Get it by its newest message, at each distance."""
    talk = make_talk(_LENGTH, text=_PARAGRAPH)
    parts = {"Archive": talk[:_OLD], "INBOX": talk[_OLD::2], "Sent": talk[_OLD + 1 :: 2]}
    login = site.add_user(
        "carl",
        {
            name: [*make_notes(_OTHERS, seed=seed), *part]
            for seed, (name, part) in enumerate(parts.items(), start=1)
        },
    )
    rows = []
    for rtt_ms in RTTS_MS:
        with ProxyProcess(site.host, site.port, rtt_ms=rtt_ms) as proxy:
            async with hosted(proxy.host, proxy.port, login) as host:
                newest, _ = await host.call_well(SEARCH, {"account_id": ACCOUNT, "limit": 1})
                case = Case(
                    name=f"{_LENGTH} messages in 3 mailboxes, {rtt_ms} ms away",
                    tool=THREAD,
                    arguments={"message_id": newest["messages"][0]["message_id"]},
                    round_trips=TRIPS_MAX,
                )
                samples = (await take_rounds(host, [case], proxy, rounds=plan.warm_rounds))[case.name]
                found, _ = await host.call_well(case.tool, case.arguments)
        missing = abs(_LENGTH - len(found["messages"]))
        targets = (trips_target(case, samples), Target(text=f"all {_LENGTH}", found=missing, limit=0))
        rows.append(replace(row_of(SECTION, case, samples), targets=targets))
    return rows
