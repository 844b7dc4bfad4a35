"""Probes: whether a server's search finds what is known to be there, asked once an hour for each account.

A few messages are fetched, then one burst of searches must find them, and must not find others.
Each verdict rests on several messages, since a single one may be odd. What is found to be wrong is
not asked of the server until the verdict expires (`keys`). A refusal is a verdict only where it speaks of
the search itself, and the server answered the plainest of all searches after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mailmcp import limits
from mailmcp.imap.command import Command, RefusedError, Response, canonical_name
from mailmcp.imap.errors import refused_error
from mailmcp.imap.fetch import parse_rows
from mailmcp.imap.quirks import Verdict, Visibility, is_unsupported
from mailmcp.imap.search.uid_search import COUNT_ALL, parse_count, parse_esearch, parse_search
from mailmcp.imap.session import Session
from mailmcp.imap.workarounds.probe_questions import Probe, Sample, make_probes
from mailmcp.imap.workarounds.specimens import SPECIMEN_ITEMS, Specimen, make_specimen, spread
from mailmcp.model.feature import Feature
from mcp_envelope import ToolError

_Found: TypeAlias = list[int] | RefusedError | None
"""UIDs; None for an answer that cannot be read."""


@dataclass(slots=True)
class _Score:
    """How many messages of all answers about a feature were rightly and wrongly found."""

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
    """Probe the server if its verdicts are due; with nothing to probe with they stay unknown.

    Raises:
        DeadlineError, InternalError: The connection failed. It is tried a few times at most.
    """
    if not session.quirks.begin_probe():
        return
    try:
        verdicts = probe(session, mailbox)
    except ToolError:
        if session.in_doubt:
            raise
        return  # the mailbox is missing, or FETCH refused: the search itself will say so
    if verdicts:
        session.quirks.end_probes()


def probe(session: Session, mailbox: str) -> dict[Feature, Verdict]:
    """Probe the server with the messages of a mailbox; three round trips, four if it is large.

    The verdicts are kept in the session's quirks, too. A feature that was caught being wrong stays so.

    Returns:
        Verdicts by feature; empty if some are left to be found out: no messages, or passing refusals.

    Raises:
        ToolError: As `Session.examine`; the connection failed.
    """
    opening = session.examine_commands(mailbox)
    replies = session.run_all(opening, in_order=True) if opening else [None]
    exists = session.apply_examine(mailbox, replies[0], uidvalidity=None).exists
    sample = Sample(_fetch_specimens(session, exists), exists <= limits.PROBE_WHOLE_MAILBOX_MAX)
    if not sample.specimens:
        return {}
    scores: dict[Feature, _Score] = {}
    everything = Probe(feature=Feature.ALL, command=sample.search(b"ALL", within=True), must=sample.uids)
    questions = [*make_probes(sample, can_sort=session.can("SORT")), everything]
    answers = _find(session, sample, questions, scores)
    if isinstance(answers[-1], RefusedError):
        return {}
    refusals = [each for each in answers if isinstance(each, RefusedError)]
    for question, found in zip(questions, answers, strict=True):
        _count(scores.setdefault(question.feature, _Score()), question, found)
    quirks = session.quirks
    for feature, score in scores.items():
        if quirks.trusts(feature) and score.verdict is not Verdict.UNKNOWN:
            quirks.learn(feature, score.verdict)
    all_found = answers[0] if isinstance(answers[0], list) else ()
    shown = len(set(all_found)) if sample.whole_mailbox else _count_shown(session)
    _learn_view(session, mailbox, shown=shown, exists=exists)
    if not all(map(is_unsupported, refusals)):
        return {}  # some is left to be found out
    return {feature: quirks.verdict(feature) for feature in [*scores, Feature.VIEW]}


def _count_shown(session: Session) -> int:
    """Count the messages that the server shows; one round trip, 0 where that would bring all their UIDs."""
    if not session.can("ESEARCH") or not session.quirks.trusts(Feature.ESEARCH):
        return 0
    reply = _ask_alone(session, COUNT_ALL)
    if isinstance(reply, RefusedError):
        return 0
    return parse_count(reply.untagged.get("ESEARCH", ()), tag=reply.tag) or 0


def _learn_view(session: Session, mailbox: str, *, shown: int, exists: int) -> None:
    """Remember how much is shown; what seems hidden may have gone, so that the mailbox is opened again."""
    if not shown:
        return
    if Visibility(shown=shown, exists=exists).is_partial:
        [reply] = session.run_all(session.examine_commands(mailbox, again=True), in_order=True)
        exists = session.apply_examine(mailbox, reply, uidvalidity=None).exists
    session.quirks.learn_visibility(canonical_name(mailbox), Visibility(shown=shown, exists=exists))


def _fetch_specimens(session: Session, exists: int) -> list[Specimen]:
    if not exists:
        return []
    numbers = b",".join(b"%d" % number for number in spread(exists, most=limits.PROBE_MESSAGES))
    try:
        answer = session.run("FETCH", numbers, f"({' '.join(SPECIMEN_ITEMS)})".encode())
    except RefusedError as error:
        raise refused_error(session.account.account_id, error) from error
    rows, _ = parse_rows(answer)
    return [make_specimen(row) for row in rows.values()]


def _find(
    session: Session, sample: Sample, questions: Sequence[Probe], scores: dict[Feature, _Score]
) -> list[_Found]:
    """Ask the questions, in the extended form if that is offered and works."""
    if session.can("ESEARCH"):
        first = Probe(feature=Feature.ESEARCH, command=sample.search(b"ALL", within=True), must=sample.uids)
        extended, *found = _find_extended(session, [first, *questions])
        _count(scores.setdefault(Feature.ESEARCH, _Score()), first, extended)
        if scores[Feature.ESEARCH].verdict is Verdict.OK:
            return found
    return _find_plainly(session, questions)


def _find_extended(session: Session, questions: Sequence[Probe]) -> list[_Found]:
    """Ask in one burst: servers do several searches at a time, and their answers say whose they are."""
    replies = _ask(session, [_extended(each.command) for each in questions])
    answers = [reply.answer if isinstance(reply, RefusedError) else reply for reply in replies]
    lines = [line for each in answers for line in each.untagged.get("ESEARCH", ()) if isinstance(line, bytes)]
    found: list[_Found] = []
    for question, reply in zip(questions, replies, strict=True):
        if isinstance(reply, RefusedError) or question.feature is Feature.SORT:
            found.append(_plain(question, reply))
        else:
            own = [line for line in lines if b'"' + reply.tag + b'"' in line]
            found.append(parse_esearch(own, tag=reply.tag))
    return found


def _extended(command: Command) -> Command:
    if command.name != "SEARCH":
        return command
    return replace(command, arguments=[b"RETURN", b"(COUNT ALL)", *command.arguments])


def _find_plainly(session: Session, questions: Sequence[Probe]) -> list[_Found]:
    """Ask in one burst; one by one if it cannot be told which answer is whose."""
    replies = _ask(session, [each.command for each in questions])
    answers = [reply for reply in replies if isinstance(reply, Response)]
    if any(len(each.untagged.get("SEARCH", each.untagged.get("SORT", ()))) != 1 for each in answers):
        replies = [_ask_alone(session, each.command) for each in questions]
    return [_plain(each, reply) for each, reply in zip(questions, replies, strict=True)]


def _plain(question: Probe, reply: Response | RefusedError) -> _Found:
    if isinstance(reply, RefusedError):
        return reply
    return parse_search(reply.untagged.get(question.command.name, ()))


def _ask(session: Session, commands: Sequence[Command]) -> list[Response | RefusedError]:
    """Ask all at once, but SORT, whose answers have no tag, and what has to wait for a literal."""
    at_once = [each for each in commands if each.name == "SEARCH" and session.connection.sends_at_once(each)]
    replies = dict(zip(map(id, at_once), session.run_all(at_once, in_order=False), strict=True))
    return [replies.get(id(each)) or _ask_alone(session, each) for each in commands]


def _ask_alone(session: Session, command: Command) -> Response | RefusedError:
    try:
        return session.run(command.name, *command.arguments, uid=command.uid)
    except RefusedError as error:
        return error


def _count(score: _Score, question: Probe, found: _Found) -> None:
    if not isinstance(found, list):
        score.wrong |= found is None or is_unsupported(found)
        return
    score.must += len(question.must)
    score.found += len(question.must.intersection(found))
    score.wrong |= len(question.must) > 1 and not question.must.intersection(found)
    score.must_not += len(question.must_not)
    score.found_wrongly += len(question.must_not.intersection(found))
    score.wrong |= question.judge is not None and not question.judge(found)
