"""Threads: which messages belong together, by what their headers refer to.

Messages are joined by the ids in Message-ID, References and In-Reply-To (RFC 5322 section 3.6.4),
in any order and with gaps: two messages that refer to the same third are joined, even if that one
is missing. Subjects join nothing: newsletters and invoices share one. The caller finds the candidates.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from mailmcp.mail.clean import clean_line
from mailmcp.mail.header.dates import parse_date
from mailmcp.mail.header.fields import Headers
from mailmcp.mail.header.subject import is_reply_subject

REFERENCES_MAX: Final = 50
"""Ids read of one message's References: the first and the latest. Longer lists only repeat them."""

THREAD_HEADER_FIELDS: Final = "MESSAGE-ID REFERENCES IN-REPLY-TO SUBJECT DATE FROM TO CC"
"""The fields that `parse_thread_headers` reads."""

_ID: Final = re.compile(r"<([^<>\s]{1,500})>")
_BARE_ID: Final = re.compile(r"[^\s<>,;\"]{1,250}@[^\s<>,;\"]{1,250}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadHeaders:
    """What the headers of one message say about its thread."""

    own_id: str
    """Its Message-ID without angle brackets; "" if it has none."""

    refers_to: tuple[str, ...] = ()
    """Ids in References, then In-Reply-To, each once, in order. Of very many, the first and the last ones."""

    is_reply: bool = False
    """Whether the subject begins as that of a reply."""

    date: datetime | None = None
    thread_id: str = ""
    """The server's own id of the thread; "" if it has none."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id that places it, its own first."""
        return ((self.own_id,) if self.own_id else ()) + self.refers_to

    @property
    def is_answer(self) -> bool:
        """Whether the message answers another: by its subject, or by what it refers to."""
        return self.is_reply or bool(self.refers_to)


def parse_thread_headers(headers: Headers, *, thread_id: str = "") -> ThreadHeaders:
    """Read what places a message in a thread; never raises, whatever the headers hold."""
    references = [*find_ids(headers.get("References")), *find_ids(headers.get("In-Reply-To"))]
    own = next(iter(find_ids(headers.get("Message-ID"))), "")
    refers_to = tuple(each for each in dict.fromkeys(references) if each != own)
    if len(refers_to) > REFERENCES_MAX:
        refers_to = (refers_to[0], *refers_to[1 - REFERENCES_MAX :])
    return ThreadHeaders(
        own_id=own,
        refers_to=refers_to,
        is_reply=is_reply_subject(clean_line(headers.get("Subject")).text),
        date=parse_date(headers.get("Date")),
        thread_id=thread_id,
    )


def find_ids(text: str) -> tuple[str, ...]:
    """Find the message ids in a header value. Ids without angle brackets count only if no other is there."""
    found = _ID.findall(text) or _BARE_ID.findall(text)
    return tuple(each for each in dict.fromkeys(found) if each.isprintable())


def select_thread(start: ThreadHeaders, candidates: Sequence[ThreadHeaders]) -> list[int]:
    """Select the candidates that are in the thread of `start`.

    Args:
        start: The message whose thread is wanted; may be among the candidates too.
        candidates: Messages that may belong to it, in any order.

    Returns:
        Their indexes, ascending. Messages are joined by ids, over any number of steps.
    """
    *labels, own = label_threads([*candidates, start])
    return [index for index, label in enumerate(labels) if label == own]


def label_threads(messages: Sequence[ThreadHeaders]) -> list[int]:
    """Label each message with its thread: two have one label if they are joined, as in `select_thread`."""
    # Keys that no header can hold have a space: spaces end ids.
    keys = [[*each.ids, *([f"thread {each.thread_id}"] if each.thread_id else [])] for each in messages]
    holders: dict[str, list[int]] = {}
    for index, own_keys in enumerate(keys):
        for key in own_keys:
            holders.setdefault(key, []).append(index)
    labels = [-1] * len(messages)
    for first in range(len(messages)):
        waiting = [first] if labels[first] < 0 else []
        while waiting:
            index = waiting.pop()
            labels[index] = first
            for key in keys[index]:
                waiting += (other for other in holders.pop(key, ()) if labels[other] < 0)
    return labels


def unasked_ids(members: Iterable[ThreadHeaders], asked: Container[str]) -> list[str]:
    """List the ids that `members` name and that were not searched for yet, the most frequent first."""
    counts = Counter(name for each in members for name in each.ids if name not in asked)
    return [name for name, _ in counts.most_common()]
