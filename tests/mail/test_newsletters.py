"""HTML-only mail as it is really made, read as a person would read it and in as few tokens as that takes."""

import bpe_openai
import pytest

from mailmcp.mail.html.convert import html_to_text, sanitize_html
from mailmcp.mail.message import parse_message
from mailmcp.mail.mime.body_parts import choose_text_parts
from mailmcp.mail.mime.structure import leaf_parts
from mailmcp.mail.text.body import BodyText, body_text
from newsletters import NEWSLETTERS, Newsletter

TOKENS_MAX = 1_000
ALL_TOKENS_MAX = 6_900
WORDS_MIN = 350

every_newsletter = pytest.mark.parametrize("newsletter", NEWSLETTERS, ids=lambda each: each.name)


def read(newsletter: Newsletter) -> BodyText:
    view = parse_message(newsletter.message, complete=True)
    parts = choose_text_parts(view.structure)
    contents = {part.part_id: view.part_octets(part) or b"" for part in leaf_parts(view.structure)}
    return body_text(parts, contents)


@every_newsletter
def test_a_newsletter_costs_few_tokens_and_is_rich(newsletter: Newsletter) -> None:
    text = read(newsletter).text
    tokens = len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))
    assert 40_000 <= len(newsletter.message) <= 120_000
    assert len(text.split()) >= WORDS_MIN
    assert tokens <= TOKENS_MAX


@every_newsletter
def test_every_fact_is_there_and_in_order(newsletter: Newsletter) -> None:
    text = read(newsletter).text
    position = 0
    for fact in newsletter.facts:
        found = text.find(fact, position)
        assert found >= 0, f"{fact!r} is missing after {text[max(position - 80, 0) : position]!r}"
        position = found


@every_newsletter
def test_nothing_is_read_that_no_reader_sees(newsletter: Newsletter) -> None:
    body = read(newsletter)
    for hidden in newsletter.absent:
        assert hidden in newsletter.html or hidden == "\u034f"
        assert hidden not in body.text
    assert body.removed.hidden >= 1
    assert body.removed.maybe_hidden == 0
    assert html_to_text(newsletter.html).removed.misleading_links == 0


@every_newsletter
def test_nothing_in_it_is_loaded_or_tracked(newsletter: Newsletter) -> None:
    safe = sanitize_html(newsletter.html).text
    assert "src=" not in safe
    assert "style" not in safe.replace("</", "<").partition("<style")[2]
    assert safe.count("href=") >= 3
    assert not any(hidden in safe for hidden in newsletter.absent if " " in hidden)


def test_all_of_them_cost_few_tokens() -> None:
    encoding = bpe_openai.get_encoding("o200k_base")
    assert len(NEWSLETTERS) == 10
    assert sum(len(encoding.encode_ordinary(read(each).text)) for each in NEWSLETTERS) <= ALL_TOKENS_MAX
