"""What a tool hands back: data, a summary line, and what there is to say about both.

A tool returns an `Outcome` or raises a `MailError`; it knows nothing of wire shapes.
A dialect renders either of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from pydantic import BaseModel

from mailmcp.envelope.errors import Code, NextAction

DataT_co = TypeVar("DataT_co", bound=BaseModel, covariant=True)
"""The pydantic model of a tool's own data fields."""


class Status(StrEnum):
    """How much of what was asked for is in the reply; where there is nothing of it, that is an error."""

    OK = "ok"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One asked-for item that could not be had, in a reply that has others."""

    code: Code
    stage: str
    """What was being done, in a word: `status`, `search`, `fetch`, `parse`, `extract`."""

    message: str
    """One sentence; what is missing stands in `about`. What a stranger wrote is in it only as
    `mailmcp.envelope.markdown` quotes it."""

    retryable: bool = False
    about: Mapping[str, object] = field(default_factory=dict)
    """What is missing, under names of the tool's own: they stand in the issue beside the names here.

    The first of them that is a text names it in the text channel.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Where a page stands in its list."""

    page_size: int
    """Most items a page holds, from 1."""

    total_count: int
    """Items in the whole list, counted when its first page was made."""

    cursor: str | None = None
    """What to send for the next page; None on the last one."""

    @property
    def has_more(self) -> bool:
        """Whether there is a next page."""
        return self.cursor is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Untrusted:
    """Text that a stranger wrote; whoever shows it fences it."""

    label: str
    """What it is, in our words: `body_text`."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A file that goes with a reply, beside both of its channels."""

    uri: str
    """What the data of the reply calls it by."""

    content_type: str
    octets: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[DataT_co]):
    """A success, whole or partial, before any dialect has shaped it."""

    summary: str
    """One line for people and models; carries no text of a stranger but names in code spans."""

    data: DataT_co
    blocks: tuple["str | Untrusted", ...] = ()
    """The data again as Markdown lines and quotations, complete for a model that sees nothing else.

    Lines begin with a word of ours, and what strangers wrote stands in them only as
    `mailmcp.envelope.markdown` quotes it.
    """

    talked_to_server: bool = True
    """False for tools that answer from the settings: their data has no status."""

    embedded: tuple[Embedded, ...] = ()
    issues: tuple[Issue, ...] = ()
    warnings: tuple[str, ...] = ()
    page: Page | None = None
    next_action: NextAction | None = None
    references: dict[str, str] = field(default_factory=dict)
    """Ids for cross-reference, for the result's `_meta`."""

    @property
    def status(self) -> Status:
        """`partial` if and only if there are issues; a failure is never an outcome."""
        return Status.PARTIAL if self.issues else Status.OK
