"""The text of documents beside 20 MB of other parts: what is fetched, and how long reading takes."""

import base64
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from time import perf_counter

import anyio
from scripts.benchmarks.cases import ACCOUNT, GET, SEARCH, Case
from scripts.benchmarks.host import hosted
from scripts.benchmarks.made_mail import attaching
from scripts.benchmarks.plan import RTTS_MS, Plan
from scripts.benchmarks.proxy_process import ProxyProcess
from scripts.benchmarks.rows import Row, Target, median_ratio
from scripts.benchmarks.samples import octets_target, row_of, take_rounds, trips_target
from scripts.benchmarks.site import Site

from documents.documents import docx, paragraph
from documents.pdf_file import pdf
from mailmcp import limits
from mailmcp.documents.kind import Kind
from mailmcp.documents.process import extract_text

SECTION = "attachments beside 20 MB"
GET_ATTACHMENT = "imap_get_attachment"
EXTRACT_MS_MAX = 1_000.0
"""A PDF of twenty pages; nobody notices it beside the second that the model takes to read the text."""

_OTHERS_OCTETS = 20_000_000
_PAGES = 20
_LINE = "The quarter closed above plan, in spite of the delays that were reported in May."
_OVERHEAD_OCTETS = 2_500
"""Structure, flags and the mailbox opened anew."""

_HEAD = (
    b"Message-ID: <report@example.com>\r\nDate: Mon, 01 Jan 2024 12:00:00 +0000\r\n"
    b"From: Grace Hopper <grace.hopper@example.com>\r\nTo: Ann Example <ann@example.com>\r\n"
    b"Subject: The report\r\n"
)


async def measure_attachments(site: Site, plan: Plan) -> list[Row]:
    """Get each document alone, then both along with their message; then read them without mail."""
    pdf_file = pdf(["\n".join([f"Page {number}", *[_LINE] * 40]) for number in range(1, _PAGES + 1)])
    docx_file = docx("".join(paragraph(f"{number}. {_LINE}") for number in range(_PAGES * 40)))
    photographs = random.Random(1).randbytes(_OTHERS_OCTETS)  # noqa: S311 - repeatable, not secret
    files = {"photographs.zip": photographs, "report.pdf": pdf_file, "report.docx": docx_file}
    login = site.add_user("eve", {"INBOX": [_HEAD + attaching(f"{_LINE}\n", files)]})
    stored = [len(base64.encodebytes(octets).replace(b"\n", b"\r\n")) for octets in (pdf_file, docx_file)]
    rows: list[Row] = []
    for rtt_ms in RTTS_MS:
        with ProxyProcess(site.host, site.port, rtt_ms=rtt_ms) as proxy:
            async with hosted(proxy.host, proxy.port, login) as host:
                page, _ = await host.call_well(SEARCH, {"account_id": ACCOUNT})
                cases = _cases(page["messages"][0]["message_id"], rtt_ms)
                samples = await take_rounds(host, cases, proxy, rounds=plan.warm_rounds)
        wanted = (*stored, limits.FIRST_FETCH_OCTETS + sum(stored))
        for case, octets in zip(cases, wanted, strict=True):
            taken = samples[case.name]
            targets = (trips_target(case, taken), octets_target(octets + _OVERHEAD_OCTETS, taken))
            rows.append(replace(row_of(SECTION, case, taken), targets=targets))
    rows.append(await _reading(f"reading the PDF, {_PAGES} pages", pdf_file, Kind.PDF, plan))
    rows.append(await _reading(f"reading the DOCX, {_PAGES * 40} paragraphs", docx_file, Kind.DOCX, plan))
    return rows


def _cases(message_id: str, rtt_ms: int) -> Sequence[Case]:
    def attachment(name: str, part_id: str) -> Case:
        arguments = {"message_id": message_id, "part_id": part_id}
        return Case(
            name=f"text of the {name}, {rtt_ms} ms away",
            tool=GET_ATTACHMENT,
            arguments=arguments,
            round_trips=1,
        )

    along = {"message_id": message_id, "attachment_mode": "extract_text"}
    return (
        attachment("PDF", "3"),
        attachment("DOCX", "4"),
        Case(name=f"message with both texts, {rtt_ms} ms away", tool=GET, arguments=along, round_trips=2),
    )


async def _reading(name: str, octets: bytes, kind: Kind, plan: Plan) -> Row:
    """Time a document from starting its process to its text, beside a Python that does nothing."""
    ours, bare = [], []
    for _ in range(plan.warm_rounds + 1):
        began = perf_counter()
        extraction = await extract_text(octets, kind)
        ours.append((perf_counter() - began) * 1000)
        if _LINE not in extraction.text:
            raise RuntimeError(f"{name}: the text is not there")
        began = perf_counter()
        await anyio.run_process([sys.executable, "-I", "-S", "-c", "pass"])
        bare.append((perf_counter() - began) * 1000)
    ours, bare = ours[1:], bare[1:]
    return Row(
        section=SECTION,
        name=name,
        value=median(ours),
        unit="ms",
        floor=median(bare),
        ratio=median_ratio(ours, bare),
        targets=(Target(text=f"≤ {EXTRACT_MS_MAX:,.0f} ms", found=median(ours), limit=EXTRACT_MS_MAX),),
    )
