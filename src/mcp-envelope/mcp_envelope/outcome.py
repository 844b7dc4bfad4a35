"""What a tool returns: data, a summary line, and remarks about both; and what is known of its call.

A tool returns an `Outcome` or raises a `ToolError`; it knows nothing of wire shapes. A dialect renders both.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, Generic, TypeVar

from pydantic import BaseModel

from mcp_envelope.errors import Code, NextAction, RateLimit, ToolError

DataT_co = TypeVar("DataT_co", bound=BaseModel, covariant=True)
"""The pydantic model of a tool's own data fields."""

_ISSUE_KEYS: Final = frozenset({"code", "reason", "stage", "message", "retryable"})


class Status(StrEnum):
    """Whether the reply has everything that was requested. If it has nothing, it is an error."""

    OK = "ok"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One requested item that is missing, in a reply that has others."""

    code: Code
    stage: str
    """What was being done, in a word: `search`, `fetch`, `parse`."""

    message: str
    """One sentence. What is missing goes into `about`; other people's text only as `quote` writes it."""

    reason: StrEnum | None = None
    """Why, within the code."""

    retryable: bool = False
    about: Mapping[str, object] = field(default_factory=dict)
    """What is missing, under the tool's own names, which become keys of the issue. None is left out.

    The first string names the item in the text channel.
    """

    def __post_init__(self) -> None:
        """Refuse an empty message, and names in `about` that the issue has itself (ValueError)."""
        if not self.message.strip():
            raise ValueError("an issue needs a message")
        if taken := _ISSUE_KEYS & self.about.keys():
            raise ValueError(f"an issue has keys of its own called {', '.join(sorted(taken))}: rename yours")

    @classmethod
    def of(cls, error: ToolError, *, stage: str, **about: object) -> "Issue":
        """Build an issue from the error of one item; TypeError if it isn't a `ToolError`."""
        if not isinstance(error, ToolError):
            raise TypeError(f"an issue is made of a ToolError, such as InternalError, not {error!r}")
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
    """The maximum number of items on a page, from 1."""

    total_count: int | None = None
    """Items in the whole list, counted when its first page was made; None if that isn't known."""

    cursor: str | None = None
    """What to send for the next page; None on the last page."""

    @property
    def has_more(self) -> bool:
        """Whether there is a next page."""
        return self.cursor is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Untrusted:
    """Text that others wrote; it is shown between markers."""

    label: str
    """What it is, such as `body_text`: a word of letters, digits and underscores."""

    text: str

    def __post_init__(self) -> None:
        """Refuse a label that isn't a word (ValueError): it could be taken for something else."""
        if not self.label.isidentifier():
            raise ValueError("the label of an Untrusted text must be a word, such as body_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A file that goes with a reply."""

    uri: str
    """Its URI in the data of the reply."""

    content_type: str
    octets: bytes = field(repr=False)
    is_image: bool = False
    """Whether models see it as an image. It must then be a whole PNG, JPEG, GIF or WebP that was checked:
    because of another, hosts refuse the reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[DataT_co]):
    """A success, whole or partial, before a dialect gives it its shape."""

    summary: str
    """One line for people and models. Other people's text is in it only as `code` or `quote` writes it."""

    data: DataT_co
    blocks: tuple["str | Untrusted", ...] = ()
    """The data again as Markdown lines and quotations, complete for a model that sees nothing else.

    A string is one line, whatever it holds. Other people's text is in it only as `quote` or `code` writes it.
    """

    embedded: tuple[Embedded, ...] = ()
    issues: tuple[Issue, ...] = ()
    warnings: tuple[str, ...] = ()
    """Sentences about what is in the reply, such as a text that was cut."""

    page: Page | None = None
    """Required on every page of a tool that takes a `cursor`; not allowed for other tools."""

    next_action: NextAction | None = None
    rate_limit: RateLimit | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    """Ids for cross-reference, for the result's `_meta`."""

    def __post_init__(self) -> None:
        """Refuse an empty summary (ValueError), and a string as blocks: its characters would be lines."""
        if not self.summary.strip():
            raise ValueError("an outcome needs a summary")
        blocks: object = self.blocks
        if isinstance(blocks, str):
            raise TypeError("blocks must be a tuple of lines and Untrusted texts, not a string")

    @property
    def status(self) -> Status:
        """`partial` if and only if there are issues; a failure is never an outcome."""
        return Status.PARTIAL if self.issues else Status.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """Facts about one call, known to the call boundary; pages and warnings are the outcome's."""

    tool: str
    """The tool that was called."""

    version: str
    """Of the server's replies: `tickets/1`. It changes when a program that knows the old shape would
    misread the new one."""

    now: datetime
    """When the reply was made; aware."""

    duration_ms: int
    request_id: str
    telemetry: Mapping[str, int] = field(default_factory=dict)
    """What the call cost: counts and flags, under names of the server's own; empty for none."""

    trace: Mapping[str, str] = field(default_factory=dict)
    """`trace_id` and `span_id` of the caller's trace; empty if it sent none."""

    @property
    def now_utc(self) -> str:
        """RFC 3339 in UTC, with milliseconds and `Z`."""
        return _rfc3339(self.now, "milliseconds")

    def reset_at(self, rate_limit: RateLimit) -> str | None:
        """Format when the caller may try again, to the second; None if that isn't known."""
        if rate_limit.retry_after_s is None:
            return None
        return _rfc3339(self.now + timedelta(seconds=rate_limit.retry_after_s), "seconds")


def _rfc3339(moment: datetime, precision: str) -> str:
    return moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")
