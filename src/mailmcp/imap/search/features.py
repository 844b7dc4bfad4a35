"""What a search needs a server to do right: the features behind each criterion, and what is said of them."""

from collections.abc import Iterable

from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.model.feature import Feature
from mailmcp.model.query import SearchQuery

FLAG_FIELDS = frozenset({"unread_only", "flagged", "answered", "unanswered_only", "keyword"})
ADDRESS_FIELDS = frozenset({"from_", "to", "cc", "any_address"})
HEADER_FIELDS = ADDRESS_FIELDS | {"subject", "header_message_id"}

_FEATURES = {
    "from_": (Feature.FROM,),
    "to": (Feature.TO,),
    "cc": (Feature.CC,),
    "subject": (Feature.SUBJECT,),
    "any_address": (Feature.FROM, Feature.TO, Feature.CC),
    "header_message_id": (Feature.HEADER,),
    "larger_than": (Feature.LARGER,),
    "smaller_than": (Feature.SMALLER,),
    "since": (Feature.SINCE,),
    "before": (Feature.BEFORE,),
    "query": (Feature.TEXT,),
    "exclude": (Feature.TEXT, Feature.NOT),
    "body": (Feature.BODY,),
} | dict.fromkeys(FLAG_FIELDS, (Feature.ALL, Feature.FLAGS))
_UNPROBED = FLAG_FIELDS | {"has_attachment"}

_NAMES = {
    "from_": "sender",
    "to": "To",
    "cc": "Cc",
    "subject": "subject",
    "any_address": "address",
    "header_message_id": "Message-ID",
    "larger_than": "size",
    "smaller_than": "size",
    "since": "date",
    "before": "date",
    "query": "words",
    "exclude": "words",
    "body": "body",
} | dict.fromkeys(FLAG_FIELDS, "flags")

_BLIND_IN_TEXTS = (
    "Servers may overlook words in documents, in encrypted, signed or mislabelled text, "
    "and in encoded file names."
)
_BLIND_IN_HEADERS = "Servers may overlook words in header fields whose charset is missing or unknown."


def features_of(name: str) -> tuple[Feature, ...]:
    """Tell what a server has to do right for a criterion."""
    return _FEATURES.get(name, ())


def needs_probes(criteria: SearchQuery) -> bool:
    """Whether criteria depend on what only probes find out; wrong flags show in the rows."""
    return bool(criteria.asked - _UNPROBED)


def may_change(criteria: SearchQuery) -> bool:
    """Whether a message may match at one time and not at another: by its flags, or by Gmail's labels."""
    return bool(criteria.asked & (FLAG_FIELDS | {"gmail_query"}))


def unproven(criteria: SearchQuery, quirks: Quirks, *, found: int = 0, exists: int = 1) -> str:
    """Say which of the criteria rest on the server alone and could not be probed; "" for none.

    Args:
        criteria: What was searched for.
        quirks: What is known of the server.
        found: How many messages it found: where there are any, text beyond ASCII is looked for.
        exists: How many there are in the mailbox; of none there is nothing to prove.
    """
    asked = criteria.asked - _UNPROBED if exists else frozenset()
    names = {name for name in asked if any(_is_unknown(each, quirks) for each in _needed(name, quirks))}
    beyond_ascii = {name for name in asked - names if not str(getattr(criteria, name)).isascii()}
    beyond_ascii &= {"exclude"} if found else beyond_ascii
    said = []
    if names:
        said.append(f"Whether the server's search by {list_names(names)} works could not be checked.")
    if beyond_ascii and _is_unknown(Feature.CHARSET, quirks):
        what = list_names(beyond_ascii)
        said.append(f"Whether the server's search by {what} works beyond ASCII could not be checked.")
    return " ".join(said)


def blind_spots(criteria: SearchQuery, quirks: Quirks) -> str:
    """Say where a server that searches as it should may overlook words that were asked for; "" if nowhere.

    What is verified here is not overlooked. Dovecot and pymap read neither what is labelled wrongly nor
    the file names of RFC 2231.
    """
    if criteria.asked & {"query", "body", "gmail_query"}:
        return _BLIND_IN_TEXTS
    asked = criteria.asked & HEADER_FIELDS - {"header_message_id"}
    if not quirks.trusts(Feature.CHARSET):
        asked = frozenset(name for name in asked if str(getattr(criteria, name)).isascii())
    by_server = any(all(map(quirks.trusts, features_of(name))) for name in asked)
    return _BLIND_IN_HEADERS if by_server else ""


def _is_unknown(feature: Feature, quirks: Quirks) -> bool:
    return quirks.verdict(feature) is Verdict.UNKNOWN


def _needed(name: str, quirks: Quirks) -> tuple[Feature, ...]:
    if name == "body" and not quirks.trusts(Feature.BODY):
        return (Feature.TEXT,)  # asked instead
    return features_of(name)


def list_names(fields: Iterable[str]) -> str:
    """Name criteria as a reader knows them."""
    return ", ".join(sorted({_NAMES[name] for name in fields}))
