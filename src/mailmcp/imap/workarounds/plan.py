"""The plan of a search on a server that gets some keys wrong.

A key that the server is known to get wrong is left out, and its criterion is verified on the messages. What
nothing can verify, words within texts, is searched for in another way. Statements say so.

Strato finds nothing by SUBJECT; iCloud, at times, nothing by any string key, and gets sizes wrong; Exchange
refuses CHARSET, and Coremail finds nothing with it. `tests/search/trap_table_keys.py` plays them.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from mailmcp.imap.quirks import Quirks, Verdict
from mailmcp.imap.search.plan import Plan, find_known_gaps, make_plan, write_keys
from mailmcp.model.feature import Feature
from mailmcp.model.query import Criterion, Keys, Proof, SearchQuery
from mailmcp.reasons import Reason
from mcp_envelope import InvalidInputError


def plan_around(query: SearchQuery, *, quirks: Quirks, can: Callable[[str], bool]) -> Plan:
    """Plan a search by what is known of the server.

    Raises:
        InvalidInputError: As `make_plan`, or the server can't search for non-ASCII text (`charset_refused`).
    """
    trusted: list[Criterion] = []
    wrong: list[Criterion] = []
    foreign: list[Criterion] = []
    reworded: list[bytes] = []
    local: list[Criterion] = []
    statements: list[str] = []
    for row in query.criteria:
        in_charset = quirks.trusts(Feature.CHARSET) or query.is_ascii(row)
        if row.proof in {Proof.WORDS, Proof.SERVER} and not in_charset:
            raise _charset_refused(row)
        if row.proof is Proof.WORDS:
            write, statement = _search_words(row, quirks)
            if statement:
                statements.append(statement)
            if write is None:
                local.append(row)
            elif write is row.keys:
                trusted.append(row)
            else:
                reworded += write_keys(row, query, write)
        elif not (all(map(quirks.trusts, row.features)) or not query.asks_server(row)):
            wrong.append(row)
        elif not in_charset:
            foreign.append(row)
        else:
            trusted.append(row)
    plan = make_plan(query.only(trusted), can=can)
    if len(trusted) == len(query.criteria):
        return plan
    if foreign:
        statements.append(
            f"The server can't search for non-ASCII text: {list_names(foreign)} was checked here, "
            "message by message."
        )
    if wrong:
        statements.append(
            f"The server's search by {list_names(wrong)} doesn't work: it was checked here, "
            "message by message."
        )
    return replace(
        plan,
        keys=(*plan.keys, *reworded),
        local=query.only([*plan.local.criteria, *wrong, *foreign, *local]),
        statements=(*dict.fromkeys(statements), *plan.statements),
        complete=not any(statement in _INCOMPLETE for statement in statements),
        known_gaps=find_known_gaps(
            row for row in query.criteria if row in trusted or row.proof is Proof.WORDS
        ),
    )


def _charset_refused(row: Criterion) -> InvalidInputError:
    return InvalidInputError.of(
        row.argument,
        Reason.CHARSET_REFUSED,
        "the server can't search for text that is not ASCII. Search for ASCII words, "
        "or for other criteria such as dates, senders or subjects.",
    )


_NO_TEXT = "The server's text search doesn't work: words were searched for in subjects and senders only."
_NO_NOT = "The server can't exclude words: those were looked for in subjects and senders only."
_NO_BODY = "The server's body search doesn't work: headers were searched, too."
_INCOMPLETE = {_NO_TEXT, _NO_NOT}


def _search_words(row: Criterion, quirks: Quirks) -> tuple[Callable[[str], Keys] | None, str]:
    """Choose how to search for words: in whole messages where the server can, else in subjects and senders.

    Returns:
        What writes the key of a word, None if subjects and senders must be verified; and the statement.
    """
    if row.negated and not quirks.trusts(Feature.NOT):
        return None, _NO_NOT if quirks.trusts(Feature.TEXT) else _NO_TEXT
    in_body = Feature.BODY in row.features
    if in_body and quirks.verdict(Feature.BODY) is Verdict.OK:
        return row.keys, ""
    if quirks.trusts(Feature.TEXT):
        # TEXT finds all that BODY would, and what has the words in its headers.
        return (_in_text, _NO_BODY) if in_body and not quirks.trusts(Feature.BODY) else (row.keys, "")
    by_header = quirks.trusts(Feature.SUBJECT) and quirks.trusts(Feature.FROM)
    return _in_headers if by_header else None, _NO_TEXT


def _in_text(word: str) -> Keys:
    return b"TEXT", word


def _in_headers(word: str) -> Keys:
    return b"OR", b"SUBJECT", word, b"FROM", word


def find_probed(query: SearchQuery) -> list[Criterion]:
    """Return the criteria whose result depends on what only probes find out. Wrong flags show in the rows."""
    return [row for row in query.criteria if row.proof is not Proof.FLAGS and query.asks_server(row)]


def describe_unverified(query: SearchQuery, quirks: Quirks, *, found: int = 0, exists: int = 1) -> str:
    """Describe which criteria rest on the server alone and couldn't be probed; "" for none.

    Args:
        query: What was searched for.
        quirks: What is known of the server.
        found: How many messages it found: a search that finds any shows that it handles non-ASCII text.
        exists: How many there are in the mailbox; an empty one leaves nothing to verify.
    """
    probed = find_probed(query) if exists else []
    unknown = []
    for row in probed:
        # TEXT replaces a BODY that is wrong.
        replaced = Feature.BODY in row.features and not quirks.trusts(Feature.BODY)
        features = (Feature.TEXT,) if replaced else row.features
        if Verdict.UNKNOWN in map(quirks.verdict, features):
            unknown.append(row)
    # What `exclude` leaves proves nothing.
    foreign = [
        row for row in probed if row not in unknown and not query.is_ascii(row) and (row.negated or not found)
    ]
    sentences = []
    if unknown:
        arguments = ", ".join(sorted(row.argument for row in unknown))
        sentences.append(
            f"The server's search by {list_names(unknown)} couldn't be tested: to be sure, search without "
            f"{arguments}."
        )
    if foreign and quirks.verdict(Feature.CHARSET) is Verdict.UNKNOWN:
        sentences.append(
            f"The server's search by {list_names(foreign)} for non-ASCII text couldn't be tested: "
            "to be sure, search for ASCII words."
        )
    return " ".join(sentences)


def list_names(rows: Iterable[Criterion]) -> str:
    """List criteria as sentences name them."""
    return ", ".join(sorted({row.noun for row in rows}))
