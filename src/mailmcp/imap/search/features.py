"""What the answer to a search rests on: features of the server, as far as verdicts tell."""

from collections.abc import Iterable

from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.model.feature import Feature
from mailmcp.model.query import Criterion, Kind, Proof, SearchQuery

_BLIND_IN_TEXTS = (
    "Servers may overlook words in documents, in encrypted, signed or mislabelled text, "
    "and in encoded file names."
)
_BLIND_IN_HEADERS = "Servers may overlook words in header fields whose charset is missing or unknown."


def needs_probes(query: SearchQuery) -> bool:
    """Whether the answer depends on what only probes find out; wrong flags show in the rows."""
    return bool(_probed(query))


def may_change(query: SearchQuery) -> bool:
    """Whether a message may match at one time and not at another: by its flags, or by Gmail's labels."""
    return any(row.proof in {Proof.FLAGS, Proof.SERVER} for row in query.criteria)


def unproven(query: SearchQuery, quirks: Quirks, *, found: int = 0, exists: int = 1) -> str:
    """Name the criteria that rest on the server alone and could not be probed; "" for none.

    Args:
        query: What was searched for.
        quirks: What is known of the server.
        found: How many messages it found: a search that finds any shows that it handles text beyond ASCII.
        exists: How many there are in the mailbox; an empty one leaves nothing to prove.
    """
    probed = _probed(query) if exists else []
    unknown = [row for row in probed if any(_is_unknown(each, quirks) for each in _needed(row, quirks))]
    # What `exclude` leaves proves nothing.
    beyond_ascii = [
        row for row in probed if row not in unknown and not query.is_ascii(row) and (row.negated or not found)
    ]
    sentences = []
    if unknown:
        sentences.append(f"Whether the server's search by {list_names(unknown)} works could not be checked.")
    if beyond_ascii and _is_unknown(Feature.CHARSET, quirks):
        what = list_names(beyond_ascii)
        sentences.append(f"Whether the server's search by {what} works beyond ASCII could not be checked.")
    return " ".join(sentences)


def blind_spots(query: SearchQuery, quirks: Quirks) -> str:
    """Say where even a server that searches correctly may overlook words; "" if nowhere.

    What is verified on messages is not overlooked. Dovecot and pymap read neither mislabelled text nor
    the file names of RFC 2231.
    """
    if any(row.proof in {Proof.WORDS, Proof.SERVER} and not row.negated for row in query.criteria):
        return _BLIND_IN_TEXTS
    by_server = any(
        row.proof is Proof.HEADER
        and row.kind is Kind.PHRASE
        and all(map(quirks.trusts, row.features))
        and (query.is_ascii(row) or quirks.trusts(Feature.CHARSET))
        for row in query.criteria
    )
    return _BLIND_IN_HEADERS if by_server else ""


def list_names(rows: Iterable[Criterion]) -> str:
    """Name criteria as sentences do."""
    return ", ".join(sorted({row.noun for row in rows}))


def _probed(query: SearchQuery) -> list[Criterion]:
    return [row for row in query.criteria if row.proof not in {Proof.FLAGS, Proof.STRUCTURE}]


def _needed(row: Criterion, quirks: Quirks) -> tuple[Feature, ...]:
    if Feature.BODY in row.features and not quirks.trusts(Feature.BODY):
        return (Feature.TEXT,)  # searched by instead
    return row.features


def _is_unknown(feature: Feature, quirks: Quirks) -> bool:
    return quirks.verdict(feature) is Verdict.UNKNOWN
