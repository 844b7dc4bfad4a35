"""The sample account: all sample messages, put into their mailboxes by date.

About 200 messages such as one person of a small company has. Made anew from the
same date they are the same octets, so tests and screenshots can rely on them.
"""

from datetime import datetime
from itertools import chain
from typing import Final

from mailmcp.demo.mailbox import SampleMailbox
from mailmcp.demo.sample.broken import make_broken
from mailmcp.demo.sample.formats import make_formats
from mailmcp.demo.sample.hostile import make_hostile
from mailmcp.demo.sample.languages import make_languages
from mailmcp.demo.sample.margins import make_margins
from mailmcp.demo.sample.newsletters import make_newsletters
from mailmcp.demo.sample.outgoing import make_outgoing
from mailmcp.demo.sample.receipts import make_receipts
from mailmcp.demo.sample.routine import make_routine
from mailmcp.demo.sample.threads import make_threads

MAILBOXES: Final = {
    "INBOX": "",
    "Drafts": "\\Drafts",
    "Sent": "\\Sent",
    "Archive": "\\Archive",
    "Archive/2025": "",
    "Junk": "\\Junk",
    "Trash": "\\Trash",
    "Projects/Apollo": "",
    "Projects/Grün": "",
    "Templates": "",
    "日本語": "",
}
"""Every mailbox and its special use. Projects itself is none, Templates stays empty."""


def make_sample(now: datetime) -> tuple[SampleMailbox, ...]:
    """Make the sample account as it stands at `now`: its newest message is about an hour old.

    Args:
        now: Aware; all dates but those in Archive/2025 are counted back from it.

    Raises:
        ValueError: `now` is naive.
    """
    if now.tzinfo is None:
        raise ValueError("now must be aware")
    now = now.replace(microsecond=0)
    makers = (
        make_threads,
        make_newsletters,
        make_receipts,
        make_routine,
        make_languages,
        make_formats,
        make_broken,
        make_hostile,
        make_margins,
        make_outgoing,
    )
    placed = sorted(
        chain.from_iterable(make(now) for make in makers), key=lambda item: item.message.internal_date
    )
    return tuple(
        SampleMailbox(
            name=name,
            special_use=special_use,
            messages=tuple(item.message for item in placed if item.mailbox == name),
        )
        for name, special_use in MAILBOXES.items()
    )
