"""A search as one value, and its criteria: each field of `SearchQuery` is one row of a table.

A row holds everything that is particular to a criterion: its argument, its IMAP keys
(RFC 9051 section 6.4.4), what proves it on a message, and how a sentence names it. Code that handles criteria
loops over `CRITERIA`, so a new row is a new criterion. Only other programs' operators for it, such as
`from:`, are elsewhere (`tools/search/syntax.py`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from datetime import UTC, date, datetime, timedelta
from enum import Enum, auto
from typing import Any, Final, TypeAlias, TypeVar

from mailmcp.model.awaited_reply import AwaitedReply
from mailmcp.model.mail_kind import WantedKind

ValueT = TypeVar("ValueT")

Keys: TypeAlias = Sequence[bytes | str | int | date]
"""Parts of a search key: octets are sent as they are, texts as strings, dates as SEARCH writes them."""


class Kind(Enum):
    """What a caller sends for a criterion."""

    WORDS = auto()
    """Words and quoted phrases."""

    PHRASE = auto()
    """A text that is looked for as a whole."""

    KEYWORD = auto()
    MESSAGE_ID = auto()
    FOREIGN = auto()
    """A query in the server's own language."""

    FLAG = auto()
    OCTETS = auto()
    MOMENT = auto()
    """A day, or a time with its offset."""

    MAIL_KIND = auto()
    """A name of `MailKind`."""

    AWAITED_REPLY = auto()
    """Whose reply is awaited; see `AwaitedReply`."""


class Proof(Enum):
    """What shows on a message whether it matches; the cheapest to search by come first.

    Some servers evaluate keys in the order in which they come.
    """

    FLAGS = auto()
    TIME = auto()
    """INTERNALDATE."""

    SIZE = auto()
    """RFC822.SIZE."""

    WRITTEN = auto()
    """The Date header, or INTERNALDATE where that is missing or can't be read."""

    HEADER = auto()
    """Header fields, those of the row."""

    KIND = auto()
    """Header fields and BODYSTRUCTURE, as `WantedKind` says."""

    SERVER = auto()
    """Nothing: the server's word is taken."""

    WORDS = auto()
    """Nothing in full. Subject and sender are looked at where the server can't search texts."""

    STRUCTURE = auto()
    """BODYSTRUCTURE: there is no search key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One row of the table."""

    kind: Kind
    proof: Proof
    noun: str
    """What the search goes by, in sentences: "The server's search by sender"."""

    keys: Callable[[Any], Keys] | None = None
    """Writes the search key of a term; empty if the server can't help with this one."""

    terms: Callable[[Any], Sequence[object]] = lambda value: (value,)
    """Divides a value into what is searched for: each term has a key of its own, and all must match."""

    is_exact: Callable[[Any], bool] = lambda _value: True
    """Whether the keys ask for exactly this value; if not, matches are verified."""

    holds: Callable[[Any, Any], bool] | None = None
    """Compares a value with the message's flags (lower case), time (epoch seconds) or octets."""

    header_fields: tuple[str, ...] = ()
    """The fields that prove it: the value is in one of them."""

    negated: bool = False
    """Whether the terms must not occur."""

    capability: str = ""
    """What the server must offer; with the name of the provider in `provider`."""

    provider: str = ""
    description: str = ""
    """Of the argument, as published."""

    aliases: str = ""
    """What other programs call the argument."""

    published: bool = True
    """Whether the argument is in the schema; others are accepted, but not published."""

    asked_by: str = ""
    """The argument that asks for it; "" for one of its own."""

    name: str = ""
    """The field of `SearchQuery`."""

    @property
    def argument(self) -> str:
        """The argument's name: the field's, which has `_` behind it where Python reserves the word."""
        return self.asked_by or self.name.rstrip("_")


_SEPARATORS = re.compile(r"""['"\\<>(),]""")
"""What separates the pieces of a name and an address.

Servers differ in where they find them: Dovecot finds no `Ann Lee <ann@…>`, as rows show senders, and
only `O\\'Neil`, as it would write that.
"""

_DAY: Final = timedelta(days=1)

_UNDATED: Final[Keys] = (b"NOT", b"SENTSINCE", date(1970, 1, 2))
"""Finds messages whose Date header a server can't read, unless it uses INTERNALDATE instead.

It matches neither date key (pymap), or counts as 0 (Dovecot).
"""

_LAST_DATES: Final = date(2038, 1, 1)
"""Dovecot keeps dates as unsigned numbers of 32 bits: those before 1970 come after 2038."""


KEYWORD: Final = re.compile(r"[!#$&'+,\-./0-9:;<=>?@A-Z\[^_`a-z|}~]{1,255}")
"""RFC 9051 section 9, flag-keyword."""


def bare_message_id(text: str) -> str:
    """Strip the angle brackets from a Message-ID."""
    return text.strip().removeprefix("<").removesuffix(">")


def _criterion(default: ValueT, kind: Kind, proof: Proof, **row: Any) -> ValueT:
    return field(default=default, metadata={"row": Criterion(kind=kind, proof=proof, **row)})


def _words(**row: Any) -> tuple[str, ...]:
    nothing: tuple[str, ...] = ()
    row |= {"noun": "words", "terms": lambda words: words}
    return _criterion(nothing, Kind.WORDS, Proof.WORDS, **row)


def _seen(word: str) -> Keys:
    """Write the key of a word where people see it: TEXT also finds `terna` in `multipart/alternative`."""
    headers = [part for key in (b"FROM", b"TO", b"CC", b"SUBJECT") for part in (b"OR", key, word)]
    return (*headers, b"BODY", word)


def _in_header(*header_fields: str, keys: Callable[[str], Keys] | None = None, **row: Any) -> str:
    """A part of one of some header fields.

    Without `keys`, the search is `HEADER <field> <text>`, in the one field there is.
    """
    [first, *_] = header_fields
    keys = keys or (lambda text: (b"HEADER", first.upper().encode(), text))
    row |= {"header_fields": header_fields, "keys": keys}
    return _criterion("", row.pop("kind", Kind.PHRASE), Proof.HEADER, **row)


def _address(*header_fields: str, keys: Callable[[str], Keys], **row: Any) -> str:
    """A part of a name or address; names with their address are searched for in pieces."""
    row |= {
        "terms": lambda text: [piece for each in _SEPARATORS.split(text) if (piece := each.strip())],
        "is_exact": lambda text: not _SEPARATORS.search(text),
    }
    return _in_header(*header_fields, keys=keys, **row)


def _flag(key: bytes, flag: str, *, is_set: bool, aliases: str, published: bool = True) -> bool:
    return _criterion(
        False,  # noqa: FBT003 - the default of the field
        Kind.FLAG,
        Proof.FLAGS,
        noun="flags",
        keys=lambda _value: (key,),
        holds=lambda _value, flags: (flag in flags) is is_set,
        aliases=aliases,
        published=published,
    )


def _octets(key: bytes, holds: Callable[[int, int], bool], **row: Any) -> int:
    return _criterion(
        0, Kind.OCTETS, Proof.SIZE, noun="size", holds=holds, keys=lambda octets: (key, octets), **row
    )


def _moment(
    day_key: bytes,
    margin: timedelta,
    holds: Callable[[datetime, int], bool],
    *,
    proof: Proof = Proof.TIME,
    or_keys: Keys = (),
    **row: str,
) -> datetime | None:
    """A time of arrival or of writing; SEARCH knows days, in a zone that nobody knows: hence the margin.

    `or_keys` find messages whose time the server may not know.
    """

    def keys(moment: datetime) -> Keys:
        try:
            day = (moment.astimezone(UTC) + margin).date()
        except OverflowError:
            day = moment.date()  # at the ends of the calendar
        key = (day_key, day)
        return (b"OR", *key, *or_keys) if or_keys else key

    nothing: datetime | None = None
    return _criterion(
        nothing,
        Kind.MOMENT,
        proof,
        keys=keys,
        holds=holds,
        is_exact=lambda _moment: False,
        **({"noun": "date"} | row),
    )


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What to search for: all that is set must hold. A default asks nothing.

    Texts contain no CR, LF or NUL: callers refuse these. The order of the fields is that of the arguments.
    """

    _: KW_ONLY
    query: tuple[str, ...] = _words(
        keys=_seen,
        description='Words or parts, all required; "a phrase". No operators.',
        aliases="q text search keywords search_query search_term search_text terms words criteria",
    )
    anywhere: tuple[str, ...] = _words(keys=lambda word: (b"TEXT", word), asked_by="query")
    """Words that were nowhere in `query`: they may be in names of files, or in other header fields."""

    exclude: tuple[str, ...] = _words(
        keys=_seen,
        negated=True,
        description="Words that must not occur.",
        aliases="not exclude_words without",
    )
    from_: str = _address(
        "From",
        keys=lambda piece: (b"FROM", piece),
        noun="sender",
        description="Part of name or address.",
        aliases="sender from_address from_email from_name author",
    )
    to: str = _address(
        "To", keys=lambda piece: (b"TO", piece), noun="To", aliases="recipient recipients to_address to_email"
    )
    cc: str = _address("Cc", keys=lambda piece: (b"CC", piece), noun="Cc", published=False)
    any_address: str = _address(
        "From",
        "To",
        "Cc",
        keys=lambda piece: (b"OR", b"FROM", piece, b"OR", b"TO", piece, b"CC", piece),
        noun="address",
        description="From, To or Cc.",
        aliases="address participant participants contact person",
    )
    subject: str = _in_header("Subject", keys=lambda text: (b"SUBJECT", text), noun="subject")
    body: str = _criterion("", Kind.PHRASE, Proof.WORDS, noun="body", keys=lambda text: (b"BODY", text))
    keyword: str = _criterion(
        "",
        Kind.KEYWORD,
        Proof.FLAGS,
        noun="flags",
        keys=lambda keyword: (b"KEYWORD", keyword.encode()),
        holds=lambda keyword, flags: keyword.lower() in flags,
        description="IMAP keyword like $Forwarded.",
    )
    header_message_id: str = _in_header(
        "Message-ID",
        kind=Kind.MESSAGE_ID,
        keys=lambda text: (b"HEADER", b"MESSAGE-ID", f"<{bare_message_id(text)}>"),
        noun="Message-ID",
        description="Message-ID header.",
        aliases="message_id rfc822_message_id",
    )
    list_id: str = _in_header("List-Id", noun="List-Id", aliases="list mailing_list")
    gmail_query: str = _criterion(
        "",
        Kind.FOREIGN,
        Proof.SERVER,
        noun="Gmail query",
        keys=lambda text: (b"X-GM-RAW", text),
        capability="X-GM-EXT-1",
        provider="Gmail",
        description="Gmail's own search language.",
        aliases="raw_query gmail_raw x_gm_raw",
    )
    unread_only: bool = _flag(
        b"UNSEEN", "\\seen", is_set=False, aliases="unread is_unread unseen only_unread"
    )
    flagged: bool = _flag(b"FLAGGED", "\\flagged", is_set=True, aliases="starred is_starred is_flagged")
    answered: bool = _flag(
        b"ANSWERED", "\\answered", is_set=True, aliases="replied is_answered is_replied", published=False
    )
    unanswered_only: bool = _flag(
        b"UNANSWERED",
        "\\answered",
        is_set=False,
        aliases="unanswered unreplied is_unanswered not_answered",
        published=False,
    )
    awaiting_reply: AwaitedReply | None = _criterion(  # noqa: RUF009 - None is immutable
        None,
        Kind.AWAITED_REPLY,
        Proof.HEADER,
        noun="sender",
        keys=lambda awaited: awaited.keys,
        is_exact=lambda _awaited: False,
        header_fields=AwaitedReply.header_fields,
        description="Whose reply is missing.",
        aliases="waiting_for_reply awaiting needs_reply no_reply unreplied_by",
    )
    has_attachment: bool = _criterion(
        False,  # noqa: FBT003 - the default of the field
        Kind.FLAG,
        Proof.STRUCTURE,
        noun="attachments",
        is_exact=lambda _value: False,
        aliases="attachments with_attachments include_attachments",
    )
    kind: WantedKind | None = _criterion(  # noqa: RUF009 - None is immutable
        None,
        Kind.MAIL_KIND,
        Proof.KIND,
        noun="kinds of mail",
        keys=lambda wanted: wanted.keys,
        is_exact=lambda _wanted: False,
        aliases="type category message_type mail_type",
    )
    larger_than: int = _octets(
        b"LARGER", lambda limit, size: size > limit, description="Octets.", aliases="min_size larger"
    )
    smaller_than: int = _octets(
        b"SMALLER", lambda limit, size: size < limit, aliases="max_size smaller", published=False
    )
    since: datetime | None = _moment(  # noqa: RUF009 - None is immutable
        b"SINCE",
        -_DAY,
        lambda moment, received: received >= moment.timestamp(),
        description="On or after: YYYY-MM-DD, or RFC 3339 with offset.",
        aliases="after date_from from_date start since_date date_after received_after newer_than",
    )
    before: datetime | None = _moment(  # noqa: RUF009 - None is immutable
        b"BEFORE",
        2 * _DAY,
        lambda moment, received: received < moment.timestamp(),
        description="Earlier.",
        aliases="until date_to to_date end before_date date_before received_before older_than",
    )
    written_since: datetime | None = _moment(  # noqa: RUF009 - None is immutable
        b"SENTSINCE",
        -_DAY,
        lambda moment, written: written >= moment.timestamp(),
        proof=Proof.WRITTEN,
        or_keys=_UNDATED,
        noun="Date header",
        asked_by="since",
    )
    written_before: datetime | None = _moment(  # noqa: RUF009 - None is immutable
        b"SENTBEFORE",
        2 * _DAY,
        lambda moment, written: written < moment.timestamp(),
        proof=Proof.WRITTEN,
        or_keys=(b"OR", *_UNDATED, b"SENTSINCE", _LAST_DATES),
        noun="Date header",
        asked_by="before",
    )

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The rows that ask something; none if every message matches."""
        return tuple(row for row in CRITERIA if self[row])

    def __getitem__(self, row: Criterion) -> Any:
        """Return the value of a criterion; a false one asks nothing."""
        return getattr(self, row.name)

    def only(self, rows: Iterable[Criterion]) -> "SearchQuery":
        """Return the query without all other criteria."""
        return SearchQuery(**{row.name: self[row] for row in rows})

    def is_ascii(self, row: Criterion) -> bool:
        """Return whether a criterion searches for ASCII."""
        return all(str(term).isascii() for term in row.terms(self[row]))


NO_CRITERIA: Final = SearchQuery()
"""Every message matches."""

CRITERIA: Final = tuple(replace(each.metadata["row"], name=each.name) for each in fields(SearchQuery))
"""All rows, in the order of the arguments."""

ARGUMENT_CRITERIA: Final = tuple(row for row in CRITERIA if not row.asked_by)
"""The rows that have an argument of their own."""
