"""What a search needs a server to do right: the features behind each criterion, and what is said of them."""

from collections.abc import Iterable

from mailmcp.imap.quirks import Feature, Quirks, Verdict
from mailmcp.imap.search.criteria import Criteria

FLAG_FIELDS = frozenset({"unread_only", "flagged", "answered", "keyword"})
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


def features_of(name: str) -> tuple[Feature, ...]:
    """Tell what a server has to do right for a criterion."""
    return _FEATURES.get(name, ())


def needs_probes(criteria: Criteria) -> bool:
    """Whether criteria depend on what only probes find out; wrong flags show in the rows."""
    return bool(criteria.asked - _UNPROBED)


def unproven(criteria: Criteria, quirks: Quirks) -> str:
    """Say which of the criteria rest on the server alone and could not be probed; "" for none."""
    names = [
        name
        for name in criteria.asked - _UNPROBED
        if any(quirks.verdict(each) is Verdict.UNKNOWN for each in _needed(name, criteria, quirks))
    ]
    if not names:
        return ""
    return f"Whether the server's search by {list_names(names)} works could not be checked."


def _needed(name: str, criteria: Criteria, quirks: Quirks) -> tuple[Feature, ...]:
    needed = features_of(name)
    if name == "body" and not quirks.trusts(Feature.BODY):
        needed = (Feature.TEXT,)  # asked instead
    return needed if str(getattr(criteria, name)).isascii() else (*needed, Feature.CHARSET)


def list_names(fields: Iterable[str]) -> str:
    """Name criteria as a reader knows them."""
    return ", ".join(sorted({_NAMES[name] for name in fields}))
