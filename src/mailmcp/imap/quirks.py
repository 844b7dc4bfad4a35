"""What was learned of a server that its capabilities do not say.

One object an account, kept for as long as the process lives and shared by its
sessions. A feature that has a docstring names the servers that are known to get it wrong; the
others are probed because servers do not say what they get wrong. Verdicts expire.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic

from mailmcp import limits
from mailmcp.imap.command import RefusedError, meaning_of
from mailmcp.model.feature import Feature


def is_unsupported(refusal: RefusedError) -> bool:
    """Whether a refusal may mean that the server does not know a command or one of its arguments.

    Other response codes tell of passing troubles, limits or rights, which are no verdict on the command.
    No code at all leaves it open.
    """
    meaning = meaning_of(refusal.code)
    return meaning.unsupported if meaning else not refusal.code


class Verdict(StrEnum):
    """What a probe found."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    """There was nothing to probe with, or nobody has probed yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """How much of a mailbox a server shows."""

    shown: int
    """Messages that a search for all of them found, more than 0."""

    exists: int
    """Messages that are in the mailbox by the server's word."""

    @property
    def limited(self) -> bool:
        """Whether messages are hidden: a few may have come or gone, or be broken."""
        return self.exists - self.shown > limits.VIEW_SLACK_MESSAGES

    @property
    def statement(self) -> str:
        """Say it to the reader of a result."""
        return f"The server shows {self.shown} of the {self.exists} messages that it says are in the mailbox."


@dataclass(slots=True)
class Quirks:
    """Deviations found so far; starts with none."""

    clock: Callable[[], float] = monotonic
    """Seconds that never run backwards."""

    verdicts: dict[Feature, Verdict] = field(default_factory=dict)
    """Of probes, and of answers that were caught being wrong; `verdict` sees how old they are."""

    probes_run: int = 0
    """How many times `mailmcp.imap.workarounds.probes` has looked, since verdicts last expired."""

    binary_fails: bool = False
    """Whether the connection was lost over FETCH BINARY: pymap drops it where a part says it is binary."""

    sizes: dict[str, int] = field(default_factory=dict)
    """Messages in each mailbox when it was last opened: huge ones are searched in windows."""

    visibility: dict[str, Visibility] = field(default_factory=dict)
    """Of mailboxes in which it was looked how many messages are shown."""

    uids_out_of_order: set[str] = field(default_factory=set)
    """Mailboxes whose UIDs are not in the order of arrival: old messages were moved there."""

    raw_names: dict[str, bytes] = field(default_factory=dict)
    """Mailbox names as the server writes them, where encoding the decoded name gives other octets.

    Some servers list names in raw UTF-8 or in broken modified UTF-7 (RFC 3501 section 5.1.3).
    """

    _learned_at: dict[Feature, float] = field(default_factory=dict, init=False)
    _began_at: float = field(init=False)
    _probed_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._began_at = self._probed_at = self.clock()

    def verdict(self, feature: Feature) -> Verdict:
        """Return what is known of a feature; unknown if that is older than VERDICT_AGE_MAX_S."""
        if self._is_old(self._learned_at.get(feature, self._began_at)):
            return Verdict.UNKNOWN
        return self.verdicts.get(feature, Verdict.UNKNOWN)

    def learn(self, feature: Feature, verdict: Verdict) -> None:
        """Remember what was found out about a feature just now."""
        self.verdicts[feature] = verdict
        self._learned_at[feature] = self.clock()

    def begin_probe(self) -> bool:
        """Whether to probe now; counts it as done, since a probe that fails must not fail every call."""
        if self._is_old(self._probed_at):
            self.probes_run = 0
        if self.probes_run >= limits.PROBE_RUNS_MAX:
            return False
        self.probes_run += 1
        self._probed_at = self.clock()
        return True

    def end_probes(self) -> None:
        """Note that nothing is left to be found out, until verdicts expire."""
        self.probes_run = limits.PROBE_RUNS_MAX

    def _is_old(self, moment: float) -> bool:
        return self.clock() - moment >= limits.VERDICT_AGE_MAX_S

    def trusts(self, feature: Feature) -> bool:
        """Whether nothing speaks against a feature."""
        return self.verdict(feature) is not Verdict.WRONG

    def distrust(self, feature: Feature) -> None:
        """Remember that a feature was caught being wrong."""
        self.learn(feature, Verdict.WRONG)

    @property
    def whole_up_to(self) -> int:
        """Messages in the largest mailbox that is known to be shown whole: limits are of large ones."""
        return max((each.exists for each in self.visibility.values() if not each.limited), default=0)

    def learn_visibility(self, mailbox: str, view: Visibility) -> None:
        """Remember how much of a mailbox is shown; one that is not shown whole tells of the account."""
        self.visibility[mailbox] = view
        if view.limited:
            self.distrust(Feature.VIEW)
        elif self.trusts(Feature.VIEW):
            self.learn(Feature.VIEW, Verdict.OK)
