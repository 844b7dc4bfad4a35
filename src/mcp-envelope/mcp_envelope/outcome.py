"""What a tool hands back: data, a summary line, and what there is to say about both.

A tool returns an `Outcome` or raises a `ToolError`; it knows nothing of wire shapes. A dialect renders both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Generic, TypeVar

from pydantic import BaseModel

from mcp_envelope.errors import Code, NextAction, RateLimit, ToolError

DataT_co = TypeVar("DataT_co", bound=BaseModel, covariant=True)
"""The pydantic model of a tool's own data fields."""

_ISSUE_KEYS: Final = frozenset({"code", "reason", "stage", "message", "retryable"})


class Status(StrEnum):
    """How much of what was asked for is in the reply. If nothing is, the reply is an error."""

    OK = "ok"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One item that was asked for and is missing, in a reply that has others."""

    code: Code
    stage: str
    """What was being done, in a word: `search`, `fetch`, `parse`."""

    message: str
    """One sentence. What is missing goes into `about`; what a stranger wrote, only as `quote` writes it."""

    reason: StrEnum | None = None
    """Why, within the code."""

    retryable: bool = False
    about: Mapping[str, object] = field(default_factory=dict)
    """What is missing, under names of the tool's own; they are keys of the issue. None is left out.

    The first text among them names the item in the text channel.
    """

    def __post_init__(self) -> None:
        """Refuse names in `about` that the issue itself has.

        Raises:
            ValueError: It has one.
        """
        if taken := _ISSUE_KEYS & self.about.keys():
            raise ValueError(f"an issue has keys of its own called {', '.join(sorted(taken))}: rename yours")

    @classmethod
    def of(cls, error: ToolError, *, stage: str, **about: object) -> "Issue":
        """Make an issue of the error that one item failed with."""
        return cls(
            code=error.code,
            reason=error.reason,
            stage=stage,
            message=error.message,
            retryable=error.retryable,
            about=about,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Where a page is in its list."""

    page_size: int
    """Most items a page holds, from 1."""

    total_count: int | None = None
    """Items in the whole list, counted when its first page was made; None if that isn't known."""

    cursor: str | None = None
    """What to send for the next page; None on the last one."""

    @property
    def has_more(self) -> bool:
        """Whether there is a next page."""
        return self.cursor is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Untrusted:
    """Text that a stranger wrote; it is shown between markers."""

    label: str
    """What it is, in the server's words: `body_text`."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A file that goes with a reply, beside both of its channels."""

    uri: str
    """What the data of the reply calls it."""

    content_type: str
    octets: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[DataT_co]):
    """A success, whole or partial, before a dialect gives it its shape."""

    summary: str
    """One line for people and models, in the server's words. A stranger's text is in it only as `code` or
    `quote` writes it."""

    data: DataT_co
    blocks: tuple["str | Untrusted", ...] = ()
    """The data again as Markdown lines and quotations, complete for a model that sees nothing else.

    Lines begin with a word of the server's. A stranger's text is in them only as `quote` or `code` writes it.
    """

    embedded: tuple[Embedded, ...] = ()
    issues: tuple[Issue, ...] = ()
    warnings: tuple[str, ...] = ()
    """Sentences about what is in the reply, in the server's words: a text that was cut, a doubtful sender."""

    page: Page | None = None
    """Given by tools that take a `cursor`, on every page; no other tool has one."""

    next_action: NextAction | None = None
    rate_limit: RateLimit | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    """Ids for cross-reference, for the result's `_meta`."""

    def __post_init__(self) -> None:
        """Refuse one block that is not in a tuple: its characters would be lines.

        Raises:
            TypeError: `blocks` is a text.
        """
        blocks: object = self.blocks
        if isinstance(blocks, str):
            raise TypeError("blocks is a tuple of lines and quotations")

    @property
    def status(self) -> Status:
        """`partial` if and only if there are issues; a failure is never an outcome."""
        return Status.PARTIAL if self.issues else Status.OK
