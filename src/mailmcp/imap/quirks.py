"""What was learned of a server that its capabilities don't say.

One object for each account, shared by its sessions for as long as the process lives. `Feature` names the
servers that are known to get a feature wrong. Verdicts expire. Those of probes are kept for other processes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic

from mailmcp import limits
from mailmcp.imap.command import RefusedError
from mailmcp.imap.kept import KeptFiles
from mailmcp.model.feature import Feature

_EXTENSIONS = {"ESEARCH": Feature.ESEARCH, "SORT": Feature.SORT}
"""Extensions that some servers advertise and get wrong, by their capabilities."""


def is_unsupported(refusal: RefusedError) -> bool:
    """Return whether a refusal may mean that the server doesn't know a command or an argument.

    Other response codes are about passing troubles, limits or rights, and no verdict on the command.
    Without a code it may be either.
    """
    meaning = refusal.meaning
    return meaning.unsupported if meaning else not refusal.code


class Verdict(StrEnum):
    """The result of a probe."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    """There was nothing to probe with, or no probe yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """How much of a mailbox a server shows."""

    shown: int
    """Messages that a search for all of them found, more than 0."""

    exists: int
    """Messages that the server says are in the mailbox."""

    @property
    def is_partial(self) -> bool:
        """Whether messages are hidden. A few may have come or gone, or be broken."""
        return self.exists - self.shown > limits.VIEW_SLACK_MESSAGES

    @property
    def statement(self) -> str:
        """The sentence for the reader of a result."""
        return f"The server shows {self.shown} of the {self.exists} messages that it says are in the mailbox."


@dataclass(slots=True)
class Quirks:
    """What was learned so far; at first nothing."""

    clock: Callable[[], float] = monotonic
    """Seconds that never run backwards."""

    kept: KeptFiles | None = None
    """Where verdicts are kept between processes."""

    all_accounts: "Sequence[Quirks]" = field(default=(), repr=False, compare=False)
    """What was learned with each account of the process, this one too."""

    server: str = ""
    """Which server this is, as the probe names it; "" before. Accounts can share one."""

    verdicts: dict[Feature, Verdict] = field(default_factory=dict)
    """From probes, and from answers that were wrong. Use `verdict`, which knows how old they are."""

    probes_run: int = 0
    """Probes since verdicts last expired."""

    sizes: dict[str, int] = field(default_factory=dict)
    """Messages in each mailbox when it was last opened."""

    uidnexts: dict[str, int] = field(default_factory=dict)
    """Their UIDNEXT at that time, where the server sends it."""

    search_speeds: dict[tuple[str, ...], float] = field(default_factory=dict)
    """Messages that the server searched in a second, the last time, by the criteria."""

    visibility: dict[str, Visibility] = field(default_factory=dict)
    """By mailbox, where the messages shown were counted."""

    uids_out_of_order: set[str] = field(default_factory=set)
    """Mailboxes whose UIDs don't follow arrival: old messages were moved there."""

    raw_names: dict[str, bytes] = field(default_factory=dict)
    """Mailbox names as the server writes them, where encoding the decoded name gives other octets.

    Some servers list names in raw UTF-8 or in broken modified UTF-7 (RFC 3501 section 5.1.3).
    """

    _kept_for: str = field(default="", init=False)
    """The server whose kept verdicts are the same as these."""

    _shown_whole: int = field(default=0, init=False)
    """Messages in the largest mailbox that an earlier process saw shown whole."""

    _learned_at: dict[Feature, float] = field(default_factory=dict, init=False)
    _began_at: float = field(init=False)
    _probed_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._began_at = self._probed_at = self.clock()

    def verdict(self, feature: Feature) -> Verdict:
        """Return what is known of a feature; UNKNOWN if that is older than VERDICT_AGE_MAX_S.

        Many mailboxes have no non-ASCII text to probe with: another account of the server may know.
        """
        known = self.own_verdict(feature)
        if feature is Feature.CHARSET and known is Verdict.UNKNOWN and self.server:
            others = (each.own_verdict(feature) for each in self.all_accounts if each.server == self.server)
            return next((each for each in others if each is not Verdict.UNKNOWN), known)
        return known

    def learn(self, feature: Feature, verdict: Verdict) -> None:
        """Record a verdict, as of now."""
        self.verdicts[feature] = verdict
        self._learned_at[feature] = self.clock()

    def trusts(self, feature: Feature) -> bool:
        """Return whether a feature isn't known to be wrong."""
        return self.verdict(feature) is not Verdict.WRONG

    def distrust(self, feature: Feature) -> None:
        """Record that a feature was caught being wrong. Kept verdicts that failed to say so are removed."""
        self.learn(feature, Verdict.WRONG)
        if self.kept and self._kept_for:
            self.kept.remove(self._kept_for)
            self._kept_for = ""

    def allows(self, capability: str) -> bool:
        """Return whether an advertised extension isn't known to fail."""
        return capability not in _EXTENSIONS or self.trusts(_EXTENSIONS[capability])

    def begin_probe(self) -> bool:
        """Return whether to probe now, and count it: a probe that fails must not fail every call."""
        if self._is_old(self._probed_at):
            self.probes_run = 0
        if self.probes_run >= limits.PROBE_RUNS_MAX:
            return False
        self.probes_run += 1
        self._probed_at = self.clock()
        return True

    def end_probes(self) -> None:
        """Stop probing until verdicts expire: everything is known."""
        self.probes_run = limits.PROBE_RUNS_MAX

    def restore(self, server: str) -> bool:
        """Learn what an earlier process found out about a server; False if nothing is kept.

        Once a process: when its verdicts expire, it probes. What it has found out itself counts more.
        """
        values = self.kept.read(server) if self.kept and not self._kept_for else None
        if values is None:
            return False
        try:
            verdicts = {Feature(name): Verdict(each) for name, each in values["verdicts"].items()}
            shown_whole = int(values["shown_whole"])
        except (ValueError, LookupError, TypeError, AttributeError):
            return False  # from another version
        for feature, verdict in verdicts.items():
            if self.verdict(feature) is Verdict.UNKNOWN:
                self.learn(feature, verdict)
        self._kept_for, self._shown_whole = server, shown_whole
        return True

    def keep(self, server: str, verdicts: Mapping[Feature, Verdict]) -> None:
        """Keep the verdicts of a probe of a server for other processes."""
        if self.kept:
            found = {each: verdict for each, verdict in verdicts.items() if verdict is not Verdict.UNKNOWN}
            by_name = {feature.value: verdict.value for feature, verdict in found.items()}
            self.kept.write(server, {"verdicts": by_name, "shown_whole": self.largest_shown_whole})
            self._kept_for = server

    def own_verdict(self, feature: Feature) -> Verdict:
        """Return what is known of a feature from this account alone."""
        if self._is_old(self._learned_at.get(feature, self._began_at)):
            return Verdict.UNKNOWN
        return self.verdicts.get(feature, Verdict.UNKNOWN)

    def _is_old(self, moment: float) -> bool:
        return self.clock() - moment >= limits.VERDICT_AGE_MAX_S

    @property
    def largest_shown_whole(self) -> int:
        """Messages in the largest mailbox known to be shown whole: servers hide messages of large ones."""
        seen = (each.exists for each in self.visibility.values() if not each.is_partial)
        return max(seen, default=self._shown_whole)

    @property
    def largest_seen(self) -> int:
        """Messages in the largest mailbox that this process opened, or the one that kept the verdicts."""
        return max(self._shown_whole, *self.sizes.values(), 0)

    def learn_visibility(self, mailbox: str, visibility: Visibility) -> None:
        """Record how much of a mailbox is shown. One that is shown in part is a verdict on the account."""
        self.visibility[mailbox] = visibility
        if visibility.is_partial:
            self.distrust(Feature.VIEW)
        elif self.trusts(Feature.VIEW):
            self.learn(Feature.VIEW, Verdict.OK)
