"""What a newsletter costs to read: time to make text of it, and tokens of that text (o200k_base)."""

from statistics import median
from time import perf_counter

import bpe_openai
from scripts.benchmarks.rows import Row, Target

from mailmcp.mail.body import BodyText, body_text
from mailmcp.mail.message import read_message
from mailmcp.mail.structure import walk
from mailmcp.mail.text_parts import choose_text_parts
from newsletters.kit import Newsletter
from newsletters.making import make_newsletters

SECTION = "reading newsletters"

TOKENS_MAX = 1_500
READ_MS_MAX = 150
REPETITIONS = 9


def measure_reading() -> list[Row]:
    """Read each newsletter: its tokens, and the time that the largest one takes."""
    newsletters = make_newsletters()
    largest = max(newsletters, key=lambda each: len(each.message))
    return [_time(largest), *(_tokens(newsletter) for newsletter in newsletters)]


def _time(newsletter: Newsletter) -> Row:
    took_ms = []
    for _ in range(REPETITIONS + 1):
        began = perf_counter()
        _read(newsletter)
        took_ms.append((perf_counter() - began) * 1000)
    ms = median(took_ms[1:])  # the first one loads libraries
    return Row(
        section=SECTION,
        name=f"octets to text, {len(newsletter.message):,} octets",
        value=ms,
        unit="ms",
        targets=(Target(text=f"≤ {READ_MS_MAX} ms", found=ms, most=READ_MS_MAX),),
    )


def _tokens(newsletter: Newsletter) -> Row:
    text = _read(newsletter).text
    tokens = len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))
    size, octets = len(newsletter.message), len(text.encode())
    return Row(
        section=SECTION,
        name=f"{newsletter.name}: tokens; {octets:,} octets of text of {size:,}",
        value=tokens,
        unit="",
        targets=(Target(text=f"≤ {TOKENS_MAX:,}", found=tokens, most=TOKENS_MAX),),
    )


def _read(newsletter: Newsletter) -> BodyText:
    view = read_message(newsletter.message, complete=True)
    contents = {part.part_id: view.part_octets(part) or b"" for part in walk(view.structure)}
    return body_text(choose_text_parts(view.structure), contents)
