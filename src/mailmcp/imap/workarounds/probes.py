"""Probes: does a server's search find what is known to be there? Once an hour for each account.

A process that finds the verdicts of another one, not older than a day, begins with those.

A few messages are fetched. Then one burst of searches must find them, and must not find others. Each
verdict rests on several messages, since a single one may be odd. A key that is wrong is not used until the
verdict expires (`plan`). A refusal is a verdict only if it is about the search itself, and if the server
answered the simplest of all searches after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mailmcp import __version__, limits
from mailmcp.imap.command import Command, RefusedError, Response, canonical_name
from mailmcp.imap.errors import refused_error
from mailmcp.imap.quirks import Quirks, Verdict, Visibility, is_unsupported
from mailmcp.imap.rows import parse_rows
from mailmcp.imap.search.search_response import parse_count, parse_esearches, parse_search
from mailmcp.imap.search.uid_search import COUNT_ALL
from mailmcp.imap.session import Session
from mailmcp.imap.workarounds.known_messages import (
    KNOWN_MESSAGE_ITEMS,
    KnownMessage,
    parse_known_message,
    spread_evenly,
)
from mailmcp.imap.workarounds.probe_searches import Probe, Sample, make_probes
from mailmcp.model.feature import Feature
from mcp_envelope import ToolError

_Found: TypeAlias = Sequence[int] | RefusedError | None
"""UIDs; None if the response can't be read."""


@dataclass(slots=True)
class _Score:
    """How many messages the probes of a feature found rightly and wrongly."""

    must: int = 0
    found: int = 0
    must_not: int = 0
    found_wrongly: int = 0
    wrong: bool = False

    @property
    def verdict(self) -> Verdict:
        if self.wrong or 2 * self.found < self.must or 2 * self.found_wrongly > self.must_not:
            return Verdict.WRONG
        return Verdict.OK if self.must else Verdict.UNKNOWN


def probe_once(session: Session, mailbox: str) -> None:
    """Probe the server if its verdicts are due. Without messages to probe with they stay unknown.

    Raises:
        DeadlineError, InternalError: The connection failed. Probing stops after a few failures.
    """
    quirks = session.quirks
    quirks.server = identify(session)
    # Accounts of one host may be on different servers that look the same.
    kept_as = f"{session.account.user}\n{quirks.server}"
    if not quirks.begin_probe():
        return
    if quirks.restore(kept_as):
        quirks.end_probes()
        return
    try:
        verdicts = probe(session, mailbox)
    except ToolError:
        if session.in_doubt:
            raise
        return  # the mailbox is missing, or FETCH refused: the search itself will show it
    if verdicts:
        quirks.end_probes()
        quirks.keep(kept_as, verdicts)


def identify(session: Session) -> str:
    """Name a server by all that verdicts depend on, but the account."""
    account, connection = session.account, session.connection
    where = f"{account.host.lower()}:{account.port}"
    features = " ".join(each.value for each in Feature)
    return "\n".join([where, connection.software, connection.capabilities_line, __version__, features])


def probe(session: Session, mailbox: str) -> dict[Feature, Verdict]:
    """Probe the server with the messages of a mailbox; three round trips, four if it is large.

    Records the verdicts in the session's quirks. A feature that was caught being wrong stays so.

    Returns:
        Verdicts by feature; empty if some couldn't be reached: no messages, or passing refusals.

    Raises:
        ToolError: As `Session.examine`; the connection failed.
    """
    opening = session.examine_commands(mailbox)
    replies = session.run_all(opening) if opening else [None]
    exists = session.apply_examine(mailbox, replies[0], uidvalidity=None).exists
    sample = Sample(_fetch_known_messages(session, exists), exists <= limits.PROBE_WHOLE_MAILBOX_MAX)
    if not sample.messages:
        return {}
    scores: dict[Feature, _Score] = {}
    everything = Probe(feature=Feature.ALL, command=sample.search(b"ALL", within=True), must=sample.uids)
    probes = [*make_probes(sample, can_sort=session.can("SORT")), everything]
    results = _run(session, sample, probes, scores)
    if isinstance(results[-1], RefusedError):
        return {}
    for each, found in zip(probes, results, strict=True):
        _count(scores.setdefault(each.feature, _Score()), each, found)
    quirks = session.quirks
    for feature, score in scores.items():
        if quirks.trusts(feature) and score.verdict is not Verdict.UNKNOWN:
            quirks.learn(feature, score.verdict)
    _conclude_cc(quirks, scores)
    everything_found = results[0] if isinstance(results[0], Sequence) else ()
    shown = len(set(everything_found)) if sample.whole_mailbox else _count_shown(session)
    if shown:
        if Visibility(shown=shown, exists=exists).is_partial:
            # Messages may have gone since the mailbox was opened: open it again.
            [reply] = session.run_all(session.examine_commands(mailbox, again=True))
            exists = session.apply_examine(mailbox, reply, uidvalidity=None).exists
        quirks.learn_visibility(canonical_name(mailbox), Visibility(shown=shown, exists=exists))
    if any(isinstance(each, RefusedError) and not is_unsupported(each) for each in results):
        return {}
    return {feature: quirks.verdict(feature) for feature in [*scores, Feature.CC, Feature.VIEW]}


def _conclude_cc(quirks: Quirks, scores: Mapping[Feature, _Score]) -> None:
    """Trust CC without a message to probe it with, if FROM and TO work: no server gets it wrong alone."""
    unproven = scores.get(Feature.CC, _Score()).verdict is Verdict.UNKNOWN and quirks.trusts(Feature.CC)
    if unproven and all(quirks.verdict(each) is Verdict.OK for each in (Feature.FROM, Feature.TO)):
        quirks.learn(Feature.CC, Verdict.OK)


def _count_shown(session: Session) -> int:
    """Count the messages that the server shows; one round trip. 0 if that would bring all their UIDs."""
    if not session.can("ESEARCH"):
        return 0
    reply = _run_alone(session, COUNT_ALL)
    if isinstance(reply, RefusedError):
        return 0
    return parse_count(reply.untagged.get("ESEARCH", ()), tag=reply.tag) or 0


def _fetch_known_messages(session: Session, exists: int) -> list[KnownMessage]:
    if not exists:
        return []
    numbers = b",".join(b"%d" % number for number in spread_evenly(exists, limit=limits.PROBE_MESSAGES))
    try:
        answer = session.run("FETCH", numbers, f"({' '.join(KNOWN_MESSAGE_ITEMS)})".encode())
    except RefusedError as error:
        raise refused_error(session.account.account_id, error) from error
    rows, _ = parse_rows(answer)
    return [parse_known_message(row) for row in rows.values()]


def _run(
    session: Session, sample: Sample, probes: Sequence[Probe], scores: dict[Feature, _Score]
) -> list[_Found]:
    """Run the probes, in the extended form if that is offered and works."""
    if session.can("ESEARCH"):
        first = Probe(feature=Feature.ESEARCH, command=sample.search(b"ALL", within=True), must=sample.uids)
        extended, *found = _run_extended(session, [first, *probes])
        _count(scores.setdefault(Feature.ESEARCH, _Score()), first, extended)
        if scores[Feature.ESEARCH].verdict is Verdict.OK:
            return found
    return _run_plain(session, probes)


def _run_extended(session: Session, probes: Sequence[Probe]) -> list[_Found]:
    """Run the probes in one burst: servers do several searches at a time, and responses have tags."""
    commands = [
        replace(each.command, arguments=[b"RETURN", b"(COUNT ALL)", *each.command.arguments])
        if each.command.name == "SEARCH"
        else each.command
        for each in probes
    ]
    replies = _run_commands(session, commands)
    return [
        _parse_plain(each, reply)
        if isinstance(reply, RefusedError) or each.feature is Feature.SORT
        else extended
        for each, reply, extended in zip(probes, replies, parse_esearches(replies, len(replies)), strict=True)
    ]


def _run_plain(session: Session, probes: Sequence[Probe]) -> list[_Found]:
    """Run the probes in one burst; one by one if the responses don't show whose they are."""
    replies = _run_commands(session, [each.command for each in probes])
    responses = [reply for reply in replies if isinstance(reply, Response)]
    if any(len(each.untagged.get("SEARCH", each.untagged.get("SORT", ()))) != 1 for each in responses):
        replies = [_run_alone(session, each.command) for each in probes]
    return [_parse_plain(each, reply) for each, reply in zip(probes, replies, strict=True)]


def _parse_plain(probe_run: Probe, reply: Response | RefusedError) -> _Found:
    if isinstance(reply, RefusedError):
        return reply
    return parse_search(reply.untagged.get(probe_run.command.name, ()))


def _run_commands(session: Session, commands: Sequence[Command]) -> list[Response | RefusedError]:
    """Run commands at once, except SORT, whose responses have no tag, and what waits for a literal."""
    at_once = [each for each in commands if each.name == "SEARCH" and session.connection.sends_at_once(each)]
    replies = dict(zip(map(id, at_once), session.run_all(at_once), strict=True))
    return [replies.get(id(each)) or _run_alone(session, each) for each in commands]


def _run_alone(session: Session, command: Command) -> Response | RefusedError:
    try:
        return session.run(command.name, *command.arguments, uid=command.uid)
    except RefusedError as error:
        return error


def _count(score: _Score, probe_run: Probe, found: _Found) -> None:
    if found is None or isinstance(found, RefusedError):
        score.wrong |= found is None or is_unsupported(found)
        return
    score.must += len(probe_run.must)
    score.found += len(probe_run.must.intersection(found))
    score.wrong |= len(probe_run.must) > 1 and not probe_run.must.intersection(found)
    score.must_not += len(probe_run.must_not)
    score.found_wrongly += len(probe_run.must_not.intersection(found))
    score.wrong |= probe_run.is_ordered is not None and not probe_run.is_ordered(found)
